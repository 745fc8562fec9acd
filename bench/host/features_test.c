// CPU features: LLVM's names against the words of /proc/cpuinfo, and against what LLVM itself lists.
#include "bench/host/fake_tree.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

static const struct {
    const char *cpuinfo;
    const char *present, *missing; // words with blanks between
} machines[] = {
    {"flags\t\t: fpu cx8 pni sse4_2 abm rdrand lahf_lm avx512f avx512_vbmi2 avx512_bitalg avx512_vpopcntdq",
     "x87 cx8 sse3 sse4.2 crc32 lzcnt rdrnd sahf avx512f evex512 avx512vbmi2 avx512bitalg avx512vpopcntdq",
     "sse avx512vbmi avx2 neon f"},
    {"Features\t: fp asimd crc32 atomics asimdhp sve\nCPU implementer\t: 0x41",
     "fp-armv8 neon crc lse fullfp16 sve vfp4", "sve2 dotprod crc32 hwdiv-arm"},
    {"Features\t: half thumb vfp edsp neon vfpv3 idiva idivt vfpd32\nCPU implementer\t: 0x41",
     "neon vfp2 vfp3 hwdiv-arm hwdiv dsp d32", "vfp4 fp-armv8"},
    {"isa\t: rv64imafdcv_zba_zbb_zicsr", "m a f d c v zba zbb zicsr", "zbs h x87"},
    {"isa\t: rv64gc", "m a f d c zicsr zifencei", "v zba"},
    {"isa\t\t\t: mips1 mips2 mips32r1 mips32r2\nASEs implemented\t: mips16 dsp dsp2", "mips32r2 dsp dspr2",
     "dspr3 msa"},
};

static void assert_all(struct tree *tree, const char *words, enum host_feature expected) {
    char copy[512], *rest = copy, *word;
    snprintf(copy, sizeof copy, "%s", words);
    while ((word = strsep(&rest, " ")))
        if (host_feature(&tree->host, word) != expected)
            fail_msg("'%s' is %d", word, (int)host_feature(&tree->host, word));
}

static void features_are_told_from_cpuinfo(void **state) {
    struct tree *tree = *state;
    tree_put_cpus(tree, 1);
    tree_put_cpu(tree, 0, 0, "1");
    for (size_t i = 0; i < sizeof machines / sizeof *machines; i++) {
        tree_put(tree, "/proc/cpuinfo", arena_printf(&tree->arena, "processor\t: 0\n%s", machines[i].cpuinfo));
        assert_true(host_read(&tree->arena, &(struct host_request){.cpu = -1}, &tree->host, &tree->fail));
        assert_all(tree, machines[i].present, FEATURE_PRESENT);
        assert_all(tree, machines[i].missing, FEATURE_MISSING);
        assert_all(tree, "avx512foo fast-gather sse4_2 pni", FEATURE_UNKNOWN);
        // What another machine's CPU would say of itself cannot be asked.
        assert_all(tree, "ptwrite avxneconvert", FEATURE_MISSING);
    }
    assert_non_null(strstr(host_feature_near(&tree->arena, "avx512foo"), "avx512f"));
    assert_string_equal(host_feature_near(&tree->arena, "quantum"), "");
}

// What LLVM lists beside a CPU's features: how to tune code, modes, and what programs are built with.
static bool is_no_feature(const char *name) {
    static const char *const starts[] = {
        "16bit",   "32bit", "64bit-mode", "allow-",      "branch",  "fast",    "false-",  "harden-",   "idiv",
        "inline-", "lea-",  "lvi-",       "macrofusion", "no-",     "pad-",    "prefer-", "retpoline", "sbb-",
        "seses",   "slow-", "soft-",      "sse-una",     "tagged-", "tuning-", "use-",    "vzeroupper"};
    for (size_t i = 0; i < sizeof starts / sizeof *starts; i++)
        if (strncmp(name, starts[i], strlen(starts[i])) == 0)
            return true;
    return false;
}

static void every_feature_that_llvm_names_is_known(void **state) {
    (void)state;
    struct host none = {0};
    char line[256], name[64];
    unsigned n = 0;
    bool is_list = false;
    FILE *list = popen("llc-19 -mtriple=x86_64 -mattr=help 2>&1 </dev/null", "r");
    assert_non_null(list);
    while (fgets(line, sizeof line, list)) {
        is_list |= strncmp(line, "Available features", 18) == 0;
        if (!is_list || sscanf(line, "  %63s - ", name) != 1 || !strstr(line, " - ") || is_no_feature(name))
            continue;
        if (host_feature(&none, name) == FEATURE_UNKNOWN)
            print_error("LLVM's feature '%s' is not known here\n", name);
        else
            n++;
        assert_int_not_equal(host_feature(&none, name), FEATURE_UNKNOWN);
    }
    pclose(list);
    if (n == 0)
        skip(); // there is no llc-19 here
    assert_true(n > 100);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(features_are_told_from_cpuinfo, tree_set_up, tree_tear_down),
        cmocka_unit_test(every_feature_that_llvm_names_is_known),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
