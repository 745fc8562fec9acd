#include "upstream/td_ports.h"

#include "analyzer/cpu/pipes.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

static uint64_t memory_bits(const struct td_ports *ports) {
    uint64_t bits = 0;
    for (unsigned a = 0; a < TD_N_ACCESSES; a++)
        bits |= ports->memory.rates[a].pipe;
    return bits;
}

void td_ports_take_memory(struct td_ports *ports, const struct cpu *cpu) {
    td_memory_of(ports->arena, cpu, &ports->memory);
}

void td_ports_take(struct td_ports *ports, const struct td_export *export) {
    ports->has_serial |= export->serial > 1;
    for (unsigned u = 0; u < export->n_uses; u++) {
        uint64_t pipes = export->uses[u].pipes;
        size_t g = 0;
        ports->used |= pipes & ~memory_bits(ports);
        while (g < ports->n_groups && ports->groups[g].pipes != pipes)
            g++;
        if (__builtin_popcountll(pipes) < 2)
            continue;
        if (g == ports->n_groups)
            *ARENA_ADD(ports->arena, ports->groups, ports->n_groups) = (struct td_group){.pipes = pipes};
        ports->groups[g].n++;
    }
}

// ---- names

// "Zn4" of Zn4ALU0 and Zn4FP45.1: what all have in front of a capital.
static size_t common_length(const char *const *names, size_t n) {
    size_t length = n ? strlen(names[0]) : 0;
    for (size_t i = 1; i < n; i++) {
        size_t same = 0;
        while (same < length && names[i][same] == names[0][same])
            same++;
        length = same;
    }
    for (bool is_good = false; length > 0 && !is_good; length -= !is_good) {
        is_good = true;
        for (size_t i = 0; i < n; i++)
            is_good &= isupper((unsigned char)names[i][length]) != 0;
    }
    return length;
}

static const char *without_dots(struct arena *arena, const char *name) {
    char *plain = arena_strdup(arena, name);
    for (char *at = plain; *at; at++)
        if (!isalnum((unsigned char)*at))
            *at = '_';
    return plain;
}

static void name_pipes(struct td_ports *ports, const struct cpu *cpu) {
    const char *of_base[64], *all[64];
    size_t n = 0;
    for (unsigned p = 0; p < 64; p++) {
        if (!(ports->used >> p & 1))
            continue;
        all[p] = cpu_pipe_name(ports->arena, cpu, UINT64_C(1) << p);
        if (!*all[p])
            all[p] = arena_printf(ports->arena, "Pipe%u", p);
        bool is_own = false;
        for (unsigned i = 0; i < cpu->n_ports; i++)
            is_own |= cpu->port_pipes[i] == UINT64_C(1) << p;
        if (!is_own)
            of_base[n++] = all[p];
    }
    size_t length = common_length(of_base, n);
    for (unsigned p = 0; p < 64; p++)
        if (ports->used >> p & 1) {
            bool is_of_base = n && strlen(all[p]) > length && strncmp(all[p], of_base[0], length) == 0;
            ports->names[p] = arena_printf(ports->arena, "%s%s", ports->prefix,
                                           without_dots(ports->arena, all[p] + (is_of_base ? length : 0)));
        }
}

// "Load", or "Loads" where a pipe is called so.
static void name_memory(struct td_ports *ports) {
    for (enum td_access a = 0; a < TD_N_ACCESSES; a++) {
        const char *name = arena_printf(ports->arena, "%s%s", ports->prefix, td_memory_name(a));
        bool is_used = false;
        for (unsigned p = 0; p < 64; p++)
            is_used |= ports->names[p] && strcmp(ports->names[p], name) == 0;
        if (ports->memory.rates[a].pipe)
            ports->names[__builtin_ctzll(ports->memory.rates[a].pipe)] =
                is_used ? arena_printf(ports->arena, "%ss", name) : name;
    }
}

// "ALU0123": a stem once, with all of its numbers.
static const char *group_name(const struct td_ports *ports, uint64_t pipes) {
    struct text text = {.arena = ports->arena};
    const char *last = "";
    size_t stem = 0, skip = strlen(ports->prefix);
    text_add(&text, ports->prefix);
    for (uint64_t rest = pipes; rest; rest &= rest - 1) {
        const char *name = ports->names[__builtin_ctzll(rest)] + skip;
        size_t length = strlen(name);
        while (length && isdigit((unsigned char)name[length - 1]))
            length--;
        bool is_same = length == stem && strncmp(name, last, stem) == 0 && name[length];
        text_add(&text, is_same ? name + length : name);
        last = name;
        stem = length;
    }
    return text.data;
}

// The name, unless a pipe or an earlier group has it.
static const char *unused_name(const struct td_ports *ports, size_t n, const char *name) {
    bool is_used = false;
    for (unsigned p = 0; p < 64; p++)
        is_used |= ports->names[p] && strcmp(ports->names[p], name) == 0;
    for (size_t g = 0; g < n; g++)
        is_used |= strcmp(ports->groups[g].name, name) == 0;
    return is_used ? arena_printf(ports->arena, "%sGroup%zu", ports->prefix, n) : name;
}

static int compare_sizes(const void *a, const void *b) {
    const struct td_group *one = a, *other = b;
    int n = __builtin_popcountll(one->pipes), m = __builtin_popcountll(other->pipes);
    return n != m ? n - m : (one->pipes > other->pipes) - (one->pipes < other->pipes);
}

static int compare_uses(const void *a, const void *b) {
    const struct td_group *one = a, *other = b;
    return one->n != other->n ? (one->n < other->n ? 1 : -1) : compare_sizes(a, b);
}

// All pipes of groups that have some in common: LLVM wants one group around two that overlap.
static void add_unions(struct td_ports *ports) {
    size_t n = ports->n_groups;
    for (size_t g = 0; g < n; g++) {
        uint64_t all = ports->groups[g].pipes;
        bool overlaps = false, is_more = true, is_there = false;
        while (is_more) {
            is_more = false;
            for (size_t k = 0; k < n; k++) {
                uint64_t other = ports->groups[k].pipes;
                if (!(other & all) || !(other & ~all))
                    continue;
                overlaps |= (all & ~other) != 0;
                all |= other;
                is_more = true;
            }
        }
        for (size_t k = 0; k < ports->n_groups; k++)
            is_there |= ports->groups[k].pipes == all;
        if (overlaps && !is_there)
            *ARENA_ADD(ports->arena, ports->groups, ports->n_groups) = (struct td_group){.pipes = all};
    }
}

void td_ports_name(struct td_ports *ports, const struct cpu *cpu) {
    size_t n_pipes = (size_t)__builtin_popcountll(ports->used | memory_bits(ports)) + ports->has_serial;
    enum { UNIONS = 4, QUEUES = 2 }; // room for them
    size_t room = n_pipes + UNIONS + QUEUES < TD_MOST_RESOURCES ? TD_MOST_RESOURCES - n_pipes - UNIONS - QUEUES : 0;
    name_pipes(ports, cpu);
    name_memory(ports);
    if (ports->n_groups)
        qsort(ports->groups, ports->n_groups, sizeof *ports->groups, compare_uses);
    if (ports->n_groups > room)
        ports->n_groups = room;
    add_unions(ports);
    if (ports->n_groups)
        qsort(ports->groups, ports->n_groups, sizeof *ports->groups, compare_sizes);
    for (size_t g = 0; g < ports->n_groups; g++)
        ports->groups[g].name = unused_name(ports, g, group_name(ports, ports->groups[g].pipes));
}

static uint64_t nearest(const struct td_ports *ports, uint64_t pipes) {
    for (size_t g = 0; g < ports->n_groups; g++) // the smallest first
        if ((ports->groups[g].pipes & pipes) == pipes)
            return ports->groups[g].pipes;
    return pipes & -pipes;
}

bool td_ports_fit(const struct td_ports *ports, struct td_export *export) {
    bool does = false;
    for (unsigned u = 0; u < export->n_uses; u++) {
        uint64_t pipes = export->uses[u].pipes;
        if (__builtin_popcountll(pipes) < 2 || nearest(ports, pipes) == pipes)
            continue;
        export->uses[u].pipes = nearest(ports, pipes);
        does = true;
    }
    for (unsigned u = 0; does && u < export->n_uses; u++) // one that is there twice now
        for (unsigned k = u + 1; k < export->n_uses; k++)
            if (export->uses[k].pipes == export->uses[u].pipes) {
                export->uses[u].cycles += export->uses[k].cycles;
                export->uses[k--] = export->uses[--export->n_uses];
            }
    return does;
}

const char *td_ports_name_of(const struct td_ports *ports, uint64_t pipes) {
    if (__builtin_popcountll(pipes) == 1)
        return ports->names[__builtin_ctzll(pipes)];
    for (size_t g = 0; g < ports->n_groups; g++)
        if (ports->groups[g].pipes == pipes)
            return ports->groups[g].name;
    return NULL;
}

static void write_memory(const struct td_ports *ports, struct text *text) {
    const char *title = "// Held for a cycle by each load, store or both.\n";
    for (unsigned a = 0; a < TD_N_ACCESSES; a++) {
        const struct td_rate *rate = &ports->memory.rates[a];
        if (!rate->pipe)
            continue;
        text_addf(text, "%s// %s\ndef %s : ProcResource<%u>", title, rate->source, td_ports_name_of(ports, rate->pipe),
                  rate->units);
        title = "";
        if (rate->queue)
            text_addf(text, " {\n  let BufferSize = %u; // of the queue below\n}\n", rate->queue);
        else
            text_add(text, ";\n");
    }
}

static void write_members(const struct td_ports *ports, const struct td_group *group, struct text *text) {
    const char *separator = "";
    for (uint64_t rest = group->pipes; rest; rest &= rest - 1, separator = ", ")
        text_addf(text, "%s%s", separator, ports->names[__builtin_ctzll(rest)]);
}

void td_ports_write(const struct td_ports *ports, struct text *text) {
    for (unsigned p = 0; p < 64; p++)
        if (ports->used >> p & 1)
            text_addf(text, "def %s : ProcResource<1>;\n", ports->names[p]);
    if (ports->has_serial)
        text_addf(text,
                  "// Held by what follows its own kind after so many cycles, as microcode does.\n"
                  "def %sSerial : ProcResource<1>;\n",
                  ports->prefix);
    write_memory(ports, text);
    text_add(text, "\n");
    for (size_t g = 0; g < ports->n_groups; g++) {
        text_addf(text, "def %s : ProcResGroup<[", ports->groups[g].name);
        write_members(ports, &ports->groups[g], text);
        text_add(text, "]>;\n");
    }
}

void td_ports_list(const struct td_ports *ports, struct text *text) {
    for (unsigned p = 0; p < 64; p++)
        if (ports->used >> p & 1)
            text_addf(text, "  - {name: %s, units: 1}\n", ports->names[p]);
    if (ports->has_serial)
        text_addf(text, "  - {name: %sSerial, units: 1}\n", ports->prefix);
    for (unsigned a = 0; a < TD_N_ACCESSES; a++) {
        const struct td_rate *rate = &ports->memory.rates[a];
        if (!rate->pipe)
            continue;
        text_addf(text, "  - {name: %s, units: %u", td_ports_name_of(ports, rate->pipe), rate->units);
        text_addf(text, rate->queue ? ", buffer: %u}\n" : "}\n", rate->queue);
    }
    for (size_t g = 0; g < ports->n_groups; g++) {
        text_addf(text, "  - {name: %s, members: [", ports->groups[g].name);
        write_members(ports, &ports->groups[g], text);
        text_add(text, "]}\n");
    }
}
