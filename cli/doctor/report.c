#include "cli/doctor/doctor.h"

#include "base/json_text.h"
#include "base/screen.h"
#include "base/text.h"
#include "bench/record/record.h"

#include <stdio.h>
#include <string.h>

static const char *health_name(enum health health) {
    static const char *const names[] = {"ok", "limited", "missing"};
    return names[health];
}

void doctor_find(struct diagnosis *diagnosis, enum health health, const char *subject, const char *text,
                 const char *advice, const char *command) {
    *ARENA_ADD(diagnosis->arena, diagnosis->findings, diagnosis->n_findings) =
        (struct finding){health, subject, text, advice, command};
}

enum { HEALTH_COLUMN = 2, SUBJECT_COLUMN = 11 };

// Prints a finding. Does not wrap commands, so that people can copy them.
static void print_finding(const struct finding *finding, unsigned indent, bool wants_colour, unsigned columns) {
    static const char *const colours[] = {"\033[32m", "\033[33m", "\033[31m"};
    const char *name = health_name(finding->health);
    printf("%*s%s%s%s%*s%-*s", HEALTH_COLUMN, "", wants_colour ? colours[finding->health] : "", name,
           wants_colour ? "\033[0m" : "", SUBJECT_COLUMN - HEALTH_COLUMN - (int)strlen(name), "",
           (int)indent - SUBJECT_COLUMN, finding->subject);
    screen_wrap(finding->text, indent, indent, columns, stdout);
    if (*finding->advice) {
        printf("%*s", (int)indent, "");
        screen_wrap(finding->advice, indent, indent, columns, stdout);
    }
    if (finding->command)
        printf("%*s%s$ %s%s\n", (int)indent, "", wants_colour ? "\033[1m" : "", finding->command,
               wants_colour ? "\033[0m" : "");
}

void doctor_print(const struct diagnosis *diagnosis, bool wants_colour, unsigned columns) {
    size_t widest = 0;
    for (size_t i = 0; i < diagnosis->n_findings; i++) {
        size_t width = text_width(diagnosis->findings[i].subject);
        widest = width > widest ? width : widest;
    }
    for (size_t i = 0; i < diagnosis->n_findings; i++)
        print_finding(&diagnosis->findings[i], SUBJECT_COLUMN + (unsigned)widest + 2, wants_colour, columns);
}

bool doctor_print_json(const struct diagnosis *diagnosis, const struct host *host, struct fail *fail) {
    struct json_text json = {.text.arena = diagnosis->arena};
    json_open(&json, NULL);
    record_put_header(&json, "host", host, NULL);
    json_open_list(&json, "findings");
    for (size_t i = 0; i < diagnosis->n_findings; i++) {
        const struct finding *finding = &diagnosis->findings[i];
        json_open(&json, NULL);
        json_put_text(&json, "subject", finding->subject);
        json_put_text(&json, "health", health_name(finding->health));
        json_put_text(&json, "finding", finding->text);
        json_put_text(&json, "advice", finding->advice);
        json_put_text_or_null(&json, "command", finding->command);
        json_close(&json);
    }
    json_close_list(&json);
    json_close(&json);
    return json_print_line(stdout, &json, fail);
}
