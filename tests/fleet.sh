#!/usr/bin/env bash
# The scripts that cyclops fleet prints, run with stand-ins: a node is a folder in front of $PATH, and all of them are
# this machine.  fleet.sh BUILD
. "$(dirname "$0")/lib.sh"
[ "$(uname -m)" = x86_64 ] && [ -e "$build/lib/cyclops/runner-x86_64" ] || skip "no runner for x86-64"
cd "$T" || exit 1
mkdir bin nodes nodes/{n1,n2,n3}
export PATH=$T/bin:$PATH TMPDIR=$T T # of a node that dies, a folder stays

# on-node NAME COMMAND…: runs it there.
cat >bin/on-node <<'SH'
#!/bin/sh
folder=$T/nodes/$1
[ -d "$folder" ] || { echo "no route to $1" >&2; exit 255; }
shift
export PATH="$folder:$PATH"
exec "$@"
SH
# A node with this as tar dies with the bundle that it unpacks, once, in the middle of a line.
cat >bin/dying-tar <<'SH'
#!/bin/sh
PATH=${PATH#*:} tar "$@"
mv bundle whole
printf '#!/bin/sh\n./whole "$@" 2>/dev/null | head -n 3 | head -c -99\nkill -KILL $PPID\n' >bundle
chmod +x bundle
rm "$0"
SH
cat >bin/ssh <<'SH'
#!/bin/sh
while case $1 in -[oFlp]) shift ;; -*) ;; *) false ;; esac do shift; done
node=$1
shift
[ "$1" != -- ] || shift
export SHELL=/bin/sh # as the real one does, and parallel needs it
exec on-node "$node" sh -c "$*"
SH
# As the real one does, it exits with 0 where a node dies.
cat >bin/srun <<'SH'
#!/bin/sh
while case $1 in -[wNn]) [ "$1" != -w ] || node=$2; shift ;; -*) ;; *) false ;; esac do shift; done
on-node "$node" "$@" || [ $? = 137 ]
SH
printf '#!/bin/sh\nls "$T/nodes"\n' >bin/sinfo
printf '#!/bin/sh\necho "$3" | tr , "\\n"\n' >bin/scontrol
printf '#!/bin/sh\necho other\n' >nodes/n3/uname # another kind of machine
chmod +x bin/* nodes/n3/uname

# fleet STATUS TOOL WORD…: prints the script for it into TOOL.sh, and runs it. `report` gets what it prints.
fleet() {
    "$cyclops" fleet "${@:2}" >"$2.sh" && bash -n "$2.sh" || failures=$((failures + 1))
    ! command -v shellcheck >/dev/null || shellcheck "$2.sh" || failures=$((failures + 1))
    expect "$1" '' bash "$2.sh" --attempt 2 --budget 0
    cp out report
}
reports() { expect 0 "$1" cat report; }
# measured WHAT FILE: how many programs have a value there, and how many lines are no JSON.
measured() {
    expect 0 "^$1\$" jq -Rrn '[inputs | fromjson? // {broken: 1}] |
        (map(select(.verdict)) | unique_by([.kernel, .mode]) | length | tostring) + " measured, " +
        (map(select(.broken)) | length | tostring) + " broken"' "$2"
}

"$cyclops" bundle add-r64 imul-r64 --output probe
"$cyclops" survey ADD64rr --output board --bundle board/probe >/dev/null

# Two bundles: n1 and n2 have one each, n3 has both. n1 dies, and n2 goes on with what it had measured.
cp bin/dying-tar nodes/n1/tar
fleet 1 slurm probe board/probe
reports '^n1: probe: '
measured '1 measured, 1 broken' measured/x86_64*/probe.jsonl
measured '4 measured, 0 broken' measured/other*/probe.jsonl
expect 0 '^ADD64rr,' "$cyclops" table measured/other*/board --csv --mcpu none
rm -r nodes/n1
fleet 0 slurm probe board/probe
reports '^n2: measured/x86_64.*/probe.jsonl: '
measured '4 measured, 0 broken' measured/x86_64*/probe.jsonl
expect 0 '^ADD64rr,' "$cyclops" table measured/x86_64*/board --csv --mcpu none
expect 0 ' imul-r64 +latency' "$cyclops" run --from "$(echo measured/other*/probe.jsonl)" --mcpu none

# A node that does not answer; a file of another version; a full disk; another machine's bundle: a line each.
sed -i '$d; s/"cyclops":"/&0./' measured/x86_64*/probe.jsonl
printf '#!/bin/sh\ncat >/dev/null\necho "tar: bundle: No space left on device" >&2\nexit 2\n' >nodes/n3/tar
chmod +x nodes/n3/tar
cp probe foreign && printf '\267' | dd of=foreign bs=1 seek=18 conv=notrunc 2>/dev/null
fleet 1 slurm probe foreign --nodes n1,n2,n3
reports '^n1: no answer'
reports '^n2: .*/probe.jsonl: note: values of several versions'
reports '^n2: foreign: .*rror'
reports '^n3: probe: tar: bundle: No space left'
rm nodes/n3/tar

# Over ssh.
for tool in clush parallel; do
    command -v $tool >/dev/null || { undone="$undone$tool, which is not installed; "; continue; }
    cp bin/dying-tar nodes/n3/tar
    fleet 1 $tool probe --nodes n1,n2,n3 --output $tool
    reports '^n1: no answer'
    reports '^n3: probe: '
    measured '4 measured, 0 broken' $tool/x86_64*/probe.jsonl
    fleet 0 $tool probe --nodes n3 --output $tool
    measured '4 measured, 0 broken' $tool/other*/probe.jsonl
done

# A workflow: its rows, and the step that measures.
"$cyclops" fleet github probe board/probe --nodes ubuntu-24.04,zen5 >fleet.yml
rm -r measured
if python3 -c 'import yaml' 2>/dev/null; then
    python3 - >step.sh <<'PYTHON'
import yaml
job = yaml.safe_load(open("fleet.yml"))["jobs"]["measure"]
rows = job["strategy"]["matrix"]["include"]
assert [row["runner"] for row in rows] == ["ubuntu-24.04"] * 2 + ["zen5"] * 2, rows
step, = [step for step in job["steps"] if step.get("name") == "Measure"]
print("BUNDLE=%(bundle)s FILE=%(file)s OPTIONS='--attempt 2 --budget 0'" % rows[3])
print(step["run"])
PYTHON
    expect 0 'ADD64rr' bash -e step.sh
    expect 0 '^ADD64rr,' "$cyclops" table measured/x86_64*/board --csv --mcpu none
fi

expect 2 "there is no 'pdsh'" "$cyclops" fleet pdsh probe
expect 2 'name slurm, clush' "$cyclops" fleet slurm
expect 2 'which machines' "$cyclops" fleet clush probe
expect 2 "'board' is no bundle" "$cyclops" fleet slurm board
expect 2 'would both write probe.jsonl' "$cyclops" fleet slurm probe ./probe
expect 2 'a path in its repository' "$cyclops" fleet github "$T/probe" --nodes zen5
expect 2 "'zen 5' is no label" "$cyclops" fleet github probe --nodes 'zen 5'
finish
