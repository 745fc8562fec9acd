#include "hot/course.h"

void course_note(struct course *course, double at, double value) {
    *ARENA_ADD(course->arena, course->points, course->n) = (struct course_point){at, value};
}

double course_at(const struct course *course, double at) {
    size_t first = 0, end = course->n; // those before `first` are not behind the place
    while (first < end) {
        const size_t middle = first + (end - first) / 2;
        if (course->points[middle].at <= at)
            first = middle + 1;
        else
            end = middle;
    }
    if (!course->n)
        return 0;
    if (!first || first == course->n)
        return course->points[first ? first - 1 : 0].value;
    const struct course_point *before = &course->points[first - 1], *behind = before + 1;
    return before->value + (behind->value - before->value) * (at - before->at) / (behind->at - before->at);
}
