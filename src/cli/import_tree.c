/*
 * import_tree.c - the messages of a conversation by their ids.
 *
 * From its end a conversation is followed up through its parents. A search through all messages at each
 * step would take hours for a large file, so they are sorted once. Of two with one id the first counts.
 */
#include "cli/import.h"

#include <stdlib.h>
#include <string.h>

#include "base/err.h"

static int by_id_and_place(const void *a, const void *b)
{
    const struct cli_node *x = a, *y = b;
    int order = strcmp(x->id, y->id);

    return order ? order : (x->place > y->place) - (x->place < y->place);
}

static int by_id(const void *id, const void *node)
{
    return strcmp(id, ((const struct cli_node *)node)->id);
}

enum mneme_status cli_tree_make(yyjson_val *messages, const char *id_name, struct mn_arena *arena,
                                struct cli_tree *ret_tree, struct mneme_error *err)
{
    size_t room = yyjson_is_obj(messages) ? yyjson_obj_size(messages) : yyjson_arr_size(messages);
    struct cli_tree tree = { mn_arena_array(arena, struct cli_node, room + 1), 0 };
    yyjson_obj_iter members = yyjson_obj_iter_with(messages);
    yyjson_arr_iter items = yyjson_arr_iter_with(messages);
    yyjson_val *key, *message;

    if (!tree.item)
        return mn_fail_memory(err);
    for (size_t i = 0; (key = yyjson_obj_iter_next(&members)); i++)
        tree.item[tree.count++] =
            (struct cli_node){ yyjson_get_str(key), yyjson_obj_iter_get_val(key), i };
    for (size_t i = 0; (message = yyjson_arr_iter_next(&items)); i++) {
        const char *id = yyjson_get_str(yyjson_obj_get(message, id_name));

        if (id)
            tree.item[tree.count++] = (struct cli_node){ id, message, i };
    }
    qsort(tree.item, tree.count, sizeof *tree.item, by_id_and_place);
    *ret_tree = tree;
    return MNEME_OK;
}

yyjson_val *cli_tree_find(const struct cli_tree *tree, const char *id)
{
    struct cli_node *at = bsearch(id, tree->item, tree->count, sizeof *tree->item, by_id);

    while (at && at > tree->item && strcmp(at[-1].id, id) == 0)
        at--;
    return at ? at->message : NULL;
}
