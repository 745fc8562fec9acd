#include "hot/stub.h"

#include "hot/page_set.h"

#include <string.h>

#if defined(__x86_64__)
#include <cpuid.h>
#include <sys/auxv.h>
#endif

enum {
    LINE = 64,
    EXIT_AT = 16,
    RAX = 0,
    RCX = 1,
    RDX = 2,
    RSP = 4,
    RSI = 6,
    RDI = 7,
    BREAKPOINT = 0xcc,
    XSAVE_LEGACY = 512,
    XSAVE_HEADER = 64,
    LIST_ENTRY = 16 + LINE,
};

// ---- what this CPU has

#if defined(__x86_64__)
static uint64_t enabled_components(void) {
    enum { OSXSAVE = 1 << 27 };
    unsigned a, b, c, d, low, high;
    if (!__get_cpuid(1, &a, &b, &c, &d) || !(c & OSXSAVE))
        return 0;
    __asm__("xgetbv" : "=a"(low), "=d"(high) : "c"(0));
    return (uint64_t)high << 32 | low;
}

bool stub_can_set_fs(void) {
    enum { HWCAP2_FSGSBASE_BIT = 1 << 1 };
    return getauxval(AT_HWCAP2) & HWCAP2_FSGSBASE_BIT;
}
#else
static uint64_t enabled_components(void) {
    return 0;
}

bool stub_can_set_fs(void) {
    return false;
}
#endif

uint64_t stub_components(const struct hot_state *state, bool *missing) {
    static const uint64_t known = 0xe7; // x87, SSE, AVX, AVX-512; not MPX, PKRU, AMX
    uint64_t used = 0, all;
    if (state->n_xsave >= XSAVE_LEGACY + XSAVE_HEADER)
        memcpy(&used, state->xsave + XSAVE_LEGACY, sizeof used);
    all = enabled_components() & known;
    *missing = used & known & ~all;
    return all;
}

// ---- code

struct emitter {
    struct arena *arena;
    uint8_t *bytes;
    size_t n;
    uint64_t address; // of the first byte
};

static void emit(struct emitter *code, const void *bytes, size_t n) {
    for (size_t i = 0; i < n; i++)
        *ARENA_ADD(code->arena, code->bytes, code->n) = ((const uint8_t *)bytes)[i];
}

#define EMIT(code, ...) emit((code), (const uint8_t[]){__VA_ARGS__}, sizeof((const uint8_t[]){__VA_ARGS__}))

static void emit_32(struct emitter *code, uint64_t value) {
    uint32_t low = (uint32_t)value;
    emit(code, &low, sizeof low);
}

static void emit_64(struct emitter *code, uint64_t value) {
    emit(code, &value, sizeof value);
}

// Distance from the end of the next four bytes.
static void emit_distance(struct emitter *code, uint64_t to) {
    emit_32(code, to - (code->address + code->n + sizeof(uint32_t)));
}

// A distance to what has no address yet; returns where it is.
static size_t emit_hole(struct emitter *code) {
    emit_32(code, 0);
    return code->n - sizeof(uint32_t);
}

static void fill_hole(struct emitter *code, size_t hole, size_t to) {
    uint32_t distance = (uint32_t)(to - (hole + sizeof distance));
    memcpy(code->bytes + hole, &distance, sizeof distance);
}

static void align(struct emitter *code, size_t n) {
    while (code->n % n)
        EMIT(code, 0);
}

static void emit_jump(struct emitter *code, uint64_t to) {
    EMIT(code, 0xe9);
    emit_distance(code, to);
}

// mov reg, imm64
static void emit_load(struct emitter *code, unsigned reg, uint64_t value) {
    EMIT(code, (uint8_t)(0x48 | (reg >> 3)), (uint8_t)(0xb8 | (reg & 7)));
    emit_64(code, value);
}

static uint64_t frame_word(const struct emitter *code, unsigned number) {
    return code->address + EXIT_AT - BENCH_FRAME_DISTANCE + number * sizeof(uint64_t);
}

enum { FRAME_STACK, FRAME_COUNT, FRAME_FS, FRAME_CELL };

// Returns to the caller, from any state of the registers.
static void emit_exit(struct emitter *code, bool uses_fs, bool has_avx) {
    if (uses_fs) {
        EMIT(code, 0x48, 0x8b, 0x05); // mov rax, [rip + …]
        emit_distance(code, frame_word(code, FRAME_FS));
        EMIT(code, 0xf3, 0x48, 0x0f, 0xae, 0xd0); // wrfsbase rax
    }
    EMIT(code, 0x48, 0x8b, 0x25); // mov rsp, [rip + …]
    emit_distance(code, frame_word(code, FRAME_STACK));
    EMIT(code, 0xfc); // cld
    if (has_avx)
        EMIT(code, 0xc5, 0xf8, 0x77); // vzeroupper
    EMIT(code, 0x41, 0x5f, 0x41, 0x5e, 0x41, 0x5d, 0x41, 0x5c, 0x5b, 0x5d,
         0xc3); // pop r15 … r12, rbx, rbp; ret
}

static void emit_entry(struct emitter *code, bool uses_fs) {
    EMIT(code, 0x55, 0x53, 0x41, 0x54, 0x41, 0x55, 0x41, 0x56, 0x41,
         0x57);                   // push rbp, rbx, r12 … r15
    EMIT(code, 0x48, 0x89, 0x3d); // mov [rip + …], rdi
    emit_distance(code, frame_word(code, FRAME_COUNT));
    EMIT(code, 0x48, 0x89, 0x25); // mov [rip + …], rsp
    emit_distance(code, frame_word(code, FRAME_STACK));
    if (!uses_fs)
        return;
    EMIT(code, 0xf3, 0x48, 0x0f, 0xae, 0xc0); // rdfsbase rax
    EMIT(code, 0x48, 0x89, 0x05);             // mov [rip + …], rax
    emit_distance(code, frame_word(code, FRAME_FS));
}

// Copies the lines of a list: address, 8 bytes of nothing, 64 bytes. Returns the hole for the list's distance.
static size_t emit_copies(struct emitter *code, size_t n) {
    EMIT(code, 0x48, 0x8d, 0x35); // lea rsi, [rip + …]
    size_t hole = emit_hole(code);
    EMIT(code, 0xb9); // mov ecx, n
    emit_32(code, n);
    size_t again = code->n;
    EMIT(code, 0x48, 0x8b, 0x3e); // mov rdi, [rsi]
    for (unsigned at = 0; at < LINE; at += 16) {
        EMIT(code, 0x0f, 0x10, 0x46, (uint8_t)(16 + at)); // movups xmm0, [rsi + …]
        EMIT(code, 0x0f, 0x11, 0x47, (uint8_t)at);        // movups [rdi + …], xmm0
    }
    EMIT(code, 0x48, 0x83, 0xc6, LIST_ENTRY); // add rsi, 80
    EMIT(code, 0xff, 0xc9);                   // dec ecx
    EMIT(code, 0x0f, 0x85);                   // jne
    fill_hole(code, emit_hole(code), again);
    return hole;
}

static void emit_list(struct emitter *code, const struct stub_request *request) {
    for (size_t i = 0; i < request->lines.n; i++) {
        uint8_t bytes[LINE] = {0};
        trace_read(request->state, request->lines.addresses[i], bytes, sizeof bytes);
        emit_64(code, request->lines.addresses[i]);
        emit_64(code, 0);
        emit(code, bytes, sizeof bytes);
    }
}

static void emit_registers(struct emitter *code, const struct stub_request *request) {
    for (unsigned reg = 0; reg < STEP_REGISTERS; reg++) {
        bool is_set = request->stop->sets_register && request->stop->reg == reg;
        if (reg != RSP)
            emit_load(code, reg, is_set ? request->stop->value : request->state->registers.general[reg]);
    }
}

// The copied area, as this CPU has it. The state may be another one's.
static void emit_xsave(struct emitter *code, const struct hot_state *state) {
    uint8_t header[XSAVE_HEADER] = {0};
    const struct vector_layout here = vector_layout_here();
    size_t n;
    const uint8_t *area = vector_layout_move(code->arena, state->xsave, state->n_xsave, &state->layout, &here, &n);
    align(code, LINE);
    emit(code, area, XSAVE_LEGACY);
    memcpy(header, area + XSAVE_LEGACY, sizeof(uint64_t)); // components in use; the standard form
    emit(code, header, sizeof header);
    emit(code, area + XSAVE_LEGACY + XSAVE_HEADER, n - XSAVE_LEGACY - XSAVE_HEADER);
}

// What the jump at the counted place leads to: counts down, does what stood there, and goes back.
static void emit_cell(struct emitter *code, const struct stub_request *request, size_t end) {
    const struct stop *stop = request->stop;
    uint8_t moved[STOP_JUMP_BYTES + INSN_BOOK_MOST_BYTES];
    trace_read(request->state, stop->exit, moved, stop->n_moved);
    if (stop->sets_register) {
        EMIT(code, (uint8_t)(0x48 | (stop->reg >> 3)), 0xff, (uint8_t)(0xc8 | (stop->reg & 7))); // dec reg
    } else {
        EMIT(code, 0x48, 0xff, 0x0d); // dec qword ptr [rip + …]
        emit_distance(code, frame_word(code, FRAME_CELL));
    }
    EMIT(code, 0x0f, 0x84); // je
    fill_hole(code, emit_hole(code), end);
    emit(code, moved, stop->n_moved);
    emit_jump(code, stop->exit + stop->n_moved);
}

// Places in the code that refer to what is behind it.
struct holes {
    size_t list, xsave, flags, head;
};

// Puts the state in place, and jumps to the head.
static void emit_state(struct emitter *code, const struct stub_request *request, uint64_t components,
                       struct holes *holes) {
    const struct hot_state *state = request->state;
    const struct stop *stop = request->stop;
    if (request->lines.n)
        holes->list = emit_copies(code, request->lines.n);
    EMIT(code, 0xb8); // mov eax, …
    emit_32(code, components);
    EMIT(code, 0xba); // mov edx, …
    emit_32(code, components >> 32);
    EMIT(code, 0x48, 0x0f, 0xae, 0x2d); // xrstor64 [rip + …]
    holes->xsave = emit_hole(code);
    if (request->uses_fs) {
        emit_load(code, RAX, state->registers.fs);
        EMIT(code, 0xf3, 0x48, 0x0f, 0xae, 0xd0); // wrfsbase rax
    }
    if (stop->kind == HOT_STOP_CELL && !stop->sets_register) {
        EMIT(code, 0x48, 0xc7, 0x05); // mov qword ptr [rip + …], count; the distance is from behind the number
        emit_32(code, frame_word(code, FRAME_CELL) - (code->address + code->n + 2 * sizeof(uint32_t)));
        emit_32(code, stop->count);
    }
    emit_registers(code, request);
    EMIT(code, 0x48, 0x8d, 0x25); // lea rsp, [rip + …]
    holes->flags = emit_hole(code);
    EMIT(code, 0x9d); // popfq
    bool is_set = stop->sets_register && stop->reg == RSP;
    emit_load(code, RSP, is_set ? stop->value : state->registers.general[RSP]);
    EMIT(code, 0x0f, 0xae, 0xf0, 0x0f, 0xae, 0xe8); // mfence; lfence
    EMIT(code, 0xff, 0x25);                         // jmp [rip + …]: the head may be far away
    holes->head = emit_hole(code);
}

// Goes on with the next iteration, or returns.
static void emit_end(struct emitter *code, size_t again) {
    EMIT(code, 0x0f, 0xae, 0xe8); // lfence
    EMIT(code, 0x48, 0x8b, 0x25); // mov rsp, [rip + …]
    emit_distance(code, frame_word(code, FRAME_STACK));
    EMIT(code, 0xfc);             // cld
    EMIT(code, 0x48, 0xff, 0x0d); // dec qword ptr [rip + …]
    emit_distance(code, frame_word(code, FRAME_COUNT));
    EMIT(code, 0x0f, 0x85); // jne
    fill_hole(code, emit_hole(code), again);
    emit_jump(code, code->address + EXIT_AT);
}

static void emit_data(struct emitter *code, const struct stub_request *request, uint64_t head,
                      const struct holes *holes) {
    enum { FLAGS = 0xcd5, RESERVED = 2 }; // what code may set, and does not bind the handler of faults
    emit_xsave(code, request->state);
    fill_hole(code, holes->xsave, code->n - request->state->n_xsave);
    align(code, sizeof(uint64_t));
    fill_hole(code, holes->flags, code->n);
    emit_64(code, (request->state->flags & FLAGS) | RESERVED);
    fill_hole(code, holes->head, code->n);
    emit_64(code, head);
    align(code, LINE);
    if (request->lines.n)
        fill_hole(code, holes->list, code->n);
    emit_list(code, request);
}

// All of it. `leave`: set to the address where the loop's end jumps to.
static void emit_all(struct emitter *code, const struct stub_request *request, bool is_twin, uint64_t *leave) {
    enum { AVX = 1 << 2 };
    struct holes holes = {.list = 0};
    bool missing;
    uint64_t components = stub_components(request->state, &missing);
    EMIT(code, 0xe9);
    size_t to_entry = emit_hole(code);
    while (code->n < EXIT_AT)
        EMIT(code, BREAKPOINT);
    emit_exit(code, request->uses_fs, components & AVX);
    fill_hole(code, to_entry, code->n);
    emit_entry(code, request->uses_fs);
    size_t again = code->n;
    emit_state(code, request, components, &holes);
    align(code, LINE);
    size_t end = code->n;
    emit_end(code, again);
    *leave = code->address + end;
    if (request->stop->kind == HOT_STOP_CELL) {
        align(code, LINE);
        *leave = code->address + code->n;
        emit_cell(code, request, end);
    }
    emit_data(code, request, is_twin ? code->address + end : request->state->head, &holes);
}

// ---- memory

struct memory {
    struct arena *arena;
    struct page_set pages;
};

static struct page_copy *page_at(struct memory *memory, uint64_t address) {
    struct page_copy *page = page_set_find(&memory->pages, address);
    if (page)
        return page;
    page = page_set_add(&memory->pages, address);
    page->bytes = ARENA_ARRAY(memory->arena, uint8_t, PAGE_SET_BYTES);
    memset(page->bytes, BREAKPOINT, PAGE_SET_BYTES);
    page->is_executed = true;
    return page;
}

static void write_code(struct memory *memory, uint64_t address, const uint8_t *bytes, size_t n_bytes) {
    for (size_t i = 0; i < n_bytes; i++)
        page_at(memory, address + i)->bytes[(address + i) % PAGE_SET_BYTES] = bytes[i];
}

// The state's pages. Of code, there is only what ran: control that goes elsewhere meets a breakpoint.
static void copy_pages(struct memory *memory, const struct stub_request *request) {
    const struct hot_state *state = request->state;
    for (size_t i = 0; i < state->n_pages; i++) {
        const struct segment *page = &state->pages[i];
        bool is_code_only = page->is_executable && !request->keeps_code && !page->is_writable;
        struct page_copy *copy = page_at(memory, page->address);
        if (!is_code_only) {
            memset(copy->bytes, 0, PAGE_SET_BYTES);
            memcpy(copy->bytes, page->bytes, page->n_bytes);
        }
        copy->is_executed = page->is_executable;
        copy->is_written = page->is_writable;
    }
    for (size_t i = 0; i < request->trace->n_insns; i++) {
        const struct book_insn *insn = request->trace->insns[i].insn;
        write_code(memory, insn->address, insn->bytes, insn->n_bytes);
    }
}

static void write_jump(struct memory *memory, uint64_t at, uint64_t to) {
    uint8_t jump[STOP_JUMP_BYTES] = {0xe9};
    uint32_t distance = (uint32_t)(to - (at + sizeof jump));
    memcpy(jump + 1, &distance, sizeof distance);
    write_code(memory, at, jump, sizeof jump);
}

// Joins pages that follow each other and have the same rights.
static struct segment *join(struct arena *arena, struct segment *pages, size_t n, size_t *n_joined) {
    struct segment *joined = ARENA_ARRAY(arena, struct segment, n + 1);
    *n_joined = 0;
    for (size_t i = 0, end; i < n; i = end) {
        for (end = i + 1; end < n && pages[end].address == pages[end - 1].address + PAGE_SET_BYTES &&
                          pages[end].is_writable == pages[i].is_writable &&
                          pages[end].is_executable == pages[i].is_executable;)
            end++;
        size_t size = (end - i) * PAGE_SET_BYTES;
        uint8_t *bytes = arena_alloc_uncleared(arena, size);
        for (size_t j = i; j < end; j++)
            memcpy(bytes + (j - i) * PAGE_SET_BYTES, pages[j].bytes, PAGE_SET_BYTES);
        struct segment *segment = &joined[(*n_joined)++];
        *segment = pages[i];
        segment->bytes = bytes;
        segment->n_bytes = segment->size = size;
    }
    return joined;
}

static bool is_free(const struct segment *segments, size_t n, uint64_t begin, uint64_t end) {
    for (size_t i = 0; i < n; i++)
        if (segments[i].address < end && begin < segments[i].address + segments[i].size)
            return false;
    return true;
}

// A place for the code within reach of a jump from the loop's end; 0: there is none.
static uint64_t find_place(uint64_t exit, const struct segment *segments, size_t n, size_t size) {
    static const int64_t step = INT64_C(1) << 28, margin = INT64_C(1) << 20;
    const int64_t lowest = INT64_C(1) << 24, highest = (INT64_C(1) << 47) - step, reach = INT64_C(1) << 30;
    int64_t middle = (int64_t)(exit / PAGE_SET_BYTES * PAGE_SET_BYTES);
    for (int64_t distance = step; distance < reach; distance += step)
        for (int sign = -1; sign <= 1; sign += 2) {
            int64_t at = middle + sign * distance;
            if (at > lowest && at < highest &&
                is_free(segments, n, (uint64_t)(at - margin), (uint64_t)(at + margin) + size))
                return (uint64_t)at;
        }
    return 0;
}

static struct bench_code code_of(const struct emitter *code, const struct segment *segments, size_t n) {
    return (struct bench_code){.bytes = code->bytes,
                               .n_bytes = code->n,
                               .bodies = 1,
                               .uses = BENCH_ALL_USES,
                               .address = code->address,
                               .segments = segments,
                               .n_segments = (unsigned)n,
                               .are_segments_far = true,
                               .foreign = {.exit_offset = EXIT_AT}};
}

const char *stub_make(struct arena *arena, const struct stub_request *request, struct stub *stub) {
    struct memory memory = {.arena = arena};
    struct emitter code = {.arena = arena}, twin = {.arena = arena};
    uint64_t leave;
    size_t n;
    const size_t most_bytes = (request->lines.n + 1) * LIST_ENTRY + HOT_MOST_XSAVE + PAGE_SET_BYTES;
    page_set_open(&memory.pages, arena);
    copy_pages(&memory, request);
    write_code(&memory, request->stop->patch_at, request->stop->patch, request->stop->n_patch);
    uint8_t nothing[STOP_JUMP_BYTES] = {0};
    write_code(&memory, request->stop->exit, nothing,
               sizeof nothing); // so that its page is there
    struct segment *pages = page_set_list(arena, &memory.pages, &n);
    code.address = twin.address = find_place(request->stop->exit, pages, n, most_bytes);
    if (!code.address)
        return "there is no place near it for the code that starts it";
    emit_all(&code, request, false, &leave);
    emit_all(&twin, request, true, &leave);
    write_jump(&memory, request->stop->exit, leave);
    pages = page_set_list(arena, &memory.pages, &n);
    struct segment *segments = join(arena, pages, n, &n);
    stub->code = code_of(&code, segments, n);
    stub->twin = code_of(&twin, segments, n);
    return NULL;
}
