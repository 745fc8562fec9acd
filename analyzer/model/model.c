#include "analyzer/model/model.h"

#include "analyzer/model/model_files.h"
#include "base/file.h"
#include "base/text.h"

#include <inttypes.h>
#include <string.h>

// ISAs of one family run on the same CPUs. By a triple, or as in -march.
static const char *family_of(const char *architecture) {
    static const char *const starts[][2] = {
        {"x86", "x86"},       {"i386", "x86"},        {"i486", "x86"},    {"i586", "x86"},    {"i686", "x86"},
        {"arm64", "aarch64"}, {"aarch64", "aarch64"}, {"arm", "arm"},     {"thumb", "arm"},   {"mips", "mips"},
        {"riscv", "riscv"},   {"powerpc", "powerpc"}, {"ppc", "powerpc"}, {"s390x", "s390x"}, {"systemz", "s390x"},
    };
    for (size_t i = 0; i < sizeof starts / sizeof *starts; i++)
        if (text_starts(architecture, starts[i][0]))
            return starts[i][1];
    return NULL;
}

static bool same_architecture(const char *a, const char *b) {
    const char *one = family_of(a), *other = family_of(b);
    size_t n = strcspn(a, "-");
    return one && other ? strcmp(one, other) == 0 : n == strcspn(b, "-") && strncmp(a, b, n) == 0;
}

// LLVM's name of the CPU that these options mean.
static const char *cpu_of(struct arena *arena, const char *llvm, const char *name, struct fail *fail) {
    if (name && strcmp(name, "native") != 0)
        return name;
    const struct backend *backend = backend_load(arena, llvm, fail);
    return backend ? backend->llvm_host_cpu() : NULL;
}

bool model_overlay_is_of(struct arena *arena, const char *path, const char *llvm, const struct backend_options *options,
                         bool *is_of_cpu, struct fail *fail) {
    const char *file = model_path_of(arena, path, fail);
    struct overlay *overlay = file ? overlay_read(arena, file, fail) : NULL;
    if (!overlay)
        return false;
    const char *isa = options->arch ? options->arch : options->triple, *triple = overlay_triple(overlay);
    const char *its_cpu = overlay_cpu(overlay);
    bool is_done =
        overlay_base(overlay) == OVERLAY_ON_LLVM ||
        fail_set(fail, FAIL_INPUT, "'%s' changes no CPU of LLVM's: it is a machine by itself, for -mcpu", path);
    overlay_close(overlay);
    const char *cpu = is_done ? cpu_of(arena, llvm, options->cpu, fail) : NULL;
    its_cpu = cpu ? cpu_of(arena, llvm, its_cpu, fail) : NULL;
    *is_of_cpu = its_cpu && strcmp(cpu, its_cpu) == 0 && (!isa || !triple || same_architecture(isa, triple));
    return its_cpu;
}

// What of the options the overlay's file decides.
static bool settle_options(const struct overlay *overlay, struct backend_options *options, struct fail *fail) {
    const char *triple = overlay_triple(overlay);
    if (triple && options->triple && !same_architecture(triple, options->triple))
        return fail_set(fail, FAIL_INPUT, "the machine %s executes code of %s, not of %s", overlay_name(overlay),
                        triple, options->triple);
    if (!options->triple)
        options->triple = triple;
    if (!options->overlay || !options->cpu || overlay_base(overlay) == OVERLAY_ALONE)
        options->cpu = overlay_cpu(overlay);
    if (overlay_base(overlay) == OVERLAY_ALONE) {
        options->cpu = options->cpu ? options->cpu : "";
        options->without_model = true;
    }
    if (!options->features)
        options->features = overlay_features(overlay);
    options->no_text = false; // overlay_apply tells which instruction it cannot describe
    options->forms |= overlay_names_forms(overlay);
    return true;
}

static size_t list_opcodes(const struct model *model, struct arena *arena, const char *const **opcodes) {
    size_t n = 0;
    while (model->backend->opcode_name(model->cpu, n))
        n++;
    const char **names = ARENA_ARRAY(arena, const char *, n + 1);
    for (size_t i = 0; i < n; i++)
        names[i] = model->backend->opcode_name(model->cpu, i);
    *opcodes = names;
    return n;
}

static bool check_forms(const struct model *model, struct fail *fail) {
    struct arena scratch = {0};
    const struct form *forms;
    size_t n;
    bool are_known = model->backend->forms(model->cpu, &scratch, &forms, &n, fail);
    const char **names = ARENA_ARRAY(&scratch, const char *, are_known ? n : 0);
    for (size_t i = 0; are_known && i < n; i++)
        names[i] = forms[i].name;
    are_known = are_known && overlay_check_forms(model->overlay, &scratch, names, n, fail);
    arena_free(&scratch);
    return are_known;
}

// Whether LLVM has what the overlay's rules are of.
static bool check_rules(const struct model *model, struct arena *arena, struct fail *fail) {
    const char *const *names;
    size_t n = list_opcodes(model, arena, &names);
    return overlay_check_opcodes(model->overlay, arena, names, n, fail) &&
           (!overlay_names_forms(model->overlay) || check_forms(model, fail));
}

// `from`: what of it is LLVM's; null: nothing.
static const char *identity(const struct model *model, struct arena *arena, const struct machine *from,
                            const char *features) {
    struct text text = {.arena = arena};
    if (model->overlay)
        text_addf(&text, "%s %016" PRIx64, model->machine->id, overlay_hash(model->overlay));
    if (from)
        text_addf(&text, "%s%s", model->overlay ? " on " : "", from->id);
    if (features && *features)
        text_addf(&text, " %s", features);
    return text.data;
}

static bool open_overlay(struct model *model, struct arena *arena, const char *llvm,
                         const struct backend_options *options, struct fail *fail) {
    struct backend_options settled = *options;
    const struct machine *from = NULL;
    const char *name = options->overlay ? options->overlay : options->cpu;
    const char *path = model_path_of(arena, name, fail);
    model->overlay = path ? overlay_read(arena, path, fail) : NULL;
    if (!model->overlay || !settle_options(model->overlay, &settled, fail))
        return false;
    if (overlay_base(model->overlay) == OVERLAY_ON_LLVM || overlay_triple(model->overlay)) {
        model->backend = backend_load(arena, llvm, fail);
        model->cpu = model->backend ? model->backend->open(arena, &settled, fail) : NULL;
        if (!model->cpu || !check_rules(model, arena, fail))
            return false;
        from = model->backend->machine(model->cpu);
    }
    model->machine = overlay_machine(model->overlay, from, fail);
    if (!model->machine)
        return false;
    model->identity = identity(model, arena, from, settled.features);
    model->title = model->machine->id;
    return true;
}

static const char version_prefix[] = "llvm-";

bool model_names_version(const char *name) {
    size_t n = name && text_starts(name, version_prefix) ? strlen(version_prefix) : 0;
    size_t digits = n ? strspn(name + n, "0123456789") : 0;
    return digits && name[n + digits] == '/';
}

const char *model_split_version(struct arena *arena, const char *name, const char **llvm) {
    if (!model_names_version(name))
        return name;
    const char *version = name + strlen(version_prefix), *slash = strchr(version, '/');
    *llvm = arena_copy(arena, version, (size_t)(slash - version));
    return slash[1] ? slash + 1 : NULL;
}

static const char *title(struct arena *arena, const char *cpu, const struct backend *backend) {
    return arena_printf(arena, "%s%u/%s", version_prefix, backend->major, cpu);
}

// One of LLVM's, or an overlay.
static bool open_scheduling_model(struct model *model, struct arena *arena, const char *llvm,
                                  const struct backend_options *options, struct fail *fail) {
    struct backend_options settled = *options;
    settled.cpu = model_split_version(arena, options->cpu, &llvm);
    if (options->overlay || model_is_overlay(settled.cpu)) {
        bool is_open = open_overlay(model, arena, llvm, &settled, fail);
        if (is_open && settled.cpu != options->cpu)
            model->title = options->cpu; // with the version that it is based on
        return is_open;
    }
    model->backend = backend_load(arena, llvm, fail);
    model->cpu = model->backend ? model->backend->open(arena, &settled, fail) : NULL;
    if (!model->cpu)
        return false;
    model->machine = model->backend->machine(model->cpu);
    model->identity = identity(model, arena, model->machine, options->features);
    model->title = title(arena, model->machine->cpu, model->backend);
    return true;
}

// The base of a CPU file: a name, or a file beside it.
static const char *base_of(struct arena *arena, const struct cpu *cpu) {
    const char *slash = strrchr(cpu->path, '/');
    const char *base = cpu->base.text;
    bool is_file = file_has_suffix(base, ".yaml") && *base != '/' && !model_name_is_installed(base);
    return is_file && slash ? arena_printf(arena, "%.*s/%s", (int)(slash - cpu->path), cpu->path, base) : base;
}

// What cpu_bind asks for.
static bool bind_samples(struct model *model, struct arena *arena, struct fail *fail) {
    static const uint8_t samples[] = {
        0x48, 0x8b, 0x07, // mov rax, [rdi]
        0x48, 0x89, 0x07, // mov [rdi], rax
        0x0f, 0x28, 0x07, // movaps xmm0, [rdi]
    };
    static const uint8_t of_aarch64[] = {
        0x20, 0x00, 0x40, 0xf9, // ldr x0, [x1]
        0x20, 0x00, 0x00, 0xf9, // str x0, [x1]
        0x20, 0x00, 0xc0, 0x3d, // ldr q0, [x1]
    };
    struct block block;
    const bool is_x86 = model->own->is_x86;
    const char *triple = model->machine && model->machine->triple ? model->machine->triple : "";
    if (!same_architecture(triple, model->own->isa))
        return fail_at(fail, model->own->path, model->own->base.line, model->own->base.column,
                       "'%s' is not of %s, which this file is of ('isa')", model->own->base.text, model->own->isa);
    return model_describe_bytes(model, arena, is_x86 ? samples : of_aarch64,
                                is_x86 ? sizeof samples : sizeof of_aarch64, &block, fail) &&
           cpu_bind(model->own, arena, model->machine, &block, fail);
}

// `own`: null: it could not be read.
static bool open_on_base(struct model *model, struct arena *arena, const char *llvm,
                         const struct backend_options *options, struct cpu *own, struct fail *fail) {
    struct backend_options settled = *options;
    if (!own)
        return false;
    settled.cpu = base_of(arena, own);
    if (!settled.triple && !settled.arch && !own->is_x86)
        settled.triple = "aarch64-linux-gnu";
    settled.addresses = true;
    if (model_is_cpu_file(settled.cpu)) {
        fail_at(fail, own->path, own->base.line, own->base.column,
                "'%s' is a CPU file, too; name the model that it is based on", own->base.text);
        cpu_close(own);
        return false;
    }
    struct fail why = {0};
    bool is_open = open_scheduling_model(model, arena, llvm, &settled, &why);
    model->own = own;
    if (!is_open && why.status == FAIL_INPUT && !why.line)
        fail_at(fail, own->path, own->base.line, own->base.column, "the base of this CPU file%s: %s",
                model->backend ? arena_printf(arena, ", in LLVM %u", model->backend->major) : "", why.text);
    else if (!is_open)
        *fail = why;
    const char *const *opcodes = NULL;
    size_t n = is_open && model->cpu ? list_opcodes(model, arena, &opcodes) : 0;
    if (!is_open || !bind_samples(model, arena, fail) ||
        !cpu_check_opcodes(own, opcodes, n, model->backend->major, fail))
        return false;
    model->is_simulated = model_name_is_simulated(options->cpu);
    const char *prefix = model_own_prefix(model->is_simulated);
    model->identity = arena_printf(arena, "%s%s %016" PRIx64 " on %s", prefix, own->name, own->hash, model->identity);
    model->title = arena_printf(arena, "%s%s", prefix, own->name);
    return true;
}

static bool open_cpu_file(struct model *model, struct arena *arena, const char *llvm,
                          const struct backend_options *options, struct fail *fail) {
    const char *path = model_path_of(arena, model_name_without_core(arena, options->cpu), fail);
    const char *isa = options->arch ? options->arch : options->triple;
    struct cpu *own = path ? cpu_read(arena, path, fail) : NULL;
    if (own && isa && !same_architecture(isa, own->isa)) {
        fail_set(fail, FAIL_INPUT, "'%s' is a CPU file of %s, not of %s", options->cpu,
                 own->is_x86 ? "x86-64" : "AArch64", isa);
        cpu_close(own);
        return false;
    }
    return open_on_base(model, arena, llvm, options, own, fail);
}

bool model_open_cpu_text(struct model *model, struct arena *arena, const char *llvm, const char *name, const char *text,
                         struct fail *fail) {
    const struct backend_options options = {.triple = "x86_64-linux-gnu", .cpu = name, .output_syntax = -1};
    *model = (struct model){0};
    return open_on_base(model, arena, llvm, &options, cpu_parse(arena, name, text, fail), fail);
}

bool model_open(struct model *model, struct arena *arena, const char *llvm, const struct backend_options *options,
                struct fail *fail) {
    const char *its_llvm = llvm, *name = model_split_version(arena, options->cpu, &its_llvm);
    struct backend_options settled = *options;
    *model = (struct model){0};
    if (!model_is_cpu_file(name))
        return open_scheduling_model(model, arena, llvm, options, fail);
    settled.cpu = name;
    return open_cpu_file(model, arena, its_llvm, &settled, fail);
}

static bool knows(struct arena *arena, const struct backend *backend, const char *triple, const char *cpu) {
    struct fail fail = {0};
    const char *const *names;
    size_t n = backend->list_cpus(arena, triple, &names, NULL, &fail);
    return text_find(cpu, names, n) < n;
}

static void set_missing(struct model *model, struct arena *arena, const struct backend *backend, const char *cpu) {
    *model = (struct model){
        .identity = arena_printf(arena, "%s%u/%s", version_prefix, backend->major, cpu),
        .title = title(arena, cpu, backend),
        .missing = arena_printf(arena, "not in LLVM %u", backend->major),
    };
}

bool model_open_versions(struct model *models, struct arena *arena, const char *const *llvm, size_t n_llvm,
                         const struct backend_options *options, struct fail *fail) {
    struct fail first = {0};
    bool is_any_open = false, is_any_wrong = false;
    for (size_t i = 0; i < n_llvm; i++) {
        struct fail why = {0};
        if (model_open(&models[i], arena, llvm[i], options, &why)) {
            is_any_open = true;
            continue;
        }
        const struct backend *backend = models[i].backend;
        const char *cpu = options->cpu || !backend ? options->cpu : backend->host_cpu();
        model_close(&models[i]);
        bool is_missing = backend && cpu && !options->overlay && !knows(arena, backend, options->triple, cpu);
        is_any_wrong |= !is_missing;
        if (first.status == FAIL_NONE || !is_missing)
            first = why;
        if (!is_missing && backend && n_llvm > 1) {
            fail_clear(&first);
            fail_set(&first, why.status, "LLVM %u: %s", backend->major, why.text);
        }
        if (is_missing)
            set_missing(&models[i], arena, backend, cpu);
    }
    if (is_any_open && !is_any_wrong)
        return true;
    for (size_t i = 0; i < n_llvm; i++)
        model_close(&models[i]);
    *fail = first;
    return false;
}

const char *model_name(const struct model *model) {
    return model->own ? model->title : model->machine->id;
}

void model_close(struct model *model) {
    if (model->backend && model->cpu)
        model->backend->close(model->cpu);
    overlay_close(model->overlay);
    cpu_close(model->own);
    *model = (struct model){0};
}

static bool no_isa(const struct model *model, struct fail *fail) {
    return fail_set(fail, FAIL_INPUT,
                    "the machine %s has no ISA: its instructions are names, for 'cyclops explain --machine'",
                    overlay_name(model->overlay));
}

bool model_describe_bytes(const struct model *model, struct arena *arena, const uint8_t *bytes, size_t n_bytes,
                          struct block *block, struct fail *fail) {
    return model_describe_part(model, arena, bytes, 0, n_bytes, block, fail);
}

bool model_describe_part(const struct model *model, struct arena *arena, const uint8_t *code, size_t offset,
                         size_t length, struct block *block, struct fail *fail) {
    if (!model->cpu)
        return no_isa(model, fail);
    return model->backend->describe_part(model->cpu, arena, code, offset, length, block, fail) &&
           (!model->overlay || overlay_apply(model->overlay, arena, block, fail));
}

static const char in_intel[] = ".intel_syntax noprefix; ";

// What model_in_syntax puts before a text is not the user's.
static void leave_syntax_out(const char *text, struct fail *fail) {
    enum { N = sizeof in_intel - 1 };
    if (fail->line == 1 && fail->column > N && strncmp(text, in_intel, N) == 0)
        fail->column -= N;
}

bool model_describe_text(const struct model *model, struct arena *arena, const char *name, const char *text,
                         struct backend_source *source, struct fail *fail) {
    if (!model->cpu)
        return no_isa(model, fail);
    bool is_described = model->backend->describe_text(model->cpu, arena, name, text, source, fail);
    if (!is_described)
        leave_syntax_out(text, fail);
    if (!model->overlay)
        return is_described;
    if (!is_described) {
        source->n_blocks = 0; // these lack what the overlay changes
        return false;
    }
    size_t n_blocks = source->n_blocks;
    struct block *blocks = ARENA_ARRAY(arena, struct block, n_blocks);
    const struct block *from = source->blocks;
    source->blocks = blocks;
    for (source->n_blocks = 0; source->n_blocks < n_blocks; source->n_blocks++) {
        blocks[source->n_blocks] = from[source->n_blocks];
        if (!overlay_apply(model->overlay, arena, &blocks[source->n_blocks], fail))
            return false;
    }
    return true;
}

const char *model_in_syntax(struct arena *arena, const char *triple, const char *text) {
    bool is_x86 = strncmp(triple, "x86_64", 6) == 0 || strncmp(triple, "i", 1) == 0;
    // On the text's first line, so that messages name the right one.
    return arena_printf(arena, "%s%s\n", is_x86 && !strchr(text, '%') ? in_intel : "", text);
}
