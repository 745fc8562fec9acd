// What of the system beside the CPU itself bears on measurements, for `cyclops doctor`: read, never changed.
#ifndef BENCH_HOST_TUNING_H
#define BENCH_HOST_TUNING_H

#include "base/arena.h"
#include "bench/host/host.h"

#include <stdbool.h>
#include <stddef.h>

struct host_tuning {
    double busy;                  // share of time, 0 to 1, that the CPU was busy lately; negative: unknown
    double siblings_busy;         // the same of the other threads of its core, all together; negative: unknown or none
    double interrupts_per_second; // of devices, to this CPU, since the machine started; negative: unknown
    const char *isolated;         // CPUs kept free of other work, as a list; null: none
    bool is_isolated;             // ours is among them
    const char *clocksource;      // of the kernel: "tsc"; null: unknown
    int nmi_watchdog;             // 1: it takes a counter on x86; 0: off; -1: there is none
    int user_reads;               // of counters, by the kernel's setting: 1 allowed, 0 not; -1: it has no such setting
    const char *user_reads_file;  // that setting's; null: none
};
void host_tuning_read(struct arena *arena, const struct host *host, struct host_tuning *tuning);

#endif
