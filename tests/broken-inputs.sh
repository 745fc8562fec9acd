#!/usr/bin/env bash
# Broken input in a batch: each file has one message, with its place and what to do; the others keep their values.
# broken-inputs.sh BUILD
. "$(dirname "$0")/lib.sh"
export CYCLOPS_PREFIX=$build
cd "$T" || exit 1
files=()
wanted=$T/wanted
broken() { # FILE MESSAGE TEXT: a text, and what is said of it behind its name
    files+=("$1")
    printf "$3" >"$1"
    echo "$1$2" >>"$wanted"
}
printf 'imul %%rax, %%rbx\n' >first.s
printf 'add %%rax, %%rbx\nadd %%rax, %%rbx\n' >last.s
broken empty.s ': there is no instruction in it' ''
broken no-end.s ':2:1: this region has no end: put LLVM-MCA-END' 'nop\n# LLVM-MCA-BEGIN\nnop\n'
broken no-begin.s ':1:1: there is no code in front of this end: begin the region' '# LLVM-MCA-END\nnop\n'
broken no-code.s ':2: there is no instruction in it' 'nop\n# LLVM-MCA-BEGIN\n# LLVM-MCA-END\n'
broken two-ends.s ':4:1: found an invalid region end directive: .*; begin each region' \
    '# LLVM-MCA-BEGIN\nnop\n# LLVM-MCA-END\n# LLVM-MCA-END\n'
broken register.s ":1:1: 'RCZ' is no register of x86_64 that a block can start with: there are rax" '# LLVM-EXEGESIS-DEFREG RCZ 7\nnop\n'
broken wide.s ':1:1: the value is too wide for RCX, which has 8 bytes' '# LLVM-EXEGESIS-DEFREG RCX 11223344556677889900\nnop\n'
broken live.s ":2:1: 'FOO' is no register of x86_64" 'nop\n# LLVM-EXEGESIS-LIVEIN FOO\n'
broken value.s ":1:1: 'zz' is not a number that fits here" '# LLVM-EXEGESIS-MEM-DEF a 4096 zz\nnop\n'
broken map.s ":2:1: no LLVM-EXEGESIS-MEM-DEF defines 'b'" '# LLVM-EXEGESIS-MEM-DEF a 8 7\n# LLVM-EXEGESIS-MEM-MAP b 65536\nnop\n'
broken other.s ':1:1: unknown annotation LLVM-EXEGESIS-FOO; there are DEFREG' '# LLVM-EXEGESIS-FOO x\nnop\n'
broken label.s ":2:1: label 'a' is defined once more here: rename one" 'a: nop\na: nop\n'
broken helper.s ":2:6: the block refers to 'helper', which nothing defines: put that function" 'nop\ncall helper\n'
broken typo.s ":2:11: 'rbz' is neither a register nor defined here .did you mean 'rbx'" 'nop\nadd %%rax, rbz\n'
broken mnemonic.s ':2: as: no such instruction: `foo %rax' 'nop\nfoo %%rax\n'
broken rept.s ':1: as, about this body: REPT without ENDR' '.rept 3\nnop\n'
broken string.s ':1: this code takes in what stands behind it, or leaves its section: close each string' '.ascii "abc\nnop\n'
broken mode.s ':1: as cannot go on behind this code .*sub.*: undo' '.code32\nnop\n'
broken if.s ':1: as: here is the start of the unterminated conditional' '.if 1\n.data\nx: .quad 5\n.text\nnop\n'
broken coff.obj ': this is a Windows object .COFF.: compile it for Linux' '\x64\x86\2\0%032d' 0
broken pe.exe ': this is a Windows program .PE.: compile it for Linux' 'MZ\x90\0%032d' 0
broken mach ': this is a Mach-O file: compile it for Linux' '\xcf\xfa\xed\xfe\7\0\0\1'
broken lib.a ': this is an archive: take an object out of it' '!<arch>\n'
broken thin.a ': this is a thin archive: give one of the objects' '!<thin>\n'
broken ir.ll ": this is LLVM's intermediate language: compile it" 'define i32 @f(i32 %%x) {\n ret i32 %%x\n}\n'
broken ir.bc ": this is LLVM's bitcode: compile it" 'BC\xc0\xde1234'
broken source.c ": this is a C source: compile it with 'gcc -O2 -S'" 'int f(int x) { return x; }\n'
broken packed.gz ': this is compressed: unpack it first' '\x1f\x8b\x08abc'
# An object that is cut off, or damaged: what is missing would be taken for nothing. A symbol that is there twice.
if [ "$(uname -m)" = x86_64 ]; then
    printf '.globl f\nf: mov table(%%rip), %%eax\nret\n.section .rodata\ntable: .long 7, 8\n' | as - -o whole.o
    printf '.type h,@function\nh: ret\n.size h,.-h\n' | as - -o h1.o && cp h1.o h2.o && ld -shared h1.o h2.o -o h.so
    python3 - <<'END' >>"$wanted"
import struct
whole = open("whole.o", "rb").read()
table, size, n = struct.unpack_from("<Q", whole, 40)[0], *struct.unpack_from("<HH", whole, 58)
def write(name, message, data):
    open(name, "wb").write(data)
    print(name + message)
for end in 5, 40, 64, len(whole) // 2, len(whole) - 1:
    cut = "cannot be read: .*" if end < 64 else f"is cut off behind {end} bytes"
    write(f"cut{end}.o", f": this ELF file {cut}: copy or build it once more", whole[:end])
for section in range(1, n):
    kind = struct.unpack_from("<I", whole, table + section * size + 4)[0]
    for name, at, format, value in ("off", 24, "<Q", 1 << 40), ("size", 32, "<Q", 1 << 62), ("link", 40, "<I", 999):
        damaged = bytearray(whole)
        struct.pack_into(format, damaged, table + section * size + at, value)
        if kind != 8 or name == "link": # SHT_NOBITS has no content
            write(f"{name}{section}.o", f": this ELF file is damaged: its section {section} .*: copy or build it", damaged)
machine = bytearray(whole)
struct.pack_into("<H", machine, 18, 0x1234)
write("machine.o", ": this is not code for x86_64-.*, but for another machine .number 4660 of ELF.", machine)
END
    files+=(cut*.o off*.o size*.o link*.o machine.o)
fi
"$cyclops" run --isa x86_64 --target sim:skylake,noise=none --form looped first.s "${files[@]}" last.s >values 2>errors
expect 0 '^2$' echo $?
expect 0 '^first.s=3.00 last.s=2.00 $' bash -c "sed -nE 's/^ +(\S+) .*looped +([0-9.]+).*/\1=\2/p' values | tr '\n' ' '"
expect 0 "^${#files[@]} ${#files[@]}\$" echo "$(wc -l <"$wanted") $(grep -c '^cyclops: error: ' errors)"
while read -r line; do expect 0 "^cyclops: error: $line" grep -E -- "^cyclops: error: ${line%%:*}:" errors; done <"$wanted"
printf '# LLVM-MCA-BEGIN a\nnop\n# LLVM-MCA-END\n# LLVM-MCA-BEGIN b\nimul %%rax, %%rax\n# LLVM-MCA-END\n' >two.s
expect 2 'symbol is a whole function' "$cyclops" run --isa x86_64 --target sim:skylake two.s --symbol f --start 0
# What is there twice is not chosen from by luck.
printf '# LLVM-MCA-BEGIN a\nnop\n# LLVM-MCA-END\n# LLVM-MCA-BEGIN a\nnop\n# LLVM-MCA-END\n' >twice.s
expect 2 "twice.s:4: a second region 'a' begins here, after that of line 1: rename one" \
    "$cyclops" run --isa x86_64 --target sim:skylake --region a twice.s
expect 0 '^twice.s:1 twice.s:4 $' bash -c "'$cyclops' run --isa x86_64 --target sim:skylake --form looped twice.s | grep -o 'twice.s:[^ ]*' | tr '\n' ' '"
# An explanation is of one region, and names the mistakes that all others name.
explain=("$cyclops" explain --mcpu cpu:zen4)
expect 2 'twice.s:4: a second region begins here; an explanation is of one: choose it with --region' "${explain[@]}" twice.s
expect 0 'limit: latency: 3 cycles' "${explain[@]}" two.s --region b
printf '# LLVM-MCA-BEGIN %s\n' 'a\nnop' 'b\nimul %rax, %rax\n# LLVM-MCA-END a\nimul %rax, %rax\n# LLVM-MCA-END b' \
    'bad\nfrobnicate\n# LLVM-MCA-END bad' | sed 's/\\n/\n/g' >three.s
expect 0 'limit: latency: 3 cycles' "${explain[@]}" three.s --region a
expect 0 'limit: latency: 6 cycles' "${explain[@]}" three.s --region b
expect 2 'three.s:9:1: .*frobnicate' "${explain[@]}" three.s --region bad
for i in "no-end.s:2:1: this region has no end" "register.s:1:1: 'RCZ' is no register" 'source.c: this is a C source'; do
    expect 2 "^cyclops: error: $i" "${explain[@]}" "${i%%:*}"
done
# Loops that do not end, each with its reason; the neighbours run.
if [ "$(uname -m)" = x86_64 ]; then
    expect 2 "h.so: there are several symbols 'h', such as .*: choose one by --start" "$cyclops" try h.so --symbol h
    printf '1: add $1, %%rax\njmp 1b\n' >endless.s
    printf '# LLVM-EXEGESIS-DEFREG RCX 3b9aca00\n1: imul %%rax, %%rdx\ndec %%rcx\njne 1b\n' >long.s
    "$cyclops" try --alias disjoint first.s endless.s long.s last.s >tried 2>&1
    expect 0 '^1$' echo $?
    expect 0 'endless.s: time-out; nothing ends it: `jmp -6` always goes back' cat tried
    expect 0 'long.s: time-out; rcx is given, which decides its turns: 1000000000 in each pass; give it fewer' one_line cat tried
    expect 0 '^2$' grep -c 's: comes to its end' tried
fi
finish
