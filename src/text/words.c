/*
 * words.c - the lists.
 *
 * Chinese: closed word classes (pronouns, particles, prepositions, conjunctions, adverbs, question
 * words, modal and direction verbs, place words). STRICT are those that seldom carry meaning inside
 * a content word. Frequency does not find them: 一 好 学 家 are as common. English: the same
 * classes, with the contracted forms.
 */
#include "text/words.h"

#include <pthread.h>
#include <string.h>
#include <uchar.h>

#include "base/hash.h"
#include "base/str.h"

/* By code point; a test sees that they are in order. */
static const char16_t STRICT[] =
    u"且么也了些什他们但你再却又吗吧呀呢咱哦哪啊啦嗯嘛在她它就很怎您我或是的而谁还这那都";
static const char16_t FUNC[] =
    u"上下不与个中为之于从以会何使候做其几则到去及只叫可向和哎因地太如对将己并应往得想所才把时更最"
    u"有来果样每没由着给能自若被要让该说跟过里";

static const char STOP[] =
    "a i s t about above after again against all also although am among an and any are "
    "aren't as at be because been before being below between both but by can can't cannot "
    "could couldn't did didn't do does doesn't doing don't down during each either ever "
    "every few for from further get gets got had hadn't has hasn't have haven't having he "
    "he'd he'll he's her here hers herself him himself his how however i'd i'll i'm i've if "
    "in into is isn't it it'd it'll it's its itself just let let's many may me might more "
    "most much must my myself neither no nor not now of off on once one only onto or other "
    "our ours ourselves out over own per please quite rather really same shall she she'd "
    "she'll she's should shouldn't since so some such than that that's the their theirs them "
    "themselves then there there's these they they'd they'll they're they've this those "
    "though through thus to too under until up upon us very was wasn't we we'd we'll we're "
    "we've were weren't what what's when where where's whether which while who who's whom "
    "whose why will with within without won't would wouldn't yet you you'd you'll you're "
    "you've your yours yourself yourselves";
#define STOP_BYTES_MAX 10
#define STOP_SLOTS 512 /* more than twice the words */

/* Built at the first look-up. */
static struct {
    pthread_once_t once;
    struct mn_str slot[STOP_SLOTS]; /* .at NULL: empty */
} stop = { .once = PTHREAD_ONCE_INIT };

static size_t stop_slot(struct mn_str word)
{
    size_t slot = mn_hash64(word.at, word.bytes, 0) % STOP_SLOTS;

    while (stop.slot[slot].at && !mn_str_equal(stop.slot[slot], word))
        slot = (slot + 1) % STOP_SLOTS;
    return slot;
}

static void build(void)
{
    for (const char *at = STOP; *at;) {
        struct mn_str word = { at, strcspn(at, " ") };

        stop.slot[stop_slot(word)] = word;
        at += word.bytes;
        at += *at == ' ';
    }
}

bool mn_words_stop(const char *word, size_t bytes)
{
    struct mn_str asked = { word, bytes };

    if (bytes == 0 || bytes > STOP_BYTES_MAX)
        return false;
    (void)pthread_once(&stop.once, build);
    return stop.slot[stop_slot(asked)].at != NULL;
}

static bool among(const char16_t *sorted, size_t count, int32_t code_point)
{
    size_t low = 0;

    while (low < count) {
        size_t middle = low + (count - low) / 2;

        if (sorted[middle] == code_point)
            return true;
        if (sorted[middle] < code_point)
            low = middle + 1;
        else
            count = middle;
    }
    return false;
}

enum mn_han mn_words_han(int32_t code_point)
{
    if (among(STRICT, sizeof STRICT / sizeof STRICT[0] - 1, code_point))
        return MN_HAN_STRICT;
    return among(FUNC, sizeof FUNC / sizeof FUNC[0] - 1, code_point) ? MN_HAN_FUNC : MN_HAN_CONTENT;
}
