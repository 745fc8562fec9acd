# Helpers of the shell tests. Sourced with the build folder as $1.
build=$(cd "$1" && pwd)
here=$(cd "$(dirname "$0")" && pwd)
cyclops=$build/bin/cyclops
unset COLUMNS
export LC_ALL=C.UTF-8 NO_COLOR=1 XDG_CACHE_HOME=$build/cache XDG_CONFIG_HOME=$build/config
T=$(mktemp -d)
trap 'rm -rf "$T"' EXIT
failures=0

# was_disturbed ERRORS: whether a command says there that this host left it not one clean round.
was_disturbed() { tr '\n' ' ' <"$1" | grep -qE 'others disturbed all rounds|nothing can be timed on this CPU now'; }

# expect STATUS PATTERN COMMAND…: runs it; its exit status and (grep -E) its output must fit. On a host that disturbs all
# rounds, 77 is as good as 0; where the output does not fit either then, the test goes on, and ends as skipped.
undone=
expect() {
    local status=$1 wanted=$1 pattern=$2 got
    shift 2
    "$@" >"$T/out" 2>&1 </dev/null
    got=$?
    [ "$status $got" != "0 77" ] || ! was_disturbed "$T/out" || wanted=77
    if [ $got = "$wanted" ] && grep -qE -- "$pattern" "$T/out"; then return; fi
    if [ "$wanted" != "$status" ]; then
        undone="$undone$*; "
        return
    fi
    echo "FAILED: $* — exit $got (wanted $status), output (wanted /$pattern/):"
    sed 's/^/    /' "$T/out"
    failures=$((failures + 1))
}

# emulate FILE COMMAND…: runs a bundle's runner under an emulator; FILE gets its records, FILE.err its errors. On a busy
# machine an emulator may be too slow once, for the code or for the clock's own chains.
emulate() {
    local file=$1 status
    shift
    for _ in 1 2 3; do
        timeout 250 "$@" --attempt 2 --budget 0 --json >"$file" 2>"$file.err"
        status=$?
        grep -q '"record":"measurement"' "$file" || continue
        grep -qE '"outcome":"(time-out|no time on its CPU)"' "$file" || break
    done
    grep -q '"record":"measurement"' "$file" || sed 's/^/    /' "$file.err"
    return $status
}

# overlay NAME CPU: prints an overlay of LLVM's model of an x86-64 CPU; standard input has the lines of `instructions`.
overlay() {
    printf 'overlay: 1\nname: %s\nbase: llvm\ntriple: x86_64-unknown-linux-gnu\ncpu: %s\ninstructions:\n' "$1" "$2"
    cat
}

# Forms of x86-64 that need something around them, and other register files. Stacks, addresses and masks are put back,
# so that all of these run to their end on any CPU that has them.
odd_forms=(LEA64r PUSH64r POP64r LEAVE64 POPF64 MOVSB LODSQ MMX_PADDBrr ADD_FST0r ADD_FrST0 LD_F32m VGATHERDPSYrm LDMXCSR
    ADD8rr-high0 ADD8rr-high2 MOVZX32rr8-high1 LAHF MOV8rm-high0 ADC64rr)

# left_out FOLDER: prints "form: reason" of each form without a value in the survey's table; or "none".
left_out() {
    "$cyclops" table "$1" --json --mcpu none | python3 -c '
import json, sys
rows = list(map(json.loads, sys.stdin))
assert len(rows) > 1, "no table"
print("\n".join("%(form)s: %(left_out)s" % row for row in rows if row.get("left_out")) or "none")'
}

# one_line COMMAND…: its output on one line, however it is broken, and its exit status.
one_line() { set -o pipefail; "$@" 2>&1 | tr '\n' ' ' | tr -s ' '; }

# within SECONDS COMMAND…: asks until it is true; false where it never was.
within() {
    local tries=$(($1 * 20))
    shift
    for ((; tries > 0; tries--)); do
        ! "$@" || return 0
        sleep 0.05
    done
    return 1
}
has_ended() { ! kill -0 "$1" 2>/dev/null; } # a child of ours, which bash has waited for by then

# skip WHY: ends as skipped, unless something has failed. scripts/test prints the reasons at its end.
skip() {
    [ $failures = 0 ] || finish
    echo "skipped: $*"
    exit 77
}

finish() {
    [ $failures = 0 ] || { echo "$failures failed"; exit 1; }
    [ -z "$undone" ] || { echo "skipped: others disturbed all rounds of: $undone"; exit 77; }
    exit 0
}
