#!/usr/bin/env bash
# Forms in which people have code: regions of a text. Each broken variant has one message, with its place and what to
# do.  inputs.sh BUILD
. "$(dirname "$0")/lib.sh"
export CYCLOPS_PREFIX=$build
run() { "$cyclops" run --isa x86_64 --target sim:skylake,noise=none --form looped "$@"; }
# names COMMAND…: the rows' names and measured cycles, on one line.
names() { set -o pipefail; "$@" 2>&1 | sed -nE 's/^ +(\S+) .*looped +([0-9.]+).*/\1=\2/p' | tr '\n' ' '; }

# Regions: a row each, one by its name, each with its data.
printf '# LLVM-MCA-BEGIN one\nimul %%rax, %%rbx\n# LLVM-MCA-END one\nret\n# LLVM-MCA-BEGIN two\nadd %%rax, %%rbx\nadd %%rax, %%rbx\n# LLVM-MCA-END\n# LLVM-MCA-BEGIN\nadd %%rax, %%rbx\n# LLVM-MCA-END\n' >"$T/three.s"
expect 0 '^.*three.s:one=3.00 .*three.s:two=2.00 .*three.s:9=1.00 $' names run "$T/three.s"
expect 0 '^.*three.s:two=2.00 $' names run --region two "$T/three.s"
expect 2 "three.s: there is no region 'tow' \(did you mean 'two'\?\); there are one, two" run --region tow "$T/three.s"
expect 2 'three.s:5: a second region begins here; a trace is of one: choose it with --region NAME' \
    "$cyclops" trace "$T/three.s"
{
    printf '.text\n# LLVM-MCA-BEGIN a\naddsd .LC0(%%rip), %%xmm0\n# LLVM-MCA-END\n'
    printf '# LLVM-MCA-BEGIN b\nimul (%%rdi), %%rax\n# LLVM-MCA-END\n.section .rodata\n.LC0: .double 1.5\n'
} >"$T/data.s"
expect 0 '^.*data.s:a=4.00 .*data.s:b=3.00 $' names run "$T/data.s"

# A mistake in a region or a function, or in one that it calls, costs that alone.
cd "$T" || exit 1
{
    printf '# LLVM-MCA-BEGIN a\n# LLVM-EXEGESIS-DEFREG RCZ 7\nnop\n# LLVM-MCA-END\n# LLVM-MCA-BEGIN b\nfoo %%rax\n# LLVM-MCA-END\n'
    printf '# LLVM-MCA-BEGIN c\naddsd .LC0(%%rip), %%xmm0\n# LLVM-MCA-END\n# LLVM-MCA-BEGIN d\n# LLVM-MCA-LATENCY 2\nnop\n# LLVM-MCA-END\n'
    printf '# LLVM-MCA-BEGIN e\nnop\n.section .rodata\n.LC0: .double 1.5\n'
} >wrongs.s
expect 2 '^wrongs.s:c=4.00 $' names run wrongs.s
run wrongs.s 2>said >/dev/null
for i in ":2:1: 'RCZ' is no register" ':6: as: no such instruction: `foo %rax' ':12:1: LLVM-MCA-LATENCY' ':15:1: this region has no end'; do
    expect 0 "^cyclops: error: wrongs.s$i" cat said
done
expect 0 '^4$' grep -c error said
{
    for i in f:nop 'g:foo %rax' 'h:call g' 'i:imul %rdi, %rax'; do
        printf '.type %s,@function\n%s: %s\nret\n.size %s, .-%s\n' "${i%%:*}" "${i%%:*}" "${i#*:}" "${i%%:*}" "${i%%:*}"
    done
} >functions.s
expect 2 '^functions.s:f=1.00 functions.s:i=3.00 $' names run functions.s
expect 2 '^cyclops: error: functions.s:6: as: no such instruction: `foo %rax' run functions.s --symbol h
expect 0 '^1$' bash -c "'$cyclops' run --isa x86_64 --target sim:skylake functions.s 2>&1 | grep -c error"

# A wrong marker.
refused() { # MESSAGE TEXT
    printf "$2" >"$T/wrong.s"
    expect 2 "error: .*$1" run "$T/wrong.s"
    expect 0 '^1$' bash -c "'$cyclops' run --isa x86_64 --target sim:skylake '$T/wrong.s' 2>&1 | grep -c error"
}
refused 'wrong.s:2:1: this region has no end: put LLVM-MCA-END behind its code' 'nop\n# LLVM-MCA-BEGIN\nnop\n'
refused 'wrong.s:4:1: found an invalid region end directive: .* end it once' \
    '# LLVM-MCA-BEGIN\nnop\n# LLVM-MCA-END\n# LLVM-MCA-END\n'
refused 'wrong.s:3:1: overlapping regions cannot have the same name: .* in line 1' \
    '# LLVM-MCA-BEGIN a\nnop\n# LLVM-MCA-BEGIN a\n# LLVM-MCA-END a\n'
refused 'wrong.s:1:1: unknown annotation LLVM-EXEGESIS-DEFREGS .did you mean .DEFREG' \
    '# LLVM-EXEGESIS-DEFREGS RCX 7\nnop\n'
refused 'wrong.s:2:1: unknown marker LLVM-MCA-STRAT' 'nop\n# LLVM-MCA-STRAT\n'


# llvm-exegesis' annotations: registers and memory hold what they say, in their region or, outside of all, in each.
rax() { "$cyclops" try "$@" --json | python3 -c 'import json,sys; print(json.loads(sys.stdin.readline())["registers"]["rax"])'; }
if [ "$(uname -m)" = x86_64 ]; then
    printf '# LLVM-EXEGESIS-DEFREG RCX 1F\nmov rax, rcx\n' >"$T/state.s"
    expect 0 '^0x1f$' rax "$T/state.s"
    expect 0 '^0x9$' rax "$T/state.s" --set rcx=9
    printf '# LLVM-EXEGESIS-MEM-DEF here 4096 2a\n# LLVM-EXEGESIS-MEM-MAP here 1048576\nmovzx eax, byte ptr [0x100008]\n' >"$T/memory.s"
    expect 0 '^0x2a$' rax "$T/memory.s"
fi
refused "wrong.s:1:1: LLVM-EXEGESIS-DEFREG needs 2 words" '# LLVM-EXEGESIS-DEFREG RCX\nnop\n'
refused 'wrong.s:2:1: .*rcz' 'nop\n# LLVM-EXEGESIS-DEFREG rcz 7\nnop\n'
refused "wrong.s:1:1: 'x' is not a number" '# LLVM-EXEGESIS-DEFREG RCX x\nnop\n'
refused "wrong.s:1:1: no LLVM-EXEGESIS-MEM-DEF defines 'there'" '# LLVM-EXEGESIS-MEM-MAP there 65536\nnop\n'

# Objects and linked programs: what code refers to is where it is, whatever the file; what leaves the file is named.
# So are thread-local data that another file's function finds. Each function's result is that of the program itself.
cat >"$T/refs.c" <<'END'
#include <errno.h>
#include <stdint.h>
#include <stdlib.h>
static const uint64_t table[4] = {11, 22, 33, 44};
static uint64_t variable = 7;
uint64_t zeroed[8];
const uint64_t *pointer = &table[2];
_Thread_local int local = 4;
__attribute__((noinline)) static uint64_t callee(uint64_t x) { return x * 3 + table[3]; }
uint64_t constant(void) { return table[1] + variable; }
uint64_t look(uint64_t i) { return table[(i & 3) + 1]; }
uint64_t store(void) { zeroed[2]++; variable += 3; return zeroed[2] + variable; }
uint64_t deref(void) { return *pointer; }
uint64_t call(uint64_t i) { return callee(i & 1) + 2; }
int thread(void) { return local++; }
_Thread_local long many[10];
long slots(void) { long sum = 0; for (long *volatile i = many; i < many + 10; i++) *i += i - many, sum += *i; return sum; }
long outside(const char *text) { return strtol(text, NULL, 10) + 1; }
long careful(long n) { if (n < 0) errno = 1; return n + 1; }
int seldom(long n) { return n < 0 ? local : 5; }
__attribute__((stack_protect)) int guarded(long n) { volatile char text[64]; text[n & 63] = 9; return text[n & 63]; }
static long five(long n) { return n * 5; }
static void *choose(void) { return five; }
long chosen(long n) __attribute__((ifunc("choose")));
long choice(long n) { return n < 0 ? chosen(n) + 1 : n + 7; }
long pointed(long n) { long (*volatile f)(long) = five; return f(n) + 1; }
__attribute__((noinline)) static long low(uintptr_t at) { return *(long *)(at & 255); }
long stray(uintptr_t at) { return low(at) + 1; }
long weakling(long n) __attribute__((weak));
long weak(long n) { return weakling ? weakling(n) : n * 2; }
int main(void) { return (int)(careful(1) + weak(1) + seldom(1) + guarded(1) + choice(1) + (long)constant() + look(0) + store() + deref() + call(0) + (uint64_t)slots() + (uint64_t)thread() + (uint64_t)outside("1")); }
END
result() { rax "$1" --symbol "$2"; }
links() { # FILE: makes it with these options of gcc; each of its functions has the right result
    local file=$1 name value status
    shift
    gcc -O1 -fno-stack-protector "$@" "$T/refs.c" -o "$T/$file" || return
    for value in constant=0x1d look=0x16 store=0xb deref=0x21 call=0x2e; do
        name=${value%=*}
        expect 0 "^${value#*=}\$" result "$T/$file" "$name"
    done
    # What is in no file costs only the runs that come there. Where each does, objects are refused at once.
    status=$(case $file in *.o) echo 2 ;; *) echo 1 ;; esac)
    expect "$status" "(outside refers to|it calls) 'strtol', which another file holds" "$cyclops" try "$T/$file" --symbol outside
    case $file in
    pic.o | lib.so) # a function of another file finds them
        expect "$status" "thread-local|refers to .__tls_get_addr., which another" \
            "$cyclops" try "$T/$file" --symbol thread
        expect 1 'refers to .*thread-local|finds thread-local' "$cyclops" try "$T/$file" --symbol seldom --set rdi=-1
        ;;
    *)
        expect 0 '^0x4$' result "$T/$file" thread
        expect 0 '^0x2d$' result "$T/$file" slots
        expect 0 '^0x4$' rax "$T/$file" --symbol seldom --set rdi=-1
        ;;
    esac
    for value in careful=0x5 seldom=0x5 guarded=0x9 choice=0xb weak=0x8 pointed=0x15; do
        name=${value%=*}
        expect 0 "^${value#*=}\$" rax "$T/$file" --symbol "$name" --set rdi=4
    done
    expect 1 '`mov rax.* at 0x1?[0-9a-f]*, in a function that it calls' "$cyclops" try "$T/$file" --symbol stray --set rdi=4
    expect 2 "the program chooses 'chosen' at run time .IFUNC." "$cyclops" try "$T/$file" --symbol chosen
    expect 1 "calls '__errno_location', which another" "$cyclops" try "$T/$file" --symbol careful --set rdi=-1
    expect 1 "calls 'chosen', which the program chooses at run time .IFUNC." \
        "$cyclops" try "$T/$file" --symbol choice --set rdi=-1
}
if [ "$(uname -m)" = x86_64 ]; then
    links pic.o -c -fPIC
    links plain.o -c -fno-pic -mcmodel=small
    links prog.pie -pie -fPIE
    links prog.fixed -no-pie -fno-pic
    links lib.so -shared -fPIC
    links prog.large -pie -fPIE -mcmodel=large
    # Where a register brings the offset of thread-local data, what puts it there gets their address.
    cat >"$T/offset.s" <<'END'
        .globl f, main
        .type f, @function
f:      leaq many@tpoff, %rdx
        movq $other@tpoff, %rcx
        addq $1, %fs:(%rdx,%rdi,8)
        movq %fs:(%rdx,%rdi,8), %rax
        addq %fs:(%rcx), %rax
        ret
        .size f, . - f
main:   ret
        .section .tdata, "awT", @progbits
many:   .quad 1, 2, 3
other:  .quad 10
        .section .note.GNU-stack, "", @progbits
END
    gcc -c "$T/offset.s" -o "$T/offset.o" && gcc -pie "$T/offset.o" -o "$T/offset.pie" &&
        gcc -no-pie "$T/offset.o" -o "$T/offset.fixed" || exit 1
    for file in o pie fixed; do
        expect 0 '^0xd$' rax "$T/offset.$file" --symbol f --set rdi=1
    done
    # A static program with position-independent code, whose thread-local data hold addresses; the header, whose address
    # code takes and reads; a weak function that nothing defines costs only a run that comes there, not its loop's turns.
    cat >"$T/more.c" <<'END'
#include <locale.h>
extern const char __executable_start[], end[], etext[];
static __thread int local = 4;
__attribute__((noinline)) int bump(void) { return local++; }
__attribute__((noinline)) long inside(long at) { return at >= (long)__executable_start && at < (long)end; }
__attribute__((noinline)) int header(void) { return __executable_start[2]; }
int main(int n, char **p) { setlocale(LC_ALL, ""); return bump() + header() + inside((long)p) + (etext == p[n]); }
END
    for options in '-static-pie -fPIE' '-pie -fPIE' '-no-pie -fno-pie'; do
        gcc -O1 $options "$T/more.c" -o "$T/more" || exit 1
        expect 0 '^0x4$' result "$T/more" bump
        expect 0 '^0x4c$' result "$T/more" header
        expect 0 '^0x0$' rax "$T/more" --symbol inside --set rdi=4
    done
    cat >"$T/weak.s" <<'END'
        .weak hook
        .globl f, main
        .type f, @function
f:      mov hook@GOTPCREL(%rip), %r13
1:      add %rdi, %rax
        test %r13, %r13
        je 2f
        call hook@PLT
2:      dec %rdi
        jnz 1b
        ret
        .size f, . - f
main:   ret
        .section .note.GNU-stack, "", @progbits
END
    gcc -c "$T/weak.s" -o "$T/weak.o" && gcc -pie "$T/weak.o" -o "$T/weak.pie" &&
        gcc -static -no-pie "$T/weak.o" -o "$T/weak.static" || exit 1
    for file in o pie static; do
        begin=$(nm "$T/weak.$file" | sed -n 's/ T f$//p')
        range=(--start "$(printf %x $((16#$begin + 7)))" --end "$(printf %x $((16#$begin + 25)))")
        expect 1 'it went to 0x0, where a weak function is that nothing defines: --set gives what' \
            one_line "$cyclops" try "$T/weak.$file" "${range[@]}"
        expect 0 'comes to its end' "$cyclops" try "$T/weak.$file" "${range[@]}" --set r13=0
    done
    # Jump tables lead back into the block.
    cat >"$T/jump.s" <<'END'
.intel_syntax noprefix
.type f,@function
f:  lea rdx, [rip + table]
    and edi, 1
    movsxd rax, dword ptr [rdx + rdi*4 + 4]
    add rax, rdx
    jmp rax
.La: mov eax, 5
    jmp .Le
.Lb: mov eax, 6
.Le: nop
    ret
.size f,.-f
.globl _start
_start: ret
.section .rodata
    .quad 1
table: .long .La - table, .Lb - table, .La - table
END
    as "$T/jump.s" -o "$T/jump.o" && ld "$T/jump.o" -o "$T/jump.exe"
    expect 0 '^0x6$' result "$T/jump.o" f
    expect 0 '^0x6$' result "$T/jump.exe" f
    # Constants behind the table of another function, of which nothing is known here but that code refers to it.
    cat >"$T/behind.c" <<'END'
long chosen(long x) {
    switch (x & 15) {
    case 0: return 3;
    case 1: return 99;
    case 2: return x * 3;
    case 3: return x ^ 8;
    case 4: return 1;
    case 5: return 77;
    case 6: return x - 1;
    case 7: return 12;
    default: return x;
    }
}
long constants(long x) {
    static const long all[] = {5, 3, 9, 1, 7};
    return (x & 7) < 5 ? all[x & 7] : 0;
}
END
    for level in -O1 -Os; do
        gcc $level -fPIC -fcf-protection=none -c "$T/behind.c" -o "$T/behind.o" || exit 1
        expect 0 '^0x7$' rax "$T/behind.o" --symbol constants --set rdi=4
        expect 0 '^0xb$' rax "$T/behind.o" --symbol chosen --set rdi=3
    done
    # The end of the last array of a section, with nothing behind it.
    cat >"$T/end.c" <<'END'
double big[64] __attribute__((aligned(64)));
double all[6] = {1, 2, 3, 4, 5, 6};
long sum(void) {
    double sum = 0, *p = all + 6;
    __asm__("" : "+r"(p));
    while (p != all)
        sum += *--p;
    return (long)sum;
}
int main(void) { return 0; }
END
    for flag in -pie -no-pie; do
        gcc -O2 -fcf-protection=none -f${flag#-} $flag "$T/end.c" -o "$T/end" || exit 1
        expect 0 '^0x15$' rax "$T/end" --symbol sum
    done
    # A bundle carries the memory along: what it measures is what it reads.
    if [ -x "$build/lib/cyclops/runner-x86_64" ]; then
        "$cyclops" bundle "$T/prog.fixed" --symbol look --output "$T/bundle" >"$T/out" 2>&1
        expect 0 'look' bash -c "'$T/bundle' --budget 1 --output '$T/got' >/dev/null; [ -s '$T/got' ] && cat '$T/got'"
        expect 0 'look +cycles per iteration' "$cyclops" run --from "$T/got"
    fi
    # A weak function that nobody has is at address 0.
    printf 'long weakf(void) __attribute__((weak)); long weak(void) { return weakf ? weakf() : 9; }\n' >"$T/weak.c"
    for flag in -fPIC -fno-pic; do
        gcc -O1 $flag -c "$T/weak.c" -o "$T/weak.o" && expect 0 '^0x9$' result "$T/weak.o" weak
    done
    # A name that is there twice.
    for i in 1 2; do printf '.type h,@function\nh: mov $%s, %%eax\nret\n.size h,.-h\n' $i | as - -o "$T/h$i.o"; done
    ld -shared "$T/h1.o" "$T/h2.o" -o "$T/h.so"
    expect 2 "h.so: there are several symbols 'h', such as those at 0x[0-9a-f]+ and 0x[0-9a-f]+: choose one by --start" \
        "$cyclops" try "$T/h.so" --symbol h
    # Versions of one name: the default, or the one that is asked for; also where only the dynamic symbols are left.
    cat >"$T/v.s" <<'END'
.symver v_old, v@V1
.symver v_new, v@@V2
.symver w_old, w@V1
.symver w_new, w@V2
.globl v_old, v_new, w_old, w_new
.type v_old,@function
v_old: mov $5, %eax
    ret
.size v_old,.-v_old
.type v_new,@function
v_new: mov $6, %eax
    ret
.size v_new,.-v_new
.type w_old,@function
w_old: mov $7, %eax
    ret
.size w_old,.-w_old
.type w_new,@function
w_new: mov $8, %eax
    ret
.size w_new,.-w_new
END
    printf 'V1 { global: v; w; local: *; };\nV2 { global: v; w; } V1;\n' >"$T/v.map"
    as "$T/v.s" -o "$T/v.o" && ld -shared --version-script="$T/v.map" "$T/v.o" -o "$T/v.so"
    cp "$T/v.so" "$T/stripped.so" && strip "$T/stripped.so"
    for file in v stripped; do
        for value in v=0x6 v@V1=0x5 v@V2=0x6 v@@V2=0x6 w@V1=0x7 w@V2=0x8; do
            expect 0 "^${value#*=}\$" result "$T/$file.so" "${value%=*}"
        done
        expect 2 "there are several symbols 'w': choose one by its version, such as w@V[12] and w@V[12]\$" \
            "$cyclops" try "$T/$file.so" --symbol w
        expect 2 "there is no symbol 'v@V3' \(did you mean 'v@V1'" "$cyclops" try "$T/$file.so" --symbol v@V3
    done
    # A jump to the function beside it whose distance has one byte, as in some functions of libm.
    printf '.type f,@function\nf: ret\n.size f,.-f\n.type g,@function\ng: je f+0\nnop\nret\n.size g,.-g\n' >"$T/beside.s"
    as "$T/beside.s" -o "$T/beside.o"
    expect 2 "beside.o: g: \`je -[0-9]+\` goes to the function beside it by a distance of one byte, .*: compile it with -ffunction-sections\$" \
        "$cyclops" try "$T/beside.o" --symbol g
    # Thunks: the ways in which compilers call through a register without an indirect call.
    cat >"$T/thunk.c" <<'END'
__attribute__((noinline)) static long callee(long x) { return x * 3; }
long (*volatile pointer)(long) = callee;
long calls(long x) { return pointer(x) + 1; }
long jumps(long x) { return pointer(x); }
END
    for flags in thunk thunk-inline "thunk -fPIC" "thunk -mfunction-return=thunk" "thunk-inline -mfunction-return=thunk-inline"; do
        gcc -O2 -mindirect-branch=$flags -c "$T/thunk.c" -o "$T/thunk.o" || continue
        expect 0 '^0x2b$' rax "$T/thunk.o" --symbol calls --set rdi=14
        expect 0 '^0x2a$' rax "$T/thunk.o" --symbol jumps --set rdi=14
    done
    gcc -O2 -mindirect-branch=thunk-extern -c "$T/thunk.c" -o "$T/thunk.o" &&
        expect 2 "thunk.o: calls refers to '__x86_indirect_thunk_[a-z]+', which another file holds: link it" \
            "$cyclops" try "$T/thunk.o" --symbol calls
    # Data between the instructions: what they hold is not changed, though read as code they jump and call.
    cat >"$T/between.s" <<'END'
.type f,@function
f:  jmp 1f
    .byte 6
.Ldata: .quad 0x7feb7feb7feb7feb
    .quad 0x05ffe800000000e8
    .byte 0x48
1:  mov .Ldata(%rip), %rax
    xor .Ldata+8(%rip), %rax
    ret
.size f,.-f
.globl _start
_start: ret
END
    as "$T/between.s" -o "$T/between.o" && ld "$T/between.o" -o "$T/between.exe" && ld -shared "$T/between.o" -o "$T/between.so"
    sed '/^\.type/d; /^\.size/d; s/^f://; /ret/d; /_start/d' "$T/between.s" >"$T/between.text.s"
    for file in o exe so; do expect 0 '^0x7a1497eb7feb7f03$' rax "$T/between.$file" --symbol f; done
    expect 0 '^0x7a1497eb7feb7f03$' rax "$T/between.text.s"
    # Truncated: one message, no crash.
    for n in 64 1000 -100; do
        head -c $n "$T/pic.o" >"$T/cut.o"
        expect 2 'cut.o: ' "$cyclops" try "$T/cut.o"
    done
    head -c 9000 "$T/prog.pie" >"$T/cut"
    expect 2 'cut: ' "$cyclops" try "$T/cut" --symbol look
fi
# Other ISAs: the assembled code names the addresses that ld would give it.
links_text() { # ISA FLAVOUR PATTERN TEXT
    local isa=$1 flavour=$2 pattern=$3
    command -v "$isa-linux-gnu-as" >/dev/null || return
    printf "$4" >"$T/other.s"
    "$isa-linux-gnu-as" "$T/other.s" -o "$T/other.o"
    "$cyclops" bundle --isa "$isa" "$T/other.o" --symbol f --form looped --alias same --pack-only --output "$T/pack" >"$T/out" 2>&1
    python3 - "$T/pack" "$T/code" <<'END' >"$T/vma"
import re, sys
text = open(sys.argv[1]).read()
code = b""
for line in re.findall(r"\ncode (.*)", text): # base/repeats.h
    data = bytearray(code)
    for word in line.split():
        distance, _, n = word.partition("-")
        data += b"" if n else bytes.fromhex(word)
        for _ in range(int(n or 0)):
            data.append(data[-int(distance)])
    code = data[len(code):]
text = text[text.rindex("\nkernel f"):]
number = lambda key: int(re.search(r"\n%s (\d+)" % key, text).group(1))
start = number("body_offset")
open(sys.argv[2], "wb").write(code[start:start + number("body_bytes")])
print(number("address") + start)
END
    expect 0 "$pattern" bash -c "'$isa-linux-gnu-objdump' -b binary -m $flavour --adjust-vma=\$(cat '$T/vma') -D '$T/code' | sed 's/.*:\t[0-9a-f ]*\t//' | tr '\n\t' ';  '"
}
links_text aarch64 aarch64 'adrp x0, 0x10002000;add x0, x0, #0x28;adrp x2, 0x10001000;ldr w3, .x2, #24.;adrp x4, 0x10003000;ldr x4, .x4.;adr x5, 0x10001018;bl 0x10000020' \
    '.text\n.type f,%%function\nf: adrp x0, table\nadd x0, x0, :lo12:table\nadrp x2, word\nldr w3, [x2, :lo12:word]\nadrp x4, :got:word\nldr x4, [x4, :got_lo12:word]\nadr x5, word\nbl g\n.size f,.-f\n.type g,%%function\ng: ret\n.size g,.-g\n.data\n.skip 24\nword: .word 7\n.section .rodata\n.skip 40\ntable: .quad word\n'
links_text riscv64 riscv:rv64 'auipc a0.*add a0,a0,-?[0-9]+ # 0x10002028;.*lui a2,0x10002;lw a3,-2032.a2. # 0x10001810;sw a3,-2032.a2.;auipc a4,.*sw a3,-?[0-9]+.a4. # 0x10001810;' \
    '.text\n.type f,%%function\nf: la a0, table\nlui a2, %%hi(word)\nlw a3, %%lo(word)(a2)\nsw a3, %%lo(word)(a2)\n.La: auipc a4, %%pcrel_hi(word)\nsw a3, %%pcrel_lo(.La)(a4)\n.size f,.-f\n.data\n.skip 2064\nword: .word 7\n.section .rodata\n.skip 40\ntable: .quad word, 5\n'

# Machine code as people write it; lines of a disassembly, with their bytes and without.
for hex in 480fafc0 '48 0f af c0' 0x480FAFC0 '\x48\x0f\xaf\xc0'; do
    expect 0 '480fafc0=3.00' names run --hex "$hex"
done
expect 2 "'g' is not a hexadecimal digit" run --hex '48 0g'
expect 2 'half a byte is left over: there are 3' run --hex '48 0'
printf '0000000000001135 <f>:\n    1135:\t48 0f af c0          \timul   %%rax,%%rax\n' >"$T/objdump.txt"
printf '    1135:\timul   %%rax,%%rax   # 2040 <table>\n' >"$T/brief.txt"
printf '   12.50 │      imul   %%rax,%%rax\n' >"$T/perf.txt"
for file in objdump brief perf; do
    expect 0 "$file.txt=3.00" names run "$T/$file.txt"
done

# What is no code has a name, in each command.
printf '!<arch>\n' >"$T/lib.a"
printf 'int f;' >"$T/f.c"
expect 2 'lib.a: this is an archive: take an object out of it' run "$T/lib.a"
expect 2 'lib.a: this is an archive: take an object out of it' "$cyclops" corpus extract "$T/lib.a"
expect 1 'lib.a: this is an archive: take an object out of it' "$cyclops" mca -mtriple=x86_64 -mcpu=skylake "$T/lib.a"
expect 2 "f.c: this is a C source: compile it with 'gcc -O2 -S'" run "$T/f.c"
if command -v aarch64-linux-gnu-as >/dev/null; then
    echo 'add x0, x0, x1' | aarch64-linux-gnu-as - -o "$T/arm.o"
    expect 2 'arm.o: this is code for aarch64, not for x86_64.*; give --isa aarch64' run "$T/arm.o"
fi
for file in lib.a pic.o; do
    [ ! -e "$T/$file" ] || expect 2 "$file: this is an (archive|object)" "$cyclops" trace "$T/$file"
done
expect 1 "note: .*f.c is a C source: compile it with 'gcc -O2 -S'" "$cyclops" mca -mtriple=x86_64 -mcpu=skylake "$T/f.c"

# What nothing defines: an operand gets an address, with a note and in the record; a call, a register's slip and a label
# that is there twice are mistakes, with their place.
printf 'movsd .LC0(%%rip), %%xmm0\nimull counter(%%rip), %%eax\nmovl table(,%%rdi,4), %%ecx\n' >"$T/unknown.s"
expect 0 "unknown.s: nothing defines '.LC0', 'counter' and 'table': made-up memory stands for them" run "$T/unknown.s"
expect 0 'unknown.s=3.00 $' names run "$T/unknown.s"
expect 2 'unknown.s=3.00 .*480fafc0=3.00 $' names run "$T/unknown.s" --asm 'call helper' --hex 480fafc0
refused 'wrong.s:2:6: the block refers to .helper., which nothing defines' 'nop\ncall helper\n'
refused "wrong.s:1:10: .rbz. is neither a register nor defined here .did you mean 'rbx'" 'add rax, rbz\n'
refused "wrong.s:2:1: label 'a' is defined once more here" 'a: nop\na: nop\n'
if [ "$(uname -m)" = x86_64 ]; then
    expect 0 'unknown.s: comes to its end; touches 3 pages' "$cyclops" try "$T/unknown.s"
    as "$T/unknown.s" -o "$T/unknown.o"
    expect 0 "nothing defines '.LC0', 'counter' and 'table'" "$cyclops" try "$T/unknown.o"
    expect 1 'time-out; a pass takes too' \
        "$cyclops" try --asm 'mov rcx, 0x7fffffffff; 1: dec rcx; jne 1b'
fi
# Pasted lines refer to memory by its distance, which is not that of the copy: made-up memory stands for it.
printf '  10:\tf2 0f 58 05 4f 0f 00 \taddsd  0xf4f(%%rip),%%xmm0        # 2140 <tab+0x100>\n  17:\t00 \n' >"$T/pasted.txt"
printf '  18:\t48 ff c0             \tinc    %%rax\n' >>"$T/pasted.txt"
if [ "$(uname -m)" = x86_64 ]; then
    expect 0 "nothing defines 'tab'.*pasted.txt: comes to its end; touches 1 page" one_line "$cyclops" try "$T/pasted.txt"
fi
# What gcc -g writes: lines, frames, sections behind the code. Functions of a text, by name or all.
{
    printf '.file "k.c"\n.text\n.file 0 "/src" "k.c"\n.type f,@function\nf:\n.file 1 "k.c"\n.file 2 "k.h"\n.loc 1 1 2 view -0\n'
    printf '.cfi_startproc\nimul v(%%rip), %%rax\n.loc 1 2 2 is_stmt 0 view .LVU1\nret\n.cfi_endproc\n.size f,.-f\n'
    printf '.type g,@function\ng: add %%rax, %%rbx\nret\n.size g,.-g\n.data\nv: .quad 7\n'
    printf '.section .debug_info,"",@progbits\n.long 1\n.uleb128 3\n.section .debug_str,"MS",@progbits,1\n.string "k"\n'
} >"$T/debug.s"
sed '/\.loc\|\.file [01]/d' "$T/debug.s" >"$T/bare.s"
for file in debug bare; do
    "$cyclops" mca -mtriple=x86_64-linux-gnu -mcpu=skylake "$T/$file.s" >"$T/$file.out" 2>&1
done
expect 0 'Instructions: +400' cat "$T/debug.out"
expect 0 same bash -c "cmp '$T/debug.out' '$T/bare.out' && echo same"
if [ "$(uname -m)" = x86_64 ]; then
    expect 0 'debug.s:g: comes to its end' "$cyclops" try "$T/debug.s"
    expect 0 'debug.s:f: comes to its end' "$cyclops" try "$T/debug.s" --symbol f
    expect 2 "debug.s: there is no symbol 'h'" "$cyclops" try "$T/debug.s" --symbol h
    expect 2 'debug.s: it has several functions, such as f and g' "$cyclops" trace "$T/debug.s"
fi
expect 2 'debug.s: this is text: --section, --start and --end choose code of an object' run "$T/debug.s" --start 0
# An option that chooses code is not ignored where nothing can be chosen from.
expect 2 '^cyclops: error: --symbol and --region choose code of a file or of --asm: there is neither$' run --hex 90 --region x
expect 2 '^cyclops: error: --section, --start and --end choose code of an object: name its file$' run --asm nop --start 0
if [ "$(uname -m)" = x86_64 ] && as "$T/debug.s" -o "$T/debug.o"; then
    expect 2 'debug.o: this is an object: --region chooses from a text' run "$T/debug.o" --region x
fi
# Which command takes a mnemonic.
expect 2 "there is no kernel 'imulq', but it is a mnemonic of [0-9]+ forms.*'cyclops survey imulq' all" run imulq
expect 2 "there is no file and no kernel 'nofile.txt'" run nofile.txt

# A file that is there is one, whatever its name.
printf 'imul rax, rax\n' >"$T/here.out"
cp "$T/here.out" "$T/here"
expect 0 'here .*looped +3.00' bash -c "cd '$T' && CYCLOPS_PREFIX='$build' '$cyclops' run --isa x86_64 --target sim:skylake,noise=none --form looped here"
expect 0 'here.out .*looped +3.00' bash -c "cd '$T' && CYCLOPS_PREFIX='$build' '$cyclops' run --isa x86_64 --target sim:skylake,noise=none --form looped here.out"
finish
