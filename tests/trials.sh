#!/usr/bin/env bash
# Real blocks end as they do for an execution that shares no code with Cyclops: registers, memory, pages, faults.
# scripts/study-trials compares, for more blocks as well.  trials.sh BUILD
. "$(dirname "$0")/lib.sh"
exec "$here/../scripts/study-trials" "$here/blocks/bhive-sample.hex" "$build"
