/*
 * error.h - how every call of mneme fails.
 *
 * One status type, named by what the caller can do about it. Every public call returns it and, on
 * failure, fills the caller's `struct mneme_error` (which may be NULL) with one message made where
 * the fault happened. Outputs are untouched on failure.
 */
#ifndef MNEME_ERROR_H
#define MNEME_ERROR_H

#ifdef __cplusplus
extern "C" {
#endif

#if defined(__GNUC__)
#define MNEME_API __attribute__((visibility("default")))
#else
#define MNEME_API
#endif

enum mneme_status {
    MNEME_OK = 0,
    MNEME_INVALID,     /* correct the input: `field` names what is wrong */
    MNEME_NOT_FOUND,   /* no such thing, or none that this identity may see */
    MNEME_CONFLICT,    /* somebody was faster: read again and retry */
    MNEME_FORBIDDEN,   /* ask for less, or with another credential */
    MNEME_LIMIT,       /* too long, too many, or out of memory */
    MNEME_UNAVAILABLE, /* try again later: a store, model or source does not answer */
    MNEME_CORRUPT      /* the data on disk is damaged or from a newer version; nothing was touched */
};

struct mneme_error {
    enum mneme_status status;
    int uncertain;     /* 1: a commit may have happened; a retry with the same ids is safe */
    char field[64];    /* the input that is wrong, e.g. "valid_until"; empty when none is */
    char message[400]; /* a sentence for people, begins with the field where there is one */
};

/* "ok", "invalid", "not found", ...: never NULL. */
MNEME_API const char *mneme_status_name(enum mneme_status status);

#ifdef __cplusplus
}
#endif

#endif
