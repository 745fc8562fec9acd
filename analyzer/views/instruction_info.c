#include "analyzer/views/columns.h"
#include "analyzer/views/views.h"

static void print_encoding(FILE *out, const struct insn *insn) {
    struct columns line = {.out = out};
    fprintf(out, " %u%s", insn->n_bytes, insn->n_bytes < 10 ? "     " : "    ");
    for (unsigned i = 0; i < insn->n_bytes; i++)
        columns_addf(&line, "%02x ", insn->bytes[i]);
    columns_pad(&line, 30);
}

static const char *mark(bool is_so, const char *yes) {
    return is_so ? yes : "       ";
}

static void print_insn(FILE *out, const struct insn *insn, bool encodings, bool barriers) {
    struct columns line = {.out = out};
    columns_add(&line, " ");
    columns_add_count(&line, insn->uops, 3);
    columns_add(&line, "    ");
    columns_add_count(&line, insn->info_latency, 3);
    columns_add(&line, "   ");
    // The blanks go by the value, not by the digits it is rounded to, as in llvm-mca.
    double cycles = insn->rthroughput;
    columns_add_hundredths(&line, cycles);
    columns_add(&line, cycles < 10 ? "   " : cycles < 100 ? "  " : " ");
    columns_add(&line, mark(insn->may_load, " *     "));
    columns_add(&line, mark(insn->may_store, " *     "));
    columns_add(&line, mark(insn->side_effects, " U     "));
    if (barriers)
        columns_add(&line, mark(insn->load_barrier, " *     "));
    if (barriers)
        columns_add(&line, mark(insn->store_barrier, " *     "));
    if (encodings)
        print_encoding(out, insn);
    columns_add(&line, insn->text);
    columns_add(&line, "\n");
}

void instruction_info_print(const struct block *block, bool encodings, bool barriers, FILE *out) {
    fputs("\n\nInstruction Info:\n"
          "[1]: #uOps\n[2]: Latency\n[3]: RThroughput\n"
          "[4]: MayLoad\n[5]: MayStore\n[6]: HasSideEffects (U)\n",
          out);
    if (barriers)
        fputs("[7]: LoadBarrier\n[8]: StoreBarrier\n", out);
    if (encodings)
        fprintf(out, "[%d]: Encoding Size\n", barriers ? 9 : 7);
    fputs("\n[1]    [2]    [3]    [4]    [5]    [6]    ", out);
    if (barriers)
        fputs("[7]    [8]    ", out);
    if (encodings)
        fprintf(out, "[%d]    Encodings:                    ", barriers ? 9 : 7);
    fputs("Instructions:\n", out);
    for (unsigned i = 0; i < block->n_insns; i++)
        print_insn(out, &block->insns[i], encodings, barriers);
}

void instruction_info_json(const struct block *block, struct json_text *json) {
    json_open(json, "InstructionInfoView");
    json_open_list(json, "InstructionList");
    for (unsigned i = 0; i < block->n_insns; i++) {
        const struct insn *insn = &block->insns[i];
        json_open(json, NULL);
        json_put_integer(json, "Instruction", i);
        json_put_integer(json, "Latency", insn->info_latency);
        json_put_integer(json, "NumMicroOpcodes", insn->uops);
        json_put_exact(json, "RThroughput", insn->rthroughput);
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
