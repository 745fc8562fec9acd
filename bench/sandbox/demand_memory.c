#include "bench/sandbox/demand_memory.h"

#include "bench/sandbox/frame_order.h"

#include <limits.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/param.h>
#include <unistd.h>

// The filter of system calls allows exactly this protection and, with MAP_FIXED_NOREPLACE, these flags:
// syscall_filter.c.
static void *map_at(void *page, size_t n_bytes, int flags, int file, off_t offset) {
    return mmap(page, n_bytes, PROT_READ | PROT_WRITE, MAP_SHARED | flags, file, offset);
}

static void *map_list(size_t n_bytes) {
    return mmap(NULL, n_bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
}

// Returns the pages that the first-level cache holds. A page has a line in each of its sets, mostly. Where pages are as
// large as the cache, a few are taken for as many: code touches a part of each.
static unsigned count_near(size_t page_bytes) {
    enum { USUAL_BYTES = 1 << 15, FEWEST = 4 };
#ifdef _SC_LEVEL1_DCACHE_SIZE
    long n_bytes = sysconf(_SC_LEVEL1_DCACHE_SIZE);
#else
    long n_bytes = 0;
#endif
    size_t n = (n_bytes > 0 ? (size_t)n_bytes : USUAL_BYTES) / page_bytes;
    return (unsigned)MIN(MAX(n, FEWEST), PAGE_TURNS_MOST_FRAMES);
}

// Puts those frames first that go well together, where the code stores wide vectors: as many as the cache holds.
static bool order_frames(struct demand_memory *memory, unsigned n_frames, bool has_wide_stores) {
    unsigned n = has_wide_stores ? MIN(n_frames, FRAME_ORDER_MOST) : 0;
    for (unsigned i = 0; i < n_frames; i++)
        memory->order[i] = i;
    if (n)
        frame_order_choose(memory->frames, memory->page_bytes, n, MIN(n, memory->cache_pages), memory->order);
    for (unsigned i = 0; i < n; i++) {
        void *wanted = memory->frames + i * memory->page_bytes;
        off_t offset = (off_t)(memory->order[i] * memory->page_bytes);
        if (memory->order[i] != i && map_at(wanted, memory->page_bytes, MAP_FIXED, memory->file, offset) != wanted)
            return false;
    }
    return true;
}

bool demand_memory_open(struct demand_memory *memory, const struct bench_code *const *codes, size_t n) {
    unsigned most_pages = 0;
    bool has_wide_stores = false;
    for (size_t i = 0; i < n; i++) {
        most_pages = MAX(most_pages, codes[i]->foreign.most_pages);
        has_wide_stores |= codes[i]->foreign.stores && codes[i]->is_wide;
    }
    *memory = (struct demand_memory){.file = -1, .page_bytes = (size_t)sysconf(_SC_PAGESIZE)};
    if (most_pages == 0)
        return true;
    memory->cache_pages = count_near(memory->page_bytes);
    unsigned n_frames = most_pages + PAGE_TURNS_MOST_FRAMES;
    size_t n_bytes = n_frames * memory->page_bytes;
    memory->file = memfd_create("cyclops-pages", MFD_CLOEXEC);
    if (memory->file < 0 || ftruncate(memory->file, (off_t)n_bytes) != 0)
        return false;
    memory->frames = map_at(NULL, n_bytes, 0, memory->file, 0);
    memory->pages = map_list(most_pages * sizeof *memory->pages);
    memory->turns = map_list(most_pages * sizeof *memory->turns);
    memory->order = map_list(n_frames * sizeof *memory->order);
    return memory->frames != MAP_FAILED && memory->pages != MAP_FAILED && memory->turns != MAP_FAILED &&
           memory->order != MAP_FAILED && order_frames(memory, n_frames, has_wide_stores);
}

static void fill(const struct demand_memory *memory, uint8_t *start, size_t n_bytes) {
    for (size_t at = 0; at < n_bytes; at += sizeof memory->rules.fill)
        memcpy(start + at, &memory->rules.fill, sizeof memory->rules.fill);
}

static void fill_frames(const struct demand_memory *memory, unsigned first, unsigned end) {
    fill(memory, memory->frames + first * memory->page_bytes, (end - first) * memory->page_bytes);
}

// Puts into a page what it holds instead of the fill. `there`: its memory, as the code or the harness sees it.
static void patch(const struct demand_memory *memory, uintptr_t address, uint8_t *there) {
    for (unsigned i = 0; i < memory->rules.n_patches; i++) {
        const struct bench_patch *patch = &memory->rules.patches[i];
        uint64_t first = MAX(patch->address, (uint64_t)address),
                 end = MIN(patch->address + patch->n_bytes, (uint64_t)address + memory->page_bytes);
        for (uint64_t at = first; at < end; at++)
            there[at - address] = patch->value[(at - patch->address) % patch->n_value];
    }
}

// Whether a page holds something else than the fill.
static bool is_patched(const struct demand_memory *memory, uintptr_t address) {
    for (unsigned i = 0; i < memory->rules.n_patches; i++)
        if (memory->rules.patches[i].address < address + memory->page_bytes &&
            address < memory->rules.patches[i].address + memory->rules.patches[i].n_bytes)
            return true;
    return false;
}

// ---- pages

static void *pointer_to(uintptr_t address) {
    return (void *)address; // NOLINT(performance-no-int-to-ptr)
}

static void take_away(struct demand_memory *memory, struct demand_page *page) {
    if (page->is_there)
        munmap(pointer_to(page->address), memory->page_bytes);
    page->is_there = false;
}

// Touches a page as the code will. The CPU notes the first load and the first store in its page table, which takes
// longer than an access, and a store whose mask is zero notes nothing, but takes as long each time.
static void touch(const struct demand_memory *memory, uintptr_t address) {
    volatile uint8_t *first = pointer_to(address);
    uint8_t byte = *first;
    if (memory->rules.stores)
        *first = byte;
}

static uint8_t *frame_of(const struct demand_memory *memory, const struct demand_page *page) {
    return memory->frames + page->frame * memory->page_bytes;
}

static bool bring(struct demand_memory *memory, struct demand_page *page) {
    void *wanted = pointer_to(page->address);
    off_t offset = (off_t)(memory->order[page->frame] * memory->page_bytes);
    void *there = map_at(wanted, memory->page_bytes, MAP_POPULATE | MAP_FIXED_NOREPLACE, memory->file, offset);
    if (there == MAP_FAILED)
        return false;
    if (there != wanted) { // a kernel older than MAP_FIXED_NOREPLACE
        munmap(there, memory->page_bytes);
        return false;
    }
    page->is_there = true;
    touch(memory, page->address);
    return true;
}

// Adds a page, which is not there yet.
static struct demand_page *add_page(struct demand_memory *memory, uintptr_t number) {
    struct demand_page *page = &memory->pages[memory->n_pages++];
    *page = (struct demand_page){.address = number * memory->page_bytes};
    page->frame = memory->rules.is_own ? memory->n_frames++ : (unsigned)(number % memory->rules.frames);
    if (memory->rules.is_own)
        fill_frames(memory, page->frame, page->frame + 1);
    patch(memory, page->address, frame_of(memory, page));
    return page;
}

static struct demand_page *find_page(const struct demand_memory *memory, uintptr_t address) {
    for (unsigned i = memory->n_pages; i-- > 0;)
        if (memory->pages[i].address == address / memory->page_bytes * memory->page_bytes)
            return &memory->pages[i];
    return NULL;
}

static void remove_all(struct demand_memory *memory) {
    for (unsigned i = 0; i < memory->n_pages; i++)
        take_away(memory, &memory->pages[i]);
    memory->n_pages = memory->n_arrived = memory->n_looked = 0;
    memory->reached = 0;
    memory->is_looking = false;
    memory->n_frames = memory->rules.is_own || memory->rules.most_pages == 0 ? 0 : memory->rules.frames;
    memory->kind = memory->rules.is_own ? MEMORY_OWN : MEMORY_SHARED;
}

void demand_memory_start(struct demand_memory *memory, const struct bench_foreign *rules) {
    memory->rules = *rules;
    demand_memory_lift(memory);
    memory->most_near = rules->is_own && rules->frames ? rules->frames : memory->cache_pages;
    remove_all(memory);
    fill_frames(memory, 0, memory->n_frames);
}

// Memory of its own is filled at the code's addresses. Some CPUs find a line in their first-level cache by its virtual
// address; under another one, the next access takes as long as one to the second level (AMD's way predictor since Zen).
void demand_memory_fill(struct demand_memory *memory) {
    bool is_own = memory->kind == MEMORY_OWN || memory->kind == MEMORY_LARGE;
    if (!memory->rules.stores)
        return;
    is_own = is_own && !memory->is_looking;
    if (!is_own)
        fill_frames(memory, 0, memory->n_frames);
    for (unsigned i = 0; i < memory->n_pages; i++) {
        const struct demand_page *page = &memory->pages[i];
        uint8_t *there = is_own ? pointer_to(page->address) : frame_of(memory, page);
        if (is_own)
            fill(memory, there, memory->page_bytes);
        patch(memory, page->address, there);
    }
}

// Notes that a look has met a page. One that arrives takes all others away.
static void note(struct demand_memory *memory, struct demand_page *page) {
    struct demand_page *next = &memory->pages[memory->n_arrived], found = *page;
    bool is_first = page >= next;
    struct page_turn *turn = &memory->turns[(is_first ? next : page) - memory->pages];
    if (is_first)
        *turn = (struct page_turn){.number = page->address / memory->page_bytes,
                                   .is_alone = is_patched(memory, page->address)};
    bool arrives = is_first || page_turns_arrives(turn, memory->n_arrivals - 1);
    memory->n_arrivals += arrives;
    page_turns_note(turn, memory->n_arrivals - 1);
    for (unsigned i = 0; i < memory->n_arrived && arrives; i++)
        if (&memory->pages[i] != page)
            take_away(memory, &memory->pages[i]);
    if (!is_first)
        return;
    *page = *next;
    *next = found;
    memory->n_arrived++;
}

enum demand_answer demand_memory_answer(struct demand_memory *memory, uintptr_t address) {
    if (memory->file < 0 || memory->rules.most_pages == 0 || address < memory->rules.lowest_address)
        return DEMAND_REFUSED;
    struct demand_page *page = memory->is_looking ? find_page(memory, address) : NULL;
    bool is_new = !page;
    if (is_new && memory->n_pages >= memory->most_pages) {
        memory->was_limited = memory->n_pages < memory->rules.most_pages;
        return DEMAND_FULL;
    }
    if (is_new)
        page = add_page(memory, address / memory->page_bytes);
    if (!bring(memory, page)) {
        memory->n_pages -= is_new;
        memory->n_frames -= is_new && memory->rules.is_own;
        return DEMAND_REFUSED;
    }
    if (memory->is_looking)
        note(memory, page);
    return DEMAND_APPEARED;
}

static bool reach(struct demand_memory *memory, const struct bench_touch *touch, uint64_t passes) {
    uint64_t last = UINT64_MAX; // page of the last access
    for (uint64_t i = memory->reached; i < passes && (i == 0 || touch->stride); i++) {
        uint64_t first = touch->address + i * (uint64_t)touch->stride;
        for (uint64_t page = first / memory->page_bytes; page <= (first + touch->size - 1) / memory->page_bytes;
             page++) {
            uintptr_t address = (uintptr_t)(page * memory->page_bytes);
            const struct demand_page *there = page == last ? NULL : find_page(memory, address);
            bool is_needed = page != last && !(there && there->is_there);
            last = page;
            if (is_needed && demand_memory_answer(memory, address) == DEMAND_FULL)
                return false;
        }
    }
    return true;
}

bool demand_memory_reach(struct demand_memory *memory, uint64_t passes) {
    bool has_room = true;
    for (unsigned i = 0; i < memory->rules.n_touches && has_room && passes > memory->reached; i++)
        has_room = reach(memory, &memory->rules.touches[i], passes);
    if (has_room && passes > memory->reached)
        memory->reached = passes;
    return has_room;
}

// ---- pages that take turns

bool demand_memory_wants_look(const struct demand_memory *memory) {
    return (memory->kind == MEMORY_OWN || memory->kind == MEMORY_TURNS) && memory->n_pages > memory->most_near &&
           memory->n_pages != memory->n_looked;
}

// Takes all pages away, and gives each a frame of its own, or that of its turn.
static void give_frames(struct demand_memory *memory, bool take_turns) {
    memory->n_frames = 0;
    for (unsigned i = 0; i < memory->n_pages; i++)
        take_away(memory, &memory->pages[i]);
    for (unsigned i = 0; i < memory->n_pages; i++) {
        memory->pages[i].frame = take_turns ? memory->turns[i].frame : i;
        memory->n_frames = MAX(memory->n_frames, memory->pages[i].frame + 1);
    }
    fill_frames(memory, 0, memory->n_frames);
    for (unsigned i = 0; i < memory->n_pages; i++)
        patch(memory, memory->pages[i].address, frame_of(memory, &memory->pages[i]));
}

static void bring_all(struct demand_memory *memory) {
    for (unsigned i = 0; i < memory->n_pages; i++)
        bring(memory, &memory->pages[i]);
}

void demand_memory_look_begin(struct demand_memory *memory) {
    give_frames(memory, false);
    memory->n_arrived = memory->n_arrivals = 0;
    memory->reached = 0;
    memory->is_looking = true;
}

// Loads do not mind which memory they share: for code without stores, only the order of the pages counts.
void demand_memory_look_end(struct demand_memory *memory) {
    memory->is_looking = false;
    memory->n_pages = memory->n_arrived; // those that it did not touch again may appear anew
    bool take_turns = page_turns_give(memory->turns, memory->n_pages, memory->most_near - 1, memory->rules.stores,
                                      &memory->fewest_gap);
    if (!memory->rules.stores)
        memory->fewest_gap = UINT_MAX;
    memory->kind = take_turns ? MEMORY_TURNS : MEMORY_LARGE;
    memory->n_looked = memory->n_pages;
    give_frames(memory, take_turns);
    bring_all(memory);
}

void demand_memory_end_turns(struct demand_memory *memory) {
    memory->kind = MEMORY_LARGE;
    give_frames(memory, false);
    bring_all(memory);
}

void demand_memory_limit(struct demand_memory *memory, unsigned most_pages) {
    if (memory->rules.is_own)
        memory->most_pages = MIN(memory->most_pages, most_pages);
}

void demand_memory_lift(struct demand_memory *memory) {
    memory->most_pages = memory->rules.most_pages;
    memory->was_limited = false;
}
