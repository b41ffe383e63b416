/*
 * secret_named.c - a secret by the name beside it.
 *
 * "My password is ...", "the door code for the shed: ...", "... is the wifi password". What a name
 * is given must look like a secret: "password is required" and "token: <your token>" hold none.
 * Where nothing gives it ("the wifi password hunter2XX9", "PIN 4711") it must look like nothing
 * else: letters and digits mixed, or the digits of a PIN behind a noun. "Password manager",
 * "password policy" and "pin the version" hold none.
 */
#include "text/secret.h"

#include <stddef.h>

#define VALUE_BYTES_MAX 256
#define NEXT_LINE_BYTES_MIN 6 /* of a value that stands in the line behind its name */
#define MIXED_BYTES_MIN 6     /* of a value that nothing assigns */
#define WHOSE_BYTES_MAX 40    /* between a name and its value */
#define BETWEEN_WORDS_MAX 2   /* "is the guest wifi password" */
#define PIN_DIGITS_MIN 4
#define PIN_DIGITS_MAX 8
#define PHRASE_WORDS_MIN 3
#define PHRASE_LETTERS_MIN 4 /* of each of three words; of four and more, one less */

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
        if (mn_secret_says(at, PLACEHOLDER[i]))
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

/* Four to eight digits and no measure behind them: "4711", not "2048 bits". */
static bool is_pin(const char *at)
{
    /* clang-format off */
    static const char *const MEASURES[] = { "bit", "byte", "char", "digit", "letter", "day", "hour", "minute", "min", "second",
                                            "time", "user", "version", "%", "位", "个", "次", "天", "年", "月", "分", "秒", "字",
                                            "条", "号线" };
    /* clang-format on */
    size_t bytes = 0;

    while (mn_letter_digit(at[bytes]))
        bytes++;
    if (bytes < PIN_DIGITS_MIN || bytes > PIN_DIGITS_MAX || mn_secret_key_byte(at[bytes]) ||
        ((at[bytes] == '.' || at[bytes] == ':' || at[bytes] == '/') &&
         mn_letter_digit(at[bytes + 1])))
        return false;
    at += bytes;
    at += *at == ' ';
    for (size_t i = 0; i < sizeof MEASURES / sizeof MEASURES[0]; i++)
        if (mn_secret_says(at, MEASURES[i]))
            return false;
    return true;
}

/* policy2024 */
static bool is_dated_word(const char *at, size_t bytes)
{
    size_t letters = 0;

    while (letters < bytes && mn_letter_lower(at[letters]))
        letters++;
    return letters && letters + 4 == bytes &&
           (mn_secret_starts(at + letters, "19") || mn_secret_starts(at + letters, "20"));
}

/* Letters and digits mixed as nobody writes a word: not sha256, 2fa or policy2024. */
static bool is_mixed(const char *at)
{
    static const char *const WORDS[] = { "sha",   "md5",       "bcrypt", "argon", "pbkdf",
                                         "base6", "base3",     "utf",    "oauth", "2fa",
                                         "mfa",   "1password", "page",   "step",  "rfc",
                                         "iso",   "aes",       "rsa",    "http",  "ipv" };
    struct value v = value_at(at);

    if (v.bytes < MIXED_BYTES_MIN || !v.digits || !v.letters ||
        v.digits + v.letters + v.marks < v.bytes || is_placeholder(at, v.bytes) ||
        memchr(at, '/', v.bytes) || memchr(at, '.', v.bytes) || is_dated_word(at, v.bytes))
        return false;
    for (size_t i = 0; i < sizeof WORDS / sizeof WORDS[0]; i++)
        if (mn_secret_says(at, WORDS[i]))
            return false;
    return true;
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

/* What a name is a name of, and how its value looks. */
struct name {
    const char *name; /* lower case */
    size_t value_bytes_min;
    const char *kind;
    bool pins;   /* so few digits are its value: "4711" */
    bool chosen; /* people choose it, and say it without "is" */
};

/* "for the wifi is", "of the router:": behind it; the same place where no such thing stands there.
 */
static const char *behind_whose(const char *at)
{
    static const char *const OF[] = { "for ", "of ", "to ", "on ", "number ", "code ", "锁", "号" };
    bool found = false;

    for (size_t i = 0; i < sizeof OF / sizeof OF[0] && !found; i++)
        found = mn_secret_says(at, OF[i]);
    for (size_t i = 0; found && i < WHOSE_BYTES_MAX && at[i] && at[i] != '\n'; i++)
        if (at[i] == ':' || at[i] == '=' || mn_secret_starts(at + i, "：") ||
            mn_secret_starts(at + i, "是") || mn_secret_says(at + i, " is ") ||
            mn_secret_says(at + i, " was "))
            return at + i + (at[i] == ' ');
    return at;
}

/* Behind the name: its end, a mark or a copula, then the value; or the value alone. */
static bool assigns(const char *at, const struct name *name, bool word, bool noun)
{
    static const char *const COPULA[] = { "is ", "are ", "was ", "to ", "是",
                                          "为",  "设为", "改成", "改为" };
    const char *behind = at;
    bool marked = false;
    bool said = false;
    bool quoted;
    const char *line;

    while (*at == ' ' || *at == '"' || *at == '\'' || *at == '`')
        at++;
    at = behind_whose(at);
    if (*at == ':' || *at == '=') {
        marked = true;
        at += 1 + (at[1] == '=' || at[1] == '>');
    } else if (mn_secret_starts(at, "：") || mn_secret_starts(at, "＝")) {
        marked = true;
        at += 3;
    }
    for (size_t i = 0; i < sizeof COPULA / sizeof COPULA[0] && !marked && !said; i++) {
        if (mn_secret_says(at, COPULA[i])) {
            said = true;
            at += strlen(COPULA[i]);
        }
    }
    line = next_line(at);
    if (line)
        return is_next_line_value(line, name->value_bytes_min);
    if (!marked && !said) {
        if (!word)
            return (value_at(at).bytes >= MIXED_BYTES_MIN &&
                    is_secret_value(at, false, true, name->value_bytes_min)) ||
                   (name->pins && is_pin(at));
        return at > behind && noun && name->chosen &&
               (strcmp(name->kind, "password") != 0 ? is_pin(at) : is_mixed(at));
    }
    while (*at == ' ' || *at == '\t')
        at++;
    at += said && mn_secret_says(at, "now ") ? 4 : 0;
    quoted = *at == '"' || *at == '\'' || *at == '`' || mn_secret_starts(at, "“");
    at += mn_secret_starts(at, "“") ? 3 : quoted;
    return (name->pins && is_pin(at)) || (strcmp(name->kind, "pin") != 0 &&
                                          is_secret_value(at, quoted, said, name->value_bytes_min));
}

/* Is the word before `at` one of those? */
static bool stands_behind(const char *text, const char *at, const char *const *words)
{
    while (at > text && at[-1] == ' ')
        at--;
    for (size_t i = 0; words[i]; i++) {
        size_t bytes = strlen(words[i]);

        if ((size_t)(at - text) >= bytes && mn_secret_says(at - bytes, words[i]) &&
            (at - bytes == text || !mn_letter_plain(at[-(ptrdiff_t)bytes - 1])))
            return true;
    }
    return false;
}

/* "hunter2XX9 is the wifi password": the value stands before the name. */
static bool assigned_before(const char *text, const char *at)
{
    static const char *const IS[] = { " is the ", " is my ", " is our ", " is your ",
                                      " as the ", " as my ", "是" };
    const char *from = at - text > WHOSE_BYTES_MAX ? at - WHOSE_BYTES_MAX : text;

    for (const char *is = from; is < at; is++) {
        for (size_t i = 0; i < sizeof IS / sizeof IS[0]; i++) {
            const char *value = is;
            size_t blanks = 0;

            if (!mn_secret_says(is, IS[i]))
                continue;
            for (const char *p = is + strlen(IS[i]); p < at; p++)
                blanks += *p == ' ';
            if (blanks > BETWEEN_WORDS_MAX)
                continue;
            while (value > text && value[-1] == ' ')
                value--;
            while (value > text && (unsigned char)value[-1] > ' ' &&
                   (unsigned char)value[-1] < 0x80)
                value--;
            value += *value == '"' || *value == '\'' || *value == '`';
            if (value < is && is_mixed(value) && value + value_at(value).bytes <= is)
                return true;
        }
    }
    return false;
}

/* Whose "pin 4711" it is; else it is something to do. */
static const char *const PIN_OF[] = { "my",    "the",  "your", "his", "her",   "our",
                                      "their", "card", "bank", "sim", "door",  "phone",
                                      "alarm", "gate", "safe", "atm", "debit", "credit",
                                      "new",   "old",  "'s",   NULL };

static const char *named(const char *text, const char *at)
{
    static const struct name NAME[] = {
        { "password", 4, "password", true, true },
        { "passwd", 4, "password", true, true },
        { "passphrase", 6, "password", false, true },
        { "passcode", 4, "code", true, true },
        { "pwd", 4, "password", true, true },
        { "密码", 4, "password", true, true },
        { "口令", 4, "password", true, true },
        { "密碼", 4, "password", true, true },
        { "验证码", 4, "code", true, true },
        { "校验码", 4, "code", true, true },
        { "动态码", 4, "code", true, true },
        { "api key", 12, "api key", false, false },
        { "api_key", 12, "api key", false, false },
        { "apikey", 12, "api key", false, false },
        { "api-key", 12, "api key", false, false },
        { "secret key", 12, "secret", false, false },
        { "secret_key", 12, "secret", false, false },
        { "client_secret", 8, "secret", false, false },
        { "client secret", 8, "secret", false, false },
        { "access key", 12, "access key", false, false },
        { "access_key", 12, "access key", false, false },
        { "access token", 12, "token", false, false },
        { "access_token", 12, "token", false, false },
        { "auth token", 12, "token", false, false },
        { "auth_token", 12, "token", false, false },
        { "token", 16, "token", false, false },
        { "密钥", 8, "secret", false, false },
        { "令牌", 12, "token", false, false },
        { "secret", 12, "secret", false, false },
        { "pin code", 4, "pin", true, true },
        { "pin码", 4, "pin", true, true },
        { "pin", 4, "pin", true, true },
        { "otp", 4, "code", true, true },
        { "verification code", 4, "code", true, true },
        { "security code", 4, "code", true, true },
        { "access code", 4, "code", true, true },
        { "door code", 4, "code", true, true },
        { "gate code", 4, "code", true, true },
        { "alarm code", 4, "code", true, true },
    };

    for (size_t i = 0; i < sizeof NAME / sizeof NAME[0]; i++) {
        size_t bytes;
        bool word = mn_letter_plain(NAME[i].name[0]);
        bool noun = true;

        if (!mn_secret_says(at, NAME[i].name))
            continue;
        bytes = strlen(NAME[i].name);
        if (word && at > text && mn_letter_plain(at[-1]) &&
            !(mn_letter_upper(at[0]) && mn_letter_lower(at[-1]))) /* dbPassword */
            continue;
        if (!strcmp(NAME[i].kind, "pin") && bytes == 3) {
            if (mn_letter_plain(at[3]))
                continue; /* pinned */
            noun = !mn_letter_lower(at[1]) || stands_behind(text, at, PIN_OF);
        }
        if (assigns(at + bytes, &NAME[i], word, noun) ||
            (NAME[i].chosen && assigned_before(text, at)))
            return NAME[i].kind;
    }
    return NULL;
}

/* May a name of named() begin here? By its first two letters. */
static bool may_be_named(const char *at)
{
    char second = at[0] ? mn_letter_to_lower(at[1]) : '\0';

    switch (mn_letter_to_lower(at[0])) {
    case 'p':
        return second == 'a' || second == 'w' || second == 'i';
    case 'a':
        return second == 'p' || second == 'c' || second == 'u' || second == 'l';
    case 'c':
        return second == 'l';
    case 'd':
    case 't':
        return second == 'o';
    case 's':
    case 'v':
        return second == 'e';
    case 'o':
        return second == 't';
    case 'g':
        return second == 'a';
    case '\xe5':
    case '\xe4':
    case '\xe6':
    case '\xe9':
        return true;
    default:
        return false;
    }
}

const char *mn_secret_named(const char *text, const char *at)
{
    return may_be_named(at) ? named(text, at) : NULL;
}
