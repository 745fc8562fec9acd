// What tells CPUs and their states apart beyond their name: registers that hold the vendor's numbers, vector length,
// caches, mitigations. Sources: Linux, Documentation/ABI/testing/sysfs-devices-system-cpu, Documentation/arch/arm64/
// {cpu-feature-registers,sve}.rst, arch/riscv/kernel/cpu.c; Arm Architecture Reference Manual, "MIDR_EL1".
#include "base/file.h"
#include "base/text.h"
#include "bench/host/files.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#if defined __aarch64__
#include <sys/prctl.h>
#endif

// As the register has them: implementer, variant, 0xf (the features say what the architecture is), part, revision.
static unsigned long long midr_of_parts(const struct host_arm_parts *parts) {
    return (parts->implementer & 0xffull) << 24 | (parts->variant & 0xfull) << 20 | 0xfull << 16 |
           (parts->part & 0xfffull) << 4 | (parts->revision & 0xfull);
}

const char *host_midr(struct arena *arena, int cpu, const struct host_arm_parts *parts) {
    const char *line = host_line(arena, "/sys/devices/system/cpu/cpu%d/regs/identification/midr_el1", cpu);
    unsigned long long midr = line ? strtoull(line, NULL, 16) : 0;
    return arena_printf(arena, "0x%08llx", midr ? midr : midr_of_parts(parts));
}

static bool has_flag(const struct host *host, const char *word) {
    for (const char *const *flag = host->flags; flag && *flag; flag++)
        if (strcmp(*flag, word) == 0)
            return true;
    return false;
}

// Of this process on this machine; the default of new processes where CYCLOPS_FSROOT shows another one.
static unsigned sve_bytes(struct arena *arena) {
#if defined __aarch64__ && defined PR_SVE_GET_VL
    int length = host_root_is_real() ? prctl(PR_SVE_GET_VL, 0, 0, 0, 0) : -1;
    if (length > 0)
        return (unsigned)length & PR_SVE_VL_LEN_MASK;
#endif
    double bytes = 0;
    return host_number(arena, &bytes, "/proc/sys/abi/sve_default_vector_length") && bytes > 0 ? (unsigned)bytes : 0;
}

// No file shows it: the register vlenb does, where the kernel lets programs use vectors.
static unsigned rvv_bytes(void) {
#if defined __riscv
    unsigned long bytes = 0;
    if (host_root_is_real())
        __asm__ volatile("csrr %0, 0xc22" : "=r"(bytes));
    return (unsigned)bytes;
#else
    return 0;
#endif
}

static unsigned vector_bits(struct arena *arena, const struct host *host) {
    if (has_flag(host, "sve"))
        return sve_bytes(arena) * 8;
    return host->mvendorid && has_flag(host, "v") ? rvv_bytes() * 8 : 0;
}

// "48K", "2M".
static unsigned long kib_of(const char *size) {
    char *end;
    unsigned long number = size ? strtoul(size, &end, 10) : 0;
    return number && *end == 'M' ? number * 1024 : number;
}

static unsigned cache_number(struct arena *arena, int cpu, const char *index, const char *name) {
    double number = 0;
    host_number(arena, &number, "/sys/devices/system/cpu/cpu%d/cache/%s/%s", cpu, index, name);
    return number > 0 ? (unsigned)number : 0;
}

static void read_caches(struct arena *arena, struct host *host) {
    const char **names;
    size_t n = file_list(arena, host_path(arena, "/sys/devices/system/cpu/cpu%d/cache", host->cpu), "", &names);
    struct host_cache *caches = NULL;
    for (size_t i = 0; i < n; i++) {
        if (strncmp(names[i], "index", strlen("index")) != 0)
            continue;
        const char *folder = arena_printf(arena, "/sys/devices/system/cpu/cpu%d/cache/%s", host->cpu, names[i]);
        const char *type = host_line(arena, "%s/type", folder);
        struct host_cache cache = {
            .level = cache_number(arena, host->cpu, names[i], "level"),
            .type = type ? text_lower(arena, type) : "unknown",
            .kib = kib_of(host_line(arena, "%s/size", folder)),
            .line_bytes = cache_number(arena, host->cpu, names[i], "coherency_line_size"),
            .ways = cache_number(arena, host->cpu, names[i], "ways_of_associativity"),
            .cpus = host_line(arena, "%s/shared_cpu_list", folder),
        };
        if (cache.level)
            *ARENA_ADD(arena, caches, host->n_caches) = cache;
    }
    host->caches = caches;
}

static void read_mitigations(struct arena *arena, struct host *host) {
    static const char folder[] = "/sys/devices/system/cpu/vulnerabilities";
    const char **names;
    size_t n = file_list(arena, host_path(arena, "%s", folder), "", &names);
    struct host_mitigation *list = NULL;
    for (size_t i = 0; i < n; i++) {
        const char *state = host_line(arena, "%s/%s", folder, names[i]);
        if (state)
            *ARENA_ADD(arena, list, host->n_mitigations) = (struct host_mitigation){names[i], state};
    }
    host->mitigations = list;
}

void host_read_identity(struct arena *arena, struct host *host) {
    host->vector_bits = vector_bits(arena, host);
    host->page_bytes = (unsigned)sysconf(_SC_PAGESIZE);
    read_caches(arena, host);
    read_mitigations(arena, host);
}

const char *host_mitigation(const struct host *host, const char *name) {
    for (size_t i = 0; i < host->n_mitigations; i++)
        if (strcmp(host->mitigations[i].name, name) == 0)
            return host->mitigations[i].state;
    return NULL;
}
