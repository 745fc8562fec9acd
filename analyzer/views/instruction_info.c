#include "analyzer/views/columns.h"
#include "analyzer/views/views.h"

// Widths of columns. MOST_COLUMNS: of one layout, texts included.
enum { NARROW = 7, RESOURCES_WIDTH = 43, OPCODE_WIDTH = 27, ENCODINGS_WIDTH = 30, MOST_COLUMNS = 16 };

struct layout {
    const char *fields[MOST_COLUMNS]; // names of the columns of numbers, which are listed above the table
    unsigned starts[MOST_COLUMNS];    // of all columns
    unsigned n_fields, n_columns;
};

static void add_column(struct layout *layout, unsigned width) {
    layout->starts[layout->n_columns + 1] = layout->starts[layout->n_columns] + width;
    layout->n_columns++;
}

static void add_field(struct layout *layout, const char *name, unsigned width) {
    layout->fields[layout->n_fields++] = name;
    add_column(layout, width);
}

static struct layout lay_out(const struct instruction_info *info) {
    static const char *const always[] = {"#uOps",   "Latency",  "RThroughput",
                                         "MayLoad", "MayStore", "HasSideEffects (U)"};
    struct layout layout = {.n_fields = 0};
    for (unsigned i = 0; i < sizeof always / sizeof *always; i++)
        add_field(&layout, always[i], NARROW);
    if (info->full) {
        add_field(&layout, "Bypass Latency", NARROW);
        add_field(&layout, "Resources (<Name> | <Name>[<ReleaseAtCycle>] | <Name>[<AcquireAtCycle>,<ReleaseAtCycle])",
                  RESOURCES_WIDTH);
        add_field(&layout, "LLVM Opcode Name", OPCODE_WIDTH);
    }
    if (info->barriers) {
        add_field(&layout, "LoadBarrier", NARROW);
        add_field(&layout, "StoreBarrier", NARROW);
    }
    if (info->encodings) {
        add_field(&layout, "Encoding Size", NARROW);
        add_column(&layout, ENCODINGS_WIDTH);
    }
    return layout;
}

static void print_resources(const struct machine *machine, FILE *out) {
    fputs("\n\nResources:\n", out);
    unsigned number = 0;
    for (unsigned r = 1; r < machine->n_resources; r++) {
        const struct resource *resource = &machine->resources[r];
        if (resource->units == 0)
            continue;
        struct columns line = {.out = out};
        columns_addf(&line, "[%u]", number++);
        columns_pad(&line, 6);
        columns_addf(&line, "- %s:%u", resource->name, resource->units);
        if (resource->is_group)
            columns_pad(&line, 20);
        for (unsigned m = 0; resource->is_group && m < resource->units; m++)
            columns_addf(&line, "%s%s", m == 0 ? "" : ", ", machine->resources[resource->members[m]].name);
        columns_add(&line, "\n");
    }
}

static void print_head(const struct layout *layout, bool encodings, FILE *out) {
    fputs("\n\nInstruction Info:\n", out);
    for (unsigned i = 0; i < layout->n_fields; i++)
        fprintf(out, "[%u]: %s\n", i + 1, layout->fields[i]);
    fputc('\n', out);
    struct columns line = {.out = out};
    for (unsigned i = 0; i < layout->n_fields; i++) {
        columns_addf(&line, "[%u]", i + 1);
        columns_pad(&line, layout->starts[i + 1]);
    }
    if (encodings) {
        columns_add(&line, "Encodings:");
        columns_pad(&line, layout->starts[layout->n_columns]);
    }
    columns_add(&line, "Instructions:\n");
}

// Goes to a column of the layout, or some characters further. llvm-mca 19 adds blanks instead, so many behind a text
// that is not too wide.
static void begin_cell(struct columns *line, const struct instruction_info *info, unsigned column, unsigned blanks) {
    if (info->rules->aligns_info)
        columns_pad(line, column);
    else
        columns_addf(line, "%*s", (int)blanks, "");
}

static void print_mark(struct columns *line, const struct instruction_info *info, unsigned column, bool is_set,
                       const char *mark) {
    begin_cell(line, info, column + 1, 1);
    columns_add(line, is_set ? mark : " ");
    if (!info->rules->aligns_info)
        columns_add(line, "     ");
}

// What is left of `width` behind the digits before the point, but for one digit; numbers of four digits count as three.
static unsigned blanks_behind(double value, unsigned width) {
    return value < 10 ? width : value < 100 ? width - 1 : width - 2;
}

static void print_numbers(struct columns *line, const struct instruction_info *info, const struct insn *insn) {
    double cycles = insn->cost->rthroughput;
    columns_add(line, " ");
    columns_add_count(line, insn->cost->uops, 1);
    begin_cell(line, info, NARROW + 1, 4 + blanks_behind(insn->cost->uops, 2));
    columns_add_count(line, insn->cost->info_latency, 1);
    begin_cell(line, info, 2 * NARROW, 3 + blanks_behind(insn->cost->info_latency, 2));
    columns_add_hundredths(line, info->rules->aligns_info ? columns_rounded(cycles, 100) : cycles);
    if (!info->rules->aligns_info) // by the value, not by the digits it is rounded to
        columns_addf(line, "%*s", (int)blanks_behind(cycles, 3), "");
}

static void print_encoding(struct columns *line, const struct instruction_info *info, const struct insn *insn,
                           const unsigned *starts) {
    begin_cell(line, info, starts[0] + 1, 1);
    columns_add_count(line, insn->n_bytes, 1);
    begin_cell(line, info, starts[1], insn->n_bytes < 10 ? 5 : 4);
    struct columns own = {.out = line->out}; // llvm-mca 19 counts from here
    struct columns *bytes = info->rules->aligns_info ? line : &own;
    for (unsigned i = 0; i < insn->n_bytes; i++)
        columns_addf(bytes, "%02x ", insn->bytes[i]);
    columns_pad(bytes, bytes == line ? starts[2] : ENCODINGS_WIDTH);
}

static void print_insn(const struct instruction_info *info, const struct layout *layout, const struct insn *insn,
                       FILE *out) {
    struct columns line = {.out = out};
    const unsigned *start = &layout->starts[3];
    print_numbers(&line, info, insn);
    print_mark(&line, info, *start++, insn->may_load, "*");
    print_mark(&line, info, *start++, insn->may_store, "*");
    print_mark(&line, info, *start++, insn->side_effects, "U");
    if (info->full) {
        columns_pad(&line, *start++ + 1);
        columns_addf(&line, "%u", insn->cost->tables->bypass_latency);
        columns_pad(&line, *start++);
        columns_add(&line, insn->cost->tables->resources);
        columns_pad(&line, *start++);
        columns_add(&line, insn->opcode);
    }
    if (info->barriers) {
        print_mark(&line, info, *start++, insn->load_barrier, "*");
        print_mark(&line, info, *start++, insn->store_barrier, "*");
    }
    if (info->encodings)
        print_encoding(&line, info, insn, start);
    else if (info->rules->aligns_info)
        columns_pad(&line, *start);
    columns_add(&line, insn->text);
    if (info->full)
        fprintf(out, "\t%s", insn->cost->tables->comment);
    columns_add(&line, "\n");
}

void instruction_info_print(const struct instruction_info *info, const struct block *block, FILE *out) {
    const struct layout layout = lay_out(info);
    if (info->full)
        print_resources(info->machine, out);
    print_head(&layout, info->encodings, out);
    for (unsigned i = 0; i < block->n_insns; i++)
        print_insn(info, &layout, &block->insns[i], out);
}

void instruction_info_json(const struct block *block, struct json_text *json) {
    json_open(json, "InstructionInfoView");
    json_open_list(json, "InstructionList");
    for (unsigned i = 0; i < block->n_insns; i++) {
        const struct insn *insn = &block->insns[i];
        json_open(json, NULL);
        json_put_integer(json, "Instruction", i);
        json_put_integer(json, "Latency", insn->cost->info_latency);
        json_put_integer(json, "NumMicroOpcodes", insn->cost->uops);
        json_put_exact(json, "RThroughput", insn->cost->rthroughput);
        json_put_bool(json, "hasUnmodeledSideEffects", insn->side_effects);
        json_put_bool(json, "mayLoad", insn->may_load);
        json_put_bool(json, "mayStore", insn->may_store);
        json_close(json);
    }
    json_close_list(json);
    json_close(json);
}

void instructions_json(const struct block *block, struct json_text *json) {
    json_open_list(json, "Instructions");
    for (unsigned i = 0; i < block->n_insns; i++)
        json_put_text(json, NULL, block->insns[i].text);
    json_close_list(json);
}
