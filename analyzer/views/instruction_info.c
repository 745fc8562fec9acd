#include "analyzer/views/views.h"

static void print_insn(FILE *out, const struct insn *insn) {
    fprintf(out, " %-3u    %-3u   ", insn->uops, insn->info_latency);
    // The blanks go by the value, not by the digits it is rounded to, as in llvm-mca.
    double cycles = insn->rthroughput;
    fprintf(out, "%.2f %s", cycles, cycles < 10 ? "  " : cycles < 100 ? " " : "");
    fputs(insn->may_load ? " *     " : "       ", out);
    fputs(insn->may_store ? " *     " : "       ", out);
    fputs(insn->side_effects ? " U     " : "       ", out);
    fprintf(out, "%s\n", insn->text);
}

void instruction_info_print(const struct block *block, FILE *out) {
    fputs("\n\nInstruction Info:\n"
          "[1]: #uOps\n[2]: Latency\n[3]: RThroughput\n"
          "[4]: MayLoad\n[5]: MayStore\n[6]: HasSideEffects (U)\n"
          "\n[1]    [2]    [3]    [4]    [5]    [6]    Instructions:\n",
          out);
    for (unsigned i = 0; i < block->n_insns; i++)
        print_insn(out, &block->insns[i]);
}
