#include "corpus/rank.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static int compare_pairs(const void *a, const void *b) {
    const struct rank_pair *one = a, *other = b;
    if (one->x != other->x)
        return one->x < other->x ? -1 : 1;
    return one->y < other->y ? -1 : one->y > other->y;
}

static double pairs_of(double n) {
    return n * (n - 1) / 2;
}

// Sorts by y. Returns the number of swaps of neighbours that bubble sort would need.
static double sort_by_y(struct rank_pair *pairs, struct rank_pair *room, size_t n) {
    if (n < 2)
        return 0;
    size_t half = n / 2, left = 0, right = half, k = 0;
    double swaps = sort_by_y(pairs, room, half) + sort_by_y(pairs + half, room, n - half);
    while (left < half && right < n)
        if (pairs[right].y < pairs[left].y) {
            swaps += (double)(half - left);
            room[k++] = pairs[right++];
        } else {
            room[k++] = pairs[left++];
        }
    while (left < half)
        room[k++] = pairs[left++];
    while (right < n)
        room[k++] = pairs[right++];
    memcpy(pairs, room, n * sizeof *pairs);
    return swaps;
}

double rank_tau(struct rank_pair *pairs, size_t n) {
    double ties_x = 0, ties_y = 0, ties_both = 0;
    if (n < 2)
        return 0;
    qsort(pairs, n, sizeof *pairs, compare_pairs);
    for (size_t i = 0, first_x = 0, first = 0; i <= n; i++) {
        if (i == n || pairs[i].x != pairs[first_x].x) {
            ties_x += pairs_of((double)(i - first_x));
            first_x = i;
        }
        if (i == n || pairs[i].x != pairs[first].x || pairs[i].y != pairs[first].y) {
            ties_both += pairs_of((double)(i - first));
            first = i;
        }
    }
    struct rank_pair *room = malloc(n * sizeof *room);
    if (!room)
        abort(); // as arenas do
    double swaps = sort_by_y(pairs, room, n);
    free(room);
    for (size_t i = 0, first = 0; i <= n; i++)
        if (i == n || pairs[i].y != pairs[first].y) {
            ties_y += pairs_of((double)(i - first));
            first = i;
        }
    double all = pairs_of((double)n), difference = all - ties_x - ties_y + ties_both - 2 * swaps;
    double scale = sqrt(all - ties_x) * sqrt(all - ties_y);
    return scale > 0 ? difference / scale : 0;
}

static int compare_numbers(const void *a, const void *b) {
    float x = *(const float *)a, y = *(const float *)b;
    return x < y ? -1 : x > y;
}

double rank_median(float *numbers, size_t n) {
    if (n == 0)
        return 0;
    qsort(numbers, n, sizeof *numbers, compare_numbers);
    return n % 2 ? numbers[n / 2] : ((double)numbers[n / 2 - 1] + numbers[n / 2]) / 2;
}
