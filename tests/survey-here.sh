#!/usr/bin/env bash
# cyclops survey on this machine's CPU, of forms that need something around them: all of them run to their end.
#   survey-here.sh BUILD
. "$(dirname "$0")/lib.sh"
[ "$(uname -m)" = x86_64 ] || skip "the forms are x86-64's"
S=$T/here

# survey OPTION...: a part that may last as long as the clock is not steady.
survey() {
    timeout --signal INT 60 "$cyclops" survey "${odd_forms[@]}" --budget 0 --output "$S" "$@" >"$T/messages" 2>&1
    local status=$?
    [ $status != 77 ] || skip "this machine cannot be measured now: $(tail -n 1 "$T/messages")"
    [ $status = 0 ] || [ $status = 124 ] ||
        { echo "FAILED: the survey of this CPU: exit $status"; cat "$T/messages"; failures=$((failures + 1)); }
}

# stuck: prints what others on this machine cannot be to blame for: "form: reason" of what the probe has left out,
# though the CPU has it, and "kernel: outcome" of what did not run to its end; or "none".
stuck() {
    python3 - "$S" <<'STUCK'
import json, os, sys
def lines(name):
    path = sys.argv[1] + "/" + name
    return map(json.loads, open(path)) if os.path.exists(path) else []
found = [f"{form['form']}: {form['left_out']}" for form in lines("forms.jsonl")
         if form.get("left_out", "illegal instruction") != "illegal instruction"]
last = {} # outcome of each experiment; a later one may have been better
for line in lines("measurements.jsonl"):
    if line["record"] == "measurement":
        last[tuple(line.get(key) for key in ("kernel", "arc", "mode", "form", "placement", "n"))] = line.get("outcome", "ok")
found += [f"{key[0]}: {outcome}" for key, outcome in last.items() if outcome not in ("ok", "no time on its CPU")]
print("\n".join(found) or "none")
STUCK
}

# unknown: prints "form: reason" of what has no value yet; or "none".
unknown() { left_out "$S" | sed '/: illegal instruction$/d' | grep . || echo none; }

# Where others take all rounds of a form, it has no value yet. Another try may find a quieter moment.
survey
expect 0 '^none$' stuck
for try in 1 2; do
    [ "$(unknown)" != none ] || finish
    survey --resume
    expect 0 '^none$' stuck
done
[ "$(unknown)" = none ] || skip "others disturbed all values of $(unknown | tr '\n' ';')"
finish
