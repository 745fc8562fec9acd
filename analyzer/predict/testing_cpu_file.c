#include "analyzer/predict/testing_cpu_file.h"

#include "base/bytes.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

int testing_cpu_file_open(void **state, const char *text) {
    struct testing_cpu_file *opened = calloc(1, sizeof *opened);
    if (!opened)
        return -1;
    *state = opened;
    struct fail fail = {0};
    char path[] = "/tmp/bounds-XXXXXX.cpu.yaml";
    int made = mkstemps(path, (int)strlen(".cpu.yaml"));
    FILE *file = made >= 0 ? fdopen(made, "w") : NULL;
    if (!file || fputs(text, file) < 0 || fclose(file) != 0)
        return -1;
    const struct backend_options options = {.triple = "x86_64-linux-gnu", .cpu = path};
    bool is_open = model_open(&opened->model, &opened->arena, NULL, &options, &fail);
    remove(path);
    if (!is_open)
        fail_print(&fail, stderr);
    return is_open ? 0 : -1;
}

int testing_cpu_file_close(void **state) {
    struct testing_cpu_file *opened = *state;
    model_close(&opened->model);
    arena_free(&opened->arena);
    free(opened);
    return 0;
}

struct bounds testing_bounds(struct testing_cpu_file *file, const char *hex, struct bounds_request way) {
    uint8_t *bytes = arena_alloc(&file->arena, strlen(hex) / 2 + 1);
    struct block block;
    struct fail fail = {0};
    struct bounds bounds;
    assert_true(bytes_from_digits(hex, strlen(hex), bytes));
    assert_true(model_describe_bytes(&file->model, &file->arena, bytes, strlen(hex) / 2, &block, &fail));
    way.cpu = file->model.own;
    way.block = &block;
    assert_true(bounds_find(&way, &bounds, &fail));
    return bounds;
}
