// A toy of LLVM's RISC-V target: a few vector instructions with the pseudo instructions that stand for them, as
// llvm-tblgen reads them. See tests/repair-td-riscv.sh.
include "llvm/Target/Target.td"

defvar SchedMxList = ["MF8", "MF4", "MF2", "M1", "M2", "M4", "M8"];
defvar Families = ["VIALUV", "VIALUX", "VIMulV", "VSlideUpX"];

foreach family = Families in
foreach mx = !listconcat(SchedMxList, ["WorstCase"]) in {
  def "Write" # family # "_" # mx : SchedWrite;
}
foreach mx = !listconcat(SchedMxList, ["WorstCase"]) in
foreach read = ["VPassthru", "VIALUV", "VIALUX", "VIMulV", "VISlideV", "VISlideX"] in
def "Read" # read # "_" # mx : SchedRead;
def ReadVMask : SchedRead;

multiclass LMULWriteResMX<string name, list<ProcResourceKind> resources,
                          string mx, bit IsWorstCase> {
  def : WriteRes<!cast<SchedWrite>(name # "_" # mx), resources>;
  if IsWorstCase then
    def : WriteRes<!cast<SchedWrite>(name # "_WorstCase"), resources>;
}

class Toy<list<SchedReadWrite> Writes> : Instruction {
  let Namespace = "RISCV";
  let OutOperandList = (outs);
  let InOperandList = (ins);
  let SchedRW = Writes;
}
class ToyPseudo<string base, list<SchedReadWrite> Writes> : Toy<Writes> {
  Instruction BaseInstr = !cast<Instruction>(base);
  let isPseudo = true;
}
// With a mask, the old value of the result is read as well.
multiclass ToyVector<string family, list<string> reads, bit hasPassthru = false> {
  defvar worst = !foreach(read, reads, !cast<SchedReadWrite>("Read" # read # "_WorstCase"));
  def NAME : Toy<!listconcat([!cast<SchedReadWrite>("Write" # family # "_WorstCase")], worst, [ReadVMask])>;
  foreach mx = SchedMxList in {
    defvar write = [!cast<SchedReadWrite>("Write" # family # "_" # mx)];
    defvar passthru = [!cast<SchedReadWrite>("ReadVPassthru_" # mx)];
    defvar own = !foreach(read, reads, !cast<SchedReadWrite>("Read" # read # "_" # mx));
    def "Pseudo" # NAME # "_" # mx : ToyPseudo<NAME, !listconcat(write, !if(hasPassthru, passthru, []<SchedReadWrite>), own)>;
    def "Pseudo" # NAME # "_" # mx # "_MASK" : ToyPseudo<NAME, !listconcat(write, passthru, own, [ReadVMask])>;
  }
}
defm VADD_VV : ToyVector<"VIALUV", ["VIALUV", "VIALUV"], true>;
defm VSUB_VV : ToyVector<"VIALUV", ["VIALUV", "VIALUV"], true>;
defm VXOR_VV : ToyVector<"VIALUV", ["VIALUV", "VIALUV"], true>;
defm VADD_VX : ToyVector<"VIALUX", ["VIALUV", "VIALUX"], true>;
defm VMUL_VV : ToyVector<"VIMulV", ["VIMulV", "VIMulV"]>;
defm VSLIDEUP_VX : ToyVector<"VSlideUpX", ["VISlideV", "VISlideV", "VISlideX"]>;

multiclass NoAdvances {
  def : ReadAdvance<ReadVMask, 0>;
  foreach mx = !listconcat(SchedMxList, ["WorstCase"]) in
  foreach read = ["VPassthru", "VIALUV", "VIALUX", "VIMulV", "VISlideV", "VISlideX"] in
  def : ReadAdvance<!cast<SchedRead>("Read" # read # "_" # mx), 0>;
}

include "RISCVSchedSpacemitX60.td"
include "RISCVSchedSiFive7.td"
def : ProcessorModel<"spacemit-x60", SpacemitX60Model, []>;
def : ProcessorModel<"sifive-x280", SiFive7VLEN512Model, []>;
def : ProcessorModel<"sifive-x390", SiFive7VLEN1024X300Model, []>;

// What llvm-tblgen wants besides, to make a target's tables.
def X1 : Register<"x1"> { let Namespace = "RISCV"; }
def GPR : RegisterClass<"RISCV", [i32], 32, (add X1)>;
def RISCVInstrInfo : InstrInfo;
def RISCV : Target { let InstructionSet = RISCVInstrInfo; }
defm : RemapAllTargetPseudoPointerOperands<GPR>;
