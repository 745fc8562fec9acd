#!/usr/bin/env bash
# The page of 'cyclops report', looked at in headless Chromium at three widths, light and dark: page.py says what is checked.
#   page.sh BUILD [write]     write: store today's layout and pictures in tests/page/
write=${2:-}
. "$(dirname "$0")/lib.sh"
cd "$T" || exit 1
chromium=$(command -v chromium || command -v chromium-browser || command -v google-chrome) || skip "there is no Chromium"

# A report with every part, from simulated CPUs without noise.
overlay worse znver4 >worse.yaml <<'YAML'
  - {match: SUB64rr, latency: 2}
  - {match: IMUL64rr, uops: 3}
YAML
quiet=(--isa x86_64 --target sim:znver4,noise=none)
made() { "$@" >made.out 2>&1 || { echo "FAILED: $*"; cat made.out; exit 1; }; }
made "$cyclops" survey SUB64rr IMUL64rr 'ADD64r[ri].*' 'XOR(32|64)rr' --isa x86_64 --target "sim:./worse.yaml,noise=none" --output survey
made "$cyclops" run imul-r64 --sweep 1..6 "${quiet[@]}" --output sweep.jsonl
"$cyclops" pairs add-r64 imul-r64 load-r64 "${quiet[@]}" --json >pairs.jsonl 2>/dev/null
grep -v '^#' "$here/blocks/bhive-sample.hex" | head -60 >blocks.hex
made "$cyclops" corpus run blocks.hex "${quiet[@]}" --output corpus
"$cyclops" corpus score corpus --isa x86_64 --mcpu znver1 --blocks values.csv --csv >scores.csv 2>/dev/null
made "$cyclops" machine widths "${quiet[@]}" --output card
made "$cyclops" report survey sweep.jsonl pairs.jsonl values.csv scores.csv card --mcpu znver4 --output report.html

look() { expect 0 '' bash -c '"$@" && echo fine' - "$here/page.py" "$chromium" "$@"; }
if [ "$write" = write ]; then
    for width in 390 1024 1600; do "$here/page.py" "$chromium" report.html "$here/page" $width light write; done
    exit
fi
for width in 390 1024 1600; do
    look report.html "$here/page" $width light
done
look report.html "$here/page" 390 dark
look report.html "$here/page" 1024 dark

# Two cards, of two files with one text, are both there and have different titles.
cp -r card other
made "$cyclops" report card other --output two.html
expect 0 '<h3>card/card.yaml: .*<h3>other/card.yaml: ' bash -c "'$chromium' --headless=new --no-sandbox --disable-gpu --user-data-dir='$T/user' --dump-dom 'file://$T/two.html' 2>/dev/null | grep -o '<h3>[^<]*' | tr '\n' ' '"

# A block's page: the picture is what the core did, and the script shows it all.
made "$cyclops" explain 'add rax, [rsi]; imul rbx, rax; mov [rdi], rbx; xor edx, edx; lea r8, [rbx + rdx]; mov rcx, [rdi]' \
    --mcpu core:zen4 --form looped --html "$T/block.html"
expect 0 'fine: 3\.00' "$here/block_page.py" "$chromium" "$T/block.html" "$T"
made "$cyclops" explain 'vdivps ymm0, ymm0, ymm1; vaddps ymm0, ymm0, ymm2; mov rax, rbx' --mcpu cpu:skylake --html "$T/block.html"
expect 0 'fine' "$here/block_page.py" "$chromium" "$T/block.html" "$T"
expect 2 '--html.*CPU file' "$cyclops" explain 'add rax, rbx' --mcpu znver4 --html "$T/none.html"

# A page of two machines: it shows which forms differ, as the table does, from its address on; and keeps the order of what is chosen.
made "$cyclops" survey SUB64rr IMUL64rr 'ADD64r[ri].*' 'XOR(32|64)rr' "${quiet[@]}" --output right
made "$cyclops" table right survey --html machines.html
dom() { "$chromium" --headless=new --no-sandbox --disable-gpu --user-data-dir="$T/user" --dump-dom "$1" 2>/dev/null; }
n=$("$cyclops" table right survey --differs | sed -n 's/.* of them; \([0-9]*\) of these differ.*/\1/p')
dom "file://$T/machines.html#filter=differs&quantity=latency&search=sub" >machines.dom
expect 0 'role="status">1 of ' cat machines.dom
expect 0 'data-ready=' cat machines.dom
expect 0 'latency [12] → [a-z0-9.]*: 1 to 2' cat machines.dom
expect 0 "role=\"status\">${n:-none} of " dom "file://$T/machines.html#filter=differs"

# RISC-V's vectors by element width and group, beside the measured CPU's own model and another one.
made "$cyclops" survey VADD_VV VREDSUM_VS --vector e8m1,e8m2,e32m1,e32m8 --isa riscv64 --target sim:sifive-p670,noise=none --output vectors
made "$cyclops" table vectors --vector --mcpu sifive-p670 --html own.html
made "$cyclops" table vectors --vector --mcpu sifive-x280 --html vectors.html
dom "file://$T/own.html" >own.dom
expect 0 'role="status">4 of 4 rows of values; ([0-9]+) of \1 cells agree with the model(, of which [0-9]+ are upper bounds that it is within)?<' cat own.dom
expect 1 '^0$' grep -c 'class="n other' own.dom
expect 0 'rowspan="2">VADD_VV</th><td class="wide" rowspan="2">throughput</td><td class="n">8</td>.*<td class="rule wide" rowspan="2">0.5 a register .confirmed by 4 of 4.</td>' cat own.dom
# No screen is too narrow: form and rule are lines there, and nothing is to be scrolled sideways.
sed 's|</body>|<script>const fits = at("grids").parentElement; document.title = `${fits.scrollWidth - fits.clientWidth} too wide, '\
'${[...at("grids").querySelectorAll("tr.narrow")].filter(line => line.offsetHeight).length} lines`</script></body>|' vectors.html >fits.html
for width in 500 800 1400; do
    [ $width = 1400 ] && lines=0 || lines='[1-9][0-9]*'
    expect 0 "<title>0 too wide, $lines lines</title>" "$chromium" --headless=new --no-sandbox --disable-gpu --user-data-dir="$T/user" \
        --window-size=$width,900 --dump-dom "file://$T/fits.html"
done
dom "file://$T/vectors.html#filter=differs&quantity=throughput&search=vadd" >vectors.dom
expect 0 'role="status">1 of 4 rows' cat vectors.dom
expect 0 '<td class="n other" title="e8m2: [^"]*; the model: [^"]*; WriteVIALUV_M2[^"]*">1 ≠ ' cat vectors.dom
expect 2 '--html is of several machines, and these folders are of one: that has a page with --vector' "$cyclops" table vectors --html none.html

# To publish: a title, without a model, in the other syntax.
made "$cyclops" report survey card --mcpu none --title 'A <b>chip' --author Me --output none.html
dom "file://$T/none.html#search=imul+rax&syntax=intel" >none.dom
expect 0 '<h1 id="title">A &lt;b&gt;chip</h1> <p id="byline">Me, 20[0-9-]*</p>' one_line cat none.dom
expect 0 'role="status">1 of [0-9]+ forms<' cat none.dom
expect 0 '>imul rax, rcx<' cat none.dom
expect 0 '"i":"add rax, rcx"' cat none.dom
expect 1 '^0$' grep -c '"f":"ADD64ri32","e":"[^"]*","i":' none.dom # LLVM prints it with another immediate then
expect 0 '>integer adds</th>' cat none.dom
expect 1 '^0$' grep -c '<option value="differs">' none.dom

# It finds what is broken: rows that are no grid, a part that is too wide, unreadable text, a script that ends early.
broken() {
    sed "$2" report.html >broken.html
    ! cmp -s report.html broken.html || { echo "FAILED: nothing to break: $2"; failures=$((failures + 1)); }
    expect 1 "$1" "$here/page.py" "$chromium" broken.html "$here/page" "$3" light
}
broken 'lines for each instruction' 's/^\.row { display: grid;/.row { display: block;/' 390
broken 'pixels wide' 's/^\.scroll { overflow-x: auto; }/.scroll { min-width: 90rem; }/' 1024
broken 'low contrast' 's/--dim: #60646c/--dim: #b0b4bc/' 1024
broken 'did not come to its end|is not defined' 's/^findings(12);$/nothing();/; s/^const parts = /nothing(); const parts = /' 1024
broken 'the parts are' 's/^#frame { /#frame { display: none; /' 1600
finish
