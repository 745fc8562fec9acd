#include "analyzer/pipeline/mca_cores.h"

const struct core_ops *mca_core_of(const struct machine *machine) {
    return machine->in_order ? &mca_in_order : &mca_out_of_order;
}
