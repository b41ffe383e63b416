/*
 * scan_play.h - one way of the loops over vectors held against plain C, on data made of bytes.
 */
#ifndef MN_FAKES_SCAN_PLAY_H
#define MN_FAKES_SCAN_PLAY_H

#include <stddef.h>
#include <stdint.h>

#include "search/scan.h"

/* Any bytes, of any number. Says what differs and aborts when anything does, to the bit. */
void scan_play(const struct mn_scan *way, const uint8_t *data, size_t size);

#endif
