/*
 * weight.c - what scope and authority weigh when memories are ranked and rivals decided.
 */
#include "memory/weight.h"

#define WEIGHT_OTHER 0.30

double mn_scope_weight(enum mneme_scope scope)
{
    switch (scope) {
    case MNEME_SCOPE_TASK:
    case MNEME_SCOPE_SESSION:
        return 1.00;
    case MNEME_SCOPE_REPO:
        return 0.95;
    case MNEME_SCOPE_PROJECT:
        return 0.85;
    case MNEME_SCOPE_USER:
        return 0.70;
    case MNEME_SCOPE_GLOBAL:
        return 0.55;
    case MNEME_SCOPE_NONE:
        break;
    }
    return WEIGHT_OTHER;
}

double mn_authority_weight(enum mneme_authority authority)
{
    switch (authority) {
    case MNEME_EXPLICIT_USER:
    case MNEME_EXPLICIT_ADMIN:
        return 1.00;
    case MNEME_CONFIRMED_SYSTEM:
        return 0.95;
    case MNEME_TOOL_OBSERVATION:
        return 0.75;
    case MNEME_MODEL_INFERENCE:
        return 0.45;
    case MNEME_AUTHORITY_NONE:
    case MNEME_AUTHORITY_REVOKED:
        break;
    }
    return WEIGHT_OTHER;
}

int mn_authority_tier(enum mneme_authority authority)
{
    switch (authority) {
    case MNEME_EXPLICIT_USER:
    case MNEME_EXPLICIT_ADMIN:
    case MNEME_CONFIRMED_SYSTEM:
        return 2;
    case MNEME_TOOL_OBSERVATION:
        return 1;
    case MNEME_MODEL_INFERENCE:
        return 0;
    case MNEME_AUTHORITY_NONE:
    case MNEME_AUTHORITY_REVOKED:
        break;
    }
    return -1;
}

int mn_scope_width(enum mneme_scope scope)
{
    switch (scope) {
    case MNEME_SCOPE_GLOBAL:
        return 0;
    case MNEME_SCOPE_USER:
        return 1;
    case MNEME_SCOPE_PROJECT:
        return 2;
    case MNEME_SCOPE_REPO:
        return 3;
    case MNEME_SCOPE_TASK:
    case MNEME_SCOPE_SESSION: /* as narrow as a task */
        return 4;
    case MNEME_SCOPE_NONE:
        break;
    }
    return -1;
}
