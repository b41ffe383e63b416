/*
 * agent.c - a host of the library: it remembers what it was told, and asks before it answers.
 *
 * usage: agent STORE REQUEST
 *
 * Prints the block for the prompt. $MNEME_MODEL is the embedding model, a GGUF; without one memories
 * are found by their words alone. How to build it stands in README.md under Link.
 */
#include <stdio.h>
#include <stdlib.h>

#include <mneme/mneme.h>

static void die(const char *message)
{
    fprintf(stderr, "agent: %s\n", message);
    exit(1);
}

int main(int argc, char **argv)
{
    if (argc != 3)
        die("usage: agent STORE REQUEST");

    struct mneme_options options = MNEME_OPTIONS_INIT;
    struct mneme_memory memory = MNEME_MEMORY_INIT;
    struct mneme_request request = MNEME_REQUEST_INIT;
    struct mneme_answer *answer = NULL;
    struct mneme *handle = NULL;
    struct mneme_error err;

    options.store_path = argv[1];
    options.create = 1;
    options.model_path = getenv("MNEME_MODEL"); /* NULL: by words alone */
    if (mneme_open(&options, &handle, &err) != MNEME_OK)
        die(err.message);
    if (options.model_path && mneme_model_status(handle)[0])
        fprintf(stderr, "agent: without vectors, %s\n", mneme_model_status(handle));

    memory.tenant_id = "acme";
    memory.user_id = "ann";
    memory.content = "In this repository we use Go for backend services.";
    memory.scope_kind = MNEME_SCOPE_REPO;
    memory.scope_id = "shop-api";
    if (mneme_remember(handle, &memory, NULL, NULL, &err) != MNEME_OK)
        die(err.message);

    request.identity.tenant_id = "acme";
    request.identity.user_id = "ann";
    request.identity.repository_id = "shop-api";
    request.text = argv[2];
    if (mneme_retrieve(handle, &request, &answer, &err) != MNEME_OK)
        die(err.message);
    fputs(answer->xml, stdout); /* the block for the prompt; "" when there is nothing to say */
    mneme_answer_free(answer);

    /* Between two requests: buffered traces and usage are written, missing vectors made, at most 32
     * pieces of work a call. mneme_close() writes the traces too. */
    if (mneme_run_due(handle, 32, NULL, &err) != MNEME_OK)
        fprintf(stderr, "agent: %s\n", err.message);
    mneme_close(handle);
    return 0;
}
