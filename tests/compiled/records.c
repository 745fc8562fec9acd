// Lists, records, and loops that stay in registers. sums.c explains the lines `call:`.
#include <stdint.h>

struct node {
    struct node *next;
    long value;
};

// call: A n; n = 256 512 768 1024
long sum_list(const struct node *node, long most) {
    long sum = 0;
    for (; node && most > 0; node = node->next, most--)
        sum += node->value;
    return sum;
}

struct point {
    float x, y, z;
    int id;
};

// call: A n; n = 256 512 768 1024
float sum_points(const struct point *points, long n) {
    float sum = 0;
    for (long i = 0; i < n; i++)
        sum += points[i].x * points[i].y + points[i].z;
    return sum;
}

struct bodies {
    float x[1024], y[1024], vx[1024], vy[1024];
};

// call: A n; n = 256 512 768 1024
void move_bodies(struct bodies *bodies, long n) {
    for (long i = 0; i < n; i++) {
        bodies->x[i] += bodies->vx[i] * 0.125f;
        bodies->y[i] += bodies->vy[i] * 0.125f;
    }
}

// call: n; n = 512 1024 1536 2048
uint64_t random_numbers(long n) {
    uint64_t x = 88172645463325252;
    for (long i = 0; i < n; i++) {
        x ^= x << 13;
        x ^= x >> 7;
        x ^= x << 17;
    }
    return x;
}

// call: n; n = 64 128 192 256
double square_and_add(long n) {
    double re = 0, im = 0;
    for (long i = 0; i < n; i++) {
        double next = re * re - im * im - 0.5;
        im = 2 * re * im + 0.25;
        re = next;
    }
    return re + im;
}

// call: n 1000003; n = 128 256 384 512
unsigned divide_again(long n, unsigned divisor) {
    unsigned x = 4000000007u;
    for (long i = 0; i < n; i++)
        x = x / divisor + 4000000007u;
    return x;
}

// call: A 512 12345
long lower_bound(const int *a, long n, int key) {
    const int *first = a;
    while (n > 0) {
        long half = n / 2;
        if (first[half] < key) {
            first += half + 1;
            n -= half + 1;
        } else {
            n = half;
        }
    }
    return first - a;
}

// call: 1234567890123456789 B
int decimal(uint64_t x, char *out) {
    int n = 0;
    do
        out[n++] = (char)('0' + x % 10);
    while ((x /= 10) > 0);
    return n;
}
