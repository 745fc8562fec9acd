// Private to this folder.
// A process in our group that does nothing but get its signals. A terminal's Ctrl-C, and what is sent to the whole
// group, are for the program that runs under us, too, and it has got them. What came to us alone is to be passed on.
#ifndef HOT_KEY_WITNESS_H
#define HOT_KEY_WITNESS_H

#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

enum { KEYS = 2 }; // SIGINT and SIGQUIT

struct key_witness { // all zero: there is none
    pid_t pid;
    uint32_t *counts;    // that it has got; shared with it
    uint32_t seen[KEYS]; // of these
    char status[32];     // path of its state in /proc
};

void key_witness_open(struct key_witness *witness);
// Whether a signal that we have got came to us alone. A handler of signals may call it.
bool key_witness_is_alone(struct key_witness *witness, int number);
void key_witness_close(struct key_witness *witness);

#endif
