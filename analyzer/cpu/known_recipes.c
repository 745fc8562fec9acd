#include "analyzer/cpu/known_recipes.h"

#include "base/index.h"

#include <stddef.h>
#include <string.h>

// Beyond this many instructions a corpus repeats too little for memory to be worth it: about half a KB each.
enum { MOST_KNOWN = 1 << 15, LONGEST = 15 };

// What tells instructions apart that a CPU's base has described: their bytes, and what LLVM takes these for.
struct key {
    uint64_t bytes[2]; // the last one of them is their number
    const char *opcode;
    bool has_address;
};

struct known {
    struct key key;
    struct cpu_recipe *recipe; // packed
};

struct known_recipes {
    struct arena *arena;
    struct index places;
    struct known *items;
    size_t n;
};

// A recipe's lists are at its end. Packed, they follow its head without room between them.
enum { HEAD_BYTES = offsetof(struct cpu_recipe, uses) };

static void unpack(const struct cpu_recipe *packed, struct cpu_recipe *recipe) {
    memcpy(recipe, packed, HEAD_BYTES);
    const char *list = (const char *)packed + HEAD_BYTES;
    memcpy(recipe->uses, list, recipe->n_uses * sizeof *recipe->uses);
    list += recipe->n_uses * sizeof *recipe->uses;
    memcpy(recipe->reads, list, recipe->n_reads * sizeof *recipe->reads);
    list += recipe->n_reads * sizeof *recipe->reads;
    memcpy(recipe->writes, list, recipe->n_writes * sizeof *recipe->writes);
}

static struct cpu_recipe *pack(struct arena *arena, const struct cpu_recipe *recipe) {
    const size_t n_uses = recipe->n_uses * sizeof *recipe->uses, n_reads = recipe->n_reads * sizeof *recipe->reads,
                 n_writes = recipe->n_writes * sizeof *recipe->writes;
    char *packed = arena_alloc_uncleared(arena, HEAD_BYTES + n_uses + n_reads + n_writes);
    memcpy(packed, recipe, HEAD_BYTES);
    memcpy(packed + HEAD_BYTES, recipe->uses, n_uses);
    memcpy(packed + HEAD_BYTES + n_uses, recipe->reads, n_reads);
    memcpy(packed + HEAD_BYTES + n_uses + n_reads, recipe->writes, n_writes);
    return (struct cpu_recipe *)packed;
}

// Up to eight bytes as a number: put together in registers, it need not wait for memory that is written by bytes.
static uint64_t number_of(const uint8_t *bytes, unsigned n) {
    uint32_t low, high;
    uint64_t all;
    if (n >= sizeof all) {
        memcpy(&all, bytes, sizeof all);
        return all;
    }
    if (n < sizeof low)
        return n ? bytes[0] | (uint64_t)bytes[n / 2] << n / 2 * 8 | (uint64_t)bytes[n - 1] << (n - 1) * 8 : 0;
    memcpy(&low, bytes, sizeof low);
    memcpy(&high, bytes + n - sizeof high, sizeof high);
    return low | (uint64_t)high << (n - sizeof high) * 8;
}

static struct key key_of(const struct insn *insn) {
    enum { WORD = 8, LAST = 56 };
    const unsigned n = insn->n_bytes, n_first = n < WORD ? n : WORD;
    return (struct key){
        .bytes = {number_of(insn->bytes, n_first), number_of(insn->bytes + n_first, n - n_first) | (uint64_t)n << LAST},
        .opcode = insn->opcode,
        .has_address = insn->address};
}

static bool is_same(const struct key *one, const struct key *other) {
    return one->bytes[0] == other->bytes[0] && one->bytes[1] == other->bytes[1] && one->opcode == other->opcode &&
           one->has_address == other->has_address;
}

static uint64_t hash_of(const struct key *key) {
    uint64_t hash = (key->bytes[0] ^ (uintptr_t)key->opcode) * UINT64_C(0x9e3779b97f4a7c15);
    return (hash ^ hash >> 29 ^ key->bytes[1]) * UINT64_C(0xbf58476d1ce4e5b9);
}

struct known_recipes *known_recipes_open(struct arena *arena) {
    struct known_recipes *known = ARENA_NEW(arena, struct known_recipes);
    *known = (struct known_recipes){.arena = arena, .places = {.arena = arena}};
    return known;
}

void known_recipe_make(const struct cpu *cpu, const struct insn *insn, struct cpu_recipe *recipe) {
    struct known_recipes *known = cpu->recipes;
    if (!known || !insn->bytes || insn->n_bytes > LONGEST) {
        cpu_recipe_make(cpu, insn, recipe);
        return;
    }
    const struct key key = key_of(insn);
    const uint64_t hash = hash_of(&key);
    for (size_t place = 0, i; (i = index_next(&known->places, hash, &place)) != INDEX_END;)
        if (is_same(&known->items[i].key, &key)) {
            unpack(known->items[i].recipe, recipe);
            recipe->insn = insn;
            return;
        }
    cpu_recipe_make(cpu, insn, recipe);
    if (known->n == MOST_KNOWN)
        return;
    index_add(&known->places, hash, known->n);
    *ARENA_ADD(known->arena, known->items, known->n) = (struct known){key, pack(known->arena, recipe)};
}
