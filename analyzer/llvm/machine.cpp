// A CPU's scheduling model as numbers. How llvm-mca reads each of them: llvm/lib/MCA/HardwareUnits.
#include "analyzer/llvm/module.h"
#include "analyzer/llvm/versions.h"

#include "llvm/MCA/Support.h"

#include <algorithm>

using namespace llvm;

namespace {

void describe_resources(struct arena *arena, const MCSchedModel &model, struct machine *machine) {
    const unsigned n = model.getNumProcResourceKinds();
    SmallVector<uint64_t, 32> masks(n);
    mca::computeProcResourceMasks(model, masks);

    struct resource *resources = ARENA_ARRAY(arena, struct resource, n);
    resources[0].name = "";
    for (unsigned i = 1; i < n; i++) {
        const MCProcResourceDesc &from = *model.getProcResource(i);
        struct resource *to = &resources[i];
        to->name = from.Name;
        to->mask = masks[i];
        to->units = from.NumUnits;
        to->buffer_size = from.BufferSize;
        to->super = from.SuperIdx;
        to->is_group = from.SubUnitsIdxBegin != nullptr;
        to->members = from.SubUnitsIdxBegin;
    }
    machine->resources = resources;
    machine->n_resources = n;
}

// Entries of the buffer in front of a queue's resource; without a limit LLVM says -1.
unsigned queue_size(const MCSchedModel &model, unsigned resource) {
    return resource ? unsigned(std::max(0, model.getProcResource(resource)->BufferSize)) : 0;
}

void describe_core(const MCSchedModel &model, struct machine *machine) {
    machine->in_order = !model.isOutOfOrder();
    machine->dispatch_width = model.IssueWidth;
    machine->rob_size = model.isOutOfOrder() ? model.MicroOpBufferSize : 0;
    machine->load_latency = model.LoadLatency;
    machine->high_latency = model.HighLatency;
    machine->mispredict_penalty = model.MispredictPenalty;
    machine->loop_buffer = model.LoopMicroOpBufferSize;
    if (!model.hasExtraProcessorInfo())
        return;
    const MCExtraProcessorInfo &extra = model.getExtraProcessorInfo();
    if (extra.ReorderBufferSize)
        machine->rob_size = extra.ReorderBufferSize;
    machine->retire_width = extra.MaxRetirePerCycle;
    machine->load_queue_resource = extra.LoadQueueID;
    machine->store_queue_resource = extra.StoreQueueID;
    machine->load_queue = queue_size(model, extra.LoadQueueID);
    machine->store_queue = queue_size(model, extra.StoreQueueID);
}

} // namespace

const struct machine *describe_machine(struct arena *arena, const backend_cpu &cpu) {
    const MCSchedModel &model = cpu.subtarget->getSchedModel();
    struct machine *machine = ARENA_NEW(arena, struct machine);
    machine->cpu = arena_strdup(arena, cpu.name.c_str());
    machine->same_cpu = arena_strdup(arena, cpu.subtarget->getCPU().str().c_str());
    machine->name = arena_printf(arena, "LLVM %d/%s", LLVM_VERSION_MAJOR, cpu.name.c_str());
    machine->id = arena_printf(arena, "llvm-%d/%s", LLVM_VERSION_MAJOR, cpu.name.c_str());
    machine->triple = arena_strdup(arena, cpu.triple.str().c_str());
    if (cpu.builder) {
        describe_core(model, machine);
        describe_resources(arena, model, machine);
    }
    machine->serves_scarce_groups_first = serves_scarce_groups_first;
    describe_registers(arena, cpu, machine);
    return machine;
}
