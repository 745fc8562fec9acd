#include "runner/pack_keys.h"

#include <stddef.h>

const char *const pack_use_names[BENCH_N_USES] = {[USE_INTEGER] = "integer",
                                                  [USE_VECTOR] = "vector",
                                                  [USE_LOAD] = "load",
                                                  [USE_STORE] = "store",
                                                  [USE_MASK] = "mask"};

const char *const pack_layout_names[PACK_N_LAYOUTS] = {
    [BENCH_CHASE_LINES] = "lines", [BENCH_CHASE_BLOCKS] = "blocks", [BENCH_CHASE_PAGES] = "pages"};

const struct pack_text_key pack_text_keys[PACK_N_TEXTS] = {
    {"role", offsetof(struct pack_entry, program.role)},
    {"kernel", offsetof(struct pack_entry, program.kernel)},
    {"mode", offsetof(struct pack_entry, program.mode)},
    {"form", offsetof(struct pack_entry, program.form)},
    {"arc", offsetof(struct pack_entry, program.arc)},
    {"placement", offsetof(struct pack_entry, program.placement)},
    {"instruction", offsetof(struct pack_entry, program.instruction)},
    {"setup", offsetof(struct pack_entry, program.setup)},
};

#define PLACE(member) offsetof(struct pack_entry, program.member)
#define CODE(member) PLACE(code.member)
#define FOREIGN(member) CODE(foreign.member)
const struct pack_number_key pack_number_keys[PACK_N_NUMBERS] = {
    {"n", UINT32_MAX, OF_ALL, NUMBER_UNSIGNED, PLACE(streams)},
    {"instructions", UINT32_MAX, OF_ALL, NUMBER_UNSIGNED, PLACE(instructions)},
    {"loop_instructions", UINT32_MAX, OF_LOOPS, NUMBER_UNSIGNED, PLACE(loop_instructions)},
    {"loop_branches", UINT32_MAX, OF_LOOPS, NUMBER_UNSIGNED, PLACE(loop_branches)},
    {"bodies", UINT32_MAX, OF_ALL, NUMBER_UNSIGNED, CODE(bodies)},
    {"iteration_instructions", UINT64_MAX, OF_ALL, NUMBER_64, CODE(iteration_instructions)},
    {"body_offset", UINT32_MAX, OF_ALL, NUMBER_64, offsetof(struct pack_entry, body_offset)},
    {"body_bytes", UINT32_MAX, OF_ALL, NUMBER_SIZE, CODE(n_body_bytes)},
    {"chain", 1, OF_CHAINS, NUMBER_FLAG, CODE(is_chain)},
    {"process_set", UINT32_MAX, OF_SETS, NUMBER_UNSIGNED, CODE(process_set)},
    {"exit_offset", BENCH_MOST_EXIT_OFFSET, OF_FOREIGN, NUMBER_SIZE, FOREIGN(exit_offset)},
    {"pages", BENCH_MOST_PAGES, OF_FOREIGN, NUMBER_UNSIGNED, FOREIGN(most_pages)},
    {"own", 1, OF_FOREIGN, NUMBER_FLAG, FOREIGN(is_own)},
    {"frames", BENCH_MOST_FRAMES, OF_FOREIGN, NUMBER_UNSIGNED, FOREIGN(frames)},
    {"fill", UINT64_MAX, OF_FOREIGN, NUMBER_64, FOREIGN(fill)},
    {"lowest", UINT64_MAX, OF_FOREIGN, NUMBER_64, FOREIGN(lowest_address)},
    {"turns_word", BENCH_FRAME_WORDS - 1, OF_TURNS, NUMBER_UNSIGNED, FOREIGN(turns.word)},
    {"turns_bits", 64, OF_TURNS, NUMBER_UNSIGNED, FOREIGN(turns.bits)},
    {"turns_factor", UINT64_MAX, OF_TURNS, NUMBER_64, FOREIGN(turns.factor)},
    {"turns_addend", UINT64_MAX, OF_TURNS, NUMBER_64, FOREIGN(turns.addend)},
    {"stores", 1, OF_FOREIGN, NUMBER_FLAG, FOREIGN(stores)},
    {"address", UINT32_MAX, OF_PLACED, NUMBER_64, CODE(address)},
};

struct repeats_before pack_code_before(const struct pack *pack, size_t number) {
    const struct bench_code *code = number ? &pack->programs[number - 1].code : NULL;
    return code ? (struct repeats_before){code->bytes, code->n_bytes} : (struct repeats_before){NULL, 0};
}
