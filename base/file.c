#include "base/file.h"

#include "base/text.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { MOST_BYTES = 1 << 28 }; // larger than any real input; stops at /dev/zero

static bool read_all(int fd, struct text *text) {
    char buffer[64 << 10];
    ssize_t n;
    while ((n = read(fd, buffer, sizeof buffer)) != 0) {
        if (text->length > MOST_BYTES) {
            errno = EFBIG;
            return false;
        }
        if (n > 0)
            text_append(text, buffer, (size_t)n);
        else if (errno != EINTR)
            return false;
    }
    return true;
}

bool file_read(struct arena *arena, const char *path, char **data, size_t *length, struct fail *fail) {
    bool is_stdin = strcmp(path, "-") == 0;
    int fd = is_stdin ? STDIN_FILENO : open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0)
        return fail_set(fail, FAIL_INPUT, "cannot open '%s': %s", path, strerror(errno));
    struct text text = {.arena = arena};
    text_add(&text, "");
    bool is_read = read_all(fd, &text);
    int error = errno;
    if (!is_stdin)
        close(fd);
    if (!is_read)
        return fail_set(fail, FAIL_INPUT, "cannot read '%s': %s", path, strerror(error));
    *data = text.data;
    if (length)
        *length = text.length;
    return true;
}

const char *file_base(const char *path) {
    const char *slash = strrchr(path, '/');
    return slash ? slash + 1 : path;
}

const char *file_name(const char *path) {
    return strcmp(path, "-") == 0 ? "<stdin>" : path;
}

static bool write_all(int fd, const char *data, size_t length) {
    while (length) {
        ssize_t n = write(fd, data, length);
        if (n < 0 && errno != EINTR)
            return false;
        if (n > 0) {
            data += n;
            length -= (size_t)n;
        }
    }
    return true;
}

// A file that standard output goes to must not be opened again, from its start, nor the link in /dev be replaced.
static bool is_standard_output(const char *path) {
    return strcmp(path, "/dev/stdout") == 0 || strcmp(path, "/dev/fd/1") == 0 || strcmp(path, "/proc/self/fd/1") == 0;
}

// Whether the path is a device or a pipe, which must be written directly: a renamed file cannot replace it.
static bool is_special(const char *path) {
    struct stat status;
    return stat(path, &status) == 0 && !S_ISREG(status.st_mode);
}

bool file_write(const char *path, const void *data, size_t length, struct fail *fail) {
    if (is_standard_output(path))
        return (fflush(stdout) == 0 && write_all(STDOUT_FILENO, data, length)) ||
               fail_set(fail, FAIL_INPUT, "cannot write '%s': %s", path, strerror(errno));
    if (is_special(path)) {
        int fd = open(path, O_WRONLY | O_CLOEXEC);
        bool is_done = fd >= 0 && write_all(fd, data, length);
        if (fd >= 0)
            is_done = close(fd) == 0 && is_done;
        return is_done || fail_set(fail, FAIL_INPUT, "cannot write '%s': %s", path, strerror(errno));
    }
    char aside[4096];
    int n = snprintf(aside, sizeof aside, "%s.XXXXXX", path);
    if (n < 0 || (size_t)n >= sizeof aside)
        return fail_set(fail, FAIL_INPUT, "the path '%s' is too long", path);
    int fd = mkostemp(aside, O_CLOEXEC);
    if (fd < 0)
        return fail_set(fail, FAIL_INPUT, "cannot write '%s': %s", path, strerror(errno));
    mode_t mask = umask(0);
    umask(mask);
    bool is_done = write_all(fd, data, length) && fchmod(fd, 0666 & ~mask) == 0;
    is_done = close(fd) == 0 && is_done;
    if (is_done && rename(aside, path) == 0)
        return true;
    int error = errno;
    unlink(aside);
    return fail_set(fail, FAIL_INPUT, "cannot write '%s': %s", path, strerror(error));
}

bool file_can_write(const char *path, struct fail *fail) {
    char aside[4096];
    if (!path || is_standard_output(path))
        return true;
    if (is_special(path)) {
        int error = file_is_folder(path) ? EISDIR : access(path, W_OK) == 0 ? 0 : errno;
        return !error || fail_set(fail, FAIL_INPUT, "cannot write '%s': %s", path, strerror(error));
    }
    int n = snprintf(aside, sizeof aside, "%s.XXXXXX", path);
    if (n < 0 || (size_t)n >= sizeof aside)
        return fail_set(fail, FAIL_INPUT, "the path '%s' is too long", path);
    int fd = *path ? mkostemp(aside, O_CLOEXEC) : -1;
    if (fd < 0)
        return fail_set(fail, FAIL_INPUT, "cannot write '%s': %s", path, strerror(*path ? errno : ENOENT));
    close(fd);
    unlink(aside);
    return true;
}

bool file_is_same(const char *a, const char *b) {
    struct stat one, other;
    struct arena arena = {0};
    if (stat(a, &one) == 0 && stat(b, &other) == 0)
        return one.st_dev == other.st_dev && one.st_ino == other.st_ino;
    const char *paths[] = {a, b};
    char *folders[2];
    for (int i = 0; i < 2; i++) {
        const char *slash = strrchr(paths[i], '/'), *folder = slash == paths[i] ? "/" : ".";
        if (slash && slash != paths[i])
            folder = arena_copy(&arena, paths[i], (size_t)(slash - paths[i]));
        folders[i] = realpath(folder, NULL);
        paths[i] = slash ? slash + 1 : paths[i];
    }
    bool is_same = folders[0] && folders[1] && strcmp(folders[0], folders[1]) == 0 && strcmp(paths[0], paths[1]) == 0;
    free(folders[0]);
    free(folders[1]);
    arena_free(&arena);
    return is_same;
}

bool file_are_apart(const char *const *paths, const char *const *options, size_t n, struct fail *fail) {
    for (size_t i = 0; i < n; i++)
        for (size_t k = 0; k < i; k++)
            if (paths[i] && paths[k] && strcmp(paths[i], "-") != 0 && !is_standard_output(paths[i]) &&
                !is_special(paths[i]) && file_is_same(paths[i], paths[k]))
                return fail_set(fail, FAIL_INPUT, "--%s and --%s would write the same file '%s': name two", options[k],
                                options[i], paths[i]);
    return true;
}

char *file_first_line(struct arena *arena, const char *path) {
    FILE *in = fopen(path, "re");
    if (!in)
        return NULL;
    char line[4096];
    bool is_read = fgets(line, sizeof line, in) != NULL;
    fclose(in);
    return is_read ? arena_copy(arena, line, strcspn(line, "\n")) : NULL;
}

const char *file_installed(struct arena *arena, const char *relative) {
    const char *prefix = getenv("CYCLOPS_PREFIX");
    if (prefix && *prefix)
        return arena_printf(arena, "%s/%s", prefix, relative);
    const char *own = file_prefix_of_library ? file_prefix_of_library(arena) : NULL;
    if (own)
        return arena_printf(arena, "%s/%s", own, relative);
    char self[4096];
    ssize_t n = readlink("/proc/self/exe", self, sizeof self - 1);
    if (n < 0)
        n = 0;
    self[n] = '\0';
    for (int levels = 0; levels < 2; levels++) {
        char *slash = strrchr(self, '/');
        if (slash)
            *slash = '\0';
    }
    return arena_printf(arena, "%s/%s", self, relative);
}

char *file_temporary(struct arena *arena, const char *name) {
    const char *folder = getenv("TMPDIR");
    return arena_printf(arena, "%s/%s-XXXXXX", folder && *folder ? folder : "/tmp", name);
}

bool file_is_folder(const char *path) {
    struct stat status;
    return stat(path, &status) == 0 && S_ISDIR(status.st_mode);
}

bool file_make_folder(const char *path, struct fail *fail) {
    return mkdir(path, 0777) == 0 || errno == EEXIST ||
           fail_set(fail, FAIL_INPUT, "cannot make the folder '%s': %s", path, strerror(errno));
}

bool file_lock_folder(struct arena *arena, const char *path, const char *what, struct fail *fail) {
    if (!file_make_folder(path, fail))
        return false;
    int file = open(arena_printf(arena, "%s/lock", path), O_CREAT | O_RDWR | O_CLOEXEC, 0666);
    if (file < 0)
        return fail_set(fail, FAIL_INPUT, "cannot write in the folder '%s': %s", path, strerror(errno));
    // A lock of this process alone: after a SIGKILL, the guardian of the host's settings may live a little longer.
    const struct flock whole = {.l_type = F_WRLCK, .l_whence = SEEK_SET};
    if (fcntl(file, F_SETLK, &whole) == 0)
        return true; // held until the program ends
    close(file);
    return fail_set(fail, FAIL_INPUT, "another %s is at work in '%s': wait for it, or give another --output", what,
                    path);
}

bool file_has_suffix(const char *name, const char *suffix) {
    size_t n = strlen(name), n_suffix = strlen(suffix);
    return n > n_suffix && strcmp(name + n - n_suffix, suffix) == 0;
}

const char *file_of_user(struct arena *arena, const char *relative) {
    const char *config = getenv("XDG_CONFIG_HOME"), *home = getenv("HOME");
    if (config && *config == '/')
        return arena_printf(arena, "%s/cyclops/%s", config, relative);
    return home && *home == '/' ? arena_printf(arena, "%s/.config/cyclops/%s", home, relative) : NULL;
}

size_t file_list(struct arena *arena, const char *path, const char *suffix, const char ***names) {
    *names = NULL;
    DIR *folder = opendir(path);
    if (!folder)
        return 0;
    size_t n = 0;
    for (struct dirent *entry; (entry = readdir(folder));) {
        if (entry->d_name[0] == '.' || !file_has_suffix(entry->d_name, suffix))
            continue;
        *ARENA_ADD(arena, *names, n) = arena_strdup(arena, entry->d_name);
    }
    closedir(folder);
    return text_sort(*names, n);
}

void file_guard_standard(void) {
    for (int fd = STDIN_FILENO; fd <= STDERR_FILENO; fd++)
        if (fcntl(fd, F_GETFD) < 0 && open("/dev/null", fd == STDIN_FILENO ? O_WRONLY : O_RDONLY) < 0)
            abort(); // no file could be used safely
}
