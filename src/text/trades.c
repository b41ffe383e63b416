/*
 * trades.c - two lists of words, and how Chinese ones end.
 */
#include "text/trades.h"

#include <stddef.h>

/* clang-format off */
static const char *const TRADES[] = {
    "accountant", "actor", "admin", "administrator", "analyst", "architect", "artist", "assistant", "author", "banker",
    "barber", "captain", "ceo", "cfo", "chairman", "chairwoman", "chef", "chief", "cio", "clerk", "coach", "colonel", "consultant",
    "coo", "counsel", "cto", "dancer", "dentist", "deputy", "designer", "developer", "devops", "director", "doctor",
    "driver", "editor", "electrician", "engineer", "executive", "farmer", "firefighter", "founder", "freelancer", "head",
    "hr", "intern", "inspector", "journalist", "junior", "lawyer", "lecturer", "lieutenant", "manager",
    "mayor", "mechanic", "minister", "musician", "nurse", "officer", "painter", "photographer", "physicist", "pilot",
    "plumber", "policeman", "president", "principal", "producer", "professor", "programmer", "psychologist", "researcher", "sales",
    "scientist", "secretary", "senior", "sergeant", "soldier", "student", "surgeon", "teacher", "therapist", "trainer",
    "translator", "vet", "veterinarian", "vice", "vp", "waiter", "waitress", "writer", NULL,
};
static const char *const TITLES[] = {
    "dr", "mr", "mrs", "ms", "miss", "prof", "professor", "doctor", "sir", "dame", "captain", "judge", "herr", "frau", NULL,
};
static const char *const HAN[] = {
    "护士", "学生", "歌手", "画家", "作家", "司机", "会计", "警察", "医生", "大夫", "经理", "总裁", "主任", "教授", "校长", "老板", "主管",
    "总监", "董事", "院长", "科长", "处长", "局长", "部长", "组长", "队长", "店长", "秘书", "助理", "顾问", "编辑", "记者", "导演", "演员",
    "模特", "保安", "保姆", "农民", "军官", "士兵", "博士", "硕士", "院士", "法官", "老师", "律师", "牙医", NULL,
};
static const char *const HAN_RANKS[] = { "总", "副", "女", "男", "大", "老", NULL };
static const char *const HAN_ENDS[] = { "员", "师", "人", NULL };
/* clang-format on */

bool mn_trade_known(struct mn_str word)
{
    if (!word.bytes || (unsigned char)word.at[0] < 0x80)
        return mn_str_alike_any(word, TRADES);
    for (size_t i = 0; HAN[i]; i++) {
        if (!mn_str_ends(word, HAN[i]))
            continue;
        /* "王教授" is somebody's name, 外科医生 and 总经理 nobody's. */
        struct mn_str before = { word.at, word.bytes - strlen(HAN[i]) };
        return before.bytes != strlen("王") || mn_str_alike_any(before, HAN_RANKS);
    }
    for (size_t i = 0; HAN_ENDS[i]; i++)
        if (mn_str_ends(word, HAN_ENDS[i]))
            return true;
    return false;
}

bool mn_trade_before_name(struct mn_str word)
{
    return mn_str_alike_any(word, TITLES);
}
