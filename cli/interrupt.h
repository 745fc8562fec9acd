// Ctrl-C during long work: the first one is noted, so that what was done is still shown; the next one does what it did
// before.
#ifndef CLI_INTERRUPT_H
#define CLI_INTERRUPT_H

#include <signal.h>
#include <stdbool.h>

enum { INTERRUPT_STATUS = 128 + SIGINT }; // exit status, as shells give it

void interrupt_watch(void);
bool interrupt_seen(void);

#endif
