// A few lines in the style of LLVM's file of this name, with numbers of LLVM 22's model.
def Znver4Model : SchedMachineModel {
  let IssueWidth = 6;
  let MicroOpBufferSize = 320;
  let LoadLatency = 4;
  let CompleteModel = 0;
}

let SchedModel = Znver4Model in {

def Zn4ALU1 : ProcResource<1>;
def Zn4ALU0123 : ProcResource<4>;
def Zn4AGU012 : ProcResource<3>;
def Zn4Load : ProcResource<3>;
def Zn4FPFAdd01 : ProcResource<2>;
def Zn4FPFMisc0123 : ProcResource<4>;
defvar Zn4Multiplier = Zn4ALU1;

multiclass Zn4WriteResInt<SchedWrite SchedRW, list<ProcResourceKind> ExePorts,
                          int Lat = 1, list<int> Res = [], int UOps = 1> {
  def : WriteRes<SchedRW, ExePorts> {
    let Latency = Lat;
    let ReleaseAtCycles = Res;
    let NumMicroOps = UOps;
  }
}

multiclass Zn4WriteResIntPair<X86FoldableSchedWrite SchedRW,
                              list<ProcResourceKind> ExePorts, int Lat = 1,
                              list<int> Res = [], int UOps = 1,
                              int LoadUOps = 0> {
  defm : Zn4WriteResInt<SchedRW, ExePorts, Lat, Res, UOps>;
  defm : Zn4WriteResInt<SchedRW.Folded, !listconcat([Zn4AGU012, Zn4Load], ExePorts),
                        !add(Lat, Znver4Model.LoadLatency),
                        !listconcat([1, 1], Res), !add(UOps, LoadUOps)>;
}

def : ReadAdvance<ReadAfterLd, Znver4Model.LoadLatency>;

defm : Zn4WriteResIntPair<WriteALU, [Zn4ALU0123], 1, [1], 1>; // Simple.
defm : Zn4WriteResIntPair<WriteIMul64Reg, [Zn4Multiplier], 3, [1]>; // 64 bits.
defm : Zn4WriteResIntPair<WriteFAddY, [Zn4FPFAdd01], 3, [1], 1>;
defm : Zn4WriteResIntPair<WriteFLogicY, [Zn4FPFMisc0123], 1, [1], 1>;

// Listed by name.
def Zn4WriteListed : SchedWriteRes<[Zn4ALU0123]> {
  let ReleaseAtCycles = [1];
}
def : InstRW<[Zn4WriteListed], (instrs ADD64rr, SUB64rr,
                                       XOR64rr)>;

// Listed by pattern.
def Zn4WriteFitted : SchedWriteRes<[Zn4FPFAdd01]> {
  let Latency = 3;
  let ReleaseAtCycles = [1];
}
def : InstRW<[Zn4WriteFitted], (instregex "^V(ADD|SUB)P(S|D)Yrr")>;

// Operands choose.
def Zn4WriteNothing : SchedWriteRes<[]>;
def Zn4WriteLogicOrNothing : SchedWriteVariant<[
    SchedVar<MCSchedPredicate<CheckSameRegOperand<1, 2>>, [Zn4WriteNothing]>,
    SchedVar<NoSchedPred, [WriteFLogicY]>]>;
def : InstRW<[Zn4WriteLogicOrNothing], (instrs VXORPSYrr, VXORPDYrr)>;

def : WriteRes<WriteJump, [Zn4ALU0123]>;
} // SchedModel
