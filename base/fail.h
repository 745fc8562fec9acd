// A failure to report to the user: what went wrong, where in the input, and what to do. Functions that can fail this
// way return bool and take a `struct fail *` last. A bug of ours is not a failure, but an assert. Printed as
//     cyclops: error: kernels/x86_64/fma.yaml:7:12: unknown register class 'zzm' (did you mean 'zmm'?)
#ifndef BASE_FAIL_H
#define BASE_FAIL_H

#include <stdbool.h>
#include <stdio.h>

// Exit status of a failure.
enum fail_status {
    FAIL_NONE = 0,
    FAIL_WORK = 1,         // the work failed, or exceeded a tolerance
    FAIL_INPUT = 2,        // the command line or an input file is wrong, or an output cannot be written
    FAIL_UNAVAILABLE = 77, // this machine cannot do it (test runners treat 77 as "skipped")
};

// A zeroed struct means that nothing has failed. So does one after fail_clear, which does not write all of its 2.5 KB.
struct fail {
    enum fail_status status;
    char file[512];  // input that the text is about; empty: none
    unsigned line;   // from 1; 0: unknown
    unsigned column; // from 1, in bytes; 0: unknown
    char text[2048]; // one sentence; may have further lines, such as an assembler's messages
};

void fail_clear(struct fail *fail);

// Both record the failure and return false, so that a failure is one line of code:
//     return fail_at(fail, path, line, column, "unknown key '%s'", key);
// The first failure stays: recording a second one changes nothing. fail_at implies FAIL_INPUT.
bool fail_at(struct fail *fail, const char *file, unsigned line, unsigned column, const char *format, ...)
    __attribute__((format(printf, 5, 6)));
bool fail_set(struct fail *fail, enum fail_status status, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

// Writes "cyclops: error: FILE:LINE:COLUMN: text\n", leaving out what is unknown.
void fail_print(const struct fail *fail, FILE *out);

// Writes "cyclops: " and a message. On a terminal, lines break between words. Messages quote untrusted input:
// characters that control a terminal are written as \xNN.
void fail_say(FILE *out, const char *format, ...) __attribute__((format(printf, 2, 3)));

#endif
