#include "lab/listener.h"

#include "base/arena.h"

void lab_say(const struct lab_listener *listener, enum lab_note kind, const char *format, ...) {
    if (!listener || !listener->note)
        return;
    struct arena arena = {0};
    va_list args;
    va_start(args, format);
    listener->note(listener->context, kind, arena_vprintf(&arena, format, args));
    va_end(args);
    arena_free(&arena);
}

void lab_say_failed(const struct lab_listener *listener, const struct fail *fail) {
    if (listener && listener->failed)
        listener->failed(listener->context, fail);
}

void lab_say_started(const struct lab_listener *listener) {
    if (listener && listener->started)
        listener->started(listener->context);
}

void lab_say_measuring(const struct lab_listener *listener, size_t number, size_t total) {
    if (listener && listener->measuring)
        listener->measuring(listener->context, number, total);
}

void lab_say_waiting(const struct lab_listener *listener, size_t n_left, double seconds) {
    if (listener && listener->waiting)
        listener->waiting(listener->context, n_left, seconds);
}
