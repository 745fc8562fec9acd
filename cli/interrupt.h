// Private to this folder.
// Ctrl-C during long work. The first one only sets a flag, so that the program still shows its results. One that comes
// more than half a second later has its usual effect.
#ifndef CLI_INTERRUPT_H
#define CLI_INTERRUPT_H

#include <stdbool.h>

void interrupt_watch(void);
bool interrupt_seen(void);

#endif
