awk -F '[ \t]*: ' -v isa="$(uname -m)" '
    $1 ~ /^(vendor_id|cpu family|model|stepping|microcode|CPU (implementer|variant|part|revision))$/ ||
    $1 ~ /^(cpu model|uarch|mvendorid|marchid|mimpid)$/ { if (!seen[$0]++) kind = kind "-" $2 }
    $1 == "flags" && /hypervisor/ { virtual = "-vm" }
    END { gsub(/[^A-Za-z0-9._-]/, "_", kind); print isa kind virtual }' /proc/cpuinfo
