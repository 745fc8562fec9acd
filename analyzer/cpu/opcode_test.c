#include "analyzer/cpu/opcode.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

static void names_have_kinds(void **state) {
    (void)state;
    static const struct {
        const char *opcode;
        uint32_t kinds;
    } cases[] = {
        {"ADD64rr", CPU_FUSES_AS_CMP | CPU_FUSES_WITH_MOVE},
        {"ADDPSrr", 0},
        {"AND32ri8", CPU_HAS_FLAG_LOGIC | CPU_FUSES_AS_TEST | CPU_FUSES_WITH_MOVE},
        {"CMP8mi", CPU_FUSES_AS_CMP | CPU_COMPARES | CPU_SPLITS_INDEXED | CPU_HAS_MEMORY_AND_IMMEDIATE},
        {"CMPXCHG32rm", 0},
        {"DEC32r", CPU_STEPS | CPU_FUSES_WITH_MOVE},
        {"JCC_1", CPU_JUMPS},
        {"CMOV64rm", CPU_SELECTS | CPU_SPLITS_INDEXED},
        {"SETCCm", CPU_SELECTS},
        {"SBB64rr", CPU_CARRIES | CPU_SPLITS_INDEXED},
        {"MOV64rr", CPU_MOVES_GENERAL | CPU_LOADS_PLAINLY},
        {"MOV64rm", CPU_LOADS_PLAINLY},
        {"MOVAPSrr", CPU_MOVES_VECTOR | CPU_LOADS_PLAINLY},
        {"VMOVDQAYrr", CPU_MOVES_VECTOR},
        {"VMOVAPSrm", 0},
        {"POP64r", CPU_POPS | CPU_LOADS_PLAINLY},
        {"PUSH64rmm", CPU_PUSHES},
        {"VPXORrr", CPU_ZEROES_ITSELF},
        {"VPCMPEQDYrr", CPU_ONES_ITSELF},
        {"PCMPEQBrm", 0},
        {"PCMPGTDrr", CPU_ZEROES_ITSELF},
        {"VPSUBQYrr", CPU_ZEROES_ITSELF},
        {"PSUBUSBrr", 0},
        {"PSUBSWrr", 0},
        {"CMC", CPU_WRITES_CARRY | CPU_CARRIES},
        {"STC", CPU_WRITES_CARRY | CPU_SETS_CARRY},
        {"VPXORDZrrk", 0},
        {"XORPSrm", 0},
        {"SUB16rr", CPU_FUSES_AS_CMP | CPU_FUSES_WITH_MOVE},
        {"XOR32rr_REV",
         CPU_ZEROES_ITSELF | CPU_REVERSED_ZERO | CPU_HAS_FLAG_LOGIC | CPU_FUSES_AS_LOGIC | CPU_FUSES_WITH_MOVE},
        {"PREFETCHT0", CPU_PREFETCHES},
        {"LEA64_32r", CPU_LEA},
        {"NOOPL", CPU_NOP},
        {"MOVSB", CPU_LOADS_PLAINLY | CPU_LOADS_RSI | CPU_STORES_RDI},
        {"MOVSDrr", CPU_LOADS_PLAINLY},
        {"CMPSQ", CPU_LOADS_RSI | CPU_LOADS_RDI},
        {"CMPSSrri", 0},
        {"VPGATHERDDYrm", CPU_GATHERS},
        {"VPGATHERDQYrm", CPU_GATHERS | CPU_WIDE_LANES},
        {"VPSCATTERQDZmr", CPU_GATHERS | CPU_WIDE_LANES},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        print_message("%s\n", cases[i].opcode);
        assert_int_equal(cpu_kinds_of(cases[i].opcode), cases[i].kinds);
    }
}

static void names_have_operations(void **state) {
    (void)state;
    static const struct {
        const char *opcode;
        enum cpu_operation operation;
        const char *operands;
    } cases[] = {
        {"ADD64ri8", CPU_DOES_ADD, "ri8"},   {"MOV32mr", CPU_DOES_MOVE, "mr"}, {"MOVZX32rm8", CPU_DOES_EXTEND, ""},
        {"LEA64_32r", CPU_DOES_ADDRESS, ""}, {"ORPSrr", CPU_DOES_OTHER, ""},   {"SHR64rCL", CPU_DOES_SHR, "rCL"},
        {"ADDSUBPDrr", CPU_DOES_OTHER, ""},  {"DEC8m", CPU_DOES_DEC, "m"},     {"CMP64rr", CPU_DOES_OTHER, ""},
        {"SHRD64rri8", CPU_DOES_OTHER, ""},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const char *operands;
        assert_int_equal(cpu_operation_of(cases[i].opcode, &operands), cases[i].operation);
        assert_string_equal(operands, cases[i].operands);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(names_have_kinds), cmocka_unit_test(names_have_operations)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
