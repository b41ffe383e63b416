/*
 * bench_chatter.c - a day of chatter: bench_chatter [TURNS] [archive]
 *
 * One user talks for 24 hours by a simulated clock, 100,000 turns unless told otherwise, of which 95 in
 * a hundred are small talk, the others facts, a city that changes and things said before; twenty turns a
 * call, a thousand a session. Memories are recalled every 200 turns, maintenance runs every 100. Printed
 * ten times: the size of the files, resident memory, memories. Then nothing happens for three seconds but
 * that maintenance is asked for fifty times a second. With an archive (a folder) the turns of sessions that
 * have ended go there, and the store is left with their ids.
 *
 * Exit code 1 when a bound is broken: 16 MiB, 1 KiB a turn and 32 KiB a recall (its trace) for the
 * files, the log among them, and a quarter of a KiB a turn for the archive; 160 MiB and 1 KiB a
 * turn resident (not asked where an address sanitizer is in the way); idle, nothing written and at
 * most one hundredth of a processor.
 */
#include <ftw.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include <mneme/mneme.h>

#define DAY_MS INT64_C(86400000)
#define START_MS INT64_C(1790000000000)
#define SESSION_TURNS 1000
#define TURNS_AT_ONCE 20
#define RECALL_EVERY 200
#define MAINTAIN_EVERY 100
#define FILE_FIXED_KB (16 * 1024)
#define FILE_TURN_KB 1
#define FILE_RECALL_KB 32
#define ARCHIVE_TURNS_PER_KB 4
#define RSS_FIXED_KB (160 * 1024)
#define RSS_TURN_KB 1
#define IDLE_MS 3000
#define IDLE_CPU_MS (IDLE_MS / 100)

#if defined(__SANITIZE_ADDRESS__)
#define RSS_TELLS 0
#else
#define RSS_TELLS 1
#endif

static const char *const small_talk[] = {
    "Good morning!", "How are you today?", "Haha, nice one.", "ok", "Thanks!", "See you later.",
    "What a grey sky again.", "Is it still raining over there?", "I could use a coffee.", "Hm, right.",
    "你好", "早上好！", "哈哈", "今天好困啊", "好的，谢谢", "晚安", "That was a long meeting.",
    "Lol, the cat is on the keyboard.", "Nothing much, and you?", "Back in five minutes.",
};
static const char *const cities[] = { "Rome", "Oslo", "Lima", "Cairo", "Porto", "Kyoto", "Riga" };
static const char *const said_before[] = { "Remember that the spare key hangs behind the boiler.",
                                           "From now on answer in short sentences.",
                                           "记住，我的工位在三楼靠窗。" };
#define COUNT(array) (sizeof(array) / sizeof *(array))

static void fail(const char *what, const struct mneme_error *err)
{
    fprintf(stderr, "bench_chatter: %s: %s\n", what, err->message);
    exit(2);
}

static long file_kb(const char *path)
{
    static const char *const ends[] = { "", "-wal" };
    long bytes = 0;

    for (size_t i = 0; i < COUNT(ends); i++) {
        char name[600];
        struct stat found;

        (void)snprintf(name, sizeof name, "%s%s", path, ends[i]);
        if (stat(name, &found) == 0)
            bytes += (long)found.st_size;
    }
    return bytes / 1024;
}

/* Of all files below the folder. */
static long archive_bytes;

static int add_file(const char *path, const struct stat *about, int kind, struct FTW *where)
{
    (void)path;
    (void)where;
    archive_bytes += kind == FTW_F ? (long)about->st_size : 0;
    return 0;
}

static int remove_file(const char *path, const struct stat *about, int kind, struct FTW *where)
{
    (void)about;
    (void)kind;
    (void)where;
    return remove(path);
}

static long archive_kb(const char *path)
{
    archive_bytes = 0;
    if (*path)
        (void)nftw(path, add_file, 8, FTW_PHYS);
    return archive_bytes / 1024;
}

static long resident_kb(void)
{
    FILE *file = fopen("/proc/self/statm", "r");
    long pages = 0;

    if (!file)
        return 0;
    if (fscanf(file, "%*s %ld", &pages) != 1)
        pages = 0;
    fclose(file);
    return pages * (sysconf(_SC_PAGESIZE) / 1024);
}

static int count_one(void *context, const struct mneme_record *record)
{
    *(long *)context += record->kind == MNEME_RECORD_MEMORY;
    return 0;
}

static long memories(struct mneme *handle)
{
    struct mneme_filter filter = MNEME_FILTER_INIT;
    struct mneme_error err;
    long count = 0;

    filter.tenant_id = "acme";
    filter.user_id = "ann";
    if (mneme_list_memories(handle, &filter, count_one, &count, &err) != MNEME_OK)
        fail("list", &err);
    return count;
}

/* What is said in a turn. */
static void word(long turn, char *text, size_t bytes)
{
    unsigned pick = (unsigned)(turn * 2654435761U >> 7);

    if (turn % 20 != 7)
        (void)snprintf(text, bytes, "%s", small_talk[pick % COUNT(small_talk)]);
    else if (turn / 20 % 5 == 0)
        (void)snprintf(text, bytes, "Remember that desk %ld belongs to team %u.", turn / 100,
                       pick % 90 + 10);
    else if (turn / 20 % 5 < 3)
        (void)snprintf(text, bytes, "I live in %s.", cities[pick % COUNT(cities)]);
    else
        (void)snprintf(text, bytes, "%s", said_before[pick % COUNT(said_before)]);
}

static void say(struct mneme *handle, long turn, int64_t now_ms)
{
    struct mneme_event events[TURNS_AT_ONCE];
    char texts[TURNS_AT_ONCE][160];
    struct mneme_change change = MNEME_CHANGE_INIT;
    struct mneme_error err;
    char session[32];

    (void)snprintf(session, sizeof session, "s-%ld", turn / SESSION_TURNS);
    change.now_ms = now_ms;
    for (int i = 0; i < TURNS_AT_ONCE; i++) {
        word(turn + i, texts[i], sizeof texts[i]);
        events[i] = (struct mneme_event)MNEME_EVENT_INIT;
        events[i].tenant_id = "acme";
        events[i].user_id = "ann";
        events[i].session_id = session;
        events[i].role = "user";
        events[i].text = texts[i];
        events[i].event_time_ms = now_ms;
    }
    if (mneme_observe(handle, events, TURNS_AT_ONCE, &change, NULL, &err) != MNEME_OK)
        fail("observe", &err);
}

static void recall(struct mneme *handle, int64_t now_ms)
{
    struct mneme_request request = MNEME_REQUEST_INIT;
    struct mneme_answer *answer = NULL;
    struct mneme_error err;

    request.identity.tenant_id = "acme";
    request.identity.user_id = "ann";
    request.text = "Where does the spare key hang?";
    request.now_ms = now_ms;
    if (mneme_retrieve(handle, &request, &answer, &err) != MNEME_OK)
        fail("retrieve", &err);
    mneme_answer_free(answer);
}

static void maintain(struct mneme *handle, int64_t now_ms, size_t pieces)
{
    struct mneme_maintenance what = MNEME_MAINTENANCE_INIT;
    struct mneme_error err;

    what.now_ms = now_ms;
    what.pieces_max = pieces;
    if (mneme_maintain(handle, &what, NULL, NULL, NULL, &err) != MNEME_OK)
        fail("maintain", &err);
}

static double cpu_ms(void)
{
    struct timespec at;

    (void)clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &at);
    return (double)at.tv_sec * 1e3 + (double)at.tv_nsec / 1e6;
}

static void stamp(const char *path, struct stat found[2])
{
    char log[600];

    (void)snprintf(log, sizeof log, "%s-wal", path);
    memset(found, 0, 2 * sizeof *found);
    (void)stat(path, &found[0]);
    (void)stat(log, &found[1]);
}

/* Nothing is due: nothing may be done. */
static int idle(struct mneme *handle, const char *path)
{
    const struct timespec pause = { 0, 20000000 };
    struct stat before[2], after[2];
    struct mneme_error err;
    size_t left = 1;
    int written = 0;

    for (int i = 0; i < 1000 && left; i++)
        if (mneme_run_due(handle, 1000, &left, &err) != MNEME_OK)
            fail("run_due", &err);
    stamp(path, before);
    double began_ms = cpu_ms();
    for (int i = 0; i < IDLE_MS / 20; i++) {
        if (mneme_run_due(handle, 1000, &left, &err) != MNEME_OK)
            fail("run_due", &err);
        (void)nanosleep(&pause, NULL);
    }
    double used_ms = cpu_ms() - began_ms;
    stamp(path, after);
    for (int i = 0; i < 2; i++)
        written |= before[i].st_size != after[i].st_size ||
                   before[i].st_mtim.tv_sec != after[i].st_mtim.tv_sec ||
                   before[i].st_mtim.tv_nsec != after[i].st_mtim.tv_nsec;
    printf("idle for %d ms: %.1f ms of CPU, %s\n", IDLE_MS, used_ms,
           written ? "files were written" : "nothing written");
    return written || (RSS_TELLS && used_ms > IDLE_CPU_MS);
}

int main(int argc, char **argv)
{
    long turns = argc > 1 ? atol(argv[1]) : 100000;
    char folder[] = "/tmp/mneme-chatter-XXXXXX";
    struct mneme_options options = MNEME_OPTIONS_INIT;
    struct mneme *handle = NULL;
    struct mneme_error err;
    char path[512], archive[512] = "";
    int broken = 0;

    turns = turns < 1000 ? 1000 : turns - turns % 1000;
    setvbuf(stdout, NULL, _IOLBF, 0);
    if (!mkdtemp(folder))
        return 2;
    (void)snprintf(path, sizeof path, "%s/store", folder);
    options.store_path = path;
    options.create = 1;
    options.tokenizer = "estimate";
    if (argc > 2 && !strcmp(argv[2], "archive"))
        (void)snprintf(archive, sizeof archive, "%s/archive", folder);
    options.archive = archive;
    if (mneme_open(&options, &handle, &err) != MNEME_OK)
        fail("open", &err);
    for (long turn = 0; turn < turns;) {
        int64_t now_ms = START_MS + DAY_MS * turn / turns;

        say(handle, turn, now_ms);
        turn += TURNS_AT_ONCE;
        if (turn % RECALL_EVERY == 0)
            recall(handle, now_ms);
        if (turn % MAINTAIN_EVERY == 0) {
            maintain(handle, now_ms, 20);
            if (mneme_run_due(handle, 20, NULL, &err) != MNEME_OK)
                fail("run_due", &err);
        }
        if (turn % (turns / 10) == 0) {
            long file = file_kb(path), rss = resident_kb(), away = archive_kb(archive);

            printf("%7ld turns: files %7ld KiB, archive %5ld KiB, resident %7ld KiB, %ld memories\n",
                   turn, file, away, rss, memories(handle));
            broken |= file > FILE_FIXED_KB + FILE_TURN_KB * turn +
                                 FILE_RECALL_KB * turn / RECALL_EVERY;
            broken |= away > turn / ARCHIVE_TURNS_PER_KB;
            broken |= RSS_TELLS && rss > RSS_FIXED_KB + RSS_TURN_KB * turn;
        }
    }
    maintain(handle, START_MS + 2 * DAY_MS, 100000);
    maintain(handle, 0, 100000); /* by the clock, which is looked at every minute from now on */
    broken |= idle(handle, path);
    printf("in the end: files %ld KiB, archive %ld KiB\n", file_kb(path), archive_kb(archive));
    mneme_close(handle);
    (void)nftw(folder, remove_file, 8, FTW_DEPTH | FTW_PHYS);
    printf("%s\n", broken ? "a bound is broken" : "within the bounds");
    return broken;
}
