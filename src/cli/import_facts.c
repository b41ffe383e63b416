/*
 * import_facts.c - what other memories hold: entities, relations, facts.
 *
 * Each observation, relation and fact is remembered like any other statement, so that it is merged with
 * what says the same, or stands beside it as a rival. A program wrote them down, nobody confirmed them:
 * they enter as inferences. A second import of the file adds nothing (import_known.c). Relations become
 * edges as well.
 */
#include "cli/import.h"

#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/err.h"

#define COUNT_OF(table) (sizeof(table) / sizeof *(table))
#define ITEM_ARENA_BYTES (CLI_ITEM_BYTES_MAX * 8)

struct facts {
    struct cli_importing *in;
    const struct cli_stream *s;
    enum cli_format format;
    struct cli_known known;
    struct mn_arena *arena; /* of the item */
    const char *where;      /* in the item */
};

/* ---- one memory, one edge ---- */

/* *ret_new: it was not there by its source. What the store refuses is named and left. */
static enum mneme_status remember(struct facts *f, struct mneme_memory *m, const char *source,
                                  struct mneme_receipt *receipt, bool *ret_new,
                                  struct mneme_error *err)
{
    const char *const owner = mn_or_empty(m->user_id);
    const char *const sources[] = { source };
    const char *there = NULL;

    *ret_new = false;
    MN_TRY(cli_known_find(&f->known, m->tenant_id, owner, source, &there, err));
    if (there) {
        f->in->there++;
        return MNEME_OK;
    }
    m->provenance = (struct mneme_list){ sources, 1 };
    m->authority = MNEME_MODEL_INFERENCE;
    enum mneme_status status = mneme_remember(f->in->handle, m, &f->in->change, receipt, err);
    if (status == MNEME_INVALID || status == MNEME_LIMIT || status == MNEME_FORBIDDEN) {
        if (status == MNEME_LIMIT && !err->field[0])
            return status; /* no memory */
        cli_import_leave(f->in, CLI_LEFT_REFUSED, f->s, f->where, err->message);
        return MNEME_OK;
    }
    MN_TRY(status);
    *ret_new = true;
    f->in->taken++;
    cli_import_acknowledge(f->in, receipt);
    return cli_known_add(&f->known, m->tenant_id, owner, source, receipt->id, err);
}

static enum mneme_status connect(struct facts *f, const char *owner, const char *from,
                                 const char *relation, const char *to, const char *memory_id,
                                 struct mneme_error *err)
{
    const char *const provenance[] = { memory_id };
    struct mneme_edge edge = MNEME_EDGE_INIT;
    struct mneme_record record = { .kind = MNEME_RECORD_EDGE, .edge = &edge };

    edge.tenant_id = f->in->defaults.tenant_id;
    edge.user_id = owner;
    edge.source = from;
    edge.relation = relation;
    edge.target = to;
    edge.origin = "stated";
    edge.provenance = (struct mneme_list){ provenance, 1 };
    enum mneme_status status =
        mneme_write(f->in->handle, &record, 1, &f->in->change, NULL, NULL, err);
    if (status == MNEME_INVALID)
        cli_import_leave(f->in, CLI_LEFT_REFUSED, f->s, f->where, err->message);
    return status == MNEME_INVALID ? MNEME_OK : status;
}

/* "Ann works at Shop", with both as its entities, and the edge between them. */
static enum mneme_status relate(struct facts *f, const char *owner, const char *from,
                                const char *relation, const char *to, struct mneme_error *err)
{
    const char *entities[] = { from, to };
    const char *parts[] = { from, relation, to };
    struct mneme_memory m = MNEME_MEMORY_INIT;
    struct mneme_receipt receipt;
    const char *source = NULL;
    bool is_new = false;

    MN_TRY(cli_import_id(f->arena, "relation", parts, COUNT_OF(parts), &source, err));
    source = mn_arena_printf(f->arena, "%s:%s", cli_format_name(f->format), source);
    char *said = mn_arena_copy(f->arena, relation);
    for (char *c = said; c && *c; c++)
        *c = *c == '_' ? ' ' : *c;
    m.content = mn_arena_printf(f->arena, "%s %s %s", from, mn_or_empty(said), to);
    if (!source || !said || !m.content)
        return mn_fail_memory(err);
    m.tenant_id = f->in->defaults.tenant_id;
    m.user_id = owner;
    m.agent_id = f->in->defaults.agent_id;
    m.type = "fact";
    m.entities = (struct mneme_list){ entities, COUNT_OF(entities) };
    MN_TRY(remember(f, &m, source, &receipt, &is_new, err));
    return is_new ? connect(f, owner, from, relation, to, receipt.id, err) : MNEME_OK;
}

/* The text of a member that must be there. */
static enum mneme_status must(struct facts *f, yyjson_val *object, const char *name,
                              const char **ret, struct mneme_error *err)
{
    const char *text = yyjson_get_str(yyjson_obj_get(object, name));

    if (mn_empty(text))
        return mn_fail(err, MNEME_INVALID, "%s: must be a text, and not empty", name);
    *ret = mn_arena_copy(f->arena, text);
    return *ret ? MNEME_OK : mn_fail_memory(err);
}

/* The first of several names that is there. */
static yyjson_val *either(yyjson_val *object, const char *a, const char *b)
{
    yyjson_val *value = yyjson_obj_get(object, a);

    return value ? value : yyjson_obj_get(object, b);
}

/* ---- the memory server ---- */

static enum mneme_status read_observation(struct facts *f, const char *entity, const char *kind,
                                          const char *observation, struct mneme_error *err)
{
    const char *parts[] = { entity, observation };
    const char *entities[] = { entity };
    const char *keywords[] = { kind };
    struct mneme_memory m = MNEME_MEMORY_INIT;
    struct mneme_receipt receipt;
    const char *source = NULL;
    bool is_new = false;

    MN_TRY(cli_import_id(f->arena, "observation", parts, COUNT_OF(parts), &source, err));
    source = mn_arena_printf(f->arena, "%s:%s", cli_format_name(f->format), source);
    m.content = strstr(observation, entity)
                    ? observation
                    : mn_arena_printf(f->arena, "%s: %s", entity, observation);
    if (!source || !m.content)
        return mn_fail_memory(err);
    m.tenant_id = f->in->defaults.tenant_id;
    m.user_id = f->in->defaults.user_id;
    m.agent_id = f->in->defaults.agent_id;
    m.entities = (struct mneme_list){ entities, 1 };
    m.keywords = (struct mneme_list){ keywords, *kind ? 1 : 0 };
    return remember(f, &m, source, &receipt, &is_new, err);
}

static enum mneme_status read_entity(struct facts *f, yyjson_val *item, struct mneme_error *err)
{
    yyjson_val *observations = yyjson_obj_get(item, "observations"), *observation;
    yyjson_arr_iter iter = yyjson_arr_iter_with(observations);
    const char *name = NULL, *kind = cli_json_text(item, "entityType", f->arena);
    size_t number = 0;

    if (!kind)
        return mn_fail_memory(err);
    MN_TRY(must(f, item, "name", &name, err));
    if (observations && !yyjson_is_null(observations) && !yyjson_is_arr(observations))
        return mn_fail(err, MNEME_INVALID, "observations: must be a list, not %s",
                       yyjson_get_type_desc(observations));
    if (!yyjson_arr_size(observations))
        return read_observation(f, name, kind, *kind ? kind : name, err);
    while ((observation = yyjson_arr_iter_next(&iter))) {
        const char *text = yyjson_get_str(observation);

        f->where = mn_arena_printf(f->arena, "observation %zu", ++number);
        if (!f->where)
            return mn_fail_memory(err);
        if (mn_empty(text))
            cli_import_leave(f->in, text ? CLI_LEFT_EMPTY : CLI_LEFT_MALFORMED, f->s, f->where,
                             "must be a text");
        else
            MN_TRY(read_observation(f, name, kind, text, err));
    }
    return MNEME_OK;
}

static enum mneme_status read_relation(struct facts *f, yyjson_val *item, struct mneme_error *err)
{
    const char *from = NULL, *to = NULL, *relation = NULL;

    MN_TRY(must(f, item, "from", &from, err));
    MN_TRY(must(f, item, "relationType", &relation, err));
    MN_TRY(must(f, item, "to", &to, err));
    return relate(f, f->in->defaults.user_id, from, relation, to, err);
}

/* ---- mem0 ---- */

/* What has no field of its own: run, metadata, categories. */
static enum mneme_status attributes_of(struct facts *f, yyjson_val *item, struct mneme_memory *m,
                                       struct mneme_error *err)
{
    static const char *const kept[] = { "run_id", "app_id", "metadata", "categories", "immutable" };
    MN_BUF_AUTO out = { 0 };
    struct mn_json_writer w = { .out = &out };

    mn_json_open(&w, '{');
    for (size_t i = 0; i < COUNT_OF(kept); i++) {
        yyjson_val *value = yyjson_obj_get(item, kept[i]);
        char *json = yyjson_is_null(value) ? NULL : yyjson_val_write(value, 0, NULL);

        if (json) {
            mn_json_key(&w, kept[i]);
            mn_json_put_raw(&w, json);
        }
        free(json);
    }
    mn_json_close(&w, '}');
    m->attributes = out.failed ? NULL : mn_arena_copy(f->arena, out.at);
    return m->attributes ? MNEME_OK : mn_fail_memory(err);
}

static enum mneme_status keywords_of(struct facts *f, yyjson_val *item, struct mneme_memory *m,
                                     struct mneme_error *err)
{
    yyjson_val *categories = yyjson_obj_get(item, "categories"), *category;
    yyjson_arr_iter iter = yyjson_arr_iter_with(categories);
    const char **keyword = mn_arena_array(f->arena, const char *, MNEME_LIST_ITEMS_MAX);
    size_t count = 0;

    if (!keyword)
        return mn_fail_memory(err);
    while (yyjson_is_arr(categories) && (category = yyjson_arr_iter_next(&iter)) &&
           count < MNEME_LIST_ITEMS_MAX)
        if (yyjson_get_len(category) && yyjson_is_str(category))
            keyword[count++] = yyjson_get_str(category);
    m->keywords = (struct mneme_list){ keyword, count };
    return MNEME_OK;
}

/* Whose it is: as the command line says, else as the item says, else the environment's user. */
static const char *owner_of(struct facts *f, yyjson_val *item)
{
    const char *own = yyjson_get_str(yyjson_obj_get(item, "user_id"));

    return f->in->owner_given || mn_empty(own) ? f->in->defaults.user_id : own;
}

static enum mneme_status read_fact(struct facts *f, yyjson_val *item, struct mneme_error *err)
{
    const char *agent = yyjson_get_str(yyjson_obj_get(item, "agent_id"));
    struct mneme_memory m = MNEME_MEMORY_INIT;
    struct mneme_receipt receipt;
    const char *source = NULL;
    bool is_new = false;

    if (!yyjson_is_obj(item))
        return mn_fail(err, MNEME_INVALID, "a memory must be an object, not %s",
                       yyjson_get_type_desc(item));
    MN_TRY(must(f, item, "memory", &m.content, err));
    m.tenant_id = f->in->defaults.tenant_id;
    m.user_id = owner_of(f, item);
    m.agent_id = mn_empty(agent) ? f->in->defaults.agent_id : agent;
    MN_TRY(cli_json_when(item, "created_at", &m.created_at_ms, err));
    MN_TRY(cli_json_when(item, "expiration_date", &m.valid_until_ms, err));
    MN_TRY(attributes_of(f, item, &m, err));
    MN_TRY(keywords_of(f, item, &m, err));
    const char *id = yyjson_get_str(yyjson_obj_get(item, "id"));
    if (mn_empty(id))
        MN_TRY(cli_import_id(f->arena, "text", &m.content, 1, &id, err));
    source = mn_arena_printf(f->arena, "%s:%s", cli_format_name(f->format), id);
    return source ? remember(f, &m, source, &receipt, &is_new, err) : mn_fail_memory(err);
}

static enum mneme_status read_link(struct facts *f, yyjson_val *item, struct mneme_error *err)
{
    const char *from = yyjson_get_str(either(item, "source", "from"));
    const char *to = yyjson_get_str(either(item, "target", "destination"));
    const char *relation = yyjson_get_str(either(item, "relationship", "relation"));

    if (mn_empty(from) || mn_empty(to) || mn_empty(relation))
        return mn_fail(err, MNEME_INVALID, "a relation needs source, relationship and target");
    return relate(f, owner_of(f, item), from, relation, to, err);
}

/* ---- items ---- */

typedef enum mneme_status (*reader)(struct facts *f, yyjson_val *item, struct mneme_error *err);

/* Each element of a list that the item holds; a broken one is named and left. */
static enum mneme_status read_each(struct facts *f, yyjson_val *list, const char *what, reader read,
                                   struct mneme_error *err)
{
    yyjson_arr_iter iter = yyjson_arr_iter_with(list);
    yyjson_val *item;
    size_t number = 0;

    while (yyjson_is_arr(list) && (item = yyjson_arr_iter_next(&iter))) {
        f->where = mn_arena_printf(f->arena, "%s %zu", what, ++number);
        if (!f->where)
            return mn_fail_memory(err);
        enum mneme_status status = read(f, item, err);
        if (status == MNEME_INVALID)
            cli_import_leave(f->in, CLI_LEFT_MALFORMED, f->s, f->where, err->message);
        else if (status != MNEME_OK)
            return status;
    }
    return MNEME_OK;
}

static enum mneme_status read_mem0(struct facts *f, yyjson_val *item, struct mneme_error *err)
{
    yyjson_val *list = either(item, "results", "memories");

    if (!yyjson_is_arr(list))
        return read_fact(f, item, err);
    MN_TRY(read_each(f, list, "memory", read_fact, err));
    return read_each(f, yyjson_obj_get(item, "relations"), "relation", read_link, err);
}

static enum mneme_status read_server(struct facts *f, yyjson_val *item, struct mneme_error *err)
{
    yyjson_val *type = yyjson_obj_get(item, "type");
    yyjson_val *entities = yyjson_obj_get(item, "entities");

    if (yyjson_is_arr(entities)) { /* the whole graph, as its tool answers it */
        MN_TRY(read_each(f, entities, "entity", read_entity, err));
        return read_each(f, yyjson_obj_get(item, "relations"), "relation", read_relation, err);
    }
    if (yyjson_equals_str(type, "entity"))
        return read_entity(f, item, err);
    if (yyjson_equals_str(type, "relation"))
        return read_relation(f, item, err);
    return mn_fail(err, MNEME_INVALID, "type: '%.40s' is neither entity nor relation",
                   mn_or_empty(yyjson_get_str(type)));
}

static enum mneme_status take_items(struct facts *f, struct cli_stream *s, struct mneme_error *err)
{
    for (;;) {
        MN_ARENA_AUTO arena = mn_arena_new(ITEM_ARENA_BYTES);
        MN_JSON_AUTO doc = NULL;
        bool found = false;

        f->arena = arena;
        f->where = "";
        MN_TRY(cli_stream_item(s, &found, err));
        if (!found)
            return MNEME_OK;
        enum mneme_status status = mn_json_parse_within("item", s->text.at, s->text.bytes,
                                                        CLI_ITEM_BYTES_MAX, &doc, err);
        if (status == MNEME_LIMIT && err->field[0]) /* too deep */
            status = MNEME_INVALID;
        if (status == MNEME_OK)
            status = f->format == CLI_MEM0 ? read_mem0(f, yyjson_doc_get_root(doc), err)
                                           : read_server(f, yyjson_doc_get_root(doc), err);
        if (status == MNEME_INVALID)
            cli_import_leave(f->in, CLI_LEFT_MALFORMED, s, "", err->message);
        else if (status != MNEME_OK)
            return status;
        fflush(stdout);
    }
}

enum mneme_status cli_import_facts(struct cli_importing *in, enum cli_format format,
                                   struct cli_stream *s, struct mneme_error *err)
{
    struct facts f = { .in = in, .s = s, .format = format };
    struct mneme_error own;

    MN_TRY(cli_known_init(&f.known, in->handle, format, err));
    enum mneme_status status = take_items(&f, s, &own);
    cli_known_release(&f.known);
    if (status != MNEME_OK && err)
        *err = own;
    return status;
}
