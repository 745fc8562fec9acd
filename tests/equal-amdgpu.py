#!/usr/bin/env python3
"""AMD's GPUs wait by counters (s_waitcnt): random blocks of memory operations and waits, reports equal to llvm-mca's.

    tests/equal-amdgpu.py CYCLOPS VERSION-OF-LLVM

Random codes, as scripts/equal-to-llvm-mca makes them, hardly ever are such waits.
"""
import random
import subprocess
import sys

LINES = ["s_load_dwordx2 s[{pair}:{next}], s[0:1], 0x0", "global_load_dword v{n}, v[0:1], off",
         "global_store_dword v[0:1], v{n}, off", "flat_load_dword v{n}, v[0:1]", "ds_read_b32 v{n}, v5",
         "ds_write_b32 v5, v{n}", "v_add_f32 v{n}, v1, v2", "v_mul_f32 v{n}, v{m}, v4", "v_rcp_f32 v{n}, v{m}",
         "s_mov_b32 s{n}, 0", "s_waitcnt vmcnt({few})", "s_waitcnt lgkmcnt({few})", "s_waitcnt expcnt({few})",
         "s_waitcnt vmcnt({few}) lgkmcnt({more})", "s_waitcnt vmcnt(0) expcnt(0) lgkmcnt(0)"]
GFX10_LINES = ["s_waitcnt_vscnt null, 0x{few}", "s_waitcnt_vscnt null, 0x{more}"]
OPTIONS = [[], ["-all-views"], ["-timeline", "-iterations=5"], ["-disable-cb"], ["-json"], ["-iterations=1000"]]
BLOCKS = 25


def make_block(rng, lines):
    pair = 2 * rng.randrange(4, 9)
    return "".join(rng.choice(lines).format(pair=pair, next=pair + 1, n=rng.randrange(3, 40), m=rng.randrange(3, 40),
                                            few=rng.randrange(3), more=rng.randrange(8)) + "\n"
                   for _ in range(rng.randrange(3, 14)))


def main():
    cyclops, version = sys.argv[1:]
    rng = random.Random(1)
    failures = 0
    for cpu in ["gfx900", "gfx90a", "gfx942", "gfx1010", "gfx1030"]:
        lines = LINES + GFX10_LINES if cpu.startswith("gfx10") else LINES
        for _ in range(BLOCKS):
            block, options = make_block(rng, lines), ["-mtriple=amdgcn", "-mcpu=" + cpu] + rng.choice(OPTIONS)
            theirs = subprocess.run(["llvm-mca-" + version] + options, input=block, capture_output=True, text=True)
            ours = subprocess.run([cyclops, "mca", "--llvm=" + version] + options, input=block, capture_output=True, text=True)
            if theirs.returncode != 0 or ours.stdout != theirs.stdout:
                print(f"FAILED: {' '.join(options)}, exit statuses {theirs.returncode} {ours.returncode}\n{block}{ours.stderr}")
                failures += 1
    print(f"{failures} differ")
    return failures != 0


if __name__ == "__main__":
    sys.exit(main())
