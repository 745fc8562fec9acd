#!/usr/bin/env bash
# The constraints of cyclops infer ports, asked of z3: the map that was found fits, and a port that is taken away from a
# form does not. Skipped where z3 is not installed.  infer-smt.sh BUILD
. "$(dirname "$0")/lib.sh"
command -v z3 >/dev/null || { echo "skipped: z3 is not installed"; exit 77; }
cat >"$T/ring.csv" <<'END'
cycles,forms
0.5,a
0.5,b
0.5,c
0.125,nop
0.625,a;4*nop
0.625,b;4*nop
0.625,c;4*nop
1.3333,2*a;2*b
1.3333,2*a;2*c
1.3333,2*b;2*c
2.0,2*a;2*b;2*c
END
expect 0 '3 certain' "$cyclops" infer ports "$T/ring.csv" --smt "$T/ring.smt2"
expect 0 '^sat$' z3 "$T/ring.smt2"
[ "$(z3 "$T/ring.smt2")" = $'sat\nsat' ] || { echo "FAILED: the map that was found does not fit, by z3"; failures=1; }
# The first port that the choice gives a form, taken away.
sed '/^(push/,$ { 0,/^(assert m_/ s/^(assert \(m_[0-9_]*\))/(assert (not \1))/ }' "$T/ring.smt2" >"$T/wrong.smt2"
[ "$(z3 "$T/wrong.smt2")" = $'unsat\nsat' ] || { echo "FAILED: a form with a port less fits, by z3"; failures=1; }
finish
