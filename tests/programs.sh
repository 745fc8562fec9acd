#!/usr/bin/env bash
# scripts/check-programs: all that scripts and tests call is in a package that scripts/packages installs; and it finds
# what is not.  programs.sh BUILD
. "$(dirname "$0")/lib.sh"
cd "$here/.." || exit 1
command -v patch >/dev/null || skip "no patch"

scripts/check-programs >"$T/found"
status=$?
[ $status != 77 ] || skip "$(sed 's/^skipped: //' "$T/found")"
[ $status = 0 ] || { echo "FAILED: programs without their package:"; cat "$T/found"; failures=$((failures + 1)); }
# Nothing else brings these packages.
scripts/check-programs --without patch cpio qemu-user libxml2-utils >"$T/found"
[ $? = 1 ] || { echo "FAILED: without packages, exit 1 was wanted"; failures=$((failures + 1)); }
expect 0 "^tests/repair-td.sh:[0-9]+: 'patch' is in no package of \`scripts/packages test\`: add patch$" cat "$T/found"
expect 0 "^scripts/repair-td-back:[0-9]+: 'patch'" cat "$T/found"        # in a list of Python's
expect 0 "^scripts/test-pmu:[0-9]+: 'cpio'" cat "$T/found"               # behind a pipe
expect 0 "^tests/CMakeLists.txt:[0-9]+: 'qemu-aarch64'" cat "$T/found"
expect 0 "^tests/check.sh:[0-9]+: 'xmllint'" cat "$T/found"              # asked for with command -v
finish
