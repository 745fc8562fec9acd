#!/usr/bin/env bash
# scripts/publish makes a folder of results; scripts/check-results accepts it, and finds what is damaged, impossible or made to harm.
#   results.sh BUILD
. "$(dirname "$0")/lib.sh"
cd "$T" || exit 1
check=$here/../scripts/check-results
sim=(--isa x86_64 --target sim:znver4,noise=none)
made() { "$@" >made.out 2>&1 || { echo "FAILED: $*"; cat made.out; exit 1; }; }
made "$cyclops" survey ADD64rr IMUL64rr VADDPSYrr "${sim[@]}" --output survey
made "$cyclops" survey ADD64rr IMUL64rr VADDPSYrr --isa x86_64 --target sim:skylake,noise=none --output other
printf '4801d8\n480fafc1\n' >blocks.hex
made "$cyclops" corpus run blocks.hex "${sim[@]}" --output corpus
made "$cyclops" machine widths "${sim[@]}" --output card
made "$here/../scripts/publish" survey corpus card --name a --into . --simulated --note 'These are two blocks.' --cyclops "$cyclops"
folder=$(head -1 made.out)
expect 0 'table.csv.xz: [0-9]+ values, 0 unstable, [2-9] well-known' "$check" "$folder" --simulated
expect 0 '100.0 % of [0-9]+ values agree' "$check" "$folder" --simulated --like "$folder"
expect 0 'Measured: sim:znver4.* 3 of 3 forms have a value. .*These are two blocks' one_line cat "$folder/README.md"
expect 0 '^a-.* of them; 0 of these differ' one_line "$cyclops" table "$folder" survey
expect 2 'does not state scheduling classes' "$cyclops" table "$folder" --classes
expect 1 'host.json: it is no measurement of a real machine, but of target .sim:znver4' "$check" "$folder"
[ ! -x "$folder/table.csv.xz" ] || { echo "FAILED: a published file can be executed"; failures=$((failures + 1)); }
expect 1 'is there already' "$here/../scripts/publish" survey --name a --into . --simulated --cyclops "$cyclops"
made "$here/../scripts/publish" other --name b --into . --simulated --no-page --cyclops "$cyclops"
xzcat "$folder/table.csv.xz" >table.csv

# damaged PATTERN COMMAND: of a copy of the folder, COMMAND changes something; the check names it. All are checked at once.
patterns=()
damaged() {
    cp -r "$folder" "bad${#patterns[@]}"
    (cd "bad${#patterns[@]}" && eval "$2")
    patterns+=("$1")
}
# table PATTERN SED: the same of the table's text.
table() { damaged "$1" "sed '$2' ../table.csv >table.csv; rm table.csv.xz"; }
damaged 'table.csv.xz: it is cut short' 'truncate -s -9 table.csv.xz'
damaged 'table.csv.xz: it is no xz file' 'cp ../table.csv table.csv.xz'
damaged 'something stands behind its end' 'echo more >>table.csv.xz'
damaged 'corpus.csv.xz: it is cut short' 'truncate -s 100 corpus.csv.xz'
damaged 'it holds more than 64 MiB' 'head -c 70M /dev/zero | xz -0 >table.csv.xz'
damaged "its 10000[0-9][0-9] titles are no names of columns" '{ head -1 ../table.csv | tr -d "\n"; head -c 1000000 /dev/zero | tr "\0" ,; echo; } >table.csv; rm table.csv.xz'
damaged 'its [0-9]+ titles are no names' 'printf "form,\033[2J\n" >table.csv; rm table.csv.xz'
damaged 'no such file belongs to published results' 'echo >"..%2f..%2fetc"'
damaged "/.x1b.2J.csv': no such file" 'echo >"$(printf "\033[2J.csv")"'
damaged "no such file" 'echo >"$(printf "\377.csv")"'
damaged 'table.csv: it is no plain file' 'ln -s /etc/passwd table.csv'
damaged 'table.csv: it is no plain file' 'mkfifo table.csv'
damaged 'it can be executed' 'chmod +x card.yaml'
damaged 'host.json is no JSON' 'head -c 100000 /dev/zero | tr "\0" "[" >host.json'
damaged 'host.json is no JSON' 'printf "{\"clock\": %05000d}" 1 | tr 0 1 >host.json'
damaged "the clock's error is .nan" 'sed -i "s/\"error\": [0-9.e-]*/\"error\": NaN/" host.json'
damaged 'there is none: nothing says which machine' 'rm host.json'
damaged 'card.yaml:[0-9]*: .*no finite number' 'sed -i "s/low: [0-9.]*/low: .inf/" card.yaml'
table "no column cycles" '1s/cycles/speed/'
table 'table.csv:2: cycles is no finite number: .nan.' '2s/^\([^,]*,[^,]*,[^,]*,[^,]*\),[^,]*/\1,nan/'
table 'table.csv:2: cycles is impossible: 1e300' '2s/^\([^,]*,[^,]*,[^,]*,[^,]*\),[^,]*/\1,1e300/'
table 'table.csv:2: .* is not between' '2s/^\([^,]*,[^,]*,[^,]*,[^,]*\),[^,]*/\1,77/'
table 'ADD64rr: latency is 2 to 2.* the clock was wrong' '/^ADD64rr,latency/s/^\([^,]*,[^,]*,[^,]*,[^,]*\),[^,]*,[^,]*,[^,]*/\1,2,2,2/'
table 'values are unstable, more than 5 %' 's/,\(exact\|within\),/,unstable,/'
table 'begins as a formula of a spreadsheet' '2s/,,/,=1+1,/'
table 'another number of cells' '3s/$/,/'
table 'lines are there twice' 'p'
table 'no name of a form' '2s/^[^,]*/"<script>"/'
timeout 60 "$check" bad? bad?? --simulated >found 2>&1
expect 0 '^1$' echo $?
! grep Traceback found || failures=$((failures + 1))
for i in "${!patterns[@]}"; do expect 0 "${patterns[i]}" grep "bad$i/" found; done
expect 1 'only [0-9.]* % of [0-9]+ values agree with .*a-' "$check" b-* --simulated --like "$folder"
finish
