#!/usr/bin/env bash
# A bundle needs nothing: it runs as nobody, in a root that holds it and a folder to write to, and no /proc, /sys or /dev.
# bundle-empty-root.sh BUILD
. "$(dirname "$0")/lib.sh"
[ "$(uname -m)" = x86_64 ] || skip "kernels for x86-64"
[ -e "$build/lib/cyclops/runner-x86_64" ] || skip "no runner for x86-64"
[ "$(id -u)" = 0 ] || skip "not root"
mkdir -p "$T/root/out"
chmod 755 "$T" "$T/root"
chmod 777 "$T/root/out"
"$cyclops" bundle add-r64 imul-r64 --output "$T/root/probe"
chroot --userspec=65534:65534 "$T/root" /probe --help >/dev/null 2>&1 || skip "root may not chroot in this container"
expect 0 'imul-r64 +latency' chroot --userspec=65534:65534 "$T/root" /probe --attempt 50 --budget 0 --output /out/probe.jsonl
expect 0 '^nobody: host 4 of 4' jq -rs '"nobody: \(.[0].record) \(map(select(.verdict)) | length) of \(length - 1)"' "$T/root/out/probe.jsonl"
finish
