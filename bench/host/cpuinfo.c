// The CPU's name and features, from its part of /proc/cpuinfo. CPUs of big.LITTLE machines differ.
#include "base/file.h"
#include "base/text.h"
#include "bench/host/files.h"

#include <stdlib.h>
#include <string.h>

// One processor's lines, "key : value".
struct block {
    struct arena *arena;
    struct slice text;
};

static const char *value_of(const struct block *block, const char *key) {
    struct slice rest = block->text, line, name;
    while (slice_next(&rest, '\n', &line)) {
        if (slice_next(&line, ':', &name) && slice_is(slice_trim(name), key)) {
            struct slice value = slice_trim(line);
            return value.length ? arena_copy(block->arena, value.data, value.length) : NULL;
        }
    }
    return NULL;
}

static unsigned number_of(const struct block *block, const char *key) {
    const char *value = value_of(block, key);
    return value ? (unsigned)strtoul(value, NULL, 0) : 0;
}

// Returns the lines from "processor : CPU" to the next "processor" line; the whole file where there is no such line.
static struct block find_block(struct arena *arena, const char *text, int cpu) {
    struct block block = {arena, {text, strlen(text)}};
    const char *start = NULL;
    for (const char *line = text; line; line = strchr(line, '\n') ? strchr(line, '\n') + 1 : NULL) {
        int number;
        if (sscanf(line, "processor : %d", &number) != 1)
            continue;
        if (start) {
            block.text = (struct slice){start, (size_t)(line - start)};
            return block;
        }
        if (number == cpu)
            start = line;
    }
    if (start)
        block.text = (struct slice){start, strlen(start)};
    return block;
}

static const char *const *split_words(struct arena *arena, const char *words) {
    const char **list = NULL;
    size_t count = 0;
    struct slice rest = {words ? words : "", words ? strlen(words) : 0}, word;
    while (slice_next(&rest, ' ', &word)) {
        if (!word.length)
            continue;
        *ARENA_ADD(arena, list, count) = arena_copy(arena, word.data, word.length);
    }
    list = arena_grow(arena, list, count, sizeof *list);
    list[count] = NULL;
    return list;
}

// RISC-V's "rv64imafdc_zicsr_zba": extensions of one letter, then longer names; g is short for imafd, zicsr and
// zifencei (the manual's volume 1, "ISA Extension Naming Conventions").
static const char *riscv_words(struct arena *arena, const char *isa) {
    struct text words = {.arena = arena};
    struct slice rest = {isa, strlen(isa)}, part;
    text_add(&words, "");
    slice_next(&rest, '_', &part);
    for (size_t i = strlen("rv64"); i < part.length; i++)
        text_addf(&words, part.data[i] == 'g' ? "i m a f d zicsr zifencei " : "%c ", part.data[i]);
    while (slice_next(&rest, '_', &part))
        text_addf(&words, "%.*s ", (int)part.length, part.data);
    return words.data;
}

// Returns the CPU's features in the kernel's words: from one line on x86, Arm and RISC-V, from two on MIPS.
static const char *const *read_flags(const struct block *block) {
    const char *flags = value_of(block, "flags"), *features = value_of(block, "Features"),
               *isa = value_of(block, "isa"), *ases = value_of(block, "ASEs implemented");
    if (flags || features)
        return split_words(block->arena, flags ? flags : features);
    if (isa && strncmp(isa, "rv", 2) == 0)
        return split_words(block->arena, riscv_words(block->arena, isa));
    return split_words(block->arena, arena_printf(block->arena, "%s %s", isa ? isa : "", ases ? ases : ""));
}

// Linux shows only numbers of Arm cores. The model is the part number; the stepping is variant * 16 + revision, as in
// the MIDR register.
static void read_arm(const struct block *block, struct host *host) {
    unsigned implementer = number_of(block, "CPU implementer");
    const struct host_arm_parts parts = {implementer, number_of(block, "CPU variant"), number_of(block, "CPU part"),
                                         number_of(block, "CPU revision")};
    host->midr = host_midr(block->arena, host->cpu, &parts);
    host->vendor = host_arm_vendor(implementer);
    if (!host->vendor)
        host->vendor = arena_printf(block->arena, "implementer 0x%02x", implementer);
    host->family = number_of(block, "CPU architecture");
    host->model = parts.part;
    host->stepping = parts.variant * 16 + parts.revision;
    const char *name = host_arm_name(implementer, host->model);
    host->cpu_name = name ? name : arena_printf(block->arena, "%s part 0x%03x", host->vendor, host->model);
}

static void read_others(const struct block *block, struct host *host) {
    static const char *const name_keys[] = {"model name", "cpu model", "uarch", "cpu", "Hardware"};
    host->vendor = value_of(block, "vendor_id");
    host->family = number_of(block, "cpu family");
    host->model = number_of(block, "model");
    host->stepping = number_of(block, "stepping");
    host->mvendorid = value_of(block, "mvendorid");
    host->marchid = value_of(block, "marchid");
    host->mimpid = value_of(block, "mimpid");
    for (size_t i = 0; i < sizeof name_keys / sizeof name_keys[0] && !host->cpu_name; i++)
        host->cpu_name = value_of(block, name_keys[i]);
}

bool host_read_cpuinfo(struct arena *arena, struct host *host, struct fail *fail) {
    char *text;
    if (!file_read(arena, host_path(arena, "/proc/cpuinfo"), &text, NULL, fail))
        return false;
    struct block block = find_block(arena, text, host->cpu);
    if (value_of(&block, "CPU implementer"))
        read_arm(&block, host);
    else
        read_others(&block, host);
    if (!host->cpu_name)
        host->cpu_name = host_line(arena, "/proc/device-tree/model");
    if (!host->cpu_name)
        host->cpu_name = "unknown CPU";
    if (!host->vendor)
        host->vendor = "unknown";
    host->microcode = value_of(&block, "microcode");
    host->flags = read_flags(&block);

    // A frequency in the name is the nominal one. So is "cpu MHz" where there is no cpufreq.
    const char *at = strstr(host->cpu_name, "@ "), *mhz = value_of(&block, "cpu MHz");
    double ghz;
    if (at && sscanf(at, "@ %lfGHz", &ghz) == 1) {
        host->ghz_stated = ghz;
        host->ghz_source = "the CPU's name";
    } else if (mhz && !host->governor) {
        host->ghz_stated = strtod(mhz, NULL) / 1000;
        host->ghz_source = "/proc/cpuinfo";
    }
    return true;
}
