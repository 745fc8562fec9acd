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

# gets_faster PROGRAM: fewer cycles after than before, of the same instructions.
gets_faster() {
    "$1" cortex-a55 >"$T/reordered" || return 1
    awk '/^before/ { before = $2 } /^after/ { after = $2 } END { print before, after; exit !(after > 0 && after < before) }' "$T/reordered" || return 1
    cmp <(sed -n '/^before/,/^after/{/^ /p}' "$T/reordered" | sort) <(sed -n '/^after/,${/^ /p}' "$T/reordered" | sort)
}

# shellcheck disable=SC2046
cc -Wall -Werror "$example" $(flags --cflags --libs) -o "$T/shared" || { echo "FAILED: shared"; exit 1; }
# shellcheck disable=SC2046
cc -Wall -Werror "$example" $(flags --cflags) "$LD_LIBRARY_PATH/libcyclops.a" -lm -ldl -o "$T/static" || { echo "FAILED: static"; exit 1; }
expect 0 '^[0-9.]+ [0-9.]+$' gets_faster "$T/shared"
# In bin/ the static one finds LLVM's module beside itself, without the shared library.
mv "$T/static" "$T/usr/bin/reorder"
rm "$LD_LIBRARY_PATH"/libcyclops.so*
expect 0 '^[0-9.]+ [0-9.]+$' gets_faster "$T/usr/bin/reorder"
printf 'nop\nbogus\n' >"$T/bad.s"
[ "$(uname -m)" != x86_64 ] || expect 2 'line 2: ' "$T/usr/bin/reorder" skylake "$T/bad.s"
echo '#include <cyclops.h>
#include <cstdio>
int main() { cyclops_close(nullptr); return puts("linked") < 0; }' >"$T/plus.cpp"
# shellcheck disable=SC2046
c++ -std=c++11 -Wall -Wextra -Wpedantic -Werror "$T/plus.cpp" $(flags --cflags) "$LD_LIBRARY_PATH/libcyclops.a" -lm -ldl -o "$T/plus" || { echo "FAILED: C++"; exit 1; }
expect 0 linked "$T/plus"
# Nothing but the public names is to be seen in it.
expect 1 '^0$' bash -c "nm '$LD_LIBRARY_PATH/libcyclops.a' | grep -E ' [TDBRC] ' | grep -vc ' cyclops_'"
finish
