#!/usr/bin/env bash
# The model of this machine's CPU is chosen by its features where its family and model say otherwise, as under a
# hypervisor that hides them. Shown under emulation.   host-model.sh BUILD
. "$(dirname "$0")/lib.sh"
[ "$(uname -m)" = x86_64 ] || skip "the emulated CPUs are x86-64"
command -v qemu-x86_64 >/dev/null || skip "there is no qemu-x86_64"

# host_models CPU: prints the models that are those of the emulated CPU.
host_models() {
    qemu-x86_64 -cpu "$1" "$cyclops" list models --json | jq -r 'select(.host) | .model' | paste -sd' '
}
expect 0 '^haswell$' host_models Haswell
expect 0 '^znver1$' host_models EPYC
expect 0 '^sandybridge$' host_models SandyBridge
expect 0 '^haswell$' host_models Haswell,model=42   # says that it is a Sandy Bridge
expect 0 '^haswell$' host_models EPYC-Milan,family=6,model=42
expect 0 '^sandybridge$' host_models SandyBridge,+movbe # one feature more does not make it another CPU

expect 0 "this CPU is its 'haswell', by its features" qemu-x86_64 -cpu Haswell,model=42 "$cyclops" doctor
finish
