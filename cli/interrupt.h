// Private to this folder.
// Ctrl-C during long work: the first one is noted, so that what was done is still shown; the next one does what it did
// before.
#ifndef CLI_INTERRUPT_H
#define CLI_INTERRUPT_H

#include <stdbool.h>

void interrupt_watch(void);
bool interrupt_seen(void);

#endif
