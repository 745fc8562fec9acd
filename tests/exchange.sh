#!/usr/bin/env bash
# Every block of docs/howto/query.md runs as it stands, and finds what is in the tables; scripts/exchange names uops.info's
# instructions as people did, reads what it and llvm-exegesis write, and refuses what is no such file.  exchange.sh BUILD
. "$(dirname "$0")/lib.sh"
root=$(cd "$here/.." && pwd)
command -v sqlite3 >/dev/null || skip "no sqlite3"
python3 -c 'import yaml' 2>/dev/null || skip "Python's yaml is missing"
export CYCLOPS=$cyclops
exchange=$root/scripts/exchange
[ -e "$build/lib/cyclops/cyclops-llvm-22.so" ] || skip "the published forms have LLVM 22's names"
export CYCLOPS_LLVM=22

# The published tables, of some forms: all of them take a minute on a busy machine.
cd "$T" && ln -s "$root/scripts" . || exit 1
for table in zen4-2026-11-28 zen5-2026-11-27; do
    mkdir -p "results/$table"
    xz -dc "$root/results/$table/table.csv.xz" | awk 'NR == 1 || /^(I?MUL|CMOV|COMIS|VADD|VMUL|VPCONFL)/' | xz -0 >"results/$table/table.csv.xz"
done
awk '/^```sh$/ {n++; on = 1; next} /^```$/ {on = 0} on {print > ("block" n)}' "$root/docs/howto/query.md"
block() { one_line bash -e "block$1"; }
block 1 && block 2
expect 0 'forms +zen4 +zen5 +such_as .* 1\.0 +0\.5 ' block 3 # 512-bit units are twice as wide
expect 0 'form +destination +least +most .*[A-Z0-9]+ ' block 4
expect 0 'agrees +[0-9]{3}.*states (less|more) +[0-9]' block 5
expect 0 '64 bits: .*values of 3 cycles' block 6
expect 0 '[0-9]{3} instructions .*left out: [0-9]+: dispatch slots.* [0-9]{3} forms of ZEN4 .*classes on 8 pipes .*classes on 10 pipes' block 7
# What was written is well formed, and states what the table and the files state.
expect 0 '^IMUL64rr,uops.info,3,1,' cat values.csv
expect 0 '^IMUL64rm,uops.info,3\.\.7,1,' cat values.csv
expect 0 'cycles_addr="' xmllint --xpath '//instruction[@llvm="IMUL64rm"]//latency[@start_op="2" and @target_op="1"]' zen4.xml
expect 0 'numROBEntries = 320$' cat zen4.py
expect 0 'opClass="IntMult", opLat=3, pipelined=True' cat zen4.py
expect 0 'Vmul: \[ExecutionUnit.V2UnitV0, ExecutionUnit.V2UnitV2\],' cat neoverse_v2.py
python3 -m py_compile zen4.py neoverse_v2.py || failures=$((failures + 1))

# Names: the published entries as a file of uops.info's, which does not know LLVM's forms.
cat >make.py <<'PYTHON'
import csv, sys
from xml.sax.saxutils import quoteattr
print("<root>")
for row in csv.DictReader(open(sys.argv[1])):
    if row["source"] == "uops.info" and row["rthroughput"]:
        print(f'<instruction string={quoteattr(row["entry"])}><architecture name="ZEN4"><measurement TP_loop="900" '
              f'TP_unrolled="{row["rthroughput"]}"><latency start_op="1" target_op="1" cycles="2"/><latency start_op="2" '
              'target_op="1" max_cycles_addr="7" max_cycles_addr_is_upper_bound="1"/></measurement></architecture></instruction>')
print("</root>")
PYTHON
cat >compare.py <<'PYTHON'
import csv, sys
people = {row["entry"]: row for row in csv.DictReader(open(sys.argv[1])) if row["source"] == "uops.info"}
rows = list(csv.DictReader(open(sys.argv[2])))
same = [row for row in rows if row["form"] == people[row["entry"]]["form"]]
for row in rows:
    assert float(row["rthroughput"]) == float(people[row["entry"]]["rthroughput"]) and row["latency"] == "2..<=7", row
    if row not in same:
        print("another form:", row)
print(len(same), "the same,", len(rows) - len(same), "others")
PYTHON
python3 make.py "$root/results/published/znver4-instructions.csv" >theirs.xml
"$exchange" from-uops-xml theirs.xml --architecture ZEN4 >theirs.csv 2>counts
expect 0 '^(2[5-9]|3.)[0-9] the same, 0 others$' python3 compare.py "$root/results/published/znver4-instructions.csv" theirs.csv
expect 0 'left out: [0-9]+: instructions that are no form' cat counts

# What Cyclops writes for llvm-exegesis comes back; an error of one value, and sums of several instructions, stay out.
"$cyclops" survey IMUL64rr VADDPSYrr --isa x86_64 --target sim:znver4,noise=none --output survey >/dev/null 2>&1
"$cyclops" table survey --exegesis-yaml e --mcpu znver4 2>/dev/null
expect 0 ' IMUL64rr,llvm-exegesis,3,1,.*VADDPSYrr,llvm-exegesis,3,0.5,' one_line "$exchange" from-exegesis e-latency.yaml e-inverse_throughput.yaml
sed "s/^error: .*/error: 'it did not run'/; s/^info: .*/info: ''/" e-latency.yaml >bad.yaml
expect 0 '0 forms .*left out: 2: values with an error' one_line "$exchange" from-exegesis bad.yaml
sed "s/^info: .*/info: ''/; s/'IMUL64rr RAX RAX RCX'/&\n    - 'ADD64rr RAX RAX RCX'/" e-latency.yaml >sum.yaml
expect 0 'left out: [12]: values of several instructions' one_line "$exchange" from-exegesis sum.yaml

# What is no such file.
expect 2 "has no architecture 'SKL'; it has ZEN4" "$exchange" from-uops-xml theirs.xml --architecture SKL
expect 2 'cut.xml: no element found: line' bash -c "head -c -8 theirs.xml >cut.xml; '$exchange' from-uops-xml cut.xml --architecture ZEN4"
expect 2 'values.csv is no table .*no column' "$exchange" to-uops-xml values.csv
expect 2 "document 1 is not one of llvm-exegesis'" "$exchange" from-exegesis "$root/cpus/zen3.cpu.yaml"
expect 2 'is no CPU file' "$exchange" to-gem5 e-latency.yaml
expect 2 "cpu:zen4 is a CPU of x86-64" "$exchange" to-slothy cpu:zen4
expect 2 "cannot open '.*none.cpu.yaml'" "$exchange" to-gem5 cpu:none
finish
