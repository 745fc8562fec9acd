// Reductions. Above each function: how it is called, and with which counts. A, B, C, D are arrays; n counts; A+4n is
// the end of n elements of 4 bytes.
#include <stdint.h>

// call: A n; n = 1024 2048 3072 4096
float sum_float(const float *a, long n) {
    float sum = 0;
    for (long i = 0; i < n; i++)
        sum += a[i];
    return sum;
}

// call: A A+4n; n = 1024 2048 3072 4096
int sum_int(const int *a, const int *end) {
    int sum = 0;
    for (; a != end; a++)
        sum += *a;
    return sum;
}

// call: A B n; n = 256 512 768 1024
double dot_double(const double *a, const double *b, long n) {
    double sum = 0;
    for (long i = 0; i < n; i++)
        sum += a[i] * b[i];
    return sum;
}

// call: A B n; n = 1024 2048 3072 4096
int dot_short(const short *a, const short *b, long n) {
    int sum = 0;
    for (long i = 0; i < n; i++)
        sum += a[i] * b[i];
    return sum;
}

// call: A A+4n; n = 1024 2048 3072 4096
float norm_four_ways(const float *a, const float *end) {
    float sums[4] = {0};
    for (; a < end; a += 4)
        for (int k = 0; k < 4; k++)
            sums[k] += a[k] * a[k];
    return sums[0] + sums[1] + sums[2] + sums[3];
}

// call: A n; n = 1024 2048 3072 4096
int maximum_int(const int *a, long n) {
    int most = a[0];
    for (long i = 1; i < n; i++)
        most = a[i] > most ? a[i] : most;
    return most;
}

// call: A n B; n = 1024 2048 3072 4096
void range_float(const float *a, long n, float *range) {
    float low = a[0], high = a[0];
    for (long i = 1; i < n; i++) {
        if (a[i] < low)
            low = a[i];
        if (a[i] > high)
            high = a[i];
    }
    range[0] = low;
    range[1] = high;
}

// call: A n 100; n = 1024 2048 3072 4096
long sum_above(const int *a, long n, int threshold) {
    long sum = 0;
    for (long i = 0; i < n; i++)
        if (a[i] > threshold)
            sum += a[i];
    return sum;
}

// call: A n B; n = 384 768 1152 1536
void polynomial(const double *x, long n, double *y) {
    for (long i = 0; i < n; i++)
        y[i] = ((x[i] * 0.25 + 0.5) * x[i] + 0.75) * x[i] + 1;
}

// call: A n; n = 512 1024 1536 2048
uint64_t popcount_words(const uint64_t *a, long n) {
    uint64_t sum = 0;
    for (long i = 0; i < n; i++) {
        uint64_t x = a[i] - (a[i] >> 1 & 0x5555555555555555);
        x = (x & 0x3333333333333333) + (x >> 2 & 0x3333333333333333);
        sum += ((x + (x >> 4)) & 0x0f0f0f0f0f0f0f0f) * 0x0101010101010101 >> 56;
    }
    return sum;
}
