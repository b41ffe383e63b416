/*
 * fuzz_record.c - any bytes as a line: refused, or a record that goes round.
 *
 * What is read can be printed, what is printed can be read, and printing that gives the same bytes.
 */
#include <assert.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <mneme/memory.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct mneme_parsed *parsed = NULL;
    struct mneme_parsed *again = NULL;
    struct mneme_error err = { 0 };
    char *first = NULL;
    char *second = NULL;

    if (mneme_record_parse((const char *)data, size, NULL, &parsed, &err) != MNEME_OK) {
        assert(err.message[0] != '\0' && parsed == NULL);
        return 0;
    }
    if (mneme_record_print(mneme_parsed_record(parsed), &first, &err) != MNEME_OK ||
        mneme_record_parse(first, strlen(first), NULL, &again, &err) != MNEME_OK ||
        mneme_record_print(mneme_parsed_record(again), &second, &err) != MNEME_OK ||
        strcmp(first, second) != 0)
        abort();
    mneme_free(first);
    mneme_free(second);
    mneme_parsed_free(parsed);
    mneme_parsed_free(again);
    return 0;
}
