/*
 * test_graph_walk.c - from named entities to memories, over literal edges.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "graph/graph.h"
#include "graph/aliases.h"

#define NOW INT64_C(1790000000000)

static const char *const fix[] = { "mem-fix" };
static const char *const symptom[] = { "mem-symptom" };
static const char *const far_away[] = { "mem-far" };
static const char *const too_far[] = { "mem-too-far" };
static const char *const alias[] = { "GPU passthrough" };

static struct mneme_edge edge(const char *source, const char *target, double confidence,
                              const char *const *provenance)
{
    struct mneme_edge e = MNEME_EDGE_INIT;

    e.tenant_id = "t";
    e.user_id = "";
    e.source = source;
    e.relation = "related_to";
    e.target = target;
    e.confidence = confidence;
    e.provenance = (struct mneme_list){ provenance, 1 };
    return e;
}

static struct mn_graph_finds walk(struct mn_arena *arena, struct mneme_edge *edges, size_t count,
                                  const char *folded)
{
    struct mn_edges set = { edges, count };
    struct mn_graph_finds finds = { 0 };

    assert_int_equal(mn_graph_walk(&set, 1, folded, NOW, arena, &finds, NULL), MNEME_OK);
    return finds;
}

static void a_path_loses_confidence_with_each_hop_and_ends_after_three(void **state)
{
    (void)state;
    MN_ARENA_AUTO arena = mn_arena_new(1 << 20);
    struct mneme_edge edges[] = { edge("docker", "gpu", 0.9, symptom), edge("gpu", "toolkit", 0.8, fix),
                                  edge("toolkit", "driver", 1.0, far_away),
                                  edge("driver", "kernel", 1.0, too_far) };
    struct mn_graph_finds finds = walk(arena, edges, 4, "docker does not start");

    assert_int_equal(finds.count, 3);
    assert_string_equal(finds.item[0].memory_id, "mem-symptom");
    assert_true(fabs(finds.item[0].path_confidence - 0.9) < 1e-9);
    assert_string_equal(finds.item[1].memory_id, "mem-fix");
    assert_true(fabs(finds.item[1].path_confidence - 0.9 * 0.8 * 0.8) < 1e-9);
    assert_string_equal(finds.item[2].memory_id, "mem-far");
    assert_true(fabs(finds.item[2].path_confidence - 0.9 * 0.8 * 0.8 * 0.8) < 1e-9);
    assert_int_equal(finds.item[2].depth, 3);
}

static void edges_lead_both_ways_and_aliases_name_an_entity(void **state)
{
    (void)state;
    MN_ARENA_AUTO arena = mn_arena_new(1 << 20);
    struct mneme_edge edges[] = { edge("toolkit", "gpu 直通", 0.9, fix) };

    edges[0].target_aliases = (struct mneme_list){ alias, 1 };
    assert_int_equal(walk(arena, edges, 1, "how did we solve gpu passthrough?").count, 1);
    assert_int_equal(walk(arena, edges, 1, "上次 gpu 直通的问题").count, 1);
    assert_int_equal(walk(arena, edges, 1, "how did we solve the gpux passthrough?").count, 0);
}

static void an_edge_holds_only_inside_its_window(void **state)
{
    (void)state;
    MN_ARENA_AUTO arena = mn_arena_new(1 << 20);
    struct mneme_edge edges[] = { edge("docker", "chess", 0.9, fix) };

    edges[0].valid_until_ms = NOW;
    assert_int_equal(walk(arena, edges, 1, "docker").count, 0);
    edges[0].valid_until_ms = NOW + 1;
    assert_int_equal(walk(arena, edges, 1, "docker").count, 1);
    edges[0].valid_from_ms = NOW + 1;
    edges[0].valid_until_ms = 0;
    assert_int_equal(walk(arena, edges, 1, "docker").count, 0);
    edges[0].valid_from_ms = NOW;
    assert_int_equal(walk(arena, edges, 1, "docker").count, 1);
}

static void at_most_twenty_memories_come_the_most_certain_first(void **state)
{
    (void)state;
    MN_ARENA_AUTO arena = mn_arena_new(1 << 20);
    struct mneme_edge edges[25];
    char ids[25][16];
    const char *id[25];

    for (int i = 0; i < 25; i++) {
        snprintf(ids[i], sizeof ids[i], "m%02d", i);
        id[i] = ids[i];
        edges[i] = edge("docker", "gpu", 0.5 + i * 0.01, &id[i]);
    }
    struct mn_graph_finds finds = walk(arena, edges, 25, "docker");
    assert_int_equal(finds.count, MN_GRAPH_MEMORIES_MAX);
    assert_string_equal(finds.item[0].memory_id, "m24");
    assert_string_equal(finds.item[19].memory_id, "m05");
}

/* How many terms of the request stand for others, by edges at NOW. */
static size_t forms(struct mn_arena *arena, struct mneme_edge *edges, size_t count,
                    const char *folded)
{
    struct mn_edges set = { edges, count };
    struct mn_terms terms = { 0 };

    assert_int_equal(mn_text_query_terms(arena, folded, strlen(folded), &terms, NULL), MNEME_OK);
    assert_int_equal(mn_graph_aliases(&set, 1, folded, NOW, arena, &terms, NULL), MNEME_OK);
    return terms.forms.count;
}

static void aliases_and_same_as_are_other_names_while_the_edge_holds(void **state)
{
    (void)state;
    MN_ARENA_AUTO arena = mn_arena_new(1 << 20);
    struct mneme_edge edges[] = { edge("Docker", "gpu", 0.9, fix), edge("k8s", "Kubernetes", 1, fix),
                                  edge("docker", "driver", 0.9, fix) };

    edges[0].target_aliases = (struct mneme_list){ alias, 1 };
    edges[1].relation = "same_as";
    assert_int_equal(forms(arena, edges, 3, "docker driver"), 0);
    assert_int_equal(forms(arena, edges, 3, "the gpu"), 1);
    assert_int_equal(forms(arena, edges, 3, "gpu passthrough"), 3); /* gpu stands in both names */
    assert_int_equal(forms(arena, edges, 3, "kubernetes"), 1);
    edges[2] = edges[1]; /* said twice, there once */
    assert_int_equal(forms(arena, edges, 3, "k8s"), 1);
    edges[1].valid_until_ms = edges[2].valid_until_ms = NOW;
    assert_int_equal(forms(arena, edges, 3, "k8s"), 0);
}

static void a_full_arena_is_a_limit_and_no_find(void **state)
{
    (void)state;
    MN_ARENA_AUTO arena = mn_arena_new(64);
    struct mneme_edge edges[] = { edge("docker", "gpu", 0.9, fix) };
    struct mn_edges set = { edges, 1 };
    struct mn_graph_finds finds = { 0 };

    assert_int_equal(mn_graph_walk(&set, 1, "docker", NOW, arena, &finds, NULL), MNEME_LIMIT);
    assert_int_equal(finds.count, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_path_loses_confidence_with_each_hop_and_ends_after_three),
        cmocka_unit_test(edges_lead_both_ways_and_aliases_name_an_entity),
        cmocka_unit_test(an_edge_holds_only_inside_its_window),
        cmocka_unit_test(at_most_twenty_memories_come_the_most_certain_first),
        cmocka_unit_test(aliases_and_same_as_are_other_names_while_the_edge_holds),
        cmocka_unit_test(a_full_arena_is_a_limit_and_no_find),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
