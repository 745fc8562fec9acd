// Private to this folder.
// LLVM's notes on a text, and warnings of our own, on stderr.
#ifndef CLI_MCA_NOTES_H
#define CLI_MCA_NOTES_H

#include "cli/mca/report.h"

// What a message begins with: "cyclops: ". Tests of llvm-mca check its warnings, too, and these name no program: "".
const char *mca_program_of(const struct mca_session *session);

void mca_print_note(const struct mca_session *session, const struct backend_note *note);
// Prints all notes of a text: one that could not be read, or whose report comes whole.
void mca_print_notes(const struct mca_session *session, const struct backend_source *source);

#endif
