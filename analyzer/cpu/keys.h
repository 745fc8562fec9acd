// The keys of a CPU file, as keys.def lists them, each kind in the order there.
#ifndef ANALYZER_CPU_KEYS_H
#define ANALYZER_CPU_KEYS_H

#include <stdbool.h>

struct cpu_key {
    const char *name;
    bool is_needed;
};

enum cpu_file_key {
#define FILE_KEY(id, name, is_needed) FILE_##id,
#include "analyzer/cpu/keys.def"
    N_FILE_KEYS
};
enum cpu_identity_key {
#define IDENTITY_KEY(id, name, is_needed) IDENTITY_##id,
#include "analyzer/cpu/keys.def"
    N_IDENTITY_KEYS
};
enum cpu_rule_key {
#define RULE_KEY(id, name, is_needed) RULE_##id,
#include "analyzer/cpu/keys.def"
    N_RULE_KEYS
};
enum cpu_group_key {
#define GROUP_KEY(id, name, is_needed) GROUP_##id,
#include "analyzer/cpu/keys.def"
    N_GROUP_KEYS
};
enum cpu_lack_key {
#define LACK_KEY(id, name, is_needed) LACK_##id,
#include "analyzer/cpu/keys.def"
    N_LACK_KEYS
};
enum cpu_number_key {
#define NUMBER_KEY(id, name, is_needed) NUMBER_##id,
#include "analyzer/cpu/keys.def"
    N_NUMBER_KEYS
};
enum cpu_use_key {
#define USE_KEY(id, name, is_needed) USE_##id,
#include "analyzer/cpu/keys.def"
    N_USE_KEYS
};

extern const struct cpu_key cpu_file_keys[N_FILE_KEYS];
extern const struct cpu_key cpu_identity_keys[N_IDENTITY_KEYS];
extern const struct cpu_key cpu_rule_keys[N_RULE_KEYS];
extern const struct cpu_key cpu_group_keys[N_GROUP_KEYS];
extern const struct cpu_key cpu_lack_keys[N_LACK_KEYS];
extern const struct cpu_key cpu_number_keys[N_NUMBER_KEYS];
extern const struct cpu_key cpu_use_keys[N_USE_KEYS];

#endif
