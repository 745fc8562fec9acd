// What renaming does alone: instructions whose result does not depend on their sources where these are one register,
// and moves. A chain shows it: where the copies do not wait for each other, the chain takes less than its latency.
#include "parameters/experiments.h"

#include <string.h>

static const struct idiom {
    const char *isa, *name, *same, *other, *feature; // the same register twice; two registers
} idioms[] = {
    {"x86_64", "xor-r32", "xor {a:r32}, {a}", "xor {a:r32}, {s:r32}", NULL},
    {"x86_64", "xor-r64", "xor {a:r64}, {a}", "xor {a:r64}, {s:r64}", NULL},
    {"x86_64", "xor-r16", "xor {a:r16}, {a}", "xor {a:r16}, {s:r16}", NULL},
    {"x86_64", "sub-r32", "sub {a:r32}, {a}", "sub {a:r32}, {s:r32}", NULL},
    {"x86_64", "sub-r64", "sub {a:r64}, {a}", "sub {a:r64}, {s:r64}", NULL},
    {"x86_64", "and-r32", "and {a:r32}, {a}", "and {a:r32}, {s:r32}", NULL},
    {"x86_64", "pxor-xmm", "pxor {a:xmm}, {a}", "pxor {a:xmm}, {s:xmm}", NULL},
    {"x86_64", "xorps-xmm", "xorps {a:xmm}, {a}", "xorps {a:xmm}, {s:xmm}", NULL},
    {"x86_64", "vpxor-xmm", "vpxor {a:xmm}, {a}, {a}", "vpxor {a:xmm}, {a}, {s:xmm}", "avx"},
    {"x86_64", "vxorps-ymm", "vxorps {a:ymm}, {a}, {a}", "vxorps {a:ymm}, {a}, {s:ymm}", "avx"},
    {"x86_64", "vpxord-zmm", "vpxord {a:zmm}, {a}, {a}", "vpxord {a:zmm}, {a}, {s:zmm}", "avx512f"},
    {"x86_64", "psubd-xmm", "psubd {a:xmm}, {a}", "psubd {a:xmm}, {s:xmm}", NULL},
    {"x86_64", "pcmpeqd-xmm", "pcmpeqd {a:xmm}, {a}", "pcmpeqd {a:xmm}, {s:xmm}", NULL},
    {"x86_64", "pcmpgtd-xmm", "pcmpgtd {a:xmm}, {a}", "pcmpgtd {a:xmm}, {s:xmm}", NULL},
    {"x86_64", "vandnps-xmm", "vandnps {a:xmm}, {a}, {a}", "vandnps {a:xmm}, {a}, {s:xmm}", "avx"},
    {"x86_64", "kxorw", "kxorw {a:k}, {a}, {a}", "kxorw {a:k}, {a}, {s:k}", "avx512f"},
    {"aarch64", "eor-x", "eor {a:x}, {a}, {a}", "eor {a:x}, {a}, {s:x}", NULL},
    {"aarch64", "sub-x", "sub {a:x}, {a}, {a}", "sub {a:x}, {a}, {s:x}", NULL},
    {"riscv64", "xor-x", "xor {a:x}, {a}, {a}", "xor {a:x}, {a}, {s:x}", NULL},
};

static const struct move {
    const char *isa, *name, *there, *back, *feature;
} moves[] = {
    {"x86_64", "mov-r64", "mov {b:r64}, {a:r64}", "mov {a}, {b}", NULL},
    {"x86_64", "mov-r32", "mov {b:r32}, {a:r32}", "mov {a}, {b}", NULL},
    {"x86_64", "mov-r16", "mov {b:r16}, {a:r16}", "mov {a}, {b}", NULL},
    {"x86_64", "mov-r8", "mov {b:r8}, {a:r8}", "mov {a}, {b}", NULL},
    {"x86_64", "movzx-r32-r8", "movzx {b:r32}, {a:r8}", "movzx {a:r32}, {b:r8}", NULL},
    {"x86_64", "movsxd-r64-r32", "movsxd {b:r64}, {a:r32}", "movsxd {a:r64}, {b:r32}", NULL},
    {"x86_64", "movaps-xmm", "movaps {b:xmm}, {a:xmm}", "movaps {a}, {b}", NULL},
    {"x86_64", "vmovaps-ymm", "vmovaps {b:ymm}, {a:ymm}", "vmovaps {a}, {b}", "avx"},
    {"x86_64", "vmovaps-zmm", "vmovaps {b:zmm}, {a:zmm}", "vmovaps {a}, {b}", "avx512f"},
    {"x86_64", "kmovw", "kmovw {b:k}, {a:k}", "kmovw {a}, {b}", "avx512f"},
    {"aarch64", "mov-x", "mov {b:x}, {a:x}", "mov {a}, {b}", NULL},
    {"riscv64", "mv-x", "mv {b:x}, {a:x}", "mv {a}, {b}", NULL},
};

static const double shorter = 0.75; // share of the latency below which copies do not wait for each other

static void find_idiom(struct session *session, const struct idiom *idiom) {
    struct arena *arena = session->arena;
    const struct timing same = {.name = arena_printf(arena, "idiom.%s.same", idiom->name),
                                .body = arena_printf(arena, "%s\n", idiom->same),
                                .feature = idiom->feature,
                                .writes = "a"},
                        other = {.name = arena_printf(arena, "idiom.%s.other", idiom->name),
                                 .body = arena_printf(arena, "%s\n", idiom->other),
                                 .feature = idiom->feature,
                                 .writes = "a"};
    const struct value *a = session_value(session, &same), *b = session_value(session, &other);
    const struct card_entry head = {
        .group = "idioms",
        .name = arena_printf(arena, "same-%s", idiom->name),
        .unit = "cycles",
        .how = "a chain through one register that is both sources, against one with another source"};
    if (!a || !b)
        return;
    if (!value_is_usable(a) || !value_is_usable(b)) {
        card_add_unknown(&session->card, &head, a->why ? a->why : b->why);
        return;
    }
    card_add_number(&session->card, &head, a->cycles, a->low, a->high, 0.02);
    bool is_breaking = a->high < shorter * b->low;
    session->card.entries[session->card.n_entries - 1].why =
        arena_printf(arena, "%s; with another source %.2f", is_breaking ? "breaks the dependence" : "waits", b->cycles);
}

static void find_move(struct session *session, const struct move *move) {
    struct arena *arena = session->arena;
    const struct timing chain = {.name = arena_printf(arena, "move.%s", move->name),
                                 .body = arena_printf(arena, "%s\n%s\n", move->there, move->back),
                                 .feature = move->feature,
                                 .writes = "a, b"};
    const struct value *value = session_value(session, &chain);
    const struct card_entry head = {.group = "idioms",
                                    .name = arena_printf(arena, "move-%s", move->name),
                                    .unit = "cycles",
                                    .how = "a chain of two moves, there and back: time of one"};
    if (!value)
        return;
    if (!value_is_usable(value)) {
        card_add_unknown(&session->card, &head, value->why);
        return;
    }
    card_add_number(&session->card, &head, value->cycles / 2, value->low / 2, value->high / 2, 0.02);
    session->card.entries[session->card.n_entries - 1].why = value->high / 2 < shorter ? "eliminated" : "executed";
}

void idioms_find(struct session *session) {
    for (size_t i = 0; i < sizeof idioms / sizeof *idioms; i++)
        if (strcmp(idioms[i].isa, session->recipe->isa) == 0)
            find_idiom(session, &idioms[i]);
    for (size_t i = 0; i < sizeof moves / sizeof *moves; i++)
        if (strcmp(moves[i].isa, session->recipe->isa) == 0)
            find_move(session, &moves[i]);
}
