// Noise between the cycles that code takes and what a harness reads:
//  - a timer with steps and jitter, a frequency that moves,
//  - interrupts, a hypervisor that takes the CPU away, seldom or all the time, a neighbour on the core,
//  - code with two speeds, counters that are wrong.
// Everything is drawn from one seed, so a run repeats itself exactly. The noise is a test of the harness and models no
// particular CPU; it knows nothing of how the harness judges.
#ifndef BENCH_TARGETS_NOISE_H
#define BENCH_TARGETS_NOISE_H

#include "bench/target.h"

// The disturbances and their strength. Zero: absent.
struct noise_spec {
    uint64_t seed;
    double jitter_ns;                    // standard deviation of one timed execution
    double interrupt_hz;                 // interrupts per second
    double interrupt_us;                 // their mean length (uniform from a tenth of it)
    double interrupt_seen;               // share of them that also shows as the thread being switched out
    double drift;                        // range of the wandering frequency, ± as a share of itself
    double step_hz;                      // jumps of the frequency per second
    double step_share;                   // their range: to between 1 and 1 minus this share of the frequency
    double timer_ns;                     // step of the timer; 0: one tick
    double state_share;                  // share of the rounds in which the code is in its other state, by chance
    double state_factor;                 // factor of the code's cycles in that state
    double layout_share;                 // share of the processes with another layout of the code
    double layout_factor;                // factor of the code's cycles in that layout
    double spread;                       // standard deviation, relative, of the code's cycles from process to process
    double steal_hz;                     // times per second that the hypervisor takes the CPU away
    double steal_us;                     // their mean length
    double steal_seen;                   // share of them that is reported to the guest
    double preempt_hz;                   // times per second that it takes the CPU away for a moment, unreported
    double preempt_us;                   // mean length of such a gap
    double preempt_jitter;               // spread of the gaps' lengths and distances, ± as a share of themselves
    double preempt_cold_us;              // time that the first run of each code behind such a gap takes longer
    double neighbour_share;              // share of the time in which a neighbour is busy; 1 and above: always
    double neighbour_ms;                 // mean length of a busy spell
    double neighbour_code;               // factor by which it slows the code
    double neighbour_add;                // factor by which it slows the chain of adds
    double neighbour_product;            // factor by which it slows the chain of multiplies
    double neighbour_uses[BENCH_N_USES]; // factor by which it slows code that uses the same units, by enum bench_use
    double neighbour_scatter;            // scatter of its slowing from execution to execution, share; 0: a fifth
    double neighbour_first;              // above 0: it is busy at the start
    double counter_factor;               // counts per cycle of the cycle counter; 0: there are no counters
    double counter_share; // share of the time in which counters count, scaled up without notice; 1: always
    double counter_extra; // instructions counted that were not executed, as a share of those that were
};

// Reads KIND[:PARAMETER…][+KIND…], such as "interrupts:1000:20+drift", into `spec`; the seed is left as it is.
bool noise_parse(struct arena *arena, const char *text, struct noise_spec *spec, struct fail *fail);
// One line for each kind: its name, its parameters with their defaults, what it does. For help.
const char *noise_kinds(struct arena *arena);

// A core under such noise, and its timer.
struct noise {
    struct noise_spec spec;
    double core_hz, timer_hz;
    uint64_t random;
    double now_ns;
    double frequency; // of the core, relative to core_hz
    double next_interrupt_ns, next_step_ns, next_steal_ns, next_preempt_ns;
    bool is_neighbour_busy;
    double neighbour_until_ns;            // end of the busy spell, or of the pause
    double process_factor;                // factor of the code's cycles in this process
    unsigned n_gaps;                      // of the preempted kind so far
    unsigned warm_at[2 + BENCH_N_CHECKS]; // that number at the last run of the reference, the code and each check
};
struct noise noise_new(const struct noise_spec *spec, double core_hz, double timer_hz);
// The step of the timer in ticks.
uint64_t noise_timer_step(const struct noise *noise);

// True cycles of what a round executes; [0] short, [1] long.
struct noise_cycles {
    double reference[2], code[2], checks[BENCH_N_CHECKS][2];
    double corunner_bodies[2]; // bodies that the co-runner executes while the code runs
};
// Time passes, and nothing of ours runs.
void noise_wait(struct noise *noise, double ns);
// What a spin loop sees of this core: time passes, and gaps come.
void noise_watch(struct noise *noise, struct target_watch *watch);
// A fresh process: pages lie elsewhere, and some time has passed.
void noise_start_process(struct noise *noise);
// Writes one round of the job as the harness sees it.
void noise_round(struct noise *noise, const struct target_job *job, const struct noise_cycles *cycles,
                 struct target_round *round);

#endif
