/*
 * secret.c - text that holds a secret.
 *
 * Secrets are known by their maker's prefix and length, by the frame they stand in (a PEM block, a
 * URL with a password), or by being assigned to a name such as password or api_key. An assigned
 * value must look like one: "password is required" and "token: <your token>" hold none. High
 * entropy alone is none either: commits, checksums and ids are everywhere.
 *
 * Full-width letters and invisible characters hide none: a text that has any is read in windows of
 * plain characters. Windows overlap by more than the longest secret with its name.
 */
#include <stdint.h>
#include <string.h>

#include "base/str.h"

#include "text/letters.h"
#include "text/orders.h"

#define VALUE_BYTES_MAX 256
#define WINDOW_BYTES 4096
#define OVERLAP_BYTES 1024
#define NEXT_LINE_BYTES_MIN 6 /* of a value that stands in the line behind its name */
#define KEY_BYTES_MIN 16 /* of the shortest key that is issued, with its prefix */
#define PHRASE_WORDS_MIN 3
#define PHRASE_LETTERS_MIN 4 /* of each of three words; of four and more, one less */

static bool starts(const char *at, const char *literal)
{
    return strncmp(at, literal, strlen(literal)) == 0;
}

static bool starts_any_case(const char *at, const char *lower)
{
    for (; *lower; at++, lower++) {
        if (mn_letter_to_lower(*at) != *lower)
            return false;
    }
    return true;
}

static bool key_byte(char c)
{
    return mn_letter_plain(c) || c == '_' || c == '-';
}

static size_t key_bytes(const char *at)
{
    size_t bytes = 0;

    while (key_byte(at[bytes]))
        bytes++;
    return bytes;
}

static bool begins_here(const char *text, const char *at)
{
    return at == text || !key_byte(at[-1]);
}

/* ---- by prefix ---- */

/* header.payload.signature, each base64url of JSON */
static bool is_jwt(const char *at)
{
    size_t head = key_bytes(at);
    size_t body;

    if (!starts(at, "eyJ") || head < 12 || at[head] != '.')
        return false;
    body = key_bytes(at + head + 1);
    return body >= 12 && starts(at + head + 1, "eyJ") && at[head + 1 + body] == '.' &&
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

    if (!starts_any_case(at, "bearer "))
        return false;
    at += 7;
    while (key_byte(at[bytes]) || (at[bytes] != '\0' && strchr(".~+/=", at[bytes])))
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

        if (bytes >= prefix + KEY[i].bytes_min && starts(at, KEY[i].prefix))
            return KEY[i].kind;
    }
    if (starts(at, "sk-") && bytes >= 35 && !memchr(at + 3, '-', bytes - 3))
        return "api key";
    if (starts(at, "SG.") && key_bytes(at + 3) >= 16 && at[3 + key_bytes(at + 3)] == '.')
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

/* ---- by assignment ---- */

struct value {
    size_t bytes, digits, letters, marks;
    bool upper, lower;
};

static struct value value_at(const char *at)
{
    struct value v = { 0 };

    for (; (unsigned char)at[v.bytes] > ' ' && (unsigned char)at[v.bytes] < 0x80 &&
           !strchr("\"'`,;)<>", at[v.bytes]) && v.bytes < VALUE_BYTES_MAX;
         v.bytes++) {
        char c = at[v.bytes];

        v.digits += mn_letter_digit(c);
        v.letters += mn_letter_latin(c);
        v.marks += !mn_letter_plain(c) && c != '.';
        v.upper = v.upper || mn_letter_upper(c);
        v.lower = v.lower || mn_letter_lower(c);
    }
    while (v.bytes > 0 && at[v.bytes - 1] == '.')
        v.bytes--;
    return v;
}

static bool is_placeholder(const char *at, size_t bytes)
{
    static const char *const PLACEHOLDER[] = {
        "your",   "xxx",     "***",       "...",      "${",       "{{",     "$(",
        "<",      "[",       "example",   "changeme", "redacted", "null",   "none",
        "true",   "false",   "env",       "os.",      "requir",   "option", "missing",
        "expire", "invalid", "incorrect", "wrong",    "empty",    "hashed", "encrypt"
    };

    for (size_t i = 0; i < sizeof PLACEHOLDER / sizeof PLACEHOLDER[0]; i++) {
        if (starts_any_case(at, PLACEHOLDER[i]))
            return true;
    }
    return bytes == 0 || memchr(at, '(', bytes) != NULL;
}

/* correct-horse-battery-staple: words of small letters that nobody joins in prose. */
static bool is_passphrase(const char *at, size_t bytes)
{
    size_t words = 0;
    size_t letters = 0;
    size_t fewest = VALUE_BYTES_MAX;

    for (size_t i = 0; i <= bytes; i++) {
        if (i < bytes && mn_letter_latin(at[i])) {
            letters++;
            continue;
        }
        if (i < bytes && at[i] != '-' && at[i] != '_')
            return false;
        fewest = letters < fewest ? letters : fewest;
        letters = 0;
        words++;
    }
    return words >= PHRASE_WORDS_MIN && fewest + (words > PHRASE_WORDS_MIN) >= PHRASE_LETTERS_MIN;
}

/* A value that somebody would choose or issue as a secret; `prose` where a sentence may go on. */
static bool is_secret_value(const char *at, bool quoted, bool prose, size_t bytes_min)
{
    struct value v = value_at(at);

    if (v.bytes < bytes_min || is_placeholder(at, v.bytes) || v.letters + v.digits == 0)
        return false;
    if (v.digits > 0 && (v.letters > 0 || v.marks > 0))
        return true;
    if (v.digits == v.bytes)
        return v.bytes >= 6 || quoted; /* a PIN or a numeric password */
    return quoted || (v.marks > 0 && v.upper && v.lower) || (v.marks > 1 && !prose) ||
           is_passphrase(at, v.bytes);
}

/* A value in the line behind its name: alone there, and no name of a field itself. */
static bool is_next_line_value(const char *at, size_t bytes_min)
{
    bool item = (at[0] == '-' || at[0] == '*') && at[1] == ' ';
    struct value v;

    at += item ? 2 : 0;
    while (*at == ' ' || *at == '\t')
        at++;
    if (*at == '"' || *at == '\'' || *at == '`')
        return is_secret_value(at + 1, true, true, bytes_min);
    v = value_at(at);
    if (v.bytes < NEXT_LINE_BYTES_MIN || at[v.bytes - 1] == ':' || at[v.bytes - 1] == '=' ||
        !is_secret_value(at, false, true, bytes_min))
        return false;
    at += v.bytes;
    at += strspn(at, " \t\r.");
    return *at == '\0' || *at == '\n';
}

/* Behind white space with a line's end in it; NULL: there is none. */
static const char *next_line(const char *at)
{
    const char *behind = at + strspn(at, " \t\r\n");

    return memchr(at, '\n', (size_t)(behind - at)) ? behind : NULL;
}

/* Behind the name: its end, a mark or a copula (`spaced`: or nothing), then the value. */
static bool assigns(const char *at, bool spaced, size_t bytes_min)
{
    static const char *const COPULA[] = { "is ", "are ", "was ", "to ", "是",
                                          "为",  "设为", "改成", "改为" };
    bool marked = false;
    bool said = false;
    bool quoted;
    const char *line;

    while (*at == ' ' || *at == '"' || *at == '\'' || *at == '`')
        at++;
    if (*at == ':' || *at == '=') {
        marked = true;
        at += 1 + (at[1] == '=' || at[1] == '>');
    } else if (starts(at, "：") || starts(at, "＝")) {
        marked = true;
        at += 3;
    }
    for (size_t i = 0; i < sizeof COPULA / sizeof COPULA[0] && !marked && !said; i++) {
        if (starts_any_case(at, COPULA[i])) {
            said = true;
            at += strlen(COPULA[i]);
        }
    }
    line = next_line(at);
    if (line)
        return is_next_line_value(line, bytes_min);
    if (!marked && !said)
        return spaced && value_at(at).bytes >= 6 && is_secret_value(at, false, true, bytes_min);
    while (*at == ' ' || *at == '\t')
        at++;
    quoted = *at == '"' || *at == '\'' || *at == '`' || starts(at, "“");
    at += starts(at, "“") ? 3 : quoted;
    return is_secret_value(at, quoted, said, bytes_min);
}

static const char *assigned(const char *text, const char *at)
{
    static const struct {
        const char *name; /* lower case */
        size_t value_bytes_min;
        const char *kind;
    } NAME[] = {
        { "password", 4, "password" },
        { "passwd", 4, "password" },
        { "passphrase", 6, "password" },
        { "passcode", 4, "password" },
        { "pwd", 4, "password" },
        { "密码", 4, "password" },
        { "口令", 4, "password" },
        { "密碼", 4, "password" },
        { "api key", 12, "api key" },
        { "api_key", 12, "api key" },
        { "apikey", 12, "api key" },
        { "api-key", 12, "api key" },
        { "secret key", 12, "secret" },
        { "secret_key", 12, "secret" },
        { "client_secret", 8, "secret" },
        { "client secret", 8, "secret" },
        { "access key", 12, "access key" },
        { "access_key", 12, "access key" },
        { "access token", 12, "token" },
        { "access_token", 12, "token" },
        { "auth token", 12, "token" },
        { "auth_token", 12, "token" },
        { "token", 16, "token" },
        { "密钥", 8, "secret" },
        { "令牌", 12, "token" },
        { "secret", 12, "secret" },
        { "pin code", 4, "password" },
    };

    for (size_t i = 0; i < sizeof NAME / sizeof NAME[0]; i++) {
        size_t bytes;
        bool word = mn_letter_plain(NAME[i].name[0]);

        if (!starts_any_case(at, NAME[i].name))
            continue;
        bytes = strlen(NAME[i].name);
        if (word && at > text && mn_letter_plain(at[-1]) &&
            !(mn_letter_upper(at[0]) && mn_letter_lower(at[-1]))) /* dbPassword */
            continue;
        if (assigns(at + bytes, !word, NAME[i].value_bytes_min))
            return NAME[i].kind;
    }
    return NULL;
}

/* May a name of assigned() begin here? By its first two letters. */
static bool may_be_assigned(const char *at)
{
    char second = at[0] ? mn_letter_to_lower(at[1]) : '\0';

    switch (mn_letter_to_lower(at[0])) {
    case 'p':
        return second == 'a' || second == 'w' || second == 'i';
    case 'a':
        return second == 'p' || second == 'c' || second == 'u';
    case 'c':
        return second == 'l';
    case 't':
        return second == 'o';
    case 's':
        return second == 'e';
    case '\xe5':
    case '\xe4':
        return true;
    default:
        return false;
    }
}

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
        if (!kind && may_be_assigned(at))
            kind = assigned(text, at);
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
