/*
 * seal.c - libcrypto behind three functions.
 */
#include "base/seal.h"

#include <limits.h>
#include <string.h>

#include <openssl/evp.h>
#include <openssl/kdf.h>
#include <openssl/core_names.h>
#include <openssl/params.h>
#include <openssl/rand.h>

#define NONCE_BYTES 12
#define PROOF_BYTES 16
#define CONTENT_BYTES_MAX ((size_t)INT_MAX - 64)

static void free_cipher(EVP_CIPHER_CTX **cipher)
{
    EVP_CIPHER_CTX_free(*cipher);
}
#define CIPHER_AUTO MN_CLEANUP(free_cipher) EVP_CIPHER_CTX *

enum mneme_status mn_seal_key_derive(const char *secret, const char *purpose,
                                     struct mn_seal_key *ret_key, struct mneme_error *err)
{
    EVP_KDF *kind = EVP_KDF_fetch(NULL, "HKDF", NULL);
    EVP_KDF_CTX *kdf = kind ? EVP_KDF_CTX_new(kind) : NULL;
    char digest[] = "SHA256";
    OSSL_PARAM settings[] = {
        OSSL_PARAM_construct_utf8_string(OSSL_KDF_PARAM_DIGEST, digest, 0),
        OSSL_PARAM_construct_octet_string(OSSL_KDF_PARAM_KEY, (void *)(uintptr_t)secret,
                                          strlen(secret)),
        OSSL_PARAM_construct_octet_string(OSSL_KDF_PARAM_INFO, (void *)(uintptr_t)purpose,
                                          strlen(purpose)),
        OSSL_PARAM_construct_end(),
    };
    struct mn_seal_key key;
    bool made = kdf && EVP_KDF_derive(kdf, key.bytes, sizeof key.bytes, settings) > 0;

    EVP_KDF_CTX_free(kdf);
    EVP_KDF_free(kind);
    if (!made)
        return mn_fail_memory(err);
    *ret_key = key;
    return MNEME_OK;
}

/* Room at the end of the buffer, to be written whole; NULL when there is none. */
static unsigned char *grow(struct mn_buf *out, size_t count)
{
    static const char zeros[4096];
    size_t from = out->bytes;

    for (size_t left = count; left && !out->failed;) {
        size_t step = left < sizeof zeros ? left : sizeof zeros;

        mn_buf_put(out, zeros, step);
        left -= step;
    }
    return out->failed ? NULL : (unsigned char *)out->at + from;
}

enum mneme_status mn_seal(const struct mn_seal_key *key, const char *name, const void *bytes,
                          size_t count, struct mn_buf *out, struct mneme_error *err)
{
    CIPHER_AUTO cipher = EVP_CIPHER_CTX_new();
    int done = 0;

    if (count > CONTENT_BYTES_MAX)
        return mn_fail(err, MNEME_LIMIT, "sealing: %zu bytes, at most %zu", count, CONTENT_BYTES_MAX);
    unsigned char *at = grow(out, count + MN_SEAL_MORE_BYTES);
    if (!at || !cipher)
        return mn_fail_memory(err);
    if (RAND_bytes(at, NONCE_BYTES) != 1)
        return mn_fail(err, MNEME_UNAVAILABLE, "the system gives no random bits");
    unsigned char *body = at + NONCE_BYTES;
    if (!EVP_EncryptInit_ex(cipher, EVP_aes_256_gcm(), NULL, key->bytes, at) ||
        !EVP_EncryptUpdate(cipher, NULL, &done, (const unsigned char *)name, (int)strlen(name)) ||
        !EVP_EncryptUpdate(cipher, body, &done, bytes, (int)count) ||
        !EVP_EncryptFinal_ex(cipher, body + done, &done) ||
        !EVP_CIPHER_CTX_ctrl(cipher, EVP_CTRL_GCM_GET_TAG, PROOF_BYTES, body + count))
        return mn_fail_memory(err);
    return MNEME_OK;
}

enum mneme_status mn_unseal(const struct mn_seal_key *key, const char *name, const void *bytes,
                            size_t count, struct mn_buf *out, struct mneme_error *err)
{
    CIPHER_AUTO cipher = EVP_CIPHER_CTX_new();
    const unsigned char *from = bytes;
    MN_BUF_AUTO whole = { 0 };
    int done = 0;

    if (count < MN_SEAL_MORE_BYTES || count > CONTENT_BYTES_MAX)
        return mn_fail(err, MNEME_CORRUPT, "%s: is not what was sealed", name);
    size_t inside = count - MN_SEAL_MORE_BYTES;
    unsigned char *at = grow(&whole, inside + 1);
    if (!at || !cipher)
        return mn_fail_memory(err);
    if (!EVP_DecryptInit_ex(cipher, EVP_aes_256_gcm(), NULL, key->bytes, from) ||
        !EVP_DecryptUpdate(cipher, NULL, &done, (const unsigned char *)name, (int)strlen(name)) ||
        !EVP_DecryptUpdate(cipher, at, &done, from + NONCE_BYTES, (int)inside) ||
        !EVP_CIPHER_CTX_ctrl(cipher, EVP_CTRL_GCM_SET_TAG, PROOF_BYTES,
                             (void *)(uintptr_t)(from + NONCE_BYTES + inside)) ||
        EVP_DecryptFinal_ex(cipher, at + done, &done) != 1)
        return mn_fail(err, MNEME_CORRUPT, "%s: is not what was sealed, or under another key", name);
    mn_buf_put(out, whole.at, inside);
    return out->failed ? mn_fail_memory(err) : MNEME_OK;
}
