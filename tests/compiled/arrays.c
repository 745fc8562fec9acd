// Loops that write arrays: stencils, recurrences, rows of matrices. sums.c explains the lines `call:`.
#include <stdint.h>

// call: A B n; n = 768 1536 2304 3072
void average_of_three(const float *restrict in, float *restrict out, long n) {
    for (long i = 0; i < n; i++)
        out[i] = (in[i] + in[i + 1] + in[i + 2]) * 0.25f;
}

// call: A B 2n; n = 64 128 192 256
void five_points(const double *restrict in, double *restrict out, long width) {
    for (long row = 1; row < 3; row++)
        for (long i = 1; i <= width; i++) {
            const double *at = in + row * 600 + i;
            out[row * 600 + i] = at[0] * 0.5 + (at[-1] + at[1] + at[-600] + at[600]) * 0.125;
        }
}

// call: A n; n = 1024 2048 3072 4096
void prefix_sum(int *a, long n) {
    for (long i = 1; i < n; i++)
        a[i] += a[i - 1];
}

// call: A B n; n = 256 512 768 1024
void smooth(const float *in, float *out, long n) {
    float level = 0;
    for (long i = 0; i < n; i++) {
        level = level * 0.875f + in[i] * 0.125f;
        out[i] = level;
    }
}

// call: A B n; n = 768 1536 2304 3072
void add_scaled(float *y, const float *x, long n) {
    for (long i = 0; i < n; i++)
        y[i] += 1.5f * x[i];
}

// call: A A+8n; n = 512 1024 1536 2048
void halve(double *a, double *end) {
    for (; a != end; a++)
        *a *= 0.5;
}

struct both {
    float in[4096], out[4096]; // 16 KiB apart
};

// call: A n; n = 768 1536 2304 3072
void sum_of_neighbours(struct both *both, long n) {
    for (long i = 0; i < n; i++)
        both->out[i] = both->in[i] + both->in[i + 1];
}

// call: A B C n; n = 256 512 768 1024
void multiply_complex(const float *restrict a, const float *restrict b, float *restrict c, long n) {
    for (long i = 0; i < n; i++) {
        c[2 * i] = a[2 * i] * b[2 * i] - a[2 * i + 1] * b[2 * i + 1];
        c[2 * i + 1] = a[2 * i] * b[2 * i + 1] + a[2 * i + 1] * b[2 * i];
    }
}

// call: A B C n; n = 256 512 768 1024
void rows_times_vector(const float *restrict rows, const float *restrict x, float *restrict y, long width) {
    for (long row = 0; row < 4; row++) {
        float sum = 0;
        for (long i = 0; i < width; i++)
            sum += rows[row * 1024 + i] * x[i];
        y[row] = sum;
    }
}

static void order(int *a, int *b) {
    int low = *a < *b ? *a : *b, high = *a < *b ? *b : *a;
    *a = low;
    *b = high;
}

// call: A A+16n; n = 128 256 384 512
void sort_fours(int *a, int *end) {
    for (; a < end; a += 4) {
        int v[4] = {a[0], a[1], a[2], a[3]};
        order(v, v + 1);
        order(v + 2, v + 3);
        order(v, v + 2);
        order(v + 1, v + 3);
        order(v + 1, v + 2);
        for (int k = 0; k < 4; k++)
            a[k] = v[k];
    }
}

// call: A n; n = 1024 2048 3072 4096
void widen(const uint8_t *a, long n) {
    int *out = (int *)(a + 8192);
    for (long i = 0; i < n; i++)
        out[i] = a[i] * 3 - 128;
}
