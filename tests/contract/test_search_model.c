/*
 * test_search_model.c - so does the plain engine that the others are compared with.
 */
#include "fakes/model_search.h"
#include "test_search_suite.h"

int main(void)
{
    return search_suite_run("plain", model_search_new, false);
}
