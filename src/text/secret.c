/*
 * secret.c - text that holds a secret.
 *
 * Secrets are known by their maker's prefix and length, by the frame they stand in (a PEM block, a
 * URL with a password), or by standing behind a name such as password or api_key (secret_named.c).
 * High entropy alone is none: commits, checksums and ids are everywhere.
 *
 * Full-width letters and invisible characters hide none: a text that has any is read in windows of
 * plain characters. Windows overlap by more than the longest secret with its name.
 */
#include <stdint.h>
#include <string.h>

#include "base/str.h"

#include "text/letters.h"
#include "text/orders.h"
#include "text/secret.h"

#define WINDOW_BYTES 4096
#define OVERLAP_BYTES 1024
#define KEY_BYTES_MIN 16 /* of the shortest key that is issued, with its prefix */

static size_t key_bytes(const char *at)
{
    size_t bytes = 0;

    while (mn_secret_key_byte(at[bytes]))
        bytes++;
    return bytes;
}

static bool begins_here(const char *text, const char *at)
{
    return at == text || !mn_secret_key_byte(at[-1]);
}

/* ---- by prefix ---- */

/* header.payload.signature, each base64url of JSON */
static bool is_jwt(const char *at)
{
    size_t head = key_bytes(at);
    size_t body;

    if (!mn_secret_starts(at, "eyJ") || head < 12 || at[head] != '.')
        return false;
    body = key_bytes(at + head + 1);
    return body >= 12 && mn_secret_starts(at + head + 1, "eyJ") && at[head + 1 + body] == '.' &&
           key_bytes(at + head + body + 2) >= 16;
}

static bool has_digit(const char *at, size_t bytes)
{
    for (size_t i = 0; i < bytes; i++) {
        if (mn_letter_digit(at[i]))
            return true;
    }
    return false;
}

/* "Authorization: Bearer ..." */
static bool is_bearer(const char *at)
{
    size_t bytes = 0;

    if (!mn_secret_says(at, "bearer "))
        return false;
    at += 7;
    while (mn_secret_key_byte(at[bytes]) || (at[bytes] != '\0' && strchr(".~+/=", at[bytes])))
        bytes++;
    return bytes >= 20 && has_digit(at, bytes);
}

static const char *issued_key(const char *at)
{
    static const struct {
        const char *prefix;
        size_t bytes_min; /* behind the prefix */
        const char *kind;
    } KEY[] = {
        { "AKIA", 16, "aws access key" },
        { "ASIA", 16, "aws access key" },
        { "ghp_", 30, "github token" },
        { "gho_", 30, "github token" },
        { "ghu_", 30, "github token" },
        { "ghs_", 30, "github token" },
        { "ghr_", 30, "github token" },
        { "github_pat_", 30, "github token" },
        { "glpat-", 18, "gitlab token" },
        { "xoxb-", 20, "slack token" },
        { "xoxp-", 20, "slack token" },
        { "xoxa-", 20, "slack token" },
        { "xoxr-", 20, "slack token" },
        { "xoxs-", 20, "slack token" },
        { "sk_live_", 16, "stripe key" },
        { "rk_live_", 16, "stripe key" },
        { "sk_test_", 16, "stripe key" },
        { "sk-ant-", 20, "api key" },
        { "sk-proj-", 20, "api key" },
        { "AIza", 35, "google api key" },
        { "npm_", 36, "npm token" },
        { "pypi-", 40, "pypi token" },
        { "dop_v1_", 40, "digitalocean token" },
        { "hf_", 30, "hugging face token" },
        { "LTAI", 12, "aliyun access key" },
    };
    size_t bytes;

    if (is_bearer(at))
        return "token";
    if (!strchr("AgxsrnpdhLSe", *at))
        return NULL;
    bytes = key_bytes(at);
    for (size_t i = 0; bytes >= KEY_BYTES_MIN && i < sizeof KEY / sizeof KEY[0]; i++) {
        size_t prefix = strlen(KEY[i].prefix);

        if (bytes >= prefix + KEY[i].bytes_min && mn_secret_starts(at, KEY[i].prefix))
            return KEY[i].kind;
    }
    if (mn_secret_starts(at, "sk-") && bytes >= 35 && !memchr(at + 3, '-', bytes - 3))
        return "api key";
    if (mn_secret_starts(at, "SG.") && key_bytes(at + 3) >= 16 && at[3 + key_bytes(at + 3)] == '.')
        return "sendgrid key";
    return is_jwt(at) ? "json web token" : NULL;
}

/* ---- by frame ---- */

/* scheme://user:password@host */
static bool has_url_password(const char *text)
{
    for (const char *at = text; (at = strstr(at, "://")) != NULL; at += 3) {
        const char *colon = NULL;

        for (const char *p = at + 3; *p && !strchr(" /?#\t\n\"'<>", *p); p++) {
            if (*p == ':' && !colon)
                colon = p;
            else if (*p == '@' && colon && p - colon > 3 && colon > at + 3 && colon[1] != '<' &&
                     colon[1] != '$' && colon[1] != '*' && colon[1] != '{')
                return true;
        }
    }
    return false;
}

static bool has_private_key(const char *text)
{
    const char *at = strstr(text, "-----BEGIN ");

    return at && strstr(at, "PRIVATE KEY-----");
}

/* ---- the text ---- */

/* A text of plain characters. */
static const char *secret_in(const char *text)
{
    if (has_private_key(text))
        return "private key";
    if (has_url_password(text))
        return "password in a url";
    for (const char *at = text; *at; at++) {
        const char *kind = NULL;

        if (begins_here(text, at))
            kind = issued_key(at);
        if (!kind)
            kind = mn_secret_named(text, at);
        if (kind)
            return kind;
    }
    return NULL;
}

/* What a character says, plainly: 0 for nothing. */
static int32_t plain(int32_t c)
{
    if (c >= 0xff01 && c <= 0xff5e)
        return c - 0xfee0;
    if (c < 0x80 || !mn_letter_invisible(c))
        return c;
    if (c == 0xa0 || c == 0x3000 || (c >= 0x2000 && c <= 0x200a) || c == 0x202f || c == 0x205f)
        return ' ';
    return c == 0x85 || c == 0x2028 || c == 0x2029 ? '\n' : 0;
}

static int32_t next(const char *at, size_t *ret_bytes)
{
    size_t bytes = 0;
    int32_t c = mn_utf8_next(at, strnlen(at, 4), &bytes);

    *ret_bytes = bytes;
    return c;
}

static bool is_plain(const char *text)
{
    while (*text) {
        size_t bytes = 1;

        if ((unsigned char)*text >= 0x80) {
            int32_t c = next(text, &bytes);

            if (c >= 0 && plain(c) != c)
                return false;
        }
        text += bytes;
    }
    return true;
}

const char *mn_text_secret(const char *text)
{
    char window[WINDOW_BYTES];
    const char *kind = NULL;
    size_t filled = 0;

    if (!text)
        return NULL;
    if (is_plain(text))
        return secret_in(text);
    while (*text && !kind) {
        while (*text && filled + 5 < sizeof window) {
            size_t bytes;
            int32_t c = next(text, &bytes);

            if (c < 0)
                window[filled++] = *text;
            else if (plain(c) != 0)
                filled += mn_utf8_put(plain(c), window + filled);
            text += bytes;
        }
        window[filled] = '\0';
        kind = secret_in(window);
        if (*text) {
            size_t from = filled - OVERLAP_BYTES;

            memmove(window, window + from, OVERLAP_BYTES);
            filled = OVERLAP_BYTES;
        }
    }
    return kind;
}
