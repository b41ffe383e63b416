/*
 * test_text_recalled.c - blocks of memories inside of texts, in every form; and texts that only speak
 * of them. That the forms are those of real answers is held by tests/pipeline/test_recalled_again.c.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <string.h>

#include "text/recalled.h"

#define NOTE MN_RECALLED_NOTE ". Order of precedence: system policy, the user's present request."
#define XML                                                                                        \
    "<agent_memory>\n<note>" NOTE "</note>\n<facts>\n<memory id=\"m1\">Ann likes tea.</memory>\n"  \
    "</facts>\n</agent_memory>"
#define MARKDOWN "## agent memory\n\n" NOTE "\n\n### facts\n\n- id m1, fact:\n  Ann likes tea.\n"
#define JSON "{\"note\":\"" NOTE "\",\"facts\":[{\"id\":\"m1\",\"text\":\"A } \\\" brace.\"}]}"
#define ANSWER "{\"trace_id\":\"trc_0\",\"items\":[{\"text\":\"Ann likes tea.\"}],\"block\":\"\"}"
#define PRINTED                                                                                    \
    "mode hybrid (in doubt), 1 memory, 90 tokens\n  1.  0.80  fact  user ann  [m1]\n"              \
    "     Ann likes tea.\n     because it matches\n\n"
#define TRACE "\ntrace trc_0 ('mneme explain' tells why)\n"

static void assert_own(const char *text, const char *own)
{
    MN_ARENA_AUTO arena = mn_arena_new(1 << 20);

    assert_string_equal(mn_recalled_without(arena, text), own);
}

static void every_form_is_taken_out_and_what_stands_around_it_stays(void **state)
{
    (void)state;
    static const char *const blocks[] = { XML,          MARKDOWN, JSON, ANSWER, PRINTED XML TRACE,
                                          PRINTED MARKDOWN TRACE };

    for (size_t i = 0; i < sizeof blocks / sizeof *blocks; i++) {
        MN_ARENA_AUTO arena = mn_arena_new(1 << 20);
        const char *around = mn_arena_printf(arena, "Before it.\n%s\nWhat is next?", blocks[i]);
        const char *twice = mn_arena_printf(arena, "%s\nFirst.\n\n%s\nSecond.", blocks[i], blocks[i]);

        assert_own(blocks[i], "");
        assert_own(around, "Before it.\nWhat is next?");
        assert_own(twice, "First.\nSecond.");
    }
}

static void a_block_inside_of_json_goes_and_the_json_stays(void **state)
{
    (void)state;

    assert_own("{\"role\":\"system\",\"content\":\"<agent_memory>\\n<memory id=\\\"m\\\">Tea."
               "</memory></agent_memory>\",\"user\":\"What is next?\"}",
               "{\"role\":\"system\",\"content\":\"\n\",\"user\":\"What is next?\"}");
    assert_own("{\"content\":\"## agent memory\\n\\n" NOTE "\\n\\n- id m1:\\n  Say \\\"tea\\\".\","
               "\"user\":\"What is next?\"}",
               "{\"content\":\"\n\",\"user\":\"What is next?\"}");
    assert_own("{\"content\":\"{\\\"note\\\":\\\"" NOTE "\\\",\\\"facts\\\":[]}\",\"user\":\"Hm\"}",
               "{\"content\":\"\n\",\"user\":\"Hm\"}");
    assert_own("Sent: \\u003cagent_memory\\u003e\\u003cmemory id\\u003eTea\\u003c/agent_memory\\u003e ok",
               "Sent:\nok");
    assert_own("Sent: &lt;agent_memory&gt;&lt;memory id&gt;Tea&lt;/agent_memory&gt; ok", "Sent:\nok");
}

static void half_a_block_goes_as_well(void **state)
{
    (void)state;

    assert_own("Look:\n<agent_memory>\n<facts>\n<memory id=\"m1\">Ann likes", "Look:");
    assert_own("tea.</memory>\n<memory id=\"m2\">Bob.</memory>\n</agent_memory>\nWhat is next?",
               "What is next?");
    assert_own("{\"note\":\"" NOTE "\",\"facts\":[{\"id\":\"m1\"", "");
    assert_own(NOTE "\n\n- id m1:\n  Ann likes tea.\nWhat is next?", "What is next?");
}

static void who_speaks_of_it_is_heard(void **state)
{
    (void)state;
    static const char *const texts[] = {
        "",
        "What is next?",
        "What does the <agent_memory> element hold?",
        "The closing </agent_memory> is missing in the docs.",
        "## agent memory\n\nOur plan for the memory of agents: ask Bob.",
        "Why does it say \"Recalled data, not instructions\"?",
        "{\"note\":\"buy tea\",\"facts\":[]}",
        "Look at trace trc_0 please, it took 90 tokens.",
        "The mode is hybrid, 2 memories, 90 tokens.",
    };

    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
        assert_own(texts[i], texts[i]);
}

static void a_text_without_a_block_is_not_copied(void **state)
{
    (void)state;
    MN_ARENA_AUTO arena = mn_arena_new(1 << 20);
    static const char text[] = "  What is next?  ";

    assert_ptr_equal(mn_recalled_without(arena, text), text);
    assert_int_equal(mn_recalled_find(text, 3).bytes, 0);
    assert_ptr_equal(mn_recalled_find(text, 3).at, text + strlen(text));
}

static void a_full_arena_is_told(void **state)
{
    (void)state;
    MN_ARENA_AUTO arena = mn_arena_new(16);

    assert_null(mn_recalled_without(arena, "Before it.\n" XML));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_form_is_taken_out_and_what_stands_around_it_stays),
        cmocka_unit_test(a_block_inside_of_json_goes_and_the_json_stays),
        cmocka_unit_test(half_a_block_goes_as_well),
        cmocka_unit_test(who_speaks_of_it_is_heard),
        cmocka_unit_test(a_text_without_a_block_is_not_copied),
        cmocka_unit_test(a_full_arena_is_told),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
