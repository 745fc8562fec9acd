// Private to this folder.
// AMD's GPUs count the memory operations that are under way, and code waits for them: s_waitcnt vmcnt(0). LLVM's
// simulator asks the target's CustomBehaviour at each issue how long such an instruction stalls. Here it is asked once
// for each instruction, with others beside it whose answer tells the numbers that it goes by: which counters an
// instruction counts in, and how many of each another lets be. Private to describe.cpp and open.cpp.
#ifndef ANALYZER_LLVM_WAITS_H
#define ANALYZER_LLVM_WAITS_H

#include "analyzer/llvm/module.h"

#include "llvm/MC/MCInst.h"
#include "llvm/MCA/SourceMgr.h"

#include <deque>

using unique_insn = std::unique_ptr<llvm::mca::Instruction>;

class counter_waits {
  public:
    // Null where the target has no behaviour of its own.
    static std::unique_ptr<counter_waits> make(backend_cpu &cpu);
    // Sets what of `insn` is about counters. Takes the instruction, and sets it going.
    void describe(struct arena *arena, unique_insn from, struct sched_insn *cost) const;

  private:
    // An instruction that is being executed, as llvm-mca's stage shows it to the target.
    struct executing {
        unique_insn insn;
        llvm::mca::CircularSourceMgr source;
        std::unique_ptr<llvm::mca::CustomBehaviour> behaviour;

        executing(const backend_cpu &open, unique_insn from);
        bool stalls(llvm::mca::Instruction &next, unsigned copies = 1) const;
    };
    struct counter {
        unique_insn wait;                 // until nothing is left of this counter alone; null: there is no such counter
        std::unique_ptr<executing> count; // counts in this one alone; null: nothing does
    };

    backend_cpu &cpu;
    llvm::mca::InstrBuilder builder; // holds what describes these instructions
    std::deque<llvm::MCInst> insts;  // which it may know by their addresses
    counter counters[SCHED_COUNTERS];

    explicit counter_waits(backend_cpu &open);
    unique_insn assemble(llvm::ArrayRef<const char *> texts);
    void use_plain_null(llvm::MCInst &inst) const;
    unsigned counted(const executing &insn) const;
};

#endif
