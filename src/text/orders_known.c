/*
 * orders_known.c - what was found in texts that were read before.
 *
 * A memory is read for orders each time it might be shown, and seldom changes in between. So a table
 * keeps the finding by the text's keyed hash: nobody can write a text that passes for another. Of each
 * place the last text holds it. An entry is one number, read and written whole, so that threads share
 * the table without a lock. It holds no word of any text.
 */
#include <stdatomic.h>

#include "base/keyed_hash.h"
#include "text/orders_read.h"

#define PLACES 16384
#define FINDING UINT64_C(3) /* the bits of an entry that hold a finding, and 1; 0: empty */

static _Atomic uint64_t known[PLACES];

bool mn_orders_known(uint64_t hash, enum mn_orders *ret_orders)
{
    uint64_t entry = atomic_load_explicit(&known[hash >> 32 & (PLACES - 1)], memory_order_relaxed);

    if ((entry & ~FINDING) != (hash & ~FINDING) || !(entry & FINDING))
        return false;
    *ret_orders = (enum mn_orders)((entry & FINDING) - 1);
    return true;
}

void mn_orders_know(uint64_t hash, enum mn_orders orders)
{
    atomic_store_explicit(&known[hash >> 32 & (PLACES - 1)],
                          (hash & ~FINDING) | ((uint64_t)orders + 1), memory_order_relaxed);
}
