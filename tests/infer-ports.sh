#!/usr/bin/env bash
# cyclops infer ports: three sets in a ring, what pairs leave open and the experiment that decides it; why; judging;
# files and mistakes.  infer-ports.sh BUILD
. "$(dirname "$0")/lib.sh"
cat >"$T/pairs.csv" <<'END'
cycles,forms,id
0.5,a,a1
0.5,b,b1
0.5,c,c1
0.125,nop,n1
0.625,a;4*nop,an
0.625,b;4*nop,bn
0.625,c;4*nop,cn
1.3333,2*a;2*b,ab
1.3333,2*a;2*c,ac
1.3333,2*b;2*c,bc
1.0,two,t1
1.625,two;11*nop,tn
2.0,two;2*a,ta
2.0,2*two;2*b,tb
2.6667,2*two;2*c;2*b,tcb
END
ports=("$cyclops" infer ports)
expect 0 'p[0-9]+; 2 maps of one-uop forms' "${ports[@]}" "$T/pairs.csv"
expect 0 'forms: 4 ambiguous, 1 dispatch' "${ports[@]}" "$T/pairs.csv"
expect 0 '^  2\*c;2\*b;2\*a$' "${ports[@]}" "$T/pairs.csv" --next
# All three on three ports: 6 uops in 2 cycles; with a port in common they had four.
{ cat "$T/pairs.csv" && echo '2.0,2*a;2*b;2*c,abc'; } >"$T/more.csv"
expect 0 '^"two",ambiguous,1,2\*p01,2,4,.*"p0 \+ p01 or p1 \+ p01 or p0 \+ p1"$' \
    "${ports[@]}" "$T/more.csv" --output /dev/stdout
printf '1.3333,two;2*b,tbb\n1.3333,two;2*c,tcc\n' >>"$T/more.csv"
expect 0 'p012; 1 map of one-uop forms' "${ports[@]}" "$T/more.csv" --output "$T/out.csv"
expect 0 '^"a",certain,0\.5,p01,1,1,[0-9]+,""$' cat "$T/out.csv"
expect 0 '^"nop",dispatch,0\.125,none,1,' cat "$T/out.csv"
expect 0 'excluded +[0-9]+ +2\*a;2\*b .*ab$' "${ports[@]}" "$T/more.csv" --why a
expect 0 '^"two",certain,1,2\*p01,2,1,' cat "$T/out.csv"
printf 'cycles,forms\n4.0,4*a;4*b;4*c\n1.3333,2*a;2*b\n9,a;b;x\n' >"$T/judged.csv"
expect 0 'judged: 1 multisets; 0 are evidence, 1 have' "${ports[@]}" "$T/more.csv" --judge "$T/judged.csv"
expect 0 'error: mean 0\.0 %' "${ports[@]}" "$T/more.csv" --judge "$T/judged.csv"
# A form that nothing explains predicts nothing of others.
{ cat "$T/more.csv" && printf '0.37,odd\n0.62,odd;2*a\n0.37,odd;b\n'; } >"$T/odd.csv"
printf '9,odd;2*a;b\n' >>"$T/judged.csv"
expect 0 'judged: 1 multisets; 0 are evidence, 1 have.* 1 one that nothing explains' \
    bash -c "'$cyclops' infer ports '$T/odd.csv' --judge '$T/judged.csv' | tr '\n' ' '"
expect 0 'judged: 2 multisets' "${ports[@]}" "$T/more.csv" --most-forms 2 --judge "$T/more.csv"

expect 2 'name what was measured' "$cyclops" infer
expect 2 'takes one file' "${ports[@]}" "$T/pairs.csv" "$T/more.csv"
expect 2 'nowhere.csv' "${ports[@]}" "$T/nowhere.csv"
expect 2 "no experiment has a form 'aa' \(did you mean 'a'" "${ports[@]}" "$T/pairs.csv" --why aa
echo '1,a;;b,x' >>"$T/pairs.csv"
expect 2 'pairs.csv:17: .*form without a name' "${ports[@]}" "$T/pairs.csv"
# What is out of range, or of the other verb, is refused; a compressed table is read.
expect 2 'most-forms is a number from 1 to 1000, not 0' "${ports[@]}" "$T/more.csv" --most-forms 0
expect 2 'tolerance is a number from 0 to 50, not 1e\+09' "${ports[@]}" "$T/more.csv" --tolerance 1e9
expect 2 'interval is a number from 0 to 50' "${ports[@]}" "$T/more.csv" --interval 200
expect 2 'excess is a number from 0 to 100' "${ports[@]}" "$T/more.csv" --excess 101
expect 2 'budget is a number from 0 to 1000000' "${ports[@]}" "$T/more.csv" --budget 1e7
expect 2 "resume is an option of 'cyclops infer pairs'" "${ports[@]}" "$T/more.csv" --resume
expect 2 "why is an option of 'cyclops infer ports'" "$cyclops" infer pairs "$T" --why a
xz --keep "$T/more.csv"
expect 0 'forms: 4 certain, 1 dispatch' "${ports[@]}" "$T/more.csv.xz"
finish
