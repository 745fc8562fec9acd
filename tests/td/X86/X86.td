// A toy of LLVM's X86 target: a few instructions by their names, as llvm-tblgen reads them. See tests/repair-td.sh.
include "llvm/Target/Target.td"

class X86FoldableSchedWrite : SchedWrite {
  SchedWrite Folded;
}
multiclass X86SchedWritePair {
  def Ld : SchedWrite;
  def NAME : X86FoldableSchedWrite {
    let Folded = !cast<SchedWrite>(NAME#"Ld");
  }
}
defm WriteALU : X86SchedWritePair;
defm WriteIMul64Reg : X86SchedWritePair;
defm WriteFAddY : X86SchedWritePair;
defm WriteFLogicY : X86SchedWritePair;
def WriteJump : SchedWrite;
def ReadAfterLd : SchedRead;

class Toy<list<SchedReadWrite> Writes> : Instruction {
  let Namespace = "X86";
  let OutOperandList = (outs);
  let InOperandList = (ins);
  let SchedRW = Writes;
}
def ADD64rr : Toy<[WriteALU]>;
def SUB64rr : Toy<[WriteALU]>;
def XOR64rr : Toy<[WriteALU]>;
def ADD64rm : Toy<[WriteALULd, ReadAfterLd]>;
def IMUL64rr : Toy<[WriteIMul64Reg]>;
def IMUL64rm : Toy<[WriteIMul64RegLd, ReadAfterLd]>;
def VADDPSYrr : Toy<[WriteFAddY]>;
def VADDPDYrr : Toy<[WriteFAddY]>;
def VSUBPSYrr : Toy<[WriteFAddY]>;
def VXORPSYrr : Toy<[WriteFLogicY]>;
def VXORPDYrr : Toy<[WriteFLogicY]>;
def JCC_1 : Toy<[WriteJump]>;

include "X86ScheduleZnver4.td"
def : ProcessorModel<"znver4", Znver4Model, []>;

// What llvm-tblgen wants besides, to make a target's tables.
def AX : Register<"ax"> { let Namespace = "X86"; }
def GR : RegisterClass<"X86", [i32], 32, (add AX)>;
def X86InstrInfo : InstrInfo;
def X86 : Target { let InstructionSet = X86InstrInfo; }
defm : RemapAllTargetPseudoPointerOperands<GR>;
