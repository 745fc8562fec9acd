// Lines of hexadecimal digits for several targets: the first byte chooses one.
#include "cli/mca/bytes.h"
#include "tests/fuzz/fuzz.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n_bytes) {
    if (n_bytes < 2)
        return 0;
    struct fail fail = {0};
    struct mca_hex hex;
    struct model cpu = fuzz_cpu(data[0]);
    if (mca_hex_open(&hex, fuzz_path(data + 1, n_bytes - 1), &fail)) {
        while (mca_hex_next(&hex, &cpu))
            if (hex.fail.status == FAIL_NONE)
                fuzz_simulate(cpu, &hex.block, 1);
        mca_hex_close(&hex);
    }
    return 0;
}
