// A few lines in the style of LLVM's file of this name, with numbers of LLVM 22's model.
class GetLMULValue<list<int> Values, string LMUL> {
  defvar Index = !cond(
    !eq(LMUL, "MF8"): 0,
    !eq(LMUL, "MF4"): 1,
    !eq(LMUL, "MF2"): 2,
    !eq(LMUL, "M1"):  3,
    !eq(LMUL, "M2"):  4,
    !eq(LMUL, "M4"):  5,
    !eq(LMUL, "M8"):  6,
  );
  int c = Values[Index];
}

def SpacemitX60Model : SchedMachineModel {
  let IssueWidth        = 2;
  let MicroOpBufferSize = 0;
  let CompleteModel     = 0;
}

let SchedModel = SpacemitX60Model in {
def SMX60_VIEU : ProcResource<1>;

foreach mx = SchedMxList in {
  defvar IsWorstCase = !eq(mx, "M8");

  defvar VIALULat = GetLMULValue<[4, 4, 4, 4, 4, 8, 16], mx>.c;
  defvar VIALUOcc = GetLMULValue<[1, 1, 1, 2, 4, 8, 16], mx>.c;
  let Latency = VIALULat, ReleaseAtCycles = [VIALUOcc] in {
    defm "" : LMULWriteResMX<"WriteVIALUV", [SMX60_VIEU], mx, IsWorstCase>;
    defm "" : LMULWriteResMX<"WriteVIALUX", [SMX60_VIEU], mx, IsWorstCase>;
  }

  defvar VSlideLat = GetLMULValue<[4, 4, 4, 4, 4, 8, 16], mx>.c;
  let Latency = VSlideLat, ReleaseAtCycles = [GetLMULValue<[1, 1, 1, 2, 4, 8, 16], mx>.c] in
  defm "" : LMULWriteResMX<"WriteVSlideUpX", [SMX60_VIEU], mx, IsWorstCase>;

  let ReleaseAtCycles = [GetLMULValue<[1, 1, 1, 1, 2, 4, 8], mx>.c] in {
    let Latency = !if(!eq(mx, "M8"), 32, GetLMULValue<[7, 7, 7, 7, 8, 16], mx>.c) in
    defm "" : LMULWriteResMX<"WriteVIMulV", [SMX60_VIEU], mx, IsWorstCase>;
  }
}

defm : NoAdvances;
}
