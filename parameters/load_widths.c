// Latencies of loads by width. A zero goes through a chain of loads as the index of the address. So a load of any width
// into a general register closes the chain by itself. From a vector register, something must bring it back: only the
// sum of a load and that way is known, and the sum of that way and the one there. Each way takes a cycle or more.
#include "parameters/experiments.h"
#include "parameters/table.h"

#include <math.h>
#include <string.h>

static const struct load {
    const char *isa, *name, *what, *body, *feature;
} loads[] = {
    {"x86_64", "8", "8 bits, the rest becomes zero", "movzx {a:r32}, byte ptr [{m:r64} + {a:r64}]", NULL},
    {"x86_64", "8-signed", "8 bits, sign-extended to 64", "movsx {a:r64}, byte ptr [{m:r64} + {a}]", NULL},
    {"x86_64", "8-merged", "8 bits, the rest stays", "mov {a:r8}, [{m:r64} + {a:r64}]", NULL},
    {"x86_64", "16", "16 bits, the rest becomes zero", "movzx {a:r32}, word ptr [{m:r64} + {a:r64}]", NULL},
    {"x86_64", "16-signed", "16 bits, sign-extended to 64", "movsx {a:r64}, word ptr [{m:r64} + {a}]", NULL},
    {"x86_64", "16-merged", "16 bits, the rest stays", "mov {a:r16}, [{m:r64} + {a:r64}]", NULL},
    {"x86_64", "32", "32 bits, the rest becomes zero", "mov {a:r32}, [{m:r64} + {a:r64}]", NULL},
    {"x86_64", "32-signed", "32 bits, sign-extended to 64", "movsxd {a:r64}, dword ptr [{m:r64} + {a}]", NULL},
    {"x86_64", "64", "64 bits", "mov {a:r64}, [{m:r64} + {a}]", NULL},
    {"aarch64", "8", "8 bits, the rest becomes zero", "ldrb {a:w}, [{m:x}, {a:x}]", NULL},
    {"aarch64", "8-signed", "8 bits, sign-extended to 64", "ldrsb {a:x}, [{m:x}, {a}]", NULL},
    {"aarch64", "16", "16 bits, the rest becomes zero", "ldrh {a:w}, [{m:x}, {a:x}]", NULL},
    {"aarch64", "16-signed", "16 bits, sign-extended to 64", "ldrsh {a:x}, [{m:x}, {a}]", NULL},
    {"aarch64", "32", "32 bits, the rest becomes zero", "ldr {a:w}, [{m:x}, {a:x}]", NULL},
    {"aarch64", "32-signed", "32 bits, sign-extended to 64", "ldrsw {a:x}, [{m:x}, {a}]", NULL},
    {"aarch64", "64", "64 bits", "ldr {a:x}, [{m:x}, {a}]", NULL},
};

static const struct load vectors[] = {
    {"x86_64", "32", "32 bits", "vmovd {x:xmm}, dword ptr [{m:r64} + {a:r64}]", "avx"},
    {"x86_64", "64", "64 bits", "vmovq {x:xmm}, qword ptr [{m:r64} + {a:r64}]", "avx"},
    {"x86_64", "128", "128 bits", "vmovups {x:xmm}, [{m:r64} + {a:r64}]", "avx"},
    {"x86_64", "256", "256 bits", "vmovups {x:ymm}, [{m:r64} + {a:r64}]", "avx"},
    {"x86_64", "512", "512 bits", "vmovups {x:zmm}, [{m:r64} + {a:r64}]", "avx512f"},
    {"aarch64", "32", "32 bits", "ldr {x:s}, [{m:x}, {a:x}]", NULL},
    {"aarch64", "64", "64 bits", "ldr {x:d}, [{m:x}, {a:x}]", NULL},
    {"aarch64", "128", "128 bits", "ldr {x:q}, [{m:x}, {a:x}]", NULL},
};

// The way from a vector register to a general one and the way there; the word in memory becomes zero.
static const struct isa_traits {
    const char *isa, *back, *there, *clear, *feature;
} ways[] = {
    {"x86_64", "vmovq {a:r64}, {x:xmm}", "vmovq {x:xmm}, {a:r64}", "mov qword ptr [rsi], 0", "avx"},
    {"aarch64", "fmov {a:x}, {x:d}", "fmov {x:d}, {a:x}", "str xzr, [x1]", NULL},
};
enum { N_LOADS = sizeof loads / sizeof *loads, N_VECTORS = sizeof vectors / sizeof *vectors };

static const double near = 0.02;

static void find_load(struct session *session, const struct load *load, const struct isa_traits *way) {
    const struct card_entry head = {
        .group = "latencies",
        .name = arena_printf(session->arena, "load-latency-width-%s", load->name),
        .unit = "latency, cycles",
        .how = arena_printf(session->arena, "a chain of loads of %s, through an index register", load->what),
        .example = load->body};
    const struct timing timing = {.name = head.name,
                                  .body = arena_printf(session->arena, "%s\n", load->body),
                                  .setup = way->clear,
                                  .writes = "a"};
    const struct value *value = session_value(session, &timing);
    if (!value)
        return;
    parameter_add(session, &head, value, near, NULL);
}

static const struct value *ask_vector(struct session *session, const struct load *load, const struct isa_traits *way) {
    const char *name = load ? load->name : "back";
    const struct timing timing = {
        .name = arena_printf(session->arena, "load-latency-vector-%s", name),
        .body = arena_printf(session->arena, "%s\n%s\n", load ? load->body : way->there, way->back),
        .setup = way->clear,
        .feature = load ? load->feature : way->feature,
        .writes = "a, x"};
    return session_value(session, &timing);
}

// The latency of a load into a vector register is what its chain takes, less the way back. That is a cycle at least,
// and at most a cycle less than the way there and back.
static void add_vector(struct session *session, const struct load *load, const struct value *chain,
                       const struct value *both) {
    static const double least = 1; // cycles of any way
    const struct card_entry head = {
        .group = "latencies",
        .name = arena_printf(session->arena, "load-latency-vector-%s", load->name),
        .unit = "latency, cycles",
        .how = arena_printf(session->arena,
                            "a chain of loads of %s into a vector register, and the way back to an index register",
                            load->what),
        .example = load->body};
    const struct value there = value_less(chain, both, 1);
    if (!value_is_usable(&there)) {
        parameter_add(session, &head, &there, near, NULL); // why there is none
        return;
    }
    double low = fmax(least, chain->low - fmax(least, both->high - least)), high = chain->high - least;
    if (high < low) {
        card_add_unknown(&session->card, &head, "the chain takes less time than the way back");
        return;
    }
    card_add_number(&session->card, &head, (low + high) / 2, low, high, near);
    session->card.entries[session->card.n_entries - 1].why = arena_printf(
        session->arena, "with the way back %.1f; that and the way there, %.1f", chain->cycles, both->cycles);
}

// What a load takes longer than one of 128 bits: the way back is the same in both chains.
static void add_difference(struct session *session, const struct load *load, const struct value *chain,
                           const struct value *narrow) {
    const struct card_entry head = {
        .group = "latencies",
        .name = arena_printf(session->arena, "load-latency-vector-%s-more", load->name),
        .unit = "cycles",
        .how = arena_printf(session->arena, "the same chain of %s against 128 bits: the difference", load->what)};
    const struct value more = value_less(chain, narrow, 1);
    parameter_add(session, &head, &more, near, NULL);
}

static void find_vectors(struct session *session, const struct isa_traits *way) {
    const struct value *chains[N_VECTORS] = {0}, *both = ask_vector(session, NULL, way), *narrow = NULL;
    bool is_missing = !both;
    for (size_t i = 0; i < N_VECTORS; i++) {
        if (strcmp(vectors[i].isa, way->isa) != 0)
            continue;
        chains[i] = ask_vector(session, &vectors[i], way);
        is_missing = is_missing || !chains[i];
        if (strcmp(vectors[i].name, "128") == 0)
            narrow = chains[i];
    }
    if (is_missing)
        return;
    for (size_t i = 0; i < N_VECTORS; i++)
        if (chains[i])
            add_vector(session, &vectors[i], chains[i], both);
    for (size_t i = 0; i < N_VECTORS; i++)
        if (chains[i] && strcmp(vectors[i].name, "128") != 0)
            add_difference(session, &vectors[i], chains[i], narrow);
}

void load_widths_find(struct session *session) {
    const struct isa_traits *way = NULL;
    for (size_t i = 0; i < sizeof ways / sizeof *ways; i++)
        if (strcmp(ways[i].isa, session->recipe->isa) == 0)
            way = &ways[i];
    if (!way) {
        const struct card_entry head = {
            .group = "latencies", .name = "load-latency-width", .unit = "latency, cycles", .how = "loads by width"};
        card_add_unknown(&session->card, &head,
                         "the ISA has no address with an index: there is no such experiment yet");
        return;
    }
    for (size_t i = 0; i < N_LOADS; i++)
        if (strcmp(loads[i].isa, way->isa) == 0)
            find_load(session, &loads[i], way);
    find_vectors(session, way);
}
