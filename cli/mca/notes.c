#include "cli/mca/notes.h"

const char *mca_program_of(const struct mca_session *session) {
    return session->args->as_llvm_mca ? "" : "cyclops: ";
}

void mca_print_note(const struct mca_session *session, const struct backend_note *note) {
    static const char *const words[] = {"error", "warning", "note"};
    fprintf(stderr, "%s%s: %s\n", mca_program_of(session), words[note->severity], note->text);
}

void mca_print_notes(const struct mca_session *session, const struct backend_source *source) {
    for (size_t i = 0; i < source->n_notes; i++)
        mca_print_note(session, &source->notes[i]);
}
