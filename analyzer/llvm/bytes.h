// Private to this folder.
// What is kept open for reading machine code, and what was read already.
#ifndef ANALYZER_LLVM_BYTES_H
#define ANALYZER_LLVM_BYTES_H

#include "analyzer/llvm/cache.h"
#include "analyzer/llvm/module.h"

#include "llvm/MC/MCDisassembler/MCDisassembler.h"
#include "llvm/MC/MCInst.h"

#include <vector>

// An instruction of a block, decoded or found known.
struct decoded {
    llvm::MCInst inst;
    const struct insn *known; // null: described by `inst`
    size_t offset, size;      // bytes
};

struct machine_code_reader {
    llvm::MCContext context;
    std::unique_ptr<llvm::MCDisassembler> disassembler;
    std::unique_ptr<llvm::MCInstPrinter> printer;
    insn_cache known;
    size_t n_described = 0;     // since the builder last forgot
    std::vector<decoded> found; // of the block at hand; its room is used again

    explicit machine_code_reader(const backend_cpu &cpu);
};

// Decodes machine code; each instruction has its `inst`. The result lives until the next bytes are read. Null and a
// failure where they are not code, or where there are none.
const std::vector<decoded> *read_insns(backend_cpu &cpu, llvm::ArrayRef<uint8_t> bytes, struct fail *fail);

#endif
