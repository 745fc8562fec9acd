#!/usr/bin/env bash
# The installed library serves a program built outside, by pkg-config, shared and static, from C and from C++.
#     library.sh BUILD
. "$(dirname "$0")/lib.sh"
unset CYCLOPS_PREFIX
command -v pkg-config >/dev/null || skip "no pkg-config"
cmake --install "$build" --prefix "$T/usr" >/dev/null || { echo "FAILED: install"; exit 1; }
folder=$(dirname "$(find "$T/usr" -name cyclops.pc)")
export PKG_CONFIG_PATH=$folder LD_LIBRARY_PATH=${folder%/pkgconfig}
nm -D "$LD_LIBRARY_PATH/libcyclops.so" | grep -qE '__(asan|tsan|ubsan)_' && skip "a program would need the sanitizer too"
flags() { pkg-config --define-variable=prefix="$T/usr" "$@" cyclops; }
example=$here/../examples/reorder.c
# What a program needs that links the static library, without the -l of the library itself.
behind_static() { flags --static --libs | sed 's/-lcyclops//'; }

# gets_faster PROGRAM: fewer cycles after than before, of the same instructions.
gets_faster() {
    "$1" cortex-a55 >"$T/reordered" || return 1
    awk '/^before/ { before = $2 } /^after/ { after = $2 } END { print before, after; exit !(after > 0 && after < before) }' "$T/reordered" || return 1
    cmp <(sed -n '/^before/,/^after/{/^ /p}' "$T/reordered" | sort) <(sed -n '/^after/,${/^ /p}' "$T/reordered" | sort)
}

# shellcheck disable=SC2046
cc -Wall -Werror "$example" $(flags --cflags --libs) -o "$T/shared" || { echo "FAILED: shared"; exit 1; }
# shellcheck disable=SC2046
cc -Wall -Werror "$example" $(flags --cflags) "$LD_LIBRARY_PATH/libcyclops.a" $(behind_static) -o "$T/static" || { echo "FAILED: static"; exit 1; }
# shellcheck disable=SC2046
cc -Wall -Werror "$here/../examples/why.c" $(flags --cflags --libs) -o "$T/why" || { echo "FAILED: why"; exit 1; }
# shellcheck disable=SC2046
cc -Wall -Werror "$here/../examples/why.c" $(flags --cflags) "$LD_LIBRARY_PATH/libcyclops.a" $(behind_static) -o "$T/usr/bin/why" ||
    { echo "FAILED: why, static"; exit 1; }

# CPU files: the library finds those that are installed with it, and says of a block what the program says.
blocks=('imul %rbx, %rax' 'mov %rax, (%rdi); mov (%rdi), %rax; add $1, %rax' 'addps %xmm0, %xmm1; mulps %xmm2, %xmm3; nop'
    'add (%rsi), %rax; mov %rax, (%rdi); dec %rcx; jne 0f; 0:' 'push %rax; pop %rbx; movw $0x1234, %cx' 'div %rbx'
    'vaddpd (%rdi), %ymm0, %ymm0; add $32, %rdi; vmulpd %ymm1, %ymm2, %ymm3; lea (%rax,%rbx,4), %rcx; adc %rdx, %rsi')
n_same=0
for cpu in skylake zen4 zen5; do
    for block in "${blocks[@]}"; do
        "$cyclops" explain "$block" --mcpu "cpu:$cpu" --json >"$T/explained.json" 2>"$T/errors" || { cat "$T/errors"; failures=1; }
        for program in why usr/bin/why; do
            "$T/$program" "cpu:$cpu" "$block" >"$T/said" || failures=1
            "$T/$program" "core:$cpu" "$block" >"$T/said-core" || failures=1
            python3 - "$T" <<'END' && n_same=$((n_same + 1)) || failures=1
import json, sys
folder = sys.argv[1]
explained = json.load(open(f"{folder}/explained.json"))
said, core = (open(f"{folder}/{name}").read() for name in ("said", "said-core"))
wanted = [f"  {explained['cycles']:.2f} cycles per iteration\n", f": {explained['because']}\n"]
wanted += [f": {explained['next_because']}\n"] if explained["next_because"] else []
wanted += [f"note: {note}\n" for note in explained["notes"]]
missing = [text for text in wanted if text not in said]
if f"  {explained['core']:.2f} cycles per iteration\n" not in core:
    missing.append(f"core: {explained['core']:.2f}")
if missing:
    sys.exit(f"FAILED: {explained}\n  missing: {missing}\n  in: {said}{core}")
END
        done
    done
done
[ $n_same = 42 ] || { echo "FAILED: $n_same blocks of 42 as the program explains them"; failures=1; }
# A file that is wrong gets the program's line; one of the user's is found by name.
printf 'cpu: 1\nname: wrong\nbase: skylake\nparameters:\n  dispatch-wdith: 4\n' >"$T/wrong.cpu.yaml"
"$cyclops" cpu show "$T/wrong.cpu.yaml" 2>"$T/program"
expect 2 "^why: .*wrong\.cpu\.yaml:5:3: .*dispatch-wdith.*dispatch-width" "$T/why" "$T/wrong.cpu.yaml"
cmp <(sed 's/^cyclops: error: //' "$T/program") <(sed 's/^why: //' "$T/out") || { cat "$T/program" "$T/out"; failures=1; }
for wrong in $'resources: {SKLPort9: 2}' $'forms:\n  - {match: IMUL64rr, pipes: [{on: SKLPort9, cycles: 1}]}' $'base: cpu:zen4' \
    $'forms:\n  - {match: IMUL64rr, latency-from: {XMM3: 1}}' $'forms:\n  - {match: IMUL64rx, latency: 1}' $'parameters: {dispatch-width: x}'; do
    printf 'cpu: 1\nname: wrong\n%s\n%s\n' "$wrong" "$([[ $wrong == base* ]] || echo 'base: skylake')" >"$T/wrong.cpu.yaml"
    "$cyclops" explain nop --mcpu "$T/wrong.cpu.yaml" >"$T/program" 2>&1 </dev/null
    [ $? = 2 ] || [[ $wrong == *XMM3* ]] || { echo "FAILED: the program takes $wrong"; failures=1; }
    "$T/why" "$T/wrong.cpu.yaml" nop >"$T/out" 2>&1
    [ $? = 2 ] || [[ $wrong == *XMM3* ]] || { echo "FAILED: the library takes $wrong"; failures=1; }
    [[ $wrong == *XMM3* ]] || cmp <(sed 's/^cyclops: error: //' "$T/program") <(sed 's/^why: //' "$T/out") || { cat "$T/program" "$T/out"; failures=1; }
done
expect 2 "^why: no CPU file 'cpu:skylaek' is installed in '$T/usr/.*did you mean 'cpu:skylake'" "$T/why" cpu:skylaek
mkdir -p "$T/config/cyclops/cpus" && cp "$here/../cpus/skylake.cpu.yaml" "$T/config/cyclops/cpus/mine.cpu.yaml"
expect 0 '3\.00 cycles' env XDG_CONFIG_HOME="$T/config" "$T/why" cpu:mine 'imul %rbx, %rax'
expect 2 'ivybridge.*AVX2' "$T/why" cpu:ivybridge 'vpaddd %ymm0, %ymm1, %ymm2'
expect 0 '^[0-9.]+ [0-9.]+$' gets_faster "$T/shared"
# In bin/ the static one finds LLVM's module beside itself, without the shared library.
mv "$T/static" "$T/usr/bin/reorder"
rm "$LD_LIBRARY_PATH"/libcyclops.so*
expect 0 '^[0-9.]+ [0-9.]+$' gets_faster "$T/usr/bin/reorder"
expect 0 '3\.00 cycles' "$T/usr/bin/why" cpu:skylake 'imul %rbx, %rax'
printf 'nop\nbogus\n' >"$T/bad.s"
[ "$(uname -m)" != x86_64 ] || expect 2 'line 2: ' "$T/usr/bin/reorder" skylake "$T/bad.s"
echo '#include <cyclops.h>
#include <cstdio>
int main() { cyclops_close(nullptr); return puts("linked") < 0; }' >"$T/plus.cpp"
# shellcheck disable=SC2046
c++ -std=c++11 -Wall -Wextra -Wpedantic -Werror "$T/plus.cpp" $(flags --cflags) "$LD_LIBRARY_PATH/libcyclops.a" $(behind_static) -o "$T/plus" || { echo "FAILED: C++"; exit 1; }
expect 0 linked "$T/plus"
# Nothing but the public names is to be seen in it.
expect 1 '^0$' bash -c "nm '$LD_LIBRARY_PATH/libcyclops.a' | grep -E ' [TDBRC] ' | grep -vc ' cyclops_'"
finish
