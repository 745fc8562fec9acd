#include "hot/record_steps.h"

#include "bench/host/timer.h"
#include "hot/indexed.h"
#include "hot/insn_book.h"
#include "hot/memory_map.h"
#include "hot/page_set.h"
#include "hot/touches.h"

#include <elf.h>
#include <sched.h>
#include <signal.h>
#include <string.h>
#include <sys/ptrace.h>
#include <sys/uio.h>
#include <sys/user.h>

#if defined(__x86_64__)

enum { MOST_STEPS = 20000, MANY_STEPS = 12000, SOME_STEPS = 4000, MOST_OUTSIDE = 4000, RSP = 4 };

struct recorder {
    struct arena *arena;
    struct arena scratch; // of one step
    const struct decoder *decoder;
    struct tracer *tracer;
    struct tracer_thread *thread;
    const struct hot_capture *capture;
    struct hot_state *state;
    struct memory_map map;
    struct insn_book book;
    struct page_set pages;
    uint64_t *steps;
    struct step_registers *before;
    size_t n, most;
    bool is_copy, is_stopped_by_sharing;
    bool is_at_kernels; // it would touch memory that only the process itself can read, such as the kernel's clock
    // The loop.
    bool is_outside, is_called; // control has left it; is in a function that it calls
    uint64_t stack_at_call;
    size_t left_at; // steps when it was left last
    uint64_t turns_then, entries_then;
};

static bool read_registers(pid_t tid, struct step_registers *to, uint64_t *flags) {
    struct user_regs_struct from;
    if (ptrace(PTRACE_GETREGS, tid, NULL, &from) != 0)
        return false;
    *to = (struct step_registers){.general = {from.rax, from.rcx, from.rdx, from.rbx, from.rsp, from.rbp, from.rsi,
                                              from.rdi, from.r8, from.r9, from.r10, from.r11, from.r12, from.r13,
                                              from.r14, from.r15},
                                  .counter = from.rip,
                                  .fs = from.fs_base,
                                  .gs = from.gs_base};
    *flags = from.eflags;
    return true;
}

// Returns the bytes of the area; 0: they cannot be read.
static size_t read_vectors(pid_t tid, struct iovec area) {
    return ptrace(PTRACE_GETREGSET, tid, (void *)NT_X86_XSTATE, &area) == 0 ? area.iov_len : 0;
}

static bool read_xsave(struct recorder *recorder) {
    uint8_t *area = ARENA_ARRAY(recorder->arena, uint8_t, HOT_MOST_XSAVE);
    recorder->state->xsave = area;
    recorder->state->layout = vector_layout_here();
    recorder->state->n_xsave = read_vectors(recorder->thread->tid, (struct iovec){area, HOT_MOST_XSAVE});
    return recorder->state->n_xsave > 0;
}

static size_t read_memory(const void *context, uint64_t address, uint8_t *bytes, size_t n_bytes) {
    const struct recorder *recorder = context;
    return tracer_read(recorder->tracer, address, bytes, n_bytes);
}

static void copy_page(struct recorder *recorder, uint64_t address, bool is_executed) {
    struct page_copy *page = page_set_find(&recorder->pages, address);
    if (!page) {
        uint8_t bytes[PAGE_SET_BYTES];
        page = page_set_add(&recorder->pages, address);
        const struct mapping *mapping = memory_map_find(&recorder->map, page->address);
        const bool is_read = tracer_read(recorder->tracer, page->address, bytes, sizeof bytes) == sizeof bytes;
        recorder->is_at_kernels |= mapping && !is_read;
        if (is_read) {
            page->bytes = arena_alloc_uncleared(recorder->arena, PAGE_SET_BYTES);
            memcpy(page->bytes, bytes, sizeof bytes);
            page->is_written = mapping && mapping->is_writable;
        }
    }
    page->is_executed |= is_executed;
}

static void copy_range(struct recorder *recorder, uint64_t address, uint64_t n_bytes, bool is_executed) {
    uint64_t first = address / PAGE_SET_BYTES, last = (address + n_bytes - 1) / PAGE_SET_BYTES;
    for (uint64_t page = first; page <= last && page - first <= 2; page++)
        copy_page(recorder, page * PAGE_SET_BYTES, is_executed);
}

static bool is_shared(const struct recorder *recorder, uint64_t address) {
    const struct mapping *mapping = memory_map_find(&recorder->map, address);
    return mapping && mapping->is_shared && mapping->is_writable;
}

// False: it may write to memory that the program shares with its copy.
static bool copy_touched(struct recorder *recorder, const struct book_insn *insn,
                         const struct step_registers *registers) {
    struct touches touches;
    copy_range(recorder, insn->address, insn->n_bytes, true);
    arena_reset(&recorder->scratch);
    touches_find(&recorder->scratch, recorder->decoder->machine, insn, registers, false, &touches);
    if (indexed_is(insn->insn)) {
        uint8_t area[HOT_MOST_XSAVE];
        indexed_add(recorder->decoder->machine, insn, registers, area,
                    read_vectors(recorder->thread->tid, (struct iovec){area, HOT_MOST_XSAVE}), &touches);
    }
    bool is_own = true;
    for (unsigned i = 0; i < touches.n; i++) {
        const struct touch *touch = &touches.items[i];
        copy_range(recorder, touch->address, touch->bytes, false);
        is_own = is_own &&
                 !(recorder->is_copy && touch->is_store &&
                   (is_shared(recorder, touch->address) || is_shared(recorder, touch->address + touch->bytes - 1)));
    }
    return is_own;
}

static bool is_in_loop(const struct recorder *recorder, uint64_t address) {
    const struct hot_loop *loop = recorder->capture->loop;
    uint64_t at = address - recorder->state->load_address;
    for (size_t i = 0; i < loop->n_ranges; i++)
        if (at >= loop->ranges[i].begin && at < loop->ranges[i].end)
            return true;
    return recorder->capture->is_open || !loop->n_ranges;
}

// Notes where control is, before a step. `last`: the instruction before; null: there is none. False: it has left the
// loop, and enough is recorded.
static bool note_place(struct recorder *recorder, const struct book_insn *last,
                       const struct step_registers *registers) {
    struct hot_state *state = recorder->state;
    bool is_inside = is_in_loop(recorder, registers->counter);
    if (is_inside && recorder->is_outside)
        state->entries++;
    if (is_inside)
        recorder->is_outside = recorder->is_called = false;
    if (registers->counter == state->head && !(last && last->address == state->head && last->is_string))
        state->turns++;
    if (is_inside || recorder->is_outside)
        return true;
    if (!recorder->is_called && last && last->insn->is_call) {
        recorder->is_called = true;
        recorder->stack_at_call = registers->general[RSP];
    }
    if (recorder->is_called && registers->general[RSP] <= recorder->stack_at_call)
        return true;
    recorder->is_outside = true;
    recorder->is_called = false;
    recorder->left_at = recorder->n;
    recorder->turns_then = state->turns;
    recorder->entries_then = state->entries;
    return recorder->n < (state->entries == 1 ? SOME_STEPS : MANY_STEPS);
}

// The steps end where the loop was left last.
static void cut(struct recorder *recorder) {
    struct hot_state *state = recorder->state;
    if (recorder->left_at < recorder->n)
        state->next = recorder->steps[recorder->left_at];
    recorder->n = recorder->left_at;
    state->turns = recorder->turns_then;
    state->entries = recorder->entries_then;
    state->end = HOT_END_LEFT;
}

// Compares the pages with what they hold now.
static void find_changes(const struct recorder *recorder, struct hot_state *state) {
    const size_t line_bytes = 64;
    uint64_t *changed = ARENA_ARRAY(recorder->arena, uint64_t, state->n_pages + 1);
    uint8_t now[PAGE_SET_BYTES];
    for (size_t i = 0; i < state->n_pages; i++) {
        const struct segment *page = &state->pages[i];
        if (!page->is_writable || tracer_read(recorder->tracer, page->address, now, sizeof now) != sizeof now)
            continue;
        for (size_t line = 0; line < PAGE_SET_BYTES / line_bytes; line++)
            if (memcmp(now + line * line_bytes, page->bytes + line * line_bytes, line_bytes) != 0)
                changed[i] |= UINT64_C(1) << line;
    }
    state->changed = changed;
}

// The mapped files that executed pages are of.
static void find_files(struct recorder *recorder, struct hot_state *state) {
    struct hot_mapped *files = NULL;
    for (size_t i = 0; i < state->n_pages; i++) {
        const struct mapping *mapping = memory_map_find(&recorder->map, state->pages[i].address);
        struct hot_mapped file;
        if (!state->pages[i].is_executable || !mapping || mapping->path[0] != '/' ||
            (files && files[state->n_files - 1].begin == mapping->begin) ||
            !memory_map_load_address(&recorder->map, mapping->path, &file.load_address))
            continue;
        file.path = mapping->path;
        file.begin = mapping->begin;
        file.end = mapping->end;
        *ARENA_ADD(recorder->arena, files, state->n_files) = file;
    }
    state->files = files;
}

// Puts a thread and this one on one CPU while it steps: waking another CPU up takes several times as long as a step.
struct pinning {
    cpu_set_t own, of_thread;
    bool is_pinned;
};

static void pin(struct pinning *pinning, pid_t tid) {
    cpu_set_t one;
    CPU_ZERO(&one);
    pinning->is_pinned = sched_getaffinity(0, sizeof pinning->own, &pinning->own) == 0 &&
                         sched_getaffinity(tid, sizeof pinning->of_thread, &pinning->of_thread) == 0;
    for (size_t cpu = 0; cpu < CPU_SETSIZE && pinning->is_pinned && !CPU_COUNT(&one); cpu++)
        if (CPU_ISSET(cpu, &pinning->own) && CPU_ISSET(cpu, &pinning->of_thread))
            CPU_SET(cpu, &one);
    pinning->is_pinned = pinning->is_pinned && CPU_COUNT(&one) && sched_setaffinity(0, sizeof one, &one) == 0;
    if (pinning->is_pinned)
        sched_setaffinity(tid, sizeof one, &one);
}

static void unpin(const struct pinning *pinning, pid_t tid) {
    if (!pinning->is_pinned)
        return;
    sched_setaffinity(tid, sizeof pinning->of_thread, &pinning->of_thread);
    sched_setaffinity(0, sizeof pinning->own, &pinning->own);
}

// A gather or scatter that meets a page which is not there yet is interrupted in between, and goes on with the elements
// that are left.
static bool step_once(struct recorder *recorder, const struct book_insn *insn, struct step_registers *registers) {
    enum { MOST_ELEMENTS = 64 };
    unsigned n_left = indexed_is(insn->insn) ? MOST_ELEMENTS : 1;
    uint64_t flags;
    do {
        if (!tracer_step(recorder->tracer, recorder->thread) ||
            !read_registers(recorder->thread->tid, registers, &flags))
            return false;
    } while (--n_left && registers->counter == insn->address);
    return true;
}

// Steps until the end; see enum hot_end.
static void step_through(struct recorder *recorder, double most_seconds) {
    struct hot_state *state = recorder->state;
    const struct book_insn *last = NULL;
    struct step_registers registers = state->registers;
    double deadline = timer_seconds() + most_seconds;
    state->end = HOT_END_LIMIT;
    state->next = registers.counter;
    while (recorder->n < recorder->most && timer_seconds() < deadline) {
        const struct book_insn *insn = insn_book_find(&recorder->book, registers.counter);
        if (!note_place(recorder, last, &registers) ||
            (recorder->is_outside && recorder->n - recorder->left_at > MOST_OUTSIDE))
            break;
        if (!insn || insn->is_system_call) {
            state->end = insn ? HOT_END_CALL : HOT_END_LIMIT;
            break;
        }
        if (!copy_touched(recorder, insn, &registers)) {
            recorder->is_stopped_by_sharing = true;
            break;
        }
        if (recorder->is_at_kernels) {
            state->end = HOT_END_CALL;
            break;
        }
        recorder->steps[recorder->n] = registers.counter;
        recorder->before[recorder->n] = registers;
        if (!step_once(recorder, insn, &registers))
            break;
        recorder->before[recorder->n++].stack_behind = registers.general[RSP];
        state->next = registers.counter;
        last = insn;
    }
    if (recorder->is_outside)
        cut(recorder);
    copy_range(recorder, state->next, 1, true);
}

const char *record_steps(struct arena *arena, const struct decoder *decoder, struct tracer *tracer,
                         struct tracer_thread *thread, const struct hot_capture *capture, bool is_copy, double seconds,
                         struct hot_state *state) {
    size_t most = capture->most_steps ? capture->most_steps : MOST_STEPS;
    struct recorder recorder = {.arena = arena,
                                .decoder = decoder,
                                .tracer = tracer,
                                .thread = thread,
                                .capture = capture,
                                .is_copy = is_copy,
                                .state = state,
                                .most = most,
                                .steps = ARENA_ARRAY(arena, uint64_t, most + 1),
                                .before = ARENA_ARRAY(arena, struct step_registers, most + 1)};
    uint64_t mask;
    pid_t tid = thread->tid;
    if (!read_registers(tid, &state->registers, &state->flags) || !read_xsave(&recorder))
        return "its registers cannot be read here";
    memory_map_read(arena, tracer->pid, &recorder.map);
    insn_book_open(&recorder.book, arena, decoder, read_memory, &recorder);
    page_set_open(&recorder.pages, arena);
    state->entries = 1;
    if (!tracer_hold_signals(tid, &mask))
        return "its signals cannot be held back here";
    struct pinning pinning;
    pin(&pinning, tid);
    step_through(&recorder, seconds);
    unpin(&pinning, tid);
    ptrace(PTRACE_SETSIGMASK, tid, (void *)sizeof mask, &mask);
    arena_free(&recorder.scratch);
    state->steps = recorder.steps;
    state->before = recorder.before;
    state->n_steps = recorder.n;
    state->pages = page_set_list(arena, &recorder.pages, &state->n_pages);
    find_changes(&recorder, state);
    find_files(&recorder, state);
    if (!state->n_steps && state->end == HOT_END_CALL)
        return recorder.is_at_kernels ? "it begins with a look at the kernel's clock" : "it begins with a system call";
    if (!state->n_steps && recorder.is_stopped_by_sharing)
        return "it writes to memory that the program shares with others";
    return state->n_steps ? NULL : "it cannot be stepped through";
}
#endif
