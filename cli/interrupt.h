// Private to this folder.
// Ctrl-C during long work. The first one only sets a flag, so that the program still shows its results. The next one
// has its usual effect.
#ifndef CLI_INTERRUPT_H
#define CLI_INTERRUPT_H

#include <stdbool.h>

void interrupt_watch(void);
bool interrupt_seen(void);

#endif
