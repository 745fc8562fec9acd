// Settings and load of the system that affect measurements, for `cyclops doctor`. Only reads them.
#ifndef BENCH_HOST_TUNING_H
#define BENCH_HOST_TUNING_H

#include "base/arena.h"
#include "bench/host/host.h"

#include <stdbool.h>

struct host_tuning {
    double busy;                  // share of time that the CPU was busy in the last 100 ms, 0 to 1; negative: unknown
    double siblings_busy;         // sum of that share for the other threads of its core; negative: there are none
    double interrupts_per_second; // mean rate of devices' interrupts to this CPU since the machine started; negative:
                                  // unknown
    const char *isolated;         // list of CPUs kept free of other work; null: there are none
    bool is_isolated;             // the CPU is in that list
    const char *clocksource;      // the kernel's: "tsc"; null: unknown
    int nmi_watchdog;             // 1: on, which takes a counter on x86; 0: off; -1: the kernel has no such setting
    int user_reads; // kernel's setting for user-space reads of counters: 1: allowed; 0: not; -1: no such setting
    const char *user_reads_file; // file of that setting; null: no such setting
};
void host_tuning_read(struct arena *arena, const struct host *host, struct host_tuning *tuning);

#endif
