/*
 * pack.c - zstd behind four functions.
 *
 * Looking among bytes trusts none of them: the mark of a frame may stand there by chance, and what it
 * says of itself may be anything. So windows are bounded, by more than the levels above take, and a
 * frame is unpacked into one piece of room after the other.
 */
#include "base/pack.h"

#include <stdlib.h>
#include <string.h>

#include <zstd.h>
#include <zstd_errors.h>

#define PIECE_BYTES ((size_t)1 << 20)
#define WINDOW_BITS_MAX 23 /* level 6 takes 21 */

static const unsigned char mark[4] = { 0x28, 0xb5, 0x2f, 0xfd };

enum mneme_status mn_pack(int level, struct mn_str plain, struct mn_buf *out, struct mneme_error *err)
{
    size_t room = ZSTD_compressBound(plain.bytes);
    ZSTD_CCtx *context = ZSTD_createCCtx();
    void *packed = malloc(room);
    size_t bytes = 0;

    if (context && packed) {
        ZSTD_CCtx_setParameter(context, ZSTD_c_compressionLevel, level);
        ZSTD_CCtx_setParameter(context, ZSTD_c_checksumFlag, 1);
        bytes = ZSTD_compress2(context, packed, room, plain.at, plain.bytes);
    }
    bool packs = context && packed && !ZSTD_isError(bytes);
    if (packs)
        mn_buf_put(out, packed, bytes);
    ZSTD_freeCCtx(context);
    free(packed);
    return packs && !out->failed ? MNEME_OK : mn_fail_memory(err);
}

bool mn_packed_says(struct mn_str packed, size_t *ret_bytes)
{
    unsigned long long bytes = ZSTD_getFrameContentSize(packed.at, packed.bytes);

    if (packed.bytes < sizeof mark || memcmp(packed.at, mark, sizeof mark) != 0 ||
        bytes == ZSTD_CONTENTSIZE_ERROR || bytes == ZSTD_CONTENTSIZE_UNKNOWN || bytes > SIZE_MAX / 2)
        return false;
    *ret_bytes = (size_t)bytes;
    return true;
}

enum mneme_status mn_unpack(const char *what, struct mn_str packed, void *room, size_t bytes,
                            struct mneme_error *err)
{
    size_t got = ZSTD_decompress(room, bytes, packed.at, packed.bytes);

    if (ZSTD_isError(got) && ZSTD_getErrorCode(got) == ZSTD_error_memory_allocation)
        return mn_fail_memory(err);
    if (ZSTD_isError(got) || got != bytes)
        return mn_fail(err, MNEME_CORRUPT, "%s cannot be unpacked (%s)", what,
                       ZSTD_isError(got) ? ZSTD_getErrorName(got) : "its length");
    return MNEME_OK;
}

/* ---- looking ---- */

/* As far as the frame goes that begins there. False: there is no memory for its window. */
static bool unpack_from(ZSTD_DStream *stream, struct mn_str frame, void *room, mn_plain_fn piece,
                        void *context)
{
    ZSTD_inBuffer in = { frame.at, frame.bytes, 0 };
    ZSTD_outBuffer out = { room, PIECE_BYTES, 0 };
    size_t left = 1;

    while (left && !ZSTD_isError(left)) {
        size_t read = in.pos, made = out.pos;

        left = ZSTD_decompressStream(stream, &out, &in);
        if (out.pos == out.size) {
            piece(context, room, out.pos);
            out.pos = 0;
        } else if (in.pos == read && out.pos == made) {
            break; /* it is cut here */
        }
    }
    if (out.pos)
        piece(context, room, out.pos);
    return !ZSTD_isError(left) || ZSTD_getErrorCode(left) != ZSTD_error_memory_allocation;
}

enum mneme_status mn_unpack_among(struct mn_str bytes, mn_plain_fn piece, void *context,
                                  struct mneme_error *err)
{
    const char *end = bytes.at + bytes.bytes;
    ZSTD_DStream *stream = NULL;
    void *room = NULL;
    bool full = false;

    for (const char *at = bytes.at;
         !full && (at = memmem(at, (size_t)(end - at), mark, sizeof mark)) != NULL; at++) {
        if (!stream) {
            stream = ZSTD_createDStream();
            room = malloc(PIECE_BYTES);
            full = !stream || !room;
        }
        if (!full) {
            (void)ZSTD_DCtx_reset(stream, ZSTD_reset_session_only);
            (void)ZSTD_DCtx_setParameter(stream, ZSTD_d_windowLogMax, WINDOW_BITS_MAX);
            full = !unpack_from(stream, (struct mn_str){ at, (size_t)(end - at) }, room, piece,
                                context);
        }
    }
    ZSTD_freeDStream(stream);
    free(room);
    return full ? mn_fail_memory(err) : MNEME_OK;
}
