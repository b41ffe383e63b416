/*
 * served.c - for tests of a store whose extractor is a service: a thread of this process, on the loopback.
 */
#include "pipeline/served.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdio.h>
#include <stdlib.h>

void served_open(struct served *s, const char *extractor, int timeout_ms)
{
    struct mneme_options options = MNEME_OPTIONS_INIT;

    mneme_close(s->handle);
    s->handle = NULL;
    options.store_path = s->folder.store;
    options.create = 1;
    options.tokenizer = "estimate";
    options.extractor_path = extractor;
    options.extractor_model = "small-talker";
    options.extractor_key = "s3cret";
    options.extractor_timeout_ms = timeout_ms;
    if (mneme_open(&options, &s->handle, &s->err) != MNEME_OK)
        fail_msg("%s", s->err.message);
}

int served_set_up(void **state)
{
    struct served *s = calloc(1, sizeof *s);

    if (!s || store_folder_make(&s->folder, "served"))
        return 1;
    unsetenv("http_proxy");
    unsetenv("all_proxy");
    unsetenv("ALL_PROXY");
    s->service = fake_service_new();
    snprintf(s->url, sizeof s->url, "http://127.0.0.1:%d/v1", fake_service_port(s->service));
    *state = s;
    served_open(s, s->url, 0);
    return 0;
}

int served_tear_down(void **state)
{
    struct served *s = *state;

    mneme_close(s->handle);
    fake_service_free(s->service);
    mn_buf_release(&s->body);
    mn_buf_release(&s->once);
    int failed = store_folder_remove(&s->folder);
    free(s);
    return failed;
}

void served_answers(struct served *s, const char *content)
{
    fake_service_answer(s->service, 200, fake_service_chat(&s->body, content), 0);
}

void served_answers_once(struct served *s, const char *content)
{
    fake_service_once(s->service, 200, fake_service_chat(&s->once, content));
}

static struct {
    struct served *in;
    const char *tenant, *session;
} erasing;

static const char *erase_and_answer(const char *request)
{
    struct mneme_erasure what = MNEME_ERASURE_INIT;
    char *receipt = NULL;

    (void)request;
    what.scope = MNEME_ERASE_SESSION;
    what.tenant_id = erasing.tenant;
    what.user_id = "ann";
    what.id = erasing.session;
    erasing.in->erased = mneme_erase(erasing.in->handle, &what, &receipt, NULL);
    mneme_free(receipt);
    return erasing.in->body.at;
}

void served_erases(struct served *s, const char *tenant, const char *session)
{
    erasing.in = s;
    erasing.tenant = tenant;
    erasing.session = session;
    s->erased = MNEME_INVALID;
    fake_service_choose(s->service, erase_and_answer);
}
