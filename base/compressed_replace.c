// Replaces files by compressed ones, and the other way round. compressed.c reads them.
#include "base/compressed.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zstd.h>

// Compresses all of `in`.
static bool put_packed(FILE *in, FILE *out) {
    static const int level = 6; // a second for a whole survey; 9 takes a third more, for 8 % less
    ZSTD_CStream *stream = ZSTD_createCStream();
    static char input[1 << 17], output[1 << 17];
    bool is_good = stream && !ZSTD_isError(ZSTD_CCtx_setParameter(stream, ZSTD_c_compressionLevel, level)) &&
                   !ZSTD_isError(ZSTD_CCtx_setParameter(stream, ZSTD_c_checksumFlag, 1));
    bool is_last = false;
    while (is_good && !is_last) {
        ZSTD_inBuffer from = {input, fread(input, 1, sizeof input, in), 0};
        is_last = feof(in);
        is_good = !ferror(in);
        bool is_more = is_good;
        while (is_more) {
            ZSTD_outBuffer to = {output, sizeof output, 0};
            size_t left = ZSTD_compressStream2(stream, &to, &from, is_last ? ZSTD_e_end : ZSTD_e_continue);
            is_good = !ZSTD_isError(left) && fwrite(output, 1, to.pos, out) == to.pos;
            is_more = is_good && (is_last ? left > 0 : from.pos < from.size);
        }
    }
    ZSTD_freeCStream(stream);
    return is_good;
}

static bool put_plain(FILE *in, FILE *out) {
    static char piece[1 << 17];
    size_t n;
    while ((n = fread(piece, 1, sizeof piece, in)) > 0)
        if (fwrite(piece, 1, n, out) != n)
            return false;
    return !ferror(in);
}

// Makes a file of another one, which it removes then. The new one is whole, and on the disk, before it has its name.
static bool replace(struct arena *arena, const char *from, const char *to, bool (*put)(FILE *in, FILE *out),
                    struct fail *fail) {
    char *aside = arena_printf(arena, "%s.XXXXXX", to);
    struct stat status;
    FILE *in = compressed_open(from);
    int fd = in ? mkostemp(aside, O_CLOEXEC) : -1;
    FILE *out = fd >= 0 ? fdopen(fd, "w") : NULL;
    bool is_done = out && put(in, out) && fflush(out) == 0 && stat(from, &status) == 0 &&
                   fchmod(fd, status.st_mode & 0777) == 0 && fsync(fd) == 0;
    int error = errno;
    if (in)
        fclose(in);
    if (out && fclose(out) != 0 && is_done) {
        is_done = false;
        error = errno;
    }
    if (is_done && rename(aside, to) == 0 && unlink(from) == 0)
        return true;
    error = is_done ? errno : error;
    if (fd >= 0)
        unlink(aside);
    return fail_set(fail, FAIL_INPUT, "cannot write '%s' from '%s': %s", to, from, compressed_error_text(error));
}

bool compressed_pack(struct arena *arena, const char *path, struct fail *fail) {
    return access(path, F_OK) != 0 || replace(arena, path, arena_printf(arena, "%s.zst", path), put_packed, fail);
}

bool compressed_unpack(struct arena *arena, const char *path, struct fail *fail) {
    const char *found = compressed_find(arena, path);
    if (!found)
        return true;
    if (strcmp(found, path) != 0)
        return replace(arena, found, path, put_plain, fail);
    // A run was killed between a renaming and a removal.
    unlink(arena_printf(arena, "%s.zst", path));
    return true;
}
