#include "blocks/block_memory.h"

#include "base/text.h"

bool block_memory_parse(const char *name, enum block_memory *memory) {
    static const char *const names[] = {"own", "shared"};
    size_t number = name ? text_find(name, names, 2) : 2;
    *memory = !name ? BLOCK_MEMORY_DEFAULT : number == 0 ? BLOCK_MEMORY_OWN : BLOCK_MEMORY_SHARED;
    return !name || number < 2;
}

bool block_memory_is_own(enum block_memory memory, bool is_same) {
    return memory == BLOCK_MEMORY_DEFAULT ? !is_same : memory == BLOCK_MEMORY_OWN;
}

const char *block_memory_name(enum block_memory memory, bool is_same) {
    return block_memory_is_own(memory, is_same) ? "own" : "shared";
}
