// Two kernels as one: the first one's body, then the second one's, on other registers. Expanded for throughput, the
// streams of both alternate.
#include "gen/gen.h"

#include <string.h>

// Adds the pieces. Roles and places of the second kernel come after those of the first, which the pair already has.
static void add_pieces(struct arena *arena, struct kernel *pair, const struct kernel *kernel) {
    for (unsigned i = 0; i < kernel->n_pieces; i++) {
        struct kernel_piece piece = kernel->pieces[i];
        piece.index += piece.kind == PIECE_ROLE ? pair->n_roles : piece.kind == PIECE_PLACE ? pair->n_places : 0;
        *ARENA_ADD(arena, pair->pieces, pair->n_pieces) = piece;
    }
}

static void add_roles(struct arena *arena, struct kernel *pair, const struct kernel *kernel, const char *prefix) {
    for (unsigned i = 0; i < kernel->n_roles; i++) {
        struct kernel_role role = kernel->roles[i];
        role.name = arena_printf(arena, "%s_%s", prefix, role.name);
        role.place += role.place ? pair->n_places : 0;
        *ARENA_ADD(arena, pair->roles, pair->n_roles) = role;
    }
}

static void add_places(struct arena *arena, struct kernel *pair, const struct kernel *kernel) {
    for (unsigned i = 0; i < kernel->n_places; i++)
        *ARENA_ADD(arena, pair->places, pair->n_places) = kernel->places[i];
}

static void add_lines(struct arena *arena, struct kernel *pair, const struct kernel *kernel) {
    for (unsigned i = 0; i < kernel->n_lines; i++)
        *ARENA_ADD(arena, pair->lines, pair->n_lines) = kernel->lines[i];
    pair->n_instructions += kernel->n_instructions;
}

static size_t count(const char *const *words) {
    size_t n = 0;
    while (words[n])
        n++;
    return n;
}

// Returns the words of both lists, each once; null-terminated.
static const char **unite(struct arena *arena, const char **a, const char **b) {
    const char **all = ARENA_ARRAY(arena, const char *, count(a) + count(b) + 1);
    size_t n = 0;
    for (; *a; a++)
        all[n++] = *a;
    for (; *b; b++)
        if (text_find(*b, all, n) == n)
            all[n++] = *b;
    return all;
}

static const char *both_setups(struct arena *arena, const char *first, const char *second) {
    bool needs_newline = *first && first[strlen(first) - 1] != '\n';
    return arena_printf(arena, "%s%s%s", first, needs_newline ? "\n" : "", second);
}

bool gen_pair(struct arena *arena, const struct kernel *first, const struct kernel *second, struct kernel *pair,
              struct fail *fail) {
    if (first->isa != second->isa || strcmp(first->syntax, second->syntax) != 0)
        return fail_set(fail, FAIL_INPUT,
                        "kernels '%s' and '%s' are written in different syntaxes: they cannot be paired", first->name,
                        second->name);
    *pair = (struct kernel){
        .name = arena_printf(arena, "%s+%s", first->name, second->name),
        .about = arena_printf(arena, "%s, then %s", first->name, second->name),
        .file = first->file,
        .line = first->line,
        .body_line = first->body_line,
        .isa = first->isa,
        .syntax = first->syntax,
        .setup = both_setups(arena, first->setup, second->setup),
        .features = unite(arena, first->features, second->features),
    };
    const struct kernel *const both[] = {first, second};
    for (int i = 0; i < 2; i++) {
        add_pieces(arena, pair, both[i]);
        add_roles(arena, pair, both[i], i ? "second" : "first");
        add_places(arena, pair, both[i]);
        add_lines(arena, pair, both[i]);
    }
    return true;
}
