// Private to this folder.
// A process under ptrace with all its threads, and breakpoints in its code. Leaves the program
// as it was: the breakpoints are taken out again, signals reach it, and threads that were stopped go on. x86-64 only.
#ifndef HOT_TRACER_H
#define HOT_TRACER_H

#include "base/arena.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/resource.h>
#include <sys/types.h>

struct tracer_thread {
    pid_t tid;
    bool is_running;    // else it is stopped
    bool is_unanswered; // a stop that tracer_next has not returned yet
    bool is_vforked;    // a child that uses the program's memory until it executes another one
    int wait_status;    // of its last stop
    int signal;         // to deliver when it goes on
};

struct tracer_breakpoint {
    uint64_t address;
    uint8_t byte;   // what was there
    bool is_set;    // it is in memory now
    bool is_wanted; // it shall be, while the program runs
};

struct tracer {
    struct arena *arena;
    pid_t pid;
    enum tracer_kin {
        TRACER_FOREIGN,    // a process that ran
        TRACER_OWN,        // started by us
        TRACER_DESCENDANT, // of such a one
    } kin;
    bool has_ended;
    int end_status; // as waitpid gives it, once it has ended; of our own
    struct rusage usage;
    int memory; // its /proc/PID/mem
    struct tracer_thread *threads;
    size_t n_threads;
    struct tracer_breakpoint *breakpoints;
    size_t n_breakpoints;
    struct breakpoint_guard *guard; // of a foreign process; null: of our own, or it could not start
    pid_t child;                    // of TRACER_CHILD
    bool child_has_program;         // it has begun one
};

// Wants a breakpoint, which is in memory from now on. False: there is no such memory.
bool tracer_break_at(struct tracer *tracer, uint64_t address);
void tracer_drop_breakpoint(struct tracer *tracer, uint64_t address);

enum tracer_event {
    TRACER_HIT,     // a thread is at a wanted breakpoint, before its instruction; it is stopped
    TRACER_PROGRAM, // another program runs in the process; all breakpoints are gone; it is stopped
    TRACER_CHILD,   // there is a child with memory of its own, stopped: adopt or release it
    TRACER_TIME,    // nothing has happened until the deadline
    TRACER_END,     // the process has ended
};
// Lets all stopped threads go on, and looks once; TRACER_TIME: nothing has happened. `thread`: that which the event is
// about.
enum tracer_event tracer_look(struct tracer *tracer, struct tracer_thread **thread);
// Sleeps until something may have happened, or the deadline (by timer_seconds). SIGCHLD is held back. `n_idle`: looks
// in a row in which nothing had happened.
void tracer_sleep(double deadline, unsigned n_idle);
// Looks until something has happened.
enum tracer_event tracer_next(struct tracer *tracer, double deadline, struct tracer_thread **thread);

// The child of TRACER_CHILD, without breakpoints: is traced by a tracer of its own; or left alone. False: it is gone.
bool tracer_adopt(struct tracer *parent, struct tracer *child);
void tracer_release(struct tracer *parent);

// Null: the process has no such thread.
struct tracer_thread *tracer_find_thread(const struct tracer *tracer, pid_t tid);
// Holds back all signals of a stopped thread but faults, which cannot be held back. `before`: its mask until then.
bool tracer_hold_signals(pid_t tid, uint64_t *before);

// Where a stopped thread is. False: it is gone.
bool tracer_place(const struct tracer_thread *thread, uint64_t *address);

// Stops all threads, and takes the breakpoints out of memory. False: one does not stop, and may run the program's code.
bool tracer_quiet(struct tracer *tracer);
// Makes one step with a thread, while all are quiet. Returns false where it was no plain step: a signal or the end of
// the process waits.
bool tracer_step(struct tracer *tracer, struct tracer_thread *thread);
// Steps over the breakpoint where a thread is.
void tracer_step_over(struct tracer *tracer, struct tracer_thread *thread);

// Takes out all breakpoints and lets the program run without us.
void tracer_detach(struct tracer *tracer);

// Reads memory of the process; returns how many of the bytes are there. Breakpoints do not show.
size_t tracer_read(const struct tracer *tracer, uint64_t address, uint8_t *bytes, size_t n_bytes);

#endif
