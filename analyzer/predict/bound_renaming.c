// Renaming of memory: which loads rename finds the store of, so that these wait for no cache.
#include "analyzer/predict/bound_walk.h"

#include <math.h>
#include <string.h>

int64_t walk_adjustment_of(const struct walk *walk, const struct cpu_recipe *recipe) {
    const struct cpu *cpu = walk->cpu;
    const struct insn_address *address = recipe->insn->address;
    const enum cpu_operation does = recipe->opcode->operation;
    const double most = cpu_value(cpu, CPU_RENAMED_ADJUSTMENT);
    int64_t bytes = 0;
    if (!cpu_knows(cpu, CPU_RENAMED_ADJUSTMENT) || !recipe->insn->n_writes ||
        cpu->units[recipe->insn->writes[0].reg] != cpu->stack)
        return 0;
    if ((does == CPU_DOES_ADD || does == CPU_DOES_SUB) && strncmp(recipe->opcode->operands, "ri", 2) == 0)
        bytes = does == CPU_DOES_ADD ? recipe->immediate : -recipe->immediate;
    else if (does == CPU_DOES_ADDRESS && address && cpu->units[address->base] == cpu->stack && !address->index)
        bytes = address->displacement;
    return fabs((double)bytes) <= most ? bytes : 0;
}

// What push stores, and pop loads, is at the stack pointer.
struct written walk_written_of(const struct walk *walk, const struct cpu_recipe *recipe, bool stores) {
    const struct cpu *cpu = walk->cpu;
    bool is_on_stack = stores ? recipe->stack_change < 0 : recipe->stack_change > 0;
    const struct insn_address *address = is_on_stack ? NULL : recipe->insn->address;
    struct written written = {.scale = 1};
    if (!address && recipe->opcode->flow == CPU_FLOWS_FRAME) {
        enum { FRAME = 5 }; // rbp
        written.base = cpu->general[FRAME];
    } else if (!address) {
        written.base = cpu->stack;
        written.displacement = walk->stack + (recipe->stack_change < 0 ? recipe->stack_change : 0);
    } else {
        written.base = cpu->units[address->base];
        written.index = cpu->units[address->index];
        written.scale = address->scale;
        written.displacement = address->displacement + (written.base == cpu->stack ? walk->stack : 0);
    }
    written.base_version = walk->units[written.base].version;
    written.index_version = walk->units[written.index].version;
    return written;
}

static bool is_alike(const struct written *a, const struct written *b) {
    return a->base == b->base && a->index == b->index && a->base_version == b->base_version &&
           a->index_version == b->index_version && a->scale == b->scale && a->displacement == b->displacement;
}

// Whether a load puts what it reads into a wider register that it fills with zeros, and nothing else.
static bool extends(const struct cpu_recipe *recipe) {
    return recipe->is_plain_load && strncmp(recipe->insn->opcode, "MOVZX", 5) == 0;
}

// Whether it puts what it reads into a register as it is.
static bool copies(const struct cpu_recipe *recipe) {
    const char *opcode = recipe->insn->opcode;
    return recipe->stack_change > 0 || (strncmp(opcode, "MOV", 3) == 0 && strncmp(opcode, "MOVSX", 5) != 0);
}

static unsigned set_at(const struct walk *walk, unsigned place) {
    return place / 2 % walk->n_sets;
}

// The sets that the copies of an instruction fall into, a bit each.
static uint8_t sets_of(const struct walk *walk, unsigned insn) {
    const struct bound_code *code = walk->code;
    unsigned before = 0, length = block_bytes(code->request->block);
    uint8_t sets = 0;
    for (unsigned i = 0; i < insn; i++)
        before += code->recipes[i].insn->n_bytes;
    for (unsigned copy = 0; copy < walk->n_copies; copy++)
        sets |= (uint8_t)(1 << set_at(walk, code->request->start + before + copy * length));
    return sets ? sets : 1;
}

// Counts the loads that rename has to learn the stores of, by set.
static void count_learned(struct walk *walk) {
    const struct bound_code *code = walk->code;
    const unsigned length = block_bytes(code->request->block);
    memset(walk->n_learned, 0, sizeof walk->n_learned);
    for (unsigned copy = 0; copy < walk->n_copies; copy++)
        for (unsigned i = 0, at = code->request->start + copy * length; i < code->n;
             at += code->recipes[i++].insn->n_bytes)
            if (walk->sets[i])
                walk->n_learned[set_at(walk, at)]++;
}

// Whether rename learns what store a load meets that is not written as it is: where those of its set are few enough.
// What push has stored, and what pop loads, it finds by the stack pointer alone.
static bool is_learned(struct walk *walk, const struct cpu_recipe *load, const struct stored *store) {
    const struct cpu *cpu = walk->cpu;
    if (store->is_pushed || load->stack_change > 0)
        return false;
    if (!cpu_knows(cpu, CPU_RENAMED_LEARNED))
        return walk->code->request->is_loop;
    unsigned insn = (unsigned)(load - walk->code->recipes);
    if (!walk->sets[insn]) {
        walk->sets[insn] = sets_of(walk, insn);
        count_learned(walk);
    }
    bool is_learned = walk->n_copies != 0;
    for (unsigned set = 0; set < MOST_LEARNED_SETS; set++)
        is_learned &= !(walk->sets[insn] >> set & 1) || walk->n_learned[set] <= cpu_value(cpu, CPU_RENAMED_LEARNED);
    return is_learned;
}

// Whether microcode executes it: what that loads, rename finds no store of.
static bool is_microcoded(const struct cpu *cpu, const struct cpu_recipe *recipe) {
    return cpu_knows(cpu, CPU_RENAMED_MOST_SLOTS) && recipe->slots > cpu_value(cpu, CPU_RENAMED_MOST_SLOTS);
}

bool walk_is_renamed(struct walk *walk, const struct cpu_recipe *load, const struct place *place,
                     const struct stored *store) {
    const struct cpu *cpu = walk->cpu;
    struct written written = walk_written_of(walk, load, false);
    bool is_indexed = load->insn->address && load->insn->address->index;
    bool has_segment = load->insn->address && load->insn->address->segment && cpu_does(cpu, CPU_RENAMES_NO_SEGMENT);
    enum cpu_parameter least = extends(load) ? CPU_RENAMED_LEAST_BYTES : CPU_RENAMED_LEAST_BYTES_OTHER;
    bool is_wide = place->bytes >= cpu_value(cpu, least);
    bool is_plain = load->n_stores || extends(load) || copies(load);
    bool may_be = cpu_knows(cpu, CPU_RENAMED_LATENCY) && (is_plain || !cpu_does(cpu, CPU_RENAMES_NO_OPERATION)) &&
                  !is_microcoded(cpu, load) && !has_segment && !load->is_vector && !store->is_vector && is_wide &&
                  (!is_indexed || cpu_does(cpu, CPU_RENAMES_INDEXED));
    return may_be &&
           (!cpu_does(cpu, CPU_RENAMES_ALIKE) || is_alike(&store->written, &written) || is_learned(walk, load, store));
}
