/*
 * nations.c - two lists of words, and 人 behind the Chinese ones.
 *
 * The countries that people mention most, in both languages; one that is missing is read as any name.
 */
#include "text/nations.h"

#include <stddef.h>

/* clang-format off */
static const char *const COUNTRIES[] = {
    "argentina", "australia", "austria", "belgium", "brazil", "britain", "canada", "chile", "china", "colombia", "croatia",
    "czechia", "denmark", "egypt", "england", "estonia", "finland", "france", "germany", "greece", "hungary", "iceland",
    "india", "indonesia", "iran", "iraq", "ireland", "israel", "italy", "japan", "kenya", "korea", "latvia", "lithuania",
    "luxembourg", "malaysia", "mexico", "morocco", "netherlands", "holland", "new zealand", "nigeria", "norway", "pakistan",
    "peru", "philippines", "poland", "portugal", "romania", "russia", "scotland", "serbia", "slovakia", "slovenia",
    "south africa", "south korea", "spain", "sweden", "switzerland", "taiwan", "thailand", "turkey", "ukraine",
    "united kingdom", "united states", "the uk", "uk", "the us", "us", "the usa", "usa", "vietnam", "wales",
    "africa", "asia", "europe", "north america", "south america", "america", "the eu", "eu",
    "中国", "美国", "英国", "法国", "德国", "日本", "韩国", "俄罗斯", "意大利", "西班牙", "葡萄牙", "荷兰", "比利时", "瑞士", "瑞典",
    "挪威", "芬兰", "丹麦", "奥地利", "波兰", "捷克", "匈牙利", "希腊", "土耳其", "乌克兰", "印度", "泰国", "越南", "新加坡",
    "马来西亚", "印尼", "菲律宾", "澳大利亚", "新西兰", "加拿大", "墨西哥", "巴西", "阿根廷", "埃及", "以色列", "伊朗", "爱尔兰",
    "欧洲", "亚洲", "非洲", "北美", "南美", "欧盟", NULL,
};
static const char *const PEOPLES[] = {
    "african", "american", "argentinian", "asian", "australian", "austrian", "belgian", "brazilian", "british", "bulgarian",
    "canadian", "chilean", "chinese", "colombian", "croatian", "cuban", "czech", "danish", "dutch", "egyptian", "english",
    "estonian", "european", "filipino", "finnish", "french", "german", "greek", "hungarian", "icelandic", "indian",
    "indonesian", "iranian", "iraqi", "irish", "israeli", "italian", "japanese", "kenyan", "korean", "latvian", "lebanese",
    "lithuanian", "malaysian", "mexican", "moroccan", "nigerian", "norwegian", "pakistani", "persian", "peruvian", "polish",
    "portuguese", "romanian", "russian", "scottish", "serbian", "singaporean", "slovak", "slovenian", "spanish", "swedish",
    "swiss", "syrian", "taiwanese", "thai", "tunisian", "turkish", "ukrainian", "vietnamese", "welsh",
    "arab", "arabic", "buddhist", "catholic", "christian", "hindu", "jewish", "muslim", "protestant", NULL,
};
/* clang-format on */

bool mn_nation_country(struct mn_str word)
{
    return mn_str_alike_any(word, COUNTRIES);
}

bool mn_nation_people(struct mn_str word)
{
    static const char people[] = "人";

    return mn_str_alike_any(word, PEOPLES) ||
           (mn_str_ends(word, people) &&
            mn_nation_country((struct mn_str){ word.at, word.bytes - strlen(people) }));
}
