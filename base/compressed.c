#include "base/compressed.h"

#include "base/file.h"
#include "base/text.h"

#include <errno.h>
#include <lzma.h>
#include <stdlib.h>
#include <string.h>
#include <sys/param.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>
#include <zstd.h>

static const char zst[] = ".zst", gz[] = ".gz", xz[] = ".xz";

const char *compressed_find(struct arena *arena, const char *path) {
    const char *const endings[] = {"", zst, gz, xz};
    for (size_t i = 0; i < sizeof endings / sizeof *endings; i++) {
        const char *each = arena_printf(arena, "%s%s", path, endings[i]);
        if (access(each, F_OK) == 0)
            return each;
    }
    return NULL;
}

const char *compressed_plain_name(struct arena *arena, const char *path) {
    static const char *const endings[] = {zst, gz, xz};
    for (size_t i = 0; i < sizeof endings / sizeof *endings; i++)
        if (file_has_suffix(path, endings[i]))
            return arena_copy(arena, path, strlen(path) - strlen(endings[i]));
    return path;
}

// A compressed file while it is read.
struct compressed_reader {
    FILE *in;
    enum packing { PLAIN, ZSTD, GZIP, XZ } packing;
    ZSTD_DStream *zstd;
    z_stream gzip;
    lzma_stream xz;
    unsigned char input[1 << 16];
    size_t n, at;      // bytes of input; read so far
    bool is_in_middle; // of a frame: the file must not end here
    off64_t position;  // in what was compressed
};

static bool start(struct compressed_reader *reader) {
    reader->n = reader->at = 0;
    reader->position = 0;
    reader->is_in_middle = false;
    if (reader->packing == ZSTD)
        return !ZSTD_isError(ZSTD_initDStream(reader->zstd));
    if (reader->packing == XZ)
        return lzma_stream_decoder(&reader->xz, UINT64_MAX, 0) == LZMA_OK;
    inflateEnd(&reader->gzip);
    memset(&reader->gzip, 0, sizeof reader->gzip);
    return inflateInit2(&reader->gzip, MAX_WBITS + 16) == Z_OK; // 16: with gzip's header
}

// Each fills `data` from the input as far as both reach. Sets the number of bytes. False: the input is damaged.
static bool take_zstd(struct compressed_reader *reader, void *data, size_t size, size_t *n_taken) {
    ZSTD_inBuffer in = {reader->input, reader->n, reader->at};
    ZSTD_outBuffer out = {data, size, 0};
    size_t left = ZSTD_decompressStream(reader->zstd, &out, &in);
    reader->at = in.pos;
    reader->is_in_middle = left != 0;
    *n_taken = out.pos;
    return !ZSTD_isError(left);
}

static bool take_gzip(struct compressed_reader *reader, void *data, size_t size, size_t *n_taken) {
    z_stream *stream = &reader->gzip;
    stream->next_in = reader->input + reader->at;
    stream->avail_in = (uInt)(reader->n - reader->at);
    stream->next_out = data;
    stream->avail_out = (uInt)MIN(size, sizeof reader->input);
    uInt room = stream->avail_out;
    int result = inflate(stream, Z_NO_FLUSH);
    reader->at = reader->n - stream->avail_in;
    *n_taken = room - stream->avail_out;
    reader->is_in_middle = result != Z_STREAM_END;
    if (result == Z_STREAM_END) // another file may follow
        inflateReset(stream);
    return result == Z_OK || result == Z_STREAM_END || result == Z_BUF_ERROR;
}

static bool take_xz(struct compressed_reader *reader, void *data, size_t size, size_t *n_taken) {
    lzma_stream *stream = &reader->xz;
    stream->next_in = reader->input + reader->at;
    stream->avail_in = reader->n - reader->at;
    stream->next_out = data;
    stream->avail_out = size;
    lzma_ret result = lzma_code(stream, LZMA_RUN);
    reader->at = reader->n - stream->avail_in;
    *n_taken = size - stream->avail_out;
    reader->is_in_middle = result != LZMA_STREAM_END;
    if (result == LZMA_STREAM_END) // another file may follow
        return lzma_stream_decoder(stream, UINT64_MAX, 0) == LZMA_OK;
    return result == LZMA_OK || result == LZMA_BUF_ERROR;
}

static bool take(struct compressed_reader *reader, void *data, size_t size, size_t *n_taken) {
    return reader->packing == ZSTD   ? take_zstd(reader, data, size, n_taken)
           : reader->packing == GZIP ? take_gzip(reader, data, size, n_taken)
                                     : take_xz(reader, data, size, n_taken);
}

static ssize_t read_some(void *cookie, char *data, size_t size) {
    struct compressed_reader *reader = cookie;
    for (;;) {
        size_t n = 0;
        if (reader->at == reader->n && !feof(reader->in)) {
            reader->n = fread(reader->input, 1, sizeof reader->input, reader->in);
            reader->at = 0;
        }
        bool is_at_end = reader->at == reader->n, is_good = !ferror(reader->in);
        if (is_good && (!is_at_end || reader->is_in_middle))
            is_good = take(reader, data, size, &n);
        if (!is_good || (is_at_end && n == 0 && reader->is_in_middle)) {
            errno = EBADMSG;
            return -1;
        }
        reader->position += (off64_t)n;
        if (n || is_at_end)
            return (ssize_t)n;
    }
}

static int seek(void *cookie, off64_t *offset, int whence) {
    struct compressed_reader *reader = cookie;
    off64_t wanted = *offset + (whence == SEEK_CUR ? reader->position : 0);
    char skipped[1 << 12];
    if (whence == SEEK_END || (wanted < reader->position && (fseeko(reader->in, 0, SEEK_SET) != 0 || !start(reader))))
        return -1;
    while (reader->position < wanted) {
        size_t left = (size_t)(wanted - reader->position);
        if (read_some(reader, skipped, MIN(left, sizeof skipped)) <= 0)
            return -1;
    }
    *offset = reader->position;
    return 0;
}

static int end(void *cookie) {
    struct compressed_reader *reader = cookie;
    ZSTD_freeDStream(reader->zstd);
    inflateEnd(&reader->gzip);
    lzma_end(&reader->xz);
    int result = fclose(reader->in);
    free(reader);
    return result;
}

// Opens what was compressed into the file, which it takes.
static FILE *open_reader(FILE *in, enum packing packing) {
    struct compressed_reader *reader = calloc(1, sizeof *reader);
    if (!reader) {
        fclose(in);
        return NULL;
    }
    reader->in = in;
    reader->packing = packing;
    reader->xz = (lzma_stream)LZMA_STREAM_INIT;
    reader->zstd = packing == ZSTD ? ZSTD_createDStream() : NULL;
    FILE *file = (reader->zstd || packing != ZSTD) && start(reader)
                     ? fopencookie(reader, "r", (cookie_io_functions_t){read_some, NULL, seek, end})
                     : NULL;
    if (!file)
        end(reader);
    return file;
}

// By the first bytes of a file. A pipe cannot be read twice, and is not looked into.
static enum packing packing_of(FILE *in) {
    static const struct {
        enum packing packing;
        size_t n;
        unsigned char bytes[6];
    } known[] = {{ZSTD, 4, {0x28, 0xb5, 0x2f, 0xfd}}, {GZIP, 2, {0x1f, 0x8b}}, {XZ, 6, {0xfd, '7', 'z', 'X', 'Z', 0}}};
    struct stat status;
    unsigned char first[sizeof known->bytes];
    ssize_t n =
        fstat(fileno(in), &status) == 0 && S_ISREG(status.st_mode) ? pread(fileno(in), first, sizeof first, 0) : 0;
    for (size_t i = 0; i < sizeof known / sizeof *known; i++)
        if (n >= (ssize_t)known[i].n && memcmp(first, known[i].bytes, known[i].n) == 0)
            return known[i].packing;
    return PLAIN;
}

FILE *compressed_open(const char *path) {
    struct arena arena = {0};
    const char *found = compressed_find(&arena, path);
    FILE *in = fopen(found ? found : path, "re");
    arena_free(&arena);
    enum packing packing = in ? packing_of(in) : PLAIN;
    return packing == PLAIN ? in : open_reader(in, packing);
}

const char *compressed_error_text(int error) {
    return error == EBADMSG ? "what is compressed in it is damaged or cut short" : strerror(error);
}

bool compressed_read(struct arena *arena, const char *path, char **data, size_t *length, struct fail *fail) {
    enum { MOST_BYTES = 1 << 30 };
    struct text text = {.arena = arena};
    char piece[1 << 16];
    size_t n;
    if (strcmp(path, "-") == 0)
        return file_read(arena, path, data, length, fail);
    FILE *in = compressed_open(path);
    if (!in)
        return fail_set(fail, FAIL_INPUT, "cannot open '%s': %s", path, strerror(errno));
    text_add(&text, "");
    while (text.length <= MOST_BYTES && (n = fread(piece, 1, sizeof piece, in)) > 0)
        text_append(&text, piece, n);
    if (text.length > MOST_BYTES)
        errno = EFBIG;
    bool is_read = text.length <= MOST_BYTES && !ferror(in);
    int error = errno;
    fclose(in);
    if (!is_read)
        return fail_set(fail, FAIL_INPUT, "cannot read '%s': %s", path, compressed_error_text(error));
    *data = text.data;
    if (length)
        *length = text.length;
    return true;
}
