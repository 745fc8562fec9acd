// CPU files: read, tied to a machine of LLVM's, and asked for the bounds of some code.
#include "analyzer/predict/bounds.h"
#include "tests/fuzz/fuzz.h"

// Loads, stores and results of each kind that rules speak of, and a loop's end.
static const uint8_t code[] = {
    0x48, 0x8b, 0x07,             // mov rax, [rdi]
    0x48, 0x89, 0x07,             // mov [rdi], rax
    0x0f, 0x28, 0x07,             // movaps xmm0, [rdi]
    0x48, 0x11, 0xd8,             // adc rax, rbx
    0x48, 0x8d, 0x44, 0x8b, 0x08, // lea rax, [rbx + 4*rcx + 8]
    0x48, 0xf7, 0xf3,             // div rbx
    0x0f, 0x58, 0xc1,             // addps xmm0, xmm1
    0x53, 0x59,                   // push rbx; pop rcx
    0xff, 0xca, 0x75, 0xe3,       // dec edx; jne
};

static const struct block *described(const struct model *model) {
    static struct arena arena;
    static struct block block;
    struct fail fail = {0};
    if (!block.insns && !model_describe_bytes(model, &arena, code, sizeof code, &block, &fail))
        __builtin_trap();
    return &block;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n_bytes) {
    struct arena arena = {0};
    struct fail fail = {0};
    struct bounds bounds;
    const struct model model = fuzz_cpu(0);
    const struct block *block = described(&model);
    struct cpu *cpu = cpu_read(&arena, fuzz_path(data, n_bytes), &fail);
    if (cpu && cpu_bind(cpu, &arena, model.machine, block, &fail)) {
        struct bounds_request request = {.cpu = cpu, .block = block, .is_loop = true};
        bounds_find(&request, &bounds, &fail);
        request.is_loop = false;
        request.is_decoded = true;
        bounds_find(&request, &bounds, &fail);
    }
    cpu_close(cpu);
    arena_free(&arena);
    return 0;
}
