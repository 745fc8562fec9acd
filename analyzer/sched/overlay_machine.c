// The machine that an overlay makes.
#include "analyzer/sched/overlay_file.h"

#include "base/text.h"

#include <stdint.h>
#include <string.h>

enum { MOST_RESOURCES = 64 }; // bits of a mask, of which the first belongs to no resource

static bool fail_here(const struct overlay *overlay, struct yaml_place place, const char *text, struct fail *fail) {
    return fail_at(fail, overlay->path, place.line, place.column, "%s", text);
}

// Index of a resource by name; 0 and a failure where there is none.
static unsigned find_resource(const struct overlay *overlay, const struct machine *machine, const char *name,
                              struct yaml_place place, struct fail *fail) {
    const struct resource *found = machine_resource_called(machine, name);
    if (found)
        return (unsigned)(found - machine->resources);
    const char **names = ARENA_ARRAY(overlay->arena, const char *, (size_t)2 * machine->n_resources);
    size_t n = 0;
    for (unsigned i = 1; i < machine->n_resources; i++) {
        const char *called = machine_pipes_name(overlay->arena, machine, i);
        names[n++] = machine->resources[i].name;
        bool is_new = strcmp(called, names[n - 1]) != 0;
        for (unsigned j = 1; j < i && is_new; j++)
            is_new = !machine_same_pipes(machine, i, j);
        if (is_new)
            names[n++] = called;
    }
    const char *near = text_did_you_mean(overlay->arena, name, names, n);
    fail_here(overlay, place, arena_printf(overlay->arena, "there is no resource '%s'%s", name, near), fail);
    return 0;
}

static bool make_group(const struct overlay *overlay, const struct overlay_resource *from,
                       const struct machine *machine, struct resource *to, struct fail *fail) {
    unsigned *members = ARENA_ARRAY(overlay->arena, unsigned, from->n_members);
    to->is_group = true;
    to->members = members;
    for (size_t i = 0; i < from->n_members; i++) {
        members[i] = find_resource(overlay, machine, from->members[i], from->place, fail);
        if (!members[i])
            return false;
        to->mask |= resource_bit(machine->resources[members[i]].mask);
        if (machine->resources[members[i]].is_group)
            return fail_here(overlay, from->place, "groups are made of pipes, not of groups", fail);
    }
    to->units = (unsigned)from->n_members;
    return true;
}

static bool add_resource(const struct overlay *overlay, const struct overlay_resource *from, struct machine *machine,
                         struct resource *to, struct fail *fail) {
    if (machine->n_resources == MOST_RESOURCES)
        return fail_here(overlay, from->place, "this is one resource too many: there are 63 at most", fail);
    *to = (struct resource){.name = from->name, .units = 1, .buffer_size = -1};
    to->mask = UINT64_C(1) << machine->n_resources;
    if (from->units.is_given)
        to->units = (unsigned)from->units.value;
    if (from->buffer.is_given)
        to->buffer_size = from->buffer.value;
    if (from->members && !make_group(overlay, from, machine, to, fail))
        return false;
    machine->n_resources++;
    return true;
}

static bool change_resource(const struct overlay *overlay, const struct overlay_resource *from, struct resource *to,
                            struct fail *fail) {
    if (from->members || (to->is_group && from->units.is_given))
        return fail_here(overlay, from->place, "LLVM states the members of this group; add a group of another name",
                         fail);
    if (from->units.is_given)
        to->units = (unsigned)from->units.value;
    if (from->buffer.is_given)
        to->buffer_size = from->buffer.value;
    return true;
}

// LLVM's resources, if any, with what the file changes; those it adds come behind.
static bool make_resources(const struct overlay *overlay, struct machine *machine, struct fail *fail) {
    struct resource *resources =
        ARENA_ARRAY(overlay->arena, struct resource, machine->n_resources + overlay->n_resources + 1);
    resources[0].name = "";
    if (machine->n_resources)
        memcpy(resources, machine->resources, machine->n_resources * sizeof *resources);
    else
        machine->n_resources = 1;
    machine->resources = resources;
    for (size_t i = 0; i < overlay->n_resources; i++) {
        const struct overlay_resource *from = &overlay->resources[i];
        const struct resource *known = machine_resource_named(machine, from->name);
        bool is_good = known ? change_resource(overlay, from, &resources[known - resources], fail)
                             : add_resource(overlay, from, machine, &resources[machine->n_resources], fail);
        if (!is_good)
            return false;
    }
    return true;
}

// A file takes the registers whose names match; those inside them go along, as in LLVM's models.
static void take_registers(const struct overlay_register_file *from, uint16_t file, struct machine_register *registers,
                           unsigned n_registers) {
    for (unsigned whole = 1; whole < n_registers; whole++) {
        struct machine_register *reg = &registers[whole];
        if (!opcode_pattern_matches(&from->registers, reg->name))
            continue;
        reg->file = file;
        reg->rename_as = (uint16_t)whole;
        for (unsigned i = 0; i < reg->n_sub; i++) {
            registers[reg->sub[i]].file = file;
            registers[reg->sub[i]].rename_as = (uint16_t)whole;
        }
    }
}

static bool make_files(const struct overlay *overlay, struct machine *machine, struct fail *fail) {
    unsigned n_known = machine->n_register_files ? machine->n_register_files : 1;
    struct register_file *files = ARENA_ARRAY(overlay->arena, struct register_file, n_known + overlay->n_files);
    struct machine_register *registers = ARENA_ARRAY(overlay->arena, struct machine_register, machine->n_registers + 1);
    files[0].name = "default";
    if (machine->n_register_files)
        memcpy(files, machine->register_files, n_known * sizeof *files);
    registers[0].name = "";
    if (machine->n_registers)
        memcpy(registers, machine->registers, machine->n_registers * sizeof *registers);
    else
        machine->n_registers = 1;
    unsigned n = n_known;
    for (size_t i = 0; i < overlay->n_files; i++) {
        const struct overlay_register_file *from = &overlay->files[i];
        unsigned file = 1;
        while (file < n && strcmp(files[file].name, from->name) != 0)
            file++;
        if (file == n && !from->registers.text)
            return fail_here(overlay, from->place, "a new register file needs its 'registers'", fail);
        if (file == n)
            files[n++].name = from->name;
        files[file].n_physical = (unsigned)from->size.value;
        if (from->registers.text)
            take_registers(from, (uint16_t)file, registers, machine->n_registers);
    }
    machine->register_files = files;
    machine->n_register_files = n;
    machine->registers = registers;
    return true;
}

static void change(unsigned *number, struct overlay_number by) {
    if (by.is_given)
        *number = (unsigned)by.value;
}

static void change_core(const struct overlay *overlay, struct machine *machine) {
    if (overlay->base == OVERLAY_ALONE)
        machine->in_order = overlay->is_in_order;
    machine->threads_take_turns = overlay->threads_take_turns;
    change(&machine->dispatch_width, overlay->dispatch_width);
    change(&machine->rob_size, overlay->reorder_buffer);
    change(&machine->retire_width, overlay->retire_width);
    change(&machine->load_queue, overlay->load_queue);
    change(&machine->store_queue, overlay->store_queue);
    // The pipeline takes a queue's size from its resource's buffer where there is one.
    if (overlay->load_queue.is_given)
        machine->load_queue_resource = 0;
    if (overlay->store_queue.is_given)
        machine->store_queue_resource = 0;
}

// With base llvm, only the CPU says whether it is in order. Words for the other kind would change
// nothing, unseen.
static bool check_order(const struct overlay *overlay, const struct machine *machine, struct fail *fail) {
    if (machine->in_order && overlay->reorder_buffer.is_given)
        return fail_here(overlay, overlay->buffer_place, "a machine that is in order has no reorder buffer", fail);
    if (!machine->in_order && overlay->completes_in_any_order)
        return fail_here(overlay, overlay->completes_place,
                         "'completes: any' is for machines that are in order: this one is not", fail);
    if (!machine->in_order && overlay->threads_take_turns)
        return fail_here(overlay, overlay->threads_place,
                         "'threads: turns' is for machines that are in order: this one is not", fail);
    return true;
}

static bool bind_uses(struct overlay *overlay, const struct machine *machine, struct fail *fail) {
    for (size_t r = 0; r < overlay->n_rules; r++)
        for (size_t i = 0; i < overlay->rules[r].n_uses; i++) {
            struct overlay_use *use = &overlay->rules[r].uses[i];
            use->index = find_resource(overlay, machine, use->resource, use->place, fail);
            if (!use->index)
                return false;
            const struct resource *resource = &machine->resources[use->index];
            if (use->units > 1 && !resource->is_group)
                return fail_at(fail, overlay->path, use->place.line, use->place.column,
                               "%s is not a group of pipes, so an instruction uses 1 unit of it, not %u", use->resource,
                               use->units);
            if (use->units > resource->units)
                return fail_at(fail, overlay->path, use->place.line, use->place.column,
                               "%s has %u unit%s: an instruction cannot need %u at once", use->resource,
                               resource->units, resource->units == 1 ? "" : "s", use->units);
        }
    return true;
}

const struct machine *overlay_machine(struct overlay *overlay, const struct machine *from, struct fail *fail) {
    struct machine *machine = ARENA_NEW(overlay->arena, struct machine);
    if (from)
        *machine = *from;
    machine->name = machine->id = arena_printf(overlay->arena, "overlay:%s", overlay->name);
    if (!from)
        machine->cpu = machine->same_cpu = overlay->name;
    if (!machine->triple)
        machine->triple = "";
    change_core(overlay, machine);
    if (!check_order(overlay, machine, fail) || !make_resources(overlay, machine, fail) ||
        !make_files(overlay, machine, fail) || !bind_uses(overlay, machine, fail))
        return NULL;
    overlay->machine = machine;
    return machine;
}
