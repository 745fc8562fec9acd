#!/usr/bin/env bash
# An installation works from any folder, without the build tree's help, and goes without a trace.  installed.sh BUILD
. "$(dirname "$0")/lib.sh"
unset CYCLOPS_PREFIX
! [ -e "$build/install_manifest.txt" ] || mv "$build/install_manifest.txt" "$T/manifest" # of whom this build is installed for
cmake --install "$build" --prefix "$T/usr" >/dev/null || { echo "FAILED: install"; exit 1; }
cyclops=$T/usr/bin/cyclops
cd /
expect 0 fma-zmm-ps "$cyclops" list kernels
expect 0 'Block RThroughput: 2.0' "$cyclops" mca -mtriple=x86_64-unknown-unknown -mcpu=btver2 -iterations=300 "$here/golden/dot-product.s"
expect 0 'latency 4.00 +reciprocal throughput 0.50' "$cyclops" run fma-zmm-ps --isa x86_64 --sweep 1..2 --target sim:skylake-avx512
for file in share/man/man1/cyclops.1 share/cyclops/results share/doc/cyclops/LICENSE share/bash-completion/completions/cyclops share/zsh/site-functions/_cyclops share/fish/vendor_completions.d/cyclops.fish lib/cyclops/cyclops-llvm-19.so bin/cyclops-llvm-mca lib/cyclops/llvm-mca $(cd "$build" && ls lib/cyclops/runner-* 2>/dev/null); do
    [ -e "$T/usr/$file" ] || { echo "FAILED: $file is not installed"; failures=$((failures + 1)); }
done
for name in bin/cyclops-llvm-mca lib/cyclops/llvm-mca; do
    expect 0 'Block RThroughput: 2.0' "$T/usr/$name" -mtriple=x86_64-unknown-unknown -mcpu=btver2 -iterations=300 "$here/golden/dot-product.s"
done

# Its own assembler, which a relocatable installation has, goes before all others.
mkdir "$T/usr/lib/cyclops/tools"
if [ "$(uname -m)" = x86_64 ] && ln -s "$(command -v as)" "$T/usr/lib/cyclops/tools/as"; then
    expect 0 'reciprocal throughput 0.50' env PATH=/none "$cyclops" run fma-zmm-ps --sweep 1..2 --target sim:skylake-avx512
    rm "$T/usr/lib/cyclops/tools/as"
    expect 77 'apt install binutils' env PATH=/none "$cyclops" run fma-zmm-ps --sweep 1..2 --target sim:skylake-avx512
fi

touch "$T/usr/lib/cyclops/another's"
expect 0 'Removed [0-9]+ files' cmake -DBUILD="$build" -P "$here/../cmake/uninstall.cmake"
[ "$(cd "$T/usr" && find . ! -type d -o -name cyclops | sort | tr '\n' ' ')" = "./lib/cyclops ./lib/cyclops/another's " ] ||
    { echo "FAILED: what is left:"; find "$T/usr" ! -type d; failures=$((failures + 1)); }
expect 1 'Nothing was installed' cmake -DBUILD="$build" -P "$here/../cmake/uninstall.cmake"
! [ -e "$T/manifest" ] || mv "$T/manifest" "$build/install_manifest.txt"
finish
