// A failure that is somebody's business: what went wrong, where in their input, and what to do next.
// Functions that can fail this way return bool and take a `struct fail *` last. A bug of ours is not a
// failure: it is an assert. Printed as
//     cyclops: error: kernels/x86_64/fma.yaml:7:12: unknown register class 'zzm' (did you mean 'zmm'?)
#ifndef BASE_FAIL_H
#define BASE_FAIL_H

#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>

// The exit status a failure leads to.
enum fail_status {
    FAIL_NONE = 0,
    FAIL_WORK = 1,         // the work was tried and failed, or a tolerance was exceeded
    FAIL_INPUT = 2,        // the command line or an input file is wrong
    FAIL_UNAVAILABLE = 77, // this machine cannot do that (test runners read 77 as "skipped")
};

// A zeroed struct means that nothing has failed; so does one after fail_clear, which does not write all of its 2.5 KB.
struct fail {
    enum fail_status status;
    char file[512];  // input the text is about; empty: none
    unsigned line;   // from 1; 0: unknown
    unsigned column; // from 1, in bytes; 0: unknown
    char text[2048]; // one sentence, may hold further lines (an assembler's own words, say)
};

void fail_clear(struct fail *fail);

// Both record the failure and return false, so that the place of failure is one line:
//     return fail_at(fail, path, line, column, "unknown key '%s'", key);
// The first failure stays: recording a second one changes nothing. fail_at implies FAIL_INPUT.
bool fail_at(struct fail *fail, const char *file, unsigned line, unsigned column, const char *format, ...)
    __attribute__((format(printf, 5, 6)));
bool fail_set(struct fail *fail, enum fail_status status, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

// Writes "cyclops: error: FILE:LINE:COLUMN: text\n", leaving out what is unknown.
void fail_print(const struct fail *fail, FILE *out);

// Writes "cyclops: " and a message, which on a terminal is broken between words. Messages quote input, and input may be
// anybody's: what would drive the terminal is written as \xNN.
void fail_say(FILE *out, const char *format, ...) __attribute__((format(printf, 2, 3)));

#endif
