#include "gen/object.h"

#include "base/text.h"
#include "gen/isa.h"
#include "gen/link.h"

#include <assert.h>
#include <gelf.h>
#include <inttypes.h>
#include <libelf.h>
#include <string.h>

struct object {
    Elf *elf;
    unsigned machine;    // EM_…
    size_t text_section; // index of .text
    uint8_t *code;       // bytes of .text
    size_t n_code;
    Elf_Data *symbols;
    size_t n_symbols, strings; // number of symbols; index of their string table
    struct fail *fail;
};

static bool fail_elf(struct object *object) {
    return fail_set(object->fail, FAIL_WORK, "cannot read the object that the assembler wrote: %s", elf_errmsg(-1));
}

static bool find_sections(struct object *object) {
    size_t names;
    GElf_Ehdr file_header;
    if (!gelf_getehdr(object->elf, &file_header))
        return fail_elf(object);
    object->machine = file_header.e_machine;
    if (elf_getshdrstrndx(object->elf, &names) != 0)
        return fail_elf(object);
    Elf_Scn *section = NULL;
    while ((section = elf_nextscn(object->elf, section))) {
        GElf_Shdr header;
        if (!gelf_getshdr(section, &header))
            return fail_elf(object);
        const char *name = elf_strptr(object->elf, names, header.sh_name);
        Elf_Data *data = elf_getdata(section, NULL);
        if (name && strcmp(name, ".text") == 0 && data) {
            object->text_section = elf_ndxscn(section);
            object->code = data->d_buf;
            object->n_code = data->d_size;
        } else if (header.sh_type == SHT_SYMTAB && data && header.sh_entsize) {
            object->symbols = data;
            object->n_symbols = header.sh_size / header.sh_entsize;
            object->strings = header.sh_link;
        }
    }
    if (!object->code || !object->symbols)
        return fail_set(object->fail, FAIL_WORK, "the object that the assembler wrote has no code or no symbols");
    return true;
}

static const char *symbol_name(const struct object *object, size_t i, GElf_Sym *symbol) {
    if (!gelf_getsym(object->symbols, (int)i, symbol))
        return "";
    const char *name = elf_strptr(object->elf, object->strings, symbol->st_name);
    return name ? name : "";
}

// Offsets of one program's symbols in .text.
struct marks {
    size_t start, exit, loop, body_end, loop_end, routine, routine_end, end;
    unsigned found;  // one bit for each symbol
    size_t n_filled; // entries of its link that have got their address
};

// Sets the mark of a symbol. `suffix`: the rest of its name after the program's symbol.
static void set_mark(struct marks *marks, const char *suffix, const GElf_Sym *symbol) {
    static const char *const suffixes[] = {"", ".loop", ".body_end", ".loop_end", ".exit", ".routine", ".routine_end"};
    size_t *values[] = {&marks->start, &marks->loop,    &marks->body_end,   &marks->loop_end,
                        &marks->exit,  &marks->routine, &marks->routine_end};
    for (unsigned i = 0; i < sizeof suffixes / sizeof *suffixes; i++)
        if (strcmp(suffix, suffixes[i]) == 0) {
            *values[i] = (size_t)symbol->st_value;
            marks->found |= 1u << i;
            if (i == 0)
                marks->end = (size_t)(symbol->st_value + symbol->st_size);
        }
}

static struct marks *find_marks(struct arena *arena, const struct object *object, const struct emit_place *places,
                                size_t n_programs) {
    struct marks *marks = ARENA_ARRAY(arena, struct marks, n_programs + 1);
    // as writes symbols in the order of the text, with globals last: search from the last hit on.
    size_t guess = 0;
    for (size_t i = 0; i < object->n_symbols; i++) {
        GElf_Sym symbol;
        const char *name = symbol_name(object, i, &symbol);
        if (symbol.st_shndx != object->text_section || !*name)
            continue;
        for (size_t tries = 0; tries < n_programs; tries++) {
            size_t p = (guess + tries) % n_programs, length = strlen(places[p].symbol);
            if (strncmp(name, places[p].symbol, length) != 0)
                continue;
            unsigned before = marks[p].found;
            set_mark(&marks[p], name + length, &symbol);
            if (marks[p].found != before) {
                guess = p;
                break;
            }
        }
    }
    return marks;
}

// Counts the instructions in the bytes: one in the text may be a macro of the assembler.
static void count_instructions(struct program *program) {
    const struct isa *isa = isa_find(program->isa);
    struct program_range range = program_simulated_range(program);
    if (!isa->instruction_bytes)
        return;
    program->instructions = 0;
    for (size_t at = 0; at < range.length; at += isa->instruction_bytes(program->code + range.offset + at))
        program->instructions++;
}

// Puts copies of a brief program's body behind the first. Returns false where the second one is not like it.
static bool repeat_body(const struct marks *marks, const struct program *program, uint8_t *code) {
    size_t all = marks->body_end - marks->loop, one = all / program->unroll;
    uint8_t *body = code + (marks->loop - marks->start);
    if (all % program->unroll != 0 || memcmp(body, body + one, one) != 0)
        return false;
    for (unsigned i = 2; i < program->unroll; i++)
        memcpy(body + i * one, body, one);
    return true;
}

static bool fill(struct arena *arena, const struct object *object, const struct emit_place *place,
                 const struct marks *marks, struct program *program) {
    enum { WITHOUT_EXIT = 15, EXIT = 16, ROUTINE = 96 };
    unsigned wanted = WITHOUT_EXIT | (program->has_own_stack ? EXIT : 0) | (program->routine ? ROUTINE : 0);
    bool complete = marks->found == wanted && marks->routine <= marks->routine_end &&
                    marks->routine_end <= marks->end && marks->start <= marks->loop && marks->loop <= marks->body_end &&
                    marks->body_end <= marks->loop_end && marks->loop_end <= marks->end && marks->end <= object->n_code;
    if (!complete)
        return fail_at(
            object->fail, program->file, program->lines[0], 0,
            "this code takes in what stands behind it, or leaves its section: close each string and comment");
    size_t bodies = marks->body_end - marks->loop;
    uint8_t *code = (uint8_t *)arena_copy(arena, (const char *)object->code + marks->start, marks->end - marks->start);
    if (place->is_brief && !repeat_body(marks, program, code))
        return true;
    if (bodies % program->unroll != 0)
        return fail_at(object->fail, program->file, program->lines[0], 0,
                       "the copies of this body differ in size: measure the looped form");
    program->code_bytes = marks->end - marks->start;
    program->code = code;
    program->body_range = (struct program_range){marks->loop - marks->start, bodies / program->unroll};
    program->loop_range = (struct program_range){marks->loop - marks->start, marks->loop_end - marks->loop};
    if (program->routine)
        program->routine_range =
            (struct program_range){marks->routine - marks->start, marks->routine_end - marks->routine};
    program->exit_offset = program->has_own_stack ? marks->exit - marks->start : 0;
    assert(program->exit_offset == (program->has_own_stack ? PROGRAM_EXIT_OFFSET : 0));
    count_instructions(program);
    return true;
}

// Returns the line of the body that names a symbol; its first line where none does.
static unsigned line_naming(const struct program *program, const char *symbol) {
    struct slice rest = {program->body, strlen(program->body)}, line;
    for (unsigned i = 0; i < program->body_lines && slice_next(&rest, '\n', &line); i++)
        if (*symbol && memmem(line.data, line.length, symbol, strlen(symbol)))
            return program->lines[i];
    return program->lines[0];
}

// Return the distance in a RISC-V branch. Source: the manual's volume 1, 2.3 (B and J immediates), 18.2 (compressed
// instructions).
static int64_t branch_distance(uint32_t code) {
    uint32_t low = (code >> 7 & 0x1e) | (code >> 20 & 0x7e0) | (code << 4 & 0x800);
    return (int64_t)low - (code >> 31 ? 0x1000 : 0);
}

static int64_t jump_distance(uint32_t code) {
    uint32_t low = (code >> 20 & 0x7fe) | (code >> 9 & 0x800) | (code & 0xff000);
    return (int64_t)low - (code >> 31 ? 0x100000 : 0);
}

static int64_t short_branch_distance(uint32_t code) {
    uint32_t low = (code >> 7 & 0x18) | (code << 1 & 0xc0) | (code >> 2 & 0x6) | (code << 3 & 0x20);
    return (int64_t)low - (code >> 4 & 0x100);
}

static int64_t short_jump_distance(uint32_t code) {
    uint32_t low = (code >> 7 & 0x10) | (code >> 1 & 0x300) | (code << 2 & 0x400) | (code >> 1 & 0x40) |
                   (code << 1 & 0x80) | (code >> 2 & 0xe) | (code << 3 & 0x20);
    return (int64_t)low - (code >> 1 & 0x800);
}

// Whether a branch is final despite its relocation. RISC-V's assembler adds one at every branch, for linkers that
// shorten code. Where they may not, it also fills in the distance.
static bool is_filled_in(const struct object *object, const struct marks *marks, const GElf_Rela *relocation,
                         const GElf_Sym *symbol) {
    uint64_t target = symbol->st_value + (uint64_t)relocation->r_addend;
    if (object->machine != EM_RISCV || !object->code || symbol->st_shndx != object->text_section ||
        target < marks->start || target >= marks->end || relocation->r_offset + 4 > marks->end)
        return false;
    const uint8_t *at = object->code + relocation->r_offset;
    uint32_t code = (uint32_t)at[0] | (uint32_t)at[1] << 8 | (uint32_t)at[2] << 16 | (uint32_t)at[3] << 24;
    int64_t distance = (int64_t)(target - relocation->r_offset);
    switch (GELF_R_TYPE(relocation->r_info)) {
    case R_RISCV_BRANCH:
        return branch_distance(code) == distance;
    case R_RISCV_JAL:
        return jump_distance(code) == distance;
    case R_RISCV_RVC_BRANCH:
        return short_branch_distance(code) == distance;
    case R_RISCV_RVC_JUMP:
        return short_jump_distance(code) == distance;
    default:
        return false;
    }
}

// Writes the address of a block's instruction into the segments that refer to it.
static bool fill_entries(const struct program *program, size_t target, uint64_t address, size_t *n_filled) {
    const struct link *link = program->link;
    for (size_t i = 0; i < link->n_entries; i++) {
        const struct link_entry *entry = &link->entries[i];
        const struct segment *segment = &program->segments[entry->segment];
        uint8_t *bytes = (uint8_t *)(uintptr_t)segment->bytes + entry->offset; // NOLINT: a copy of this program's own
        struct link_place place = {bytes, segment->address + entry->offset, address + (uint64_t)entry->addend};
        if (entry->target != target)
            continue;
        if (!link_apply(link->machine, entry->type, &place))
            return false;
        ++*n_filled;
    }
    return true;
}

// Fills in a reference of a linked program. Of the places of instructions, the first copy's count.
static bool apply_link(const struct object *object, struct marks *marks, struct program *program,
                       const GElf_Rela *relocation) {
    const struct link *link = program->link;
    unsigned type = (unsigned)GELF_R_TYPE(relocation->r_info);
    uint64_t address = link->code_address + relocation->r_offset - marks->start;
    size_t first = (marks->body_end - marks->loop) / program->unroll;
    struct link_place place = {object->code + relocation->r_offset, address, (uint64_t)relocation->r_addend};
    bool is_other_copy = !program->routine && relocation->r_offset > marks->loop + first;
    bool is_done = link_is_nothing(link->machine, type)
                       ? is_other_copy || fill_entries(program, (size_t)relocation->r_addend, address, &marks->n_filled)
                       : relocation->r_offset + link_type_bytes(link->machine, type) <= marks->end &&
                             link_apply(link->machine, type, &place);
    return is_done ||
           fail_at(object->fail, program->file, program->lines[0], 0,
                   "it refers to 0x%" PRIx64 ", which is too far away from its code", (uint64_t)relocation->r_addend);
}

static bool check_relocation(const struct object *object, struct marks *marks, struct program *const *programs,
                             size_t n_programs, const GElf_Rela *relocation) {
    for (size_t p = 0; p < n_programs; p++) {
        if (relocation->r_offset < marks[p].start || relocation->r_offset >= marks[p].end)
            continue;
        if (programs[p]->link && GELF_R_SYM(relocation->r_info) == 0)
            return apply_link(object, &marks[p], programs[p], relocation);
        GElf_Sym symbol;
        const char *name = symbol_name(object, GELF_R_SYM(relocation->r_info), &symbol);
        if (is_filled_in(object, &marks[p], relocation, &symbol))
            continue;
        unsigned line = line_naming(programs[p], name);
        if (*name)
            return fail_at(object->fail, programs[p]->file, line, 0,
                           "'%s' is neither a register nor a label here; define it in the program", name);
        return fail_at(object->fail, programs[p]->file, line, 0,
                       "this needs an address that only a linker could place; a program must be whole in itself");
    }
    return true;
}

static bool check_relocations(const struct object *object, struct marks *marks, struct program *const *programs,
                              size_t n_programs) {
    Elf_Scn *section = NULL;
    while ((section = elf_nextscn(object->elf, section))) {
        GElf_Shdr header;
        Elf_Data *data = elf_getdata(section, NULL);
        if (!gelf_getshdr(section, &header) || !data || header.sh_info != object->text_section)
            continue;
        if (header.sh_type != SHT_RELA && header.sh_type != SHT_REL)
            continue;
        for (size_t i = 0; header.sh_entsize && i < header.sh_size / header.sh_entsize; i++) {
            GElf_Rela entry = {0};
            GElf_Rel small = {0};
            if (header.sh_type == SHT_RELA)
                gelf_getrela(data, (int)i, &entry);
            else if (gelf_getrel(data, (int)i, &small))
                entry = (GElf_Rela){.r_offset = small.r_offset, .r_info = small.r_info};
            if (!check_relocation(object, marks, programs, n_programs, &entry))
                return false;
        }
    }
    return true;
}

// Gives a program its own segments, which will hold addresses of its code.
static void copy_segments(struct arena *arena, struct program *program) {
    if (!program->link)
        return;
    const struct link *link = program->link;
    struct segment *segments = ARENA_ARRAY(arena, struct segment, link->n_segments + 1);
    for (size_t i = 0; i < link->n_segments; i++)
        segments[i] = link->segments[i];
    for (size_t i = 0; i < link->n_entries; i++) {
        struct segment *segment = &segments[link->entries[i].segment];
        if (segment->bytes == link->segments[link->entries[i].segment].bytes)
            segment->bytes = (const uint8_t *)arena_copy(arena, (const char *)segment->bytes, segment->n_bytes);
    }
    program->segments = segments;
}

static bool read_programs(struct arena *arena, struct object *object, struct program *const *programs,
                          const struct emit_place *places, size_t n_programs) {
    if (!find_sections(object))
        return false;
    struct marks *marks = find_marks(arena, object, places, n_programs);
    for (size_t i = 0; i < n_programs; i++)
        copy_segments(arena, programs[i]);
    if (!check_relocations(object, marks, programs, n_programs))
        return false;
    for (size_t i = 0; i < n_programs; i++)
        if (programs[i]->link && marks[i].n_filled < programs[i]->link->n_entries)
            return fail_at(object->fail, programs[i]->file, programs[i]->lines[0], 0,
                           "a table leads to a place in it where no instruction begins");
    for (size_t i = 0; i < n_programs; i++)
        if (!fill(arena, object, &places[i], &marks[i], programs[i]))
            return false;
    return true;
}

bool object_read(struct arena *arena, const void *bytes, size_t n_bytes, struct program *const *programs,
                 const struct emit_place *places, size_t n_programs, struct fail *fail) {
    struct object object = {.fail = fail};
    if (elf_version(EV_CURRENT) == EV_NONE)
        return fail_elf(&object);
    char *copy = arena_copy(arena, bytes, n_bytes); // libelf needs it writable and aligned
    object.elf = elf_memory(copy, n_bytes);
    if (!object.elf)
        return fail_elf(&object);
    bool done = read_programs(arena, &object, programs, places, n_programs);
    elf_end(object.elf);
    return done;
}
