// A few lines in the style of LLVM's file of this name, with numbers of LLVM 22's models: one multiclass makes both.
class SiFive7GetCyclesDefault<string mx> {
  int c = !cond(
    !eq(mx, "M1") : 2,
    !eq(mx, "M2") : 4,
    !eq(mx, "M4") : 8,
    !eq(mx, "M8") : 16,
    !eq(mx, "MF2") : 1,
    !eq(mx, "MF4") : 1,
    !eq(mx, "MF8") : 1
  );
}

multiclass SiFive7WriteResBase<int VLEN, ProcResourceKind VA1, ProcResourceKind VCQ> {
  foreach mx = SchedMxList in {
    defvar Cycles = SiFive7GetCyclesDefault<mx>.c;
    defvar IsWorstCase = !eq(mx, "M8");
    let Latency = 4, AcquireAtCycles = [0, 1], ReleaseAtCycles = [1, !add(1, Cycles)] in {
      defm : LMULWriteResMX<"WriteVIALUV",    [VCQ, VA1], mx, IsWorstCase>;
      defm : LMULWriteResMX<"WriteVIALUX",    [VCQ, VA1], mx, IsWorstCase>;
      defm : LMULWriteResMX<"WriteVSlideUpX", [VCQ, VA1], mx, IsWorstCase>;
    }
    let Latency = 8, AcquireAtCycles = [0, 1], ReleaseAtCycles = [1, !add(1, Cycles)] in
    defm : LMULWriteResMX<"WriteVIMulV", [VCQ, VA1], mx, IsWorstCase>;
  }
}

multiclass SiFive7SchedResources<int vlen> {
  let BufferSize = 0 in {
    def SiFive7VA : ProcResource<1>;
    def SiFive7VCQ : ProcResource<1>;
  }
  defm SiFive7
      : SiFive7WriteResBase<vlen, !cast<ProcResource>(NAME # SiFive7VA),
                            !cast<ProcResource>(NAME # SiFive7VCQ)>;
  defm SiFive7 : NoAdvances;
}

class SiFive7SchedMachineModel<int vlen> : SchedMachineModel {
  let MicroOpBufferSize = 0;
  let IssueWidth = 2;
  let CompleteModel = 0;
  int VLEN = vlen;
}
def SiFive7VLEN512Model : SiFive7SchedMachineModel<512>;
def SiFive7VLEN1024X300Model : SiFive7SchedMachineModel<1024>;

foreach model = [SiFive7VLEN512Model, SiFive7VLEN1024X300Model] in {
  let SchedModel = model in
  defm "VLEN" # model.VLEN : SiFive7SchedResources<model.VLEN>;
}
