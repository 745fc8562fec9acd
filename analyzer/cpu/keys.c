#include "analyzer/cpu/keys.h"

const struct cpu_key cpu_file_keys[N_FILE_KEYS] = {
#define FILE_KEY(id, name, is_needed) {name, is_needed},
#include "analyzer/cpu/keys.def"
};
const struct cpu_key cpu_identity_keys[N_IDENTITY_KEYS] = {
#define IDENTITY_KEY(id, name, is_needed) {name, is_needed},
#include "analyzer/cpu/keys.def"
};
const struct cpu_key cpu_rule_keys[N_RULE_KEYS] = {
#define RULE_KEY(id, name, is_needed) {name, is_needed},
#include "analyzer/cpu/keys.def"
};
const struct cpu_key cpu_group_keys[N_GROUP_KEYS] = {
#define GROUP_KEY(id, name, is_needed) {name, is_needed},
#include "analyzer/cpu/keys.def"
};
const struct cpu_key cpu_lack_keys[N_LACK_KEYS] = {
#define LACK_KEY(id, name, is_needed) {name, is_needed},
#include "analyzer/cpu/keys.def"
};
const struct cpu_key cpu_number_keys[N_NUMBER_KEYS] = {
#define NUMBER_KEY(id, name, is_needed) {name, is_needed},
#include "analyzer/cpu/keys.def"
};
const struct cpu_key cpu_use_keys[N_USE_KEYS] = {
#define USE_KEY(id, name, is_needed) {name, is_needed},
#include "analyzer/cpu/keys.def"
};
