/*
 * test_text_through.c - who is spoken of through another, and what a text calls them.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "text/through.h"

static void assert_slice(struct mn_str slice, const char *expected)
{
    assert_int_equal(slice.bytes, strlen(expected));
    assert_memory_equal(slice.at, expected, slice.bytes);
}

static void a_request_through_another_is_told_with_its_parts(void **state)
{
    static const char *const CASE[][4] = {
        { "In which city does Tom's sister live?", "Tom's sister", "Tom", "sister" },
        { "What does Tom's younger sister's dog eat?", "Tom's younger sister", "Tom", "sister" },
        { "Where was the manager of Priya born?", "the manager of Priya", "Priya", "manager" },
        { "When does my coach train?", "my coach", "", "coach" },
        { "汤姆的姐姐住在哪个城市?", "汤姆的姐姐", "汤姆", "姐姐" },
        { "请问汤姆的女朋友做什么工作?", "汤姆的女朋友", "汤姆", "女朋友" },
        { "我妹妹住在哪里?", "我妹妹", "", "妹妹" },
        { "同事王强的妻子在哪儿工作?", "王强的妻子", "王强", "妻子" },
        { "汤姆的哥哥住在哪里?", "汤姆的哥哥", "汤姆", "哥哥" },
        { "汤姆的弟弟住在哪里?", "汤姆的弟弟", "汤姆", "弟弟" },
    };

    (void)state;
    for (size_t i = 0; i < sizeof CASE / sizeof CASE[0]; i++) {
        struct mn_through through;

        if (!mn_through_asked(mn_str_of(CASE[i][0]), &through))
            fail_msg("not told: %s", CASE[i][0]);
        assert_slice(through.phrase, CASE[i][1]);
        assert_slice(through.anchor, CASE[i][2]);
        assert_slice(through.relation[0], CASE[i][3]);
        assert_int_equal(through.relation_count, 1);
    }
}

static void other_requests_are_not(void **state)
{
    static const char *const CASE[] = {
        "Who is Tom's sister?",        "What is the name of Tom's sister?",
        "汤姆的姐姐叫什么名字?",       "Where does Tom live?",
        "Where did his sister live?",  "她的姐姐住在哪里?",
        "What's sister cities about?", "What is Tom's favourite colour?",
        "Tom's. Sister ships sail",    "",
    };
    struct mn_through through;

    (void)state;
    for (size_t i = 0; i < sizeof CASE / sizeof CASE[0]; i++)
        if (mn_through_asked(mn_str_of(CASE[i]), &through))
            fail_msg("told: %s", CASE[i]);
}

static void a_name_is_read_right_beside_the_relation(void **state)
{
    static const char *const CASE[][3] = {
        { "Tom's sister is Ann.", "", "Ann" },
        { "Tom's sister's name is Ann Miller, from Lyon.", "", "Ann Miller" },
        { "We met. Ann is Tom's sister.", "", "Ann" },
        { "Tom's younger sister, Ann, came by.", "", "Ann" },
        { "The sister of Tom is called Ann.", "", "Ann" },
        { "my sister Ann came by", "Tom", "Ann" },
        { "my sister Ann came by", "Bea", "" },
        { "Bea's sister is Ann.", "", "" },
        { "Tom's brother is Ben.", "", "" },
        { "Tom's sister is a nurse in Lyon.", "", "" },
        { "Tom's sister came. Ann did too.", "", "" },
        { "Ann, Tom's sister, came.", "", "Ann" },
        { "Yesterday, Tom's sister came.", "", "" },
        { "For Tom's sister, Monday is best.", "", "" },
        { "Tom's sister is Ann's boss.", "", "" },
        { "Tom's sister is German.", "", "" },
        { "Tom's sister is Chief Engineer.", "", "" },
        { "Tom's sister is Dr. Lee.", "", "Lee" },
        { "Tom's sister is kind.", "", "" },
        { "Tom's sister Ann's dog barks.", "", "Ann" },
        { "Rex is Tom's sister's dog.", "", "" },
        { "Tom's sister's Volvo is red.", "", "" },
    };
    static const char *const HAN[][2] = {
        { "汤姆的姐姐叫小安.", "小安" },  { "小安是汤姆的姐姐.", "小安" },
        { "汤姆的姐姐,名叫小安.", "小安" }, { "汤姆的姐姐是医生.", "" },
        { "李雷的姐姐叫小安.", "" },      { "汤姆的姐姐,昨天来了.", "" },
        { "汤姆的姐姐是程序员.", "" },    { "汤姆的姐姐是德国人.", "" },
        { "汤姆的姐姐叫我回家.", "" },    { "汤姆的姐姐是护士.", "" },
        { "汤姆的姐姐是外科医生.", "" },  { "汤姆的姐姐是王教授.", "王教授" },
        { "汤姆的姐姐是总经理.", "" },    { "汤姆的姐姐是老师.", "" },
    };
    struct mn_through through;
    struct mn_str name;

    (void)state;
    assert_true(mn_through_asked(MN_STR("Where does Tom's sister live?"), &through));
    for (size_t i = 0; i < sizeof CASE / sizeof CASE[0]; i++) {
        name = (struct mn_str){ "", 0 };
        bool named = mn_through_named(mn_str_of(CASE[i][0]), CASE[i][1], &through, &name);

        if (named != (CASE[i][2][0] != 0))
            fail_msg("%s", CASE[i][0]);
        if (named)
            assert_slice(name, CASE[i][2]);
    }
    assert_true(mn_through_asked(MN_STR("汤姆的姐姐住在哪?"), &through));
    for (size_t i = 0; i < sizeof HAN / sizeof HAN[0]; i++) {
        name = (struct mn_str){ "", 0 };
        bool named = mn_through_named(mn_str_of(HAN[i][0]), "", &through, &name);

        if (named != (HAN[i][1][0] != 0))
            fail_msg("%s", HAN[i][0]);
        if (named)
            assert_slice(name, HAN[i][1]);
    }
}

static void what_is_ones_own_has_no_anchor_on_either_side(void **state)
{
    (void)state;
    struct mn_through through;
    struct mn_str name = { "", 0 };

    assert_true(mn_through_asked(MN_STR("Where does my sister live?"), &through));
    assert_true(mn_through_named(MN_STR("My sister is Ann."), "", &through, &name));
    assert_slice(name, "Ann");
    assert_false(mn_through_named(MN_STR("Tom's sister is Eva."), "", &through, &name));
}

static void a_chain_of_relations_is_one_phrase(void **state)
{
    static const struct {
        const char *request, *phrase, *anchor, *relation[3], *first;
    } CASE[] = {
        { "Where does my sister's husband work?", "my sister's husband", "",
          { "sister", "husband" }, "my sister" },
        { "Who is Tom's sister's husband?", "Tom's sister's husband", "Tom",
          { "sister", "husband" }, "Tom's sister" },
        { "Where is the husband of my sister?", "the husband of my sister", "",
          { "sister", "husband" }, "my sister" },
        { "What does my boss's wife's old friend's dog eat?", "my boss's wife's old friend", "",
          { "boss", "wife", "friend" }, "my boss" },
        { "我同事的老婆叫什么?", "我同事的老婆", "", { "同事", "老婆" }, "我同事" },
        { "汤姆的姐姐的老公是谁?", "汤姆的姐姐的老公", "汤姆", { "姐姐", "老公" }, "汤姆的姐姐" },
    };

    (void)state;
    for (size_t i = 0; i < sizeof CASE / sizeof CASE[0]; i++) {
        struct mn_through through;
        size_t count = 0;

        if (!mn_through_asked(mn_str_of(CASE[i].request), &through))
            fail_msg("not told: %s", CASE[i].request);
        assert_slice(through.phrase, CASE[i].phrase);
        assert_slice(through.anchor, CASE[i].anchor);
        while (count < 3 && CASE[i].relation[count]) {
            assert_slice(through.relation[count], CASE[i].relation[count]);
            count++;
        }
        assert_int_equal(through.relation_count, count);
        through = mn_through_first(&through);
        assert_int_equal(through.relation_count, 1);
        assert_slice(through.phrase, CASE[i].first);
        assert_slice(through.relation[0], CASE[i].relation[0]);
    }
}

static void a_name_may_stand_for_a_whole_chain_or_come_from_the_other_side(void **state)
{
    static const char *const CASE[][3] = {
        { "Where does my sister's husband work?", "Tom is my sister's husband.", "Tom" },
        { "Where does my sister's husband work?", "My sister's husband is Tom.", "Tom" },
        { "Where does my sister's husband work?", "Tom is my sister's boss.", "" },
        { "Where does my sister's husband work?", "My husband is Tom.", "" },
        { "Where does my mum work?", "My mother is Ann.", "Ann" },
        { "Where does my boss work?", "My manager is Ann.", "Ann" },
        { "Where does Ann's husband work?", "Tom's wife is Ann.", "Tom" },
        { "Where does Ann's husband work?", "Tom's wife is Eva.", "" },
        { "Where does Ann's brother work?", "Tom's wife is Ann.", "" },
        { "我姐姐的老公做什么工作?", "我姐姐的丈夫叫赵磊.", "赵磊" },
        { "孙梅的老公做什么工作?", "钱进的妻子是孙梅.", "钱进" },
    };
    struct mn_through through;
    struct mn_str name;

    (void)state;
    for (size_t i = 0; i < sizeof CASE / sizeof CASE[0]; i++) {
        assert_true(mn_through_asked(mn_str_of(CASE[i][0]), &through));
        bool named = mn_through_named(mn_str_of(CASE[i][1]), "", &through, &name);

        if (named != (CASE[i][2][0] != 0))
            fail_msg("%s %s", CASE[i][0], CASE[i][1]);
        if (named)
            assert_slice(name, CASE[i][2]);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_request_through_another_is_told_with_its_parts),
        cmocka_unit_test(other_requests_are_not),
        cmocka_unit_test(a_name_is_read_right_beside_the_relation),
        cmocka_unit_test(what_is_ones_own_has_no_anchor_on_either_side),
        cmocka_unit_test(a_chain_of_relations_is_one_phrase),
        cmocka_unit_test(a_name_may_stand_for_a_whole_chain_or_come_from_the_other_side),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
