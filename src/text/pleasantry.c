/*
 * pleasantry.c - a text is a pleasantry when nothing is left of it once the phrases people are
 * polite with are taken out: the longest at each place, signs and emoji between them skipped. One
 * word more
 * ("hi, the build broke") and it is a request.
 *
 * Phrases stand folded: lower case, simplified characters also inside Japanese ones (お愿い), as
 * mn_text_fold makes them.
 */
#include "text/pleasantry.h"

#include <string.h>

#include "base/str.h"
#include "text/cue.h"

#define PLEASANTRY_BYTES_MAX 240 /* nobody greets at greater length */

enum kind { GREETING = 0, THANKS, CLOSING, ASSENT, FILLER, KIND_COUNT };

struct phrases {
    enum kind kind;
    const char *const *item;
};

/* clang-format off */
static const char *const GREETINGS[] = {
    "你好", "您好", "你好呀", "你们好", "大家好", "各位好", "嗨", "哈喽", "哈啰", "哈罗", "嘿", "喂", "早", "早上好", "早安",
    "上午好", "中午好", "下午好", "晚上好", "晚安", "午安", "在吗", "在不在", "有人吗", "你在吗", "今天怎么样", "最近怎么样", "最近好吗",
    "你好吗", "过得怎么样", "吃了吗", "你是谁", "你叫什么名字", "你叫什么", "新年快乐", "新年好", "春节快乐", "生日快乐", "节日快乐", "中秋快乐",
    "国庆快乐", "圣诞快乐", "周末愉快", "周末快乐", "恭喜发财", "过年好", "好久不见", "很高兴认识你", "幸会", "久仰", "hello", "hi",
    "hey", "hiya", "howdy", "yo", "hi there", "hello there", "hey there", "hello again",
    "hi again", "good morning", "good afternoon", "good evening", "good day", "morning",
    "evening", "greetings", "how are you", "how are you doing", "how are you today",
    "how are you doing today", "how's it going", "how is it going", "how do you do", "what's up",
    "whats up", "sup", "how have you been", "are you there", "anyone there", "anybody there",
    "who are you", "what are you", "what is your name", "what's your name", "nice to meet you",
    "pleased to meet you", "happy new year", "merry christmas", "happy birthday",
    "happy holidays", "have a nice day", "have a good day", "have a great day",
    "have a nice weekend", "have a good weekend", "long time no see", "welcome back", "こんにちは",
    "こんばんは", "おはよう", "おはようございます", "おやすみ", "おやすみなさい", "はじめまして", "もしもし", "よろしく", "よろしくお愿いします",
    "よろしくお愿いいたします", "よろしくおねがいします", "宜しくお愿いします", "どうぞよろしく", "本日もよろしくお愿いします", "お疲れ様です", "お疲れさまです",
    "お元気ですか", "明けましておめでとうございます", "안녕", "안녕하세요", "안녕하십니까", "여보세요", "좋은 아침", "반갑습니다", "bonjour",
    "bonsoir", "salut", "coucou", "bonne nuit", "ça va", "comment ça va", "enchanté", "hola",
    "buenos días", "buenos dias", "buenas tardes", "buenas noches", "buenas", "qué tal",
    "que tal", "cómo estás", "como estas", "hallo", "guten tag", "guten morgen", "guten abend",
    "gute nacht", "moin", "servus", "grüss gott", "wie geht's", "wie geht es dir", "ciao",
    "buongiorno", "buonasera", "buonanotte", "salve", "come stai", "olá", "ola", "oi", "bom dia",
    "boa tarde", "boa noite", "tudo bem", "hoi", "goedemorgen", "goedemiddag", "goedenavond",
    "hej", "god morgon", "god morgen", "hei", "привет", "здравствуй", "здравствуйте",
    "доброе утро", "добрый день", "добрый вечер", "как дела", "cześć", "dzień dobry", "merhaba",
    "selam", "günaydın", "مرحبا", "السلام عليكم", "صباح الخير", "नमस्ते", "xin chào", "สวัสดี",
    "selamat pagi", "halo", NULL,
};

static const char *const THANK_YOUS[] = {
    "谢谢", "谢谢你", "谢谢您", "谢谢啦", "谢谢了", "多谢", "非常感谢", "十分感谢", "感谢", "感谢你", "太感谢了", "谢了", "谢啦", "3q",
    "辛苦了", "辛苦啦", "麻烦你了", "帮大忙了", "很有帮助", "非常有帮助", "太有帮助了", "你真棒", "真棒", "太棒了", "太好了", "干得好",
    "做得好", "厉害", "thank you", "thanks", "thank you so much", "thank you very much",
    "thanks a lot", "thanks so much", "many thanks", "thanks again", "thanks a million", "thx",
    "tx", "ty", "tysm", "cheers", "much appreciated", "i appreciate it", "appreciate it",
    "appreciated", "that was helpful", "that was very helpful", "that was really helpful",
    "that is very helpful", "that's very helpful", "that's helpful", "very helpful",
    "that helped", "that helps", "that helped a lot", "that helps a lot", "you are the best",
    "you're the best", "well done", "great job", "good job", "nice work", "great work",
    "good work", "good bot", "awesome", "for your help", "for the help", "for everything",
    "for that", "for helping", "for helping me", "for your time", "ありがとう", "ありがとうございます",
    "ありがとうございました", "どうもありがとう", "どうも", "感谢します", "助かりました", "감사합니다", "고마워", "고맙습니다", "merci",
    "merci beaucoup", "gracias", "muchas gracias", "danke", "danke schön", "vielen dank",
    "dankeschön", "grazie", "grazie mille", "obrigado", "obrigada", "muito obrigado", "dank je",
    "bedankt", "tack", "takk", "tak", "спасибо", "большое спасибо", "спасибо большое", "dziękuję",
    "teşekkürler", "شكرا", "شكرا لك", "धन्यवाद", "cảm ơn", "terima kasih", NULL,
};

static const char *const CLOSINGS[] = {
    "再见", "拜拜", "拜", "回见", "回头见", "明天见", "下次见", "下周见", "一会见", "一会儿见", "改天聊", "先这样", "就这样", "就这样吧",
    "没事", "没事了", "没关系", "没什么", "不客气", "不用谢", "不谢", "不用了", "算了", "收到", "知道了", "明白", "明白了", "了解",
    "了解了", "懂了", "清楚了", "辛苦", "做个好梦", "好梦", "保重", "慢走", "我先下了", "下线了", "打扰了", "抱歉", "对不起", "不好意思",
    "bye", "bye bye", "goodbye", "good bye", "see you", "see ya", "see you later",
    "see you tomorrow", "see you soon", "see you next week", "later", "talk to you later",
    "talk soon", "ttyl", "good night", "goodnight", "sleep well", "take care", "never mind",
    "nevermind", "no worries", "no problem", "you're welcome", "you are welcome", "youre welcome",
    "my pleasure", "got it", "understood", "i see", "noted", "makes sense", "that makes sense",
    "that's all", "that is all", "that's it", "that will be all", "all good", "i'm done",
    "that's all for today", "that's all for now", "sorry", "my bad", "sorry about that", "bravo",
    "さようなら", "またね", "またあした", "じゃあね", "失礼します", "了解です", "了解しました", "わかりました", "すみません", "ごめんなさい",
    "안녕히 가세요", "안녕히 계세요", "알겠습니다", "au revoir", "à bientôt", "à demain", "de rien", "adiós",
    "adios", "hasta luego", "hasta mañana", "de nada", "tschüss", "auf wiedersehen", "bis morgen",
    "bis bald", "bitte", "gern geschehen", "arrivederci", "a domani", "prego", "tchau",
    "até logo", "até amanhã", "tot ziens", "hej då", "пока", "до свидания", "до завтра",
    "пожалуйста", "do widzenia", NULL,
};

static const char *const ASSENTS[] = {
    "好", "好的", "好吧", "好滴", "好嘞", "好啊", "嗯", "嗯嗯", "恩", "行", "行吧", "可以", "可以的", "对", "对的", "是",
    "是的", "没错", "没问题", "当然", "哦", "噢", "喔", "啊", "哈哈", "哈哈哈", "呵呵", "嘻嘻", "ok", "okay", "okey",
    "k", "kk", "okey dokey", "alright", "all right", "right", "sure", "sure thing", "yes", "yeah",
    "yep", "yup", "no", "nope", "fine", "cool", "great", "good", "nice", "perfect", "wonderful",
    "excellent", "amazing", "lovely", "brilliant", "oh", "ah", "aha", "hm", "hmm", "mm", "mhm",
    "uh huh", "wow", "haha", "hahaha", "lol", "sounds good", "looks good", "lgtm", "agreed",
    "exactly", "indeed", "of course", "absolutely", "definitely", "はい", "いいえ", "うん", "ええ", "네",
    "예", "아니요", "oui", "non", "d'accord", "sí", "si", "vale", "ja", "nein", "genau", "sim", "não",
    "va bene", "да", "нет", "хорошо", "tak", NULL,
};

static const char *const FILLERS[] = {
    "呀", "啊", "哈", "呢", "吧", "哦", "啦", "了", "哟", "哇", "吗", "嘛", "的", "那", "那就", "先", "真的", "真",
    "很", "都", "也", "朋友", "朋友们", "老师", "同学", "各位", "大家", "助手", "小助手", "亲", "帮助", "你的帮助", "今天", "你",
    "您", "我", "all", "everyone", "everybody", "team", "folks", "guys", "friend", "friends",
    "my friend", "buddy", "mate", "sir", "assistant", "bot", "and", "to you", "you", "you too",
    "and you", "today", "then", "so", "so much", "very much", "a lot", "again", "very", "really",
    "just", "it", "is", "was", "everything", "all of you", "there", "well", "man", "dear", "さん",
    "みなさん", "皆さん", "です", "ね", "よ", "本日も", "今日も", "どうぞ", NULL,
};
/* clang-format on */

static const struct phrases PHRASES[KIND_COUNT] = {
    { GREETING, GREETINGS }, { THANKS, THANK_YOUS }, { CLOSING, CLOSINGS },
    { ASSENT, ASSENTS },     { FILLER, FILLERS },
};

/* The longest phrase that stands here; its bytes, or 0. Where two are equal the kind listed first.
 */
static size_t longest_at(const char *folded, const char *at, enum kind *ret_kind)
{
    size_t longest = 0;

    for (size_t k = 0; k < KIND_COUNT; k++) {
        for (size_t i = 0; PHRASES[k].item[i]; i++) {
            size_t bytes = mn_cue_literal_at(folded, at, PHRASES[k].item[i]);

            if (bytes > longest) {
                longest = bytes;
                *ret_kind = PHRASES[k].kind;
            }
        }
    }
    return longest;
}

static bool is_latin_letter(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

/* Is what is left one Latin word, and is the text's last word spelled like a name: "Anna", not
 * "MCP"? */
static bool ends_with_name(const char *text, const char *rest)
{
    const char *end = text + strlen(text);
    size_t letters = 0;

    while (is_latin_letter(rest[letters]))
        letters++;
    for (const char *at = rest + letters; *at; at++) {
        if (is_latin_letter(*at) || (unsigned char)*at >= 0xc0)
            return false;
    }
    while (end > text && !is_latin_letter(end[-1]))
        end--;
    if (letters < 2 || letters > 20 || (size_t)(end - text) < letters)
        return false;
    const char *name = end - letters;
    return name[0] >= 'A' && name[0] <= 'Z' && name[1] >= 'a' && name[1] <= 'z';
}

static enum mn_pleasantry what_was_said(const bool said[KIND_COUNT])
{
    if (said[THANKS])
        return MN_PLEASANTRY_THANKS;
    if (said[GREETING])
        return MN_PLEASANTRY_GREETING;
    if (said[CLOSING])
        return MN_PLEASANTRY_CLOSING;
    return said[ASSENT] ? MN_PLEASANTRY_ASSENT : MN_PLEASANTRY_NO;
}

enum mn_pleasantry mn_pleasantry_find(const char *text, const char *folded)
{
    size_t bytes = strlen(folded);
    bool said[KIND_COUNT] = { false };
    bool words = false;

    if (bytes > PLEASANTRY_BYTES_MAX)
        return MN_PLEASANTRY_NO;
    for (size_t at = 0; at < bytes;) {
        enum kind kind = FILLER;
        size_t next = at;
        size_t phrase;

        if (!mn_cue_is_word_character(mn_utf8_next(folded, bytes, &next))) {
            at = next;
            continue;
        }
        words = true;
        phrase = longest_at(folded, folded + at, &kind);
        if (!phrase)
            return (said[GREETING] || said[THANKS]) && ends_with_name(text, folded + at)
                       ? what_was_said(said)
                       : MN_PLEASANTRY_NO;
        said[kind] = true;
        at += phrase;
    }
    return words ? what_was_said(said) : MN_PLEASANTRY_WORDLESS;
}
