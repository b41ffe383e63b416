/*
 * text_forward.c - packing a row's terms, and their frequencies back.
 */
#include "search/text_forward.h"

#include <stdlib.h>
#include <string.h>

#include "search/text_postings.h"

bool mn_text_packing_begin(struct mn_text_packing *p, size_t terms)
{
    p->count = 0;
    p->term = p->here_term;
    p->halves = p->here_halves;
    if (terms <= MN_TEXT_PACKING_AT_ONCE)
        return true;
    p->term = malloc(terms * (sizeof *p->term + sizeof *p->halves));
    p->halves = (uint8_t *)(p->term + terms);
    return p->term;
}

void mn_text_packing_put(struct mn_text_packing *p, uint32_t term, uint8_t halves)
{
    p->term[p->count] = term;
    p->halves[p->count++] = halves;
}

enum { CODE_USUAL = 0, CODE_TWICE = 1, CODE_KEYWORD = 2, CODE_REST = 3 };

static const uint8_t HALVES_OF_CODE[] = {
    [CODE_USUAL] = MN_TEXT_HALVES_USUAL, [CODE_TWICE] = 4, [CODE_KEYWORD] = 3
};

static unsigned code_of(uint8_t halves)
{
    unsigned code = 0;

    while (code < CODE_REST && HALVES_OF_CODE[code] != halves)
        code++;
    return code;
}

static unsigned code_at(const uint8_t *codes, uint32_t i)
{
    return codes[i / 4] >> (i % 4 * 2) & 3;
}

uint8_t mn_text_forward_halves(const struct mn_text_forward *f, uint32_t i)
{
    unsigned code = code_at(f->code, i);
    size_t before = 0;

    if (code != CODE_REST)
        return HALVES_OF_CODE[code];
    for (uint32_t b = 0; b < i; b++)
        before += code_at(f->code, b) == CODE_REST;
    return f->rest[before];
}

void mn_text_forward_all_halves(const struct mn_text_forward *f, uint8_t *ret_halves)
{
    const uint8_t *rest = f->rest;

    for (uint32_t i = 0; i < f->count; i++) {
        unsigned code = code_at(f->code, i);

        ret_halves[i] = code == CODE_REST ? *rest++ : HALVES_OF_CODE[code];
    }
}

size_t mn_text_forward_bytes(const struct mn_text_forward *f)
{
    size_t rest = 0;

    for (uint32_t i = 0; i < f->count; i++)
        rest += code_at(f->code, i) == CODE_REST;
    return (size_t)(f->rest - (const uint8_t *)f->low) + sizeof(uint32_t) + rest;
}

bool mn_text_forward_check(const void *bytes, size_t count, uint32_t terms)
{
    uint32_t head;

    if (count < sizeof head)
        return false;
    memcpy(&head, bytes, sizeof head);
    size_t each = head & MN_TEXT_FORWARD_HIGH ? 3 : 2, here = head & ~MN_TEXT_FORWARD_HIGH;
    size_t fixed = sizeof head + here * each + (here + 3) / 4;
    if (here > count || fixed > count)
        return false;
    const uint8_t *low = (const uint8_t *)bytes + sizeof head, *high = low + 2 * here;
    const uint8_t *code = (const uint8_t *)bytes + fixed - (here + 3) / 4;
    const uint8_t *rest = (const uint8_t *)bytes + fixed;
    for (uint32_t i = 0; i < here; i++) {
        uint32_t term = low[2 * i] | (uint32_t)low[2 * i + 1] << 8;

        if (each == 3)
            term |= (uint32_t)high[i] << 16;
        if (term >= terms)
            return false;
        if (code_at(code, i) == CODE_REST && (rest == (const uint8_t *)bytes + count || !*rest++))
            return false;
    }
    return rest == (const uint8_t *)bytes + count;
}

uint32_t mn_text_packing_keep(const struct mn_text_packing *p, struct mn_blocks *blocks)
{
    uint32_t head = p->count;
    size_t rest = 0;

    for (uint32_t i = 0; i < p->count; i++) {
        rest += code_of(p->halves[i]) == CODE_REST;
        if (p->term[i] > UINT16_MAX)
            head |= MN_TEXT_FORWARD_HIGH;
    }
    size_t bytes = sizeof head + p->count * (head & MN_TEXT_FORWARD_HIGH ? 3 : sizeof(uint16_t)) +
                   (p->count + 3) / 4 + rest;
    uint32_t address = mn_blocks_add(blocks, bytes);
    if (address == MN_BLOCKS_NOWHERE)
        return address;
    uint8_t *at = mn_blocks_at(blocks, address);
    memset(at, 0, bytes);
    memcpy(at, &head, sizeof head);
    uint16_t *low = (uint16_t *)(void *)(at + sizeof head);
    uint8_t *high = (uint8_t *)(low + p->count);
    uint8_t *code = head & MN_TEXT_FORWARD_HIGH ? high + p->count : high;
    uint8_t *other = code + (p->count + 3) / 4;
    for (uint32_t i = 0; i < p->count; i++) {
        unsigned how = code_of(p->halves[i]);

        low[i] = (uint16_t)p->term[i];
        if (code != high)
            high[i] = (uint8_t)(p->term[i] >> 16);
        code[i / 4] |= (uint8_t)(how << (i % 4 * 2));
        if (how == CODE_REST)
            *other++ = p->halves[i];
    }
    return address;
}

void mn_text_packing_end(struct mn_text_packing *p)
{
    if (p->term != p->here_term)
        free(p->term);
}

