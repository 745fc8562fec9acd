// Loads of what was just stored: a chain of a store and a load of the same bytes, by width and offset. A time below
// that of a load from the cache is renamed; one far above the quickest forwarding has failed, and waited for the cache.
#include "parameters/experiments.h"
#include "parameters/table.h"

#include <math.h>
#include <string.h>

struct access {
    unsigned bits;
    const char *store, *load; // %u: the displacement
    const char *feature;
};

static const struct access of_x86_64[] = {
    {8, "mov [{m:r64} + %u], {a:r8}", "movzx {a:r32}, byte ptr [{m:r64} + %u]", NULL},
    {16, "mov [{m:r64} + %u], {a:r16}", "movzx {a:r32}, word ptr [{m:r64} + %u]", NULL},
    {32, "mov [{m:r64} + %u], {a:r32}", "mov {a:r32}, [{m:r64} + %u]", NULL},
    {64, "mov [{m:r64} + %u], {a:r64}", "mov {a:r64}, [{m:r64} + %u]", NULL},
    {128, "vmovups [{m:r64} + %u], {x:xmm}", "vmovups {x:xmm}, [{m:r64} + %u]", "avx"},
    {256, "vmovups [{m:r64} + %u], {x:ymm}", "vmovups {x:ymm}, [{m:r64} + %u]", "avx"},
    {512, "vmovups [{m:r64} + %u], {x:zmm}", "vmovups {x:zmm}, [{m:r64} + %u]", "avx512f"},
    {0},
};

static const struct access of_aarch64[] = {
    {8, "strb {a:w}, [{m:x}, #%u]", "ldrb {a:w}, [{m:x}, #%u]", NULL},
    {16, "strh {a:w}, [{m:x}, #%u]", "ldrh {a:w}, [{m:x}, #%u]", NULL},
    {32, "str {a:w}, [{m:x}, #%u]", "ldr {a:w}, [{m:x}, #%u]", NULL},
    {64, "str {a:x}, [{m:x}, #%u]", "ldr {a:x}, [{m:x}, #%u]", NULL},
    {128, "str {x:q}, [{m:x}, #%u]", "ldr {x:q}, [{m:x}, #%u]", NULL},
    {0},
};

// The instructions of an ISA. Stores of 128 bits and more are of vector registers.
static const struct set {
    const char *isa;
    const struct access *accesses; // ends with 0 bits
    const char *load;              // a chain of loads
    const char *same, *other;      // two loads 4096 bytes behind a store; two loads on another line
} sets[] = {
    {"x86_64", of_x86_64, "mov {a:r64}, [{a}]\n",
     "mov [{m:r64} + 64], {s:r64}\nmov {d0:r64}, [{m} + 4160]\nmov {d1:r64}, [{m} + 4160]\n",
     "mov [{m:r64} + 64], {s:r64}\nmov {d0:r64}, [{m} + 4224]\nmov {d1:r64}, [{m} + 4224]\n"},
    {"aarch64", of_aarch64, "ldr {a:x}, [{a}]\n",
     "str {s:x}, [{m:x}, #64]\nldr {d0:x}, [{m}, #4160]\nldr {d1:x}, [{m}, #4160]\n",
     "str {s:x}, [{m:x}, #64]\nldr {d0:x}, [{m}, #4224]\nldr {d1:x}, [{m}, #4224]\n"},
};
enum { LEAST_VECTOR = 128, MOST_CELLS = 128 }; // bits

static const struct set *set_of(const char *isa) {
    for (size_t i = 0; i < sizeof sets / sizeof *sets; i++)
        if (strcmp(sets[i].isa, isa) == 0)
            return &sets[i];
    return NULL;
}

struct cell {
    const struct access *store, *load;
    unsigned offset; // of the load from the store, bytes
    const struct value *value;
    const char *name;
};

static void add_access(struct text *body, const char *line, unsigned displacement) {
    const char *hole = strstr(line, "%u");
    text_append(body, line, (size_t)(hole - line));
    text_addf(body, "%u%s\n", displacement, hole + 2);
}

static bool is_vector(const struct cell *cell) {
    return cell->store->bits >= LEAST_VECTOR;
}

static bool ask(struct session *session, struct cell *cell) {
    struct text body = {.arena = session->arena};
    add_access(&body, cell->store->store, 64);
    add_access(&body, cell->load->load, 64 + cell->offset);
    cell->name =
        arena_printf(session->arena, "forward-%u-to-%u-at-%u", cell->store->bits, cell->load->bits, cell->offset);
    const struct timing timing = {.name = cell->name,
                                  .body = body.data,
                                  .feature =
                                      cell->load->bits > cell->store->bits ? cell->load->feature : cell->store->feature,
                                  .writes = is_vector(cell) ? "x" : "a"};
    cell->value = session_value(session, &timing);
    return cell->value;
}

// Offsets: where the load begins, in the middle and at the end of the store; a wider load only at its begin.
static size_t list_cells(const struct access *accesses, struct cell *cells) {
    size_t n = 0;
    for (const struct access *store = accesses; store->bits; store++)
        for (const struct access *load = accesses; load->bits; load++) {
            if ((store->bits < LEAST_VECTOR) != (load->bits < LEAST_VECTOR))
                continue;
            unsigned rest = store->bits > load->bits ? (store->bits - load->bits) / 8 : 0;
            unsigned offsets[] = {0, load->bits / 8, rest};
            for (unsigned o = 0; o < 3; o++)
                if (o == 0 || (rest && offsets[o] <= rest && (o == 1 || rest != offsets[1])))
                    cells[n++] = (struct cell){store, load, offsets[o], NULL, NULL};
        }
    return n;
}

// Cycles by which what is renamed is quicker than a load: a store may forward in the very time of one.
static const double CLEARLY = 0.5;

// `load_latency`: 0: not known, so the kind is not either.
static void add_cell(struct session *session, const struct cell *cell, double load_latency, double quickest) {
    static const double failed = 1.5;
    const struct card_entry head = {.group = "forwarding",
                                    .name = cell->name,
                                    .unit = "cycles",
                                    .how = "a chain of a store and a load of its bytes"};
    if (!value_is_usable(cell->value)) {
        card_add_unknown(&session->card, &head, cell->value->why);
        return;
    }
    card_add_number(&session->card, &head, cell->value->cycles, cell->value->low, cell->value->high, 0.01);
    session->card.entries[session->card.n_entries - 1].why = load_latency <= 0 ? "the latency of a load is not known"
                                                             : cell->value->cycles < load_latency - CLEARLY ? "renamed"
                                                             : cell->value->cycles > failed * quickest      ? "failed"
                                                                                                       : "forwarded";
}

// A store and a load whose addresses differ by 4096 bytes, against one more line.
static void find_aliasing(struct session *session, const struct set *set) {
    const struct timing with = {.name = "alias.same", .body = set->same},
                        without = {.name = "alias.other", .body = set->other};
    const struct value *a = session_value(session, &with), *b = session_value(session, &without);
    const struct card_entry head = {.group = "forwarding",
                                    .name = "aliasing-4k",
                                    .unit = "cycles",
                                    .how = "two loads 4096 bytes behind a store, against another line: the difference"};
    if (!a || !b)
        return;
    const struct value more = value_less(a, b, 1);
    parameter_add(session, &head, &more, 0, NULL);
}

void forwarding_find(struct session *session) {
    struct cell cells[MOST_CELLS];
    const struct card_entry head = {.group = "forwarding",
                                    .name = "forwarding",
                                    .unit = "cycles",
                                    .how = "a chain of a store and a load of its bytes"};
    const struct set *set = set_of(session->recipe->isa);
    if (session->is_bare || !set) {
        card_add_unknown(&session->card, &head,
                         session->is_bare ? "simulated loads do not wait for older stores" : session_no_isa);
        return;
    }
    const struct timing load = {.name = "load-latency", .body = set->load, .init = "a: memory", .writes = "a"};
    const struct value *latency = session_value(session, &load);
    size_t n = list_cells(set->accesses, cells);
    bool is_missing = !latency;
    double quickest[] = {INFINITY, INFINITY}; // of general and of vector registers
    for (size_t i = 0; i < n; i++)
        is_missing |= !ask(session, &cells[i]);
    if (is_missing)
        return;
    for (size_t i = 0; i < n; i++)
        if (latency->is_good && value_is_usable(cells[i].value) && cells[i].value->cycles >= latency->cycles - CLEARLY)
            quickest[is_vector(&cells[i])] = fmin(quickest[is_vector(&cells[i])], cells[i].value->cycles);
    for (size_t i = 0; i < n; i++)
        add_cell(session, &cells[i], latency->is_good ? latency->cycles : 0, quickest[is_vector(&cells[i])]);
    find_aliasing(session, set);
}
