#include "analyzer/model/form.h"

const char *form_status_name(enum form_status status) {
    static const char *const names[FORM_N_STATUSES] = {
        [FORM_USABLE] = "usable",
        [FORM_PSEUDO] = "pseudo",
        [FORM_CONTROL_FLOW] = "control flow",
        [FORM_PREFIX] = "prefix",
        [FORM_NOT_DECODED] = "not decoded",
        [FORM_OTHER_OPCODE] = "decodes to another opcode",
        [FORM_TWIN] = "assembles to another opcode",
        [FORM_NOT_ASSEMBLED] = "not assembled",
    };
    return names[status];
}
