// The module's one exported symbol.
#include "analyzer/llvm/module.h"
#include "analyzer/llvm/versions.h"

extern "C" __attribute__((visibility("default"))) backend_entry_function cyclops_backend;

static const struct machine *machine_of(const struct backend_cpu *cpu) {
    return cpu->machine;
}

const struct backend *cyclops_backend(void) {
    static const std::string version = library_version();
    static const struct backend table = [] {
        struct backend backend = {};
        backend.abi = BACKEND_ABI;
        backend.version = version.c_str();
        backend.built_for = LLVM_VERSION_STRING;
        backend.major = LLVM_VERSION_MAJOR;
        backend.rules = &rules_of_llvm_mca;
        backend.host_cpu = host_cpu;
        backend.llvm_host_cpu = llvm_host_cpu;
        backend.host_triple = host_triple;
        backend.list_cpus = list_cpus;
        backend.print_cpus = print_cpus;
        backend.open = open_cpu;
        backend.close = close_cpu;
        backend.machine = machine_of;
        backend.has_feature = has_feature;
        backend.list_features = list_features;
        backend.opcode_name = opcode_name;
        backend.opcode_costs = opcode_costs;
        backend.vector_costs = vector_costs;
        backend.set_vector_class = set_vector_class;
        backend.forms = list_forms;
        backend.count_insns = count_insns;
        backend.first_length = first_length;
        backend.exegesis_keys = exegesis_keys;
        backend.describe_bytes = describe_bytes;
        backend.describe_part = describe_part;
        backend.describe_text = describe_text;
        return backend;
    }();
    return &table;
}
