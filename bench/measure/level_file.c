#include "bench/measure/level_file.h"

#include "base/bytes.h"
#include "base/file.h"
#include "base/json.h"
#include "base/text.h"
#include "bench/measure/clock.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define FORMAT "cyclops-levels"
enum { VERSION = 1 };

// Limits for confirmations and misses; see the header.
enum { TRUSTED_SESSIONS = 3, SECONDS_APART = 60 };
enum { MANY_MISSES = 8, MANY_SECONDS = 3600, FEW_MISSES = 4, FEW_SECONDS = 60, PROCESSES_OF_MISS = 8 };
// A session changes the level only if it had PROCESSES_OF_MEAN there. The level is a mean in which the last
// SESSIONS_OF_MEAN sessions weigh most.
enum { PROCESSES_OF_MEAN = 8, SESSIONS_OF_MEAN = 16 };
static const double alike = 0.01;

struct entry {
    double cycles;
    double sessions;                     // number of sessions that reached it, SECONDS_APART
    double confirmed;                    // time of the last of them, seconds since 1970
    const char *boot;                    // boot id at its last confirmation
    double missed, misses, missed_since; // cycles of a slower plateau, sessions on it in a row, time of the first one
    double faster, faster_since;         // cycles of a faster plateau that one session found, and when; 0: none did
};

const char *level_file_path(struct arena *arena) {
    const char *cache = getenv("XDG_CACHE_HOME"), *home = getenv("HOME");
    if (cache && *cache == '/') // relative paths must be ignored: XDG Base Directory Specification
        return arena_printf(arena, "%s/cyclops/levels.json", cache);
    return home && *home == '/' ? arena_printf(arena, "%s/.cache/cyclops/levels.json", home) : NULL;
}

static const char *name_of(struct arena *arena, const struct level_key *key, enum bench_clock clock,
                           enum bench_check check) {
    const struct host *host = key->host;
    const struct bench_code *reference = &key->chains->reference, *code = &key->chains->checks[check];
    return arena_printf(arena, "%s %u/%u/%u %s, %s, %s, %s clock of %g, %s %016llx %016llx",
                        host->vendor ? host->vendor : "", host->family, host->model, host->stepping,
                        host->core_type ? host->core_type : "", host->hypervisor ? host->hypervisor : "", key->isa,
                        bench_clock_name(clock), key->reference_cycles, bench_check_name(check),
                        (unsigned long long)bytes_hash(code->bytes, code->n_bytes),
                        (unsigned long long)bytes_hash(reference->bytes, reference->n_bytes));
}

// Whether the file keeps this check's level. It does not for multiplies, which each session measures anew, and for the
// time clock, whose frequency may be wrong.
static bool is_remembered(const struct level_key *key, enum bench_clock clock, unsigned check) {
    return check != CHECK_MULTIPLY && clock != CLOCK_AUTO && !clock_of(clock)->believes &&
           key->chains->checks[check].bytes;
}

// Returns the file's object of levels; an empty one where there is no file, or where it is wrong (also sets `fail`).
static json_t *load(struct arena *arena, const char *path, struct fail *fail) {
    char *data;
    size_t length;
    struct fail unread = {0};
    if (access(path, F_OK) != 0)
        return json_object();
    if (!file_read(arena, path, &data, &length, &unread)) {
        *fail = unread;
        return json_object();
    }
    json_t *root = json_loadb(data, length, 0, NULL);
    json_t *levels = json_object_get(root, "levels");
    bool is_ours = json_integer_value(json_object_get(root, FORMAT)) == VERSION && json_is_object(levels);
    if (!is_ours)
        fail_set(fail, FAIL_INPUT, "'%s' is not a file of levels, and is not used; delete it", path);
    levels = is_ours ? json_incref(levels) : json_object();
    json_decref(root);
    return levels;
}

static bool is_number(const json_t *json, const char *key, double least, double most, double *value) {
    *value = json_number_value(json_object_get(json, key));
    return *value >= least && *value <= most;
}

// Reads an entry. Returns false where there is none, or it is wrong.
static bool read_entry(const json_t *levels, const char *name, struct entry *entry) {
    static const double most_cycles = 1e6, most_sessions = 1e9, latest = 1e12;
    const json_t *json = json_object_get(levels, name);
    entry->boot = json_string_value(json_object_get(json, "boot"));
    return is_number(json, "cycles", 1e-3, most_cycles, &entry->cycles) &&
           is_number(json, "sessions", 1, most_sessions, &entry->sessions) &&
           is_number(json, "confirmed", 0, latest, &entry->confirmed) &&
           is_number(json, "missed", 0, most_cycles, &entry->missed) &&
           is_number(json, "misses", 0, most_sessions, &entry->misses) &&
           is_number(json, "missed_since", 0, latest, &entry->missed_since) &&
           is_number(json, "faster", 0, most_cycles, &entry->faster) &&
           is_number(json, "faster_since", 0, latest, &entry->faster_since) && entry->boot;
}

static void write_entry(json_t *levels, const char *name, const struct entry *entry) {
    enum { DECIMALS = 5 };
    json_object_set_new(levels, name,
                        json_pack("{so sf sf ss so sf sf so sf}", "cycles", json_rounded(entry->cycles, DECIMALS),
                                  "sessions", entry->sessions, "confirmed", entry->confirmed, "boot", entry->boot,
                                  "missed", json_rounded(entry->missed, DECIMALS), "misses", entry->misses,
                                  "missed_since", entry->missed_since, "faster", json_rounded(entry->faster, DECIMALS),
                                  "faster_since", entry->faster_since));
}

bool level_file_recall(struct arena *arena, const char *path, const struct level_key *key,
                       struct bench_options *options, struct fail *fail) {
    json_t *levels = load(arena, path, fail);
    for (enum bench_clock clock = CLOCK_AUTO; clock < BENCH_N_CLOCKS; clock++) {
        for (unsigned i = 0; i < BENCH_N_CHECKS; i++) {
            struct entry entry;
            const char *name = is_remembered(key, clock, i) ? name_of(arena, key, clock, (enum bench_check)i) : NULL;
            if (!name || !json_object_get(levels, name))
                continue;
            if (!read_entry(levels, name, &entry)) {
                fail_set(fail, FAIL_INPUT, "'%s' has an entry that makes no sense, and is not used: %s", path, name);
                continue;
            }
            options->remembered[clock][i] = entry.cycles;
            options->remembers_little |= entry.sessions < TRUSTED_SESSIONS;
        }
    }
    json_decref(levels);
    return fail->status == FAIL_NONE;
}

static struct entry new_entry(double cycles, const char *boot, time_t now) {
    return (struct entry){.cycles = cycles, .sessions = 1, .confirmed = (double)now, .boot = boot};
}

// Confirms an entry: the session was at the level. Returns false where the entry need not be written. The level is a
// mean, not the fastest of many sessions: a slightly slowed reference makes all else look fast.
static bool confirm(struct entry *entry, const struct level *level, const char *boot, time_t now) {
    bool is_apart = (double)now - entry->confirmed >= SECONDS_APART || (double)now < entry->confirmed;
    bool has_say = is_apart && level->n_processes >= PROCESSES_OF_MEAN;
    bool is_news = has_say || (is_apart && entry->sessions < TRUSTED_SESSIONS) || entry->misses > 0 ||
                   entry->faster > 0 || strcmp(entry->boot, boot) != 0;
    entry->sessions += is_apart;
    if (has_say)
        entry->cycles += (level->seen - entry->cycles) / fmin(entry->sessions, SESSIONS_OF_MEAN);
    entry->confirmed = is_apart ? (double)now : entry->confirmed;
    entry->boot = boot;
    entry->missed = entry->misses = entry->missed_since = 0;
    entry->faster = entry->faster_since = 0;
    return is_news;
}

// Notes a session on one slower plateau that never reached the level. After enough of them, that plateau becomes the
// level.
static void miss(struct entry *entry, double cycles, const char *boot, time_t now) {
    bool is_other = entry->misses == 0 || fabs(cycles / entry->missed - 1) > alike;
    entry->misses = is_other ? 1 : entry->misses + 1;
    entry->missed = is_other ? cycles : entry->missed;
    entry->missed_since = is_other ? (double)now : entry->missed_since;
    bool is_young = entry->sessions < 2, is_rebooted = strcmp(entry->boot, boot) != 0;
    double seconds = (double)now - entry->missed_since;
    if ((is_young && entry->misses >= FEW_MISSES && seconds >= FEW_SECONDS) ||
        (is_rebooted && entry->misses >= MANY_MISSES && seconds >= MANY_SECONDS))
        *entry = new_entry(entry->missed, boot, now);
}

// Notes a session on a faster plateau. A level that enough sessions have confirmed waits for a second one.
static void overtake(struct entry *entry, double cycles, const char *boot, time_t now) {
    bool is_same = entry->faster > 0 && fabs(cycles / entry->faster - 1) <= alike;
    bool is_apart = (double)now - entry->faster_since >= SECONDS_APART;
    if (entry->sessions < TRUSTED_SESSIONS || (is_same && is_apart)) {
        *entry = new_entry(cycles, boot, now);
    } else if (!is_same) {
        entry->faster = cycles;
        entry->faster_since = (double)now;
    }
}

// Updates the entry of one check. Returns false where it need not be written.
static bool update(struct entry *entry, bool is_there, bool is_stable, const struct level *level, const char *boot,
                   time_t now) {
    bool is_reached = is_stable && level_is_reached(level);
    bool is_faster = is_there && level->n_processes >= PROCESSES_OF_MEAN && level->seen < entry->cycles * (1 - alike);
    if (is_reached && !is_there)
        *entry = new_entry(level->seen, boot, now);
    else if (is_reached && is_faster)
        overtake(entry, level->seen, boot, now);
    else if (is_reached && fabs(level->seen / entry->cycles - 1) <= alike)
        return confirm(entry, level, boot, now);
    else if (is_there && !level->n_processes && level->n_slower >= PROCESSES_OF_MISS)
        miss(entry, level->slower, boot, now);
    else
        return false;
    return true;
}

// Writes the file, and makes the folders above it.
static bool save(struct arena *arena, const char *path, json_t *levels, struct fail *fail) {
    for (const char *slash = strchr(path + 1, '/'); slash; slash = strchr(slash + 1, '/'))
        if (mkdir(arena_copy(arena, path, (size_t)(slash - path)), 0777) != 0 && errno != EEXIST)
            return fail_set(fail, FAIL_WORK, "cannot make the folder of '%s': %s", path, strerror(errno));
    json_t *root = json_pack("{si sO}", FORMAT, VERSION, "levels", levels);
    char *text = json_dumps(root, JSON_INDENT(1) | JSON_PRESERVE_ORDER | JSON_REAL_PRECISION(12));
    bool is_written = text && file_write(path, text, strlen(text), fail);
    free(text);
    json_decref(root);
    return is_written;
}

bool level_file_keep(struct arena *arena, const char *path, const struct level_key *key, const struct bench *bench,
                     time_t now, struct fail *fail) {
    struct fail unusable = {0}; // level_file_recall has reported it
    json_t *levels = load(arena, path, &unusable);
    bool is_news = false, is_kept = true, is_clock_good = level_is_reached(&bench->checks[CHECK_MULTIPLY].level);
    for (unsigned i = 0; i < BENCH_N_CHECKS; i++) {
        struct entry entry;
        if (!is_remembered(key, bench->clock, i) || !is_clock_good)
            continue;
        const char *name = name_of(arena, key, bench->clock, (enum bench_check)i);
        bool is_there = read_entry(levels, name, &entry);
        if (!update(&entry, is_there, bench->stable, &bench->checks[i].level, key->boot, now))
            continue;
        is_news = true;
        write_entry(levels, name, &entry);
    }
    if (is_news)
        is_kept = save(arena, path, levels, fail);
    json_decref(levels);
    return is_kept;
}
