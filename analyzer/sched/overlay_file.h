// Private to this folder.
// An overlay as its file has it. Private to the overlay's files.
#ifndef ANALYZER_SCHED_OVERLAY_FILE_H
#define ANALYZER_SCHED_OVERLAY_FILE_H

#include "analyzer/code/opcode_pattern.h"
#include "analyzer/sched/overlay.h"
#include "base/index.h"
#include "base/yaml.h"

// A number that may be left out.
struct overlay_number {
    bool is_given;
    int value;
};

struct overlay_resource {
    const char *name;
    struct overlay_number units, buffer;
    const char **members; // null: it is no group
    size_t n_members;
    struct yaml_place place;
};

struct overlay_register_file {
    const char *name;
    struct opcode_pattern registers; // not compiled: not given
    struct overlay_number size;
    struct yaml_place place;
};

struct overlay_use {
    const char *resource;
    unsigned acquire, release;
    unsigned units; // of a group: those that must be free for it to issue
    unsigned index; // of the machine's resource, once overlay_machine has run
    struct yaml_place place;
};

struct overlay_advance {
    struct overlay_number read, operand; // its place among the reads, or LLVM's number of what is read; neither: all
    unsigned write_class;                // 0: any
    int cycles;
};

// What an instruction is where all registers that it reads are one (LLVM: IsZeroIdiomFunction, IsDepBreakingFunction).
enum overlay_idiom { OVERLAY_NO_IDIOM, OVERLAY_DEPENDENCY_BREAKING, OVERLAY_ZERO };

struct overlay_rule {
    struct opcode_pattern match; // not compiled: `forms` are given
    struct overlay_number uops;
    unsigned *latencies; // by write; of the last one for all that follow
    size_t n_latencies;  // 0: not given
    bool has_uses;
    struct overlay_use *uses;
    size_t n_uses;
    bool has_advances;
    struct overlay_advance *advances;
    size_t n_advances;
    unsigned write_class; // 0: not given
    enum overlay_idiom idiom;
    struct overlay_number begins_group, ends_group;
    const char *source; // with those of its numbers; null: none
    struct yaml_place place;
};

// A form that a rule names.
struct overlay_form {
    const char *name;
    size_t rule; // index
    struct yaml_place place;
};

struct overlay {
    struct arena *arena;
    int version; // of the format
    const char *path, *name, *about;
    uint64_t hash; // of the file's text
    enum overlay_base base;
    const char *triple, *cpu, *features;
    struct overlay_number dispatch_width, reorder_buffer, retire_width, load_queue, store_queue;
    bool is_in_order, completes_in_any_order, threads_take_turns;
    struct yaml_place buffer_place, completes_place, threads_place; // where the file says these, which need an order
    struct overlay_resource *resources;
    size_t n_resources;
    struct overlay_register_file *files;
    size_t n_files;
    struct overlay_rule *rules;
    size_t n_rules;
    struct overlay_form *forms; // those that rules name, each once
    size_t n_forms;
    struct index form_index; // of them, by their names
    const char **classes;    // names of results: class i + 1
    size_t n_classes;
    const struct machine *machine; // once overlay_machine has run
    struct overlay_found {         // rules by opcode and form, as far as they were looked up
        const char *opcode, *form; // opcode: of RISC-V's vectors with its pair; form: null where no rule names it
        const struct overlay_rule **rules; // that match it, in the file's order
        size_t n_rules;
    } * found;
    size_t n_found;
    struct index found_index; // by opcode and form
};

// Null: no rule names it. `name`: null is no form's.
const struct overlay_form *overlay_form_named(const struct overlay *overlay, const char *name);

#endif
