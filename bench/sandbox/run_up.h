// Private to this folder.
// The instructions that a loop's code executes once, right before the loop. Where nothing but the start decides how a
// loop's instructions fall into the CPU's groups, the loop may keep its first arrangement for good: the same bytes then
// have one of several times. So each process enters the loop behind another number of instructions, and a value that
// depends on it is seen as another one in each process.
#ifndef BENCH_SANDBOX_RUN_UP_H
#define BENCH_SANDBOX_RUN_UP_H

#include "bench/bench.h"

enum { RUN_UP_BYTES = 16, RUN_UP_FEWEST = 2 };

// Where no-operations of one byte, RUN_UP_BYTES or more, stand before the loop of code of unknown origin: turns the
// last RUN_UP_BYTES of them into RUN_UP_FEWEST to RUN_UP_BYTES instructions of the same length in all. `number` chooses
// how many; `copy` is the code's copy, not executable yet. Other ISAs' code stays as it is.
void run_up_vary(uint8_t *copy, const struct bench_code *code, uint64_t number);

#endif
