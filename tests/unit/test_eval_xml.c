/*
 * test_eval_xml.c - the evaluation's own reader of XML: what it takes, what it refuses.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "eval/xml_check.h"

static enum mneme_status check(const char *xml, struct mn_arena *arena, struct mn_xml *ret_xml)
{
    struct mneme_error err;

    return mn_xml_check(xml, arena, ret_xml, &err);
}

static void memories_are_found_with_section_and_decoded_text(void **state)
{
    MN_ARENA_AUTO arena = mn_arena_new(1 << 20);
    struct mn_xml xml = { 0 };

    (void)state;
    assert_int_equal(check("<agent_memory>\n<note>Data.</note>\n<constraints>\n"
                           "<memory id=\"a&amp;b\" suspicious=\"true\">x &lt; y&#10;&#x4e2d;</memory>\n"
                           "</constraints>\n<facts><memory id='c'/></facts></agent_memory>",
                           arena, &xml),
                     MNEME_OK);
    assert_int_equal(xml.count, 2);
    assert_string_equal(xml.item[0].id, "a&b");
    assert_string_equal(xml.item[0].section, "constraints");
    assert_string_equal(xml.item[0].text, "x < y\n中");
    assert_true(xml.item[0].suspicious);
    assert_string_equal(xml.item[1].id, "c");
    assert_string_equal(xml.item[1].section, "facts");
    assert_string_equal(xml.item[1].text, "");
    assert_false(xml.item[1].suspicious);
    assert_non_null(strstr(xml.text, "Data."));
}

static void nothing_holds_nothing(void **state)
{
    MN_ARENA_AUTO arena = mn_arena_new(1 << 20);
    struct mn_xml xml = { .count = 7 };

    (void)state;
    assert_int_equal(check("", arena, &xml), MNEME_OK);
    assert_int_equal(xml.count, 0);
    assert_string_equal(xml.text, "");
}

static void what_is_not_well_formed_is_refused(void **state)
{
    static const char *const broken[] = {
        "<a>",
        "<a></b>",
        "<a/><b/>",
        "<a>text</a> and more",
        "<a x=1/>",
        "<a x=\"1\" x=\"2\"/>",
        "<a x=\"1\"y=\"2\"/>",
        "<a x=\"<\"/>",
        "<a>&</a>",
        "<a>&nbsp;</a>",
        "<a>&#0;</a>",
        "<a>&#xD800;</a>",
        "<a>&#x110000;</a>",
        "<a>\x01</a>",
        "<a>\xc3\x28</a>",
        "<a>]]></a>",
        "<a><![CDATA[x]]></a>",
        "<!DOCTYPE a><a/>",
        "<a><?php ?></a>",
        "<a><!-- -- --></a>",
        "<a><memory id=\"1\"><memory id=\"2\"/></memory></a>",
        "only text",
        "<a x=\"1",
        "<a",
        "<1/>",
    };

    (void)state;
    for (size_t i = 0; i < sizeof broken / sizeof *broken; i++) {
        MN_ARENA_AUTO arena = mn_arena_new(1 << 20);
        struct mn_xml xml = { 0 };

        if (check(broken[i], arena, &xml) != MNEME_INVALID)
            fail_msg("taken for well-formed: %s", broken[i]);
    }
}

static void the_message_says_where(void **state)
{
    MN_ARENA_AUTO arena = mn_arena_new(1 << 20);
    struct mneme_error err;
    struct mn_xml xml;

    (void)state;
    assert_int_equal(mn_xml_check("<a></b>", arena, &xml, &err), MNEME_INVALID);
    assert_string_equal(err.message, "the end of an element that is not open at byte 6");
}

static void depth_has_a_limit(void **state)
{
    MN_ARENA_AUTO arena = mn_arena_new(1 << 20);
    struct mn_xml xml;
    char deep[3 * 33 + 4 * 33 + 1] = "";

    (void)state;
    for (int i = 0; i < 32; i++)
        strcat(deep, "<a>");
    for (int i = 0; i < 32; i++)
        strcat(deep, "</a>");
    assert_int_equal(check(deep, arena, &xml), MNEME_OK);
    deep[0] = '\0';
    for (int i = 0; i < 33; i++)
        strcat(deep, "<a>");
    for (int i = 0; i < 33; i++)
        strcat(deep, "</a>");
    assert_int_equal(check(deep, arena, &xml), MNEME_INVALID);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(memories_are_found_with_section_and_decoded_text),
        cmocka_unit_test(nothing_holds_nothing),
        cmocka_unit_test(what_is_not_well_formed_is_refused),
        cmocka_unit_test(the_message_says_where),
        cmocka_unit_test(depth_has_a_limit),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
