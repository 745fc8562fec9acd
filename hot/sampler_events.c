// Samples by the kernel's clock of a CPU: an event of software, which needs no counter of the CPU's. Format of what the
// kernel writes: man 2 perf_event_open.
#include "base/bytes.h"
#include "hot/process_threads.h"
#include "hot/sampler.h"

#include <errno.h>
#include <linux/perf_event.h>
#include <math.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { RING_PAGES = 32, MOST_RINGS = 1024 };

// What was recorded, of all rings, to be put in the order of time.
struct event_record {
    uint64_t time;
    enum { RECORD_SAMPLE, RECORD_MAP, RECORD_FORK, RECORD_EXEC } kind;
    int pid, parent;
    uint64_t address; // of the sample
    struct space_map map;
};

struct events {
    struct event_ring {
        int fd;
        struct perf_event_mmap_page *page;
    } rings[MOST_RINGS];
    size_t n_rings;
    size_t page_bytes;
    struct event_record *records; // grows in an arena
    size_t n_records;
    uint64_t n_lost;
    struct course course; // of the process, by the samples' clock
};

static bool open_ring(struct events *events, struct perf_event_attr *attr, pid_t thread, int cpu) {
    if (events->n_rings == MOST_RINGS)
        return true;
    int fd = (int)syscall(SYS_perf_event_open, attr, thread, cpu, -1, PERF_FLAG_FD_CLOEXEC);
    if (fd < 0 && attr->build_id && (errno == EINVAL || errno == E2BIG)) { // Linux before 5.12
        attr->build_id = 0;
        fd = (int)syscall(SYS_perf_event_open, attr, thread, cpu, -1, PERF_FLAG_FD_CLOEXEC);
    }
    if (fd < 0)
        return errno == ENODEV || errno == ESRCH; // a CPU that is off, a thread that has ended
    struct event_ring ring = {
        fd, mmap(NULL, (RING_PAGES + 1) * events->page_bytes, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0)};
    if (ring.page == MAP_FAILED) {
        close(fd);
        return false;
    }
    events->rings[events->n_rings++] = ring;
    return true;
}

// A program of ours: all that it becomes, on each CPU. A process that runs: each of its threads.
static bool open_rings(struct sampler *sampler, struct events *events, struct perf_event_attr *attr) {
    long n_cpus = sysconf(_SC_NPROCESSORS_CONF);
    if (sampler->is_ours) {
        for (int cpu = 0; cpu < n_cpus; cpu++)
            if (!open_ring(events, attr, sampler->pid, cpu))
                return false;
        return events->n_rings > 0;
    }
    pid_t *tids;
    const size_t n = process_threads(sampler->spaces->gather->arena, sampler->pid, &tids);
    bool is_open = n > 0;
    for (size_t i = 0; i < n && is_open; i++)
        is_open = open_ring(events, attr, tids[i], -1);
    return is_open && events->n_rings > 0;
}

bool sampler_events_open(struct sampler *sampler, const char **why) {
    struct arena *arena = sampler->spaces->gather->arena;
    struct events *events = ARENA_NEW(arena, struct events);
    struct perf_event_attr attr = {
        .type = PERF_TYPE_SOFTWARE,
        .size = sizeof attr,
        .config = PERF_COUNT_SW_CPU_CLOCK,
        .sample_period = (uint64_t)(1e9 / sampler->hertz),
        .sample_type = PERF_SAMPLE_IP | PERF_SAMPLE_TID | PERF_SAMPLE_TIME,
        .disabled = sampler->is_ours,
        .enable_on_exec = sampler->is_ours,
        .inherit = sampler->is_ours,
        .exclude_kernel = 1,
        .exclude_hv = 1,
        .mmap = 1,
        .mmap2 = 1,
        .task = 1,
        .comm = 1,
        .comm_exec = 1,
        .sample_id_all = 1,
        .build_id = 1,
        .use_clockid = 1,
        .clockid = CLOCK_MONOTONIC,
        .watermark = 1,
        .wakeup_watermark = 4096 * RING_PAGES / 4,
    };
    events->page_bytes = (size_t)sysconf(_SC_PAGESIZE);
    events->course.arena = sampler->faults.arena = arena;
    sampler->state = events;
    if (open_rings(sampler, events, &attr))
        return true;
    *why = arena_printf(arena, "the kernel does not let its events be used: %s", strerror(errno));
    sampler_events_close(sampler);
    return false;
}

void sampler_events_close(struct sampler *sampler) {
    struct events *events = sampler->state;
    for (size_t i = 0; i < events->n_rings; i++) {
        munmap(events->rings[i].page, (RING_PAGES + 1) * events->page_bytes);
        close(events->rings[i].fd);
    }
    events->n_rings = 0;
}

// ---- what the kernel wrote

struct kernel_sample {
    struct perf_event_header header;
    uint64_t ip;
    uint32_t pid, tid;
    uint64_t time;
};

struct kernel_task {
    struct perf_event_header header;
    uint32_t pid, parent, tid, parent_tid;
    uint64_t time;
};

struct kernel_map {
    struct perf_event_header header;
    uint32_t pid, tid;
    uint64_t address, length, offset;
    union {
        struct {
            uint8_t size, reserved[3], id[20];
        } build;
        uint64_t file[3];
    } of;
    uint32_t rights, flags;
    char path[];
};

static void take_map(struct sampler *sampler, struct event_record *record, const struct kernel_map *map,
                     size_t n_bytes) {
    struct arena *arena = sampler->spaces->gather->arena;
    bool has_id = (map->header.misc & PERF_RECORD_MISC_MMAP_BUILD_ID) && map->of.build.size <= sizeof map->of.build.id;
    size_t most = n_bytes > sizeof *map ? n_bytes - sizeof *map : 0;
    const char *path = arena_copy(arena, map->path, strnlen(map->path, most)),
               *id = has_id ? bytes_to_hex(arena, map->of.build.id, map->of.build.size) : NULL;
    record->kind = RECORD_MAP;
    record->map = (struct space_map){
        .begin = map->address,
        .end = map->address + map->length,
        .offset = map->offset,
        .module = gather_module(sampler->spaces->gather, path, id && *id ? id : NULL),
    };
}

static void take_record(struct sampler *sampler, struct events *events, const struct perf_event_header *header) {
    const uint8_t *bytes = (const uint8_t *)header;
    const struct kernel_task *task = (const void *)bytes;
    const struct kernel_sample *sample = (const void *)bytes;
    struct event_record record = {.pid = (int)task->pid};
    if (header->size < sizeof *header + 2 * sizeof(uint64_t))
        return;
    memcpy(&record.time, bytes + header->size - sizeof record.time, sizeof record.time); // the last word of all
    switch (header->type) {
    case PERF_RECORD_SAMPLE:
        record.kind = RECORD_SAMPLE;
        record.address = sample->ip;
        record.pid = (int)sample->pid;
        break;
    case PERF_RECORD_MMAP2:
        take_map(sampler, &record, (const void *)bytes, header->size);
        break;
    case PERF_RECORD_FORK:
        if (task->pid == task->parent)
            return; // a thread
        record.kind = RECORD_FORK;
        record.parent = (int)task->parent;
        break;
    case PERF_RECORD_COMM:
        if (!(header->misc & PERF_RECORD_MISC_COMM_EXEC))
            return;
        record.kind = RECORD_EXEC;
        break;
    case PERF_RECORD_LOST: {
        uint64_t lost;
        memcpy(&lost, bytes + sizeof *header + sizeof lost, sizeof lost);
        events->n_lost += lost;
        return;
    }
    default:
        return;
    }
    *ARENA_ADD(sampler->spaces->gather->arena, events->records, events->n_records) = record;
}

static void read_ring(struct sampler *sampler, struct events *events, const struct event_ring *ring) {
    const uint64_t size = RING_PAGES * events->page_bytes;
    const uint8_t *data = (const uint8_t *)ring->page + events->page_bytes;
    uint64_t head = __atomic_load_n(&ring->page->data_head, __ATOMIC_ACQUIRE), tail = ring->page->data_tail;
    union {
        struct perf_event_header header;
        uint8_t bytes[1 << 16];
        uint64_t words[1];
    } record;
    while (tail < head) {
        for (size_t i = 0; i < sizeof record.header; i++)
            record.bytes[i] = data[(tail + i) % size];
        size_t n = record.header.size;
        if (n < sizeof record.header || n > head - tail)
            break;
        size_t first = (size_t)(tail % size), n_first = n < size - first ? n : (size_t)(size - first);
        memcpy(record.bytes, data + first, n_first);
        memcpy(record.bytes + n_first, data, n - n_first);
        take_record(sampler, events, &record.header);
        tail += n;
    }
    __atomic_store_n(&ring->page->data_tail, tail, __ATOMIC_RELEASE);
}

static void read_rings(struct sampler *sampler, struct events *events) {
    for (size_t i = 0; i < events->n_rings; i++)
        read_ring(sampler, events, &events->rings[i]);
}

static int compare(const void *a, const void *b) {
    const struct event_record *one = a, *other = b;
    if (one->time != other->time)
        return one->time < other->time ? -1 : 1;
    return (one->kind == RECORD_SAMPLE) - (other->kind == RECORD_SAMPLE);
}

static void settle(struct sampler *sampler, struct events *events) {
    struct gather *gather = sampler->spaces->gather;
    if (events->n_records)
        qsort(events->records, events->n_records, sizeof *events->records, compare);
    for (size_t i = 0; i < events->n_records; i++) {
        const struct event_record *record = &events->records[i];
        struct hot_place place;
        if (record->kind == RECORD_MAP)
            spaces_map(sampler->spaces, record->pid, &record->map);
        else if (record->kind == RECORD_FORK)
            spaces_fork(sampler->spaces, record->pid, record->parent);
        else if (record->kind == RECORD_EXEC)
            spaces_exec(sampler->spaces, record->pid);
        else if (spaces_find(sampler->spaces, record->pid, record->address, &place))
            gather_timed_sample(gather, place, course_at(&events->course, (double)record->time * 1e-9));
        else
            gather->unknown += 1;
    }
    gather->unknown += (double)events->n_lost;
}

static double now(void) {
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec + (double)time.tv_nsec * 1e-9;
}

// Notes the CPU time of now. Where we lose our own CPU meanwhile, the next one is nearer.
static void note_cpu_time(struct sampler *sampler, struct events *events) {
    enum { TRIES = 3 };
    static const double most_seconds = 1e-4;
    for (unsigned i = 0; i < TRIES; i++) {
        const double begin = now(), cpu = cpu_time_read(sampler->cpu_time), seconds = now() - begin;
        if (seconds <= most_seconds || i + 1 == TRIES) {
            course_note(&events->course, begin + seconds / 2, cpu);
            course_note(&sampler->faults, cpu, cpu_time_faults(sampler->cpu_time));
            return;
        }
    }
}

// Until the next look, in ms: between two, the CPU time is taken to go on evenly, which a short program may not do.
static int distance_of(double seconds) {
    static const struct {
        double seconds;
        int distance;
    } distances[] = {{1, 2}, {10, 10}, {INFINITY, 50}};
    unsigned i = 0;
    while (seconds >= distances[i].seconds)
        i++;
    return distances[i].distance;
}

void sampler_events_run(struct sampler *sampler, double seconds, struct sampler_end *end) {
    struct events *events = sampler->state;
    struct pollfd polls[MOST_RINGS] = {0};
    const double start = now(), stop = start + seconds;
    *end = (struct sampler_end){0};
    for (size_t i = 0; i < events->n_rings; i++)
        polls[i] = (struct pollfd){.fd = events->rings[i].fd, .events = POLLIN};
    while (!end->has_ended && (sampler->is_ours || now() < stop)) {
        note_cpu_time(sampler, events);
        const double rest = (stop - now()) * 1e3;
        const int distance = distance_of(now() - start),
                  wait_ms = sampler->is_ours || rest > distance ? distance : (int)rest + 1;
        bool has_hung_up = true; // then poll returns at once
        for (size_t i = 0; i < events->n_rings; i++)
            has_hung_up = has_hung_up && (polls[i].revents & POLLHUP);
        if (has_hung_up)
            poll(NULL, 0, 1);
        else
            poll(polls, events->n_rings, wait_ms);
        read_rings(sampler, events);
        if (sampler->is_ours)
            end->has_ended = wait4(sampler->pid, &end->status, WNOHANG, &end->usage) == sampler->pid;
        else if (has_hung_up)
            break; // all of its threads have ended
    }
    note_cpu_time(sampler, events);
    read_rings(sampler, events);
    settle(sampler, events);
}
