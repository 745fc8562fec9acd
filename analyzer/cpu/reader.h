// Private to this folder.
// The reader of CPU files: what its parts share. Each fails with the place of what is wrong.
#ifndef ANALYZER_CPU_READER_H
#define ANALYZER_CPU_READER_H

#include "analyzer/cpu/cpu.h"
#include "analyzer/cpu/keys.h"
#include "base/yaml.h"

enum { READER_MOST = 1000000 }; // of every number

struct cpu_reader {
    struct arena *arena;
    struct cpu *cpu;
    struct yaml yaml;
};

// Finds the values of all keys; `what` is the mapping's name in messages.
bool read_fields(struct cpu_reader *reader, struct fy_node *node, const char *what, const struct cpu_key *keys,
                 size_t n, struct yaml_field *fields);

// A key that is absent leaves these as they are.
bool read_text(struct cpu_reader *reader, struct fy_node *node, const char **text);
bool read_trust(struct cpu_reader *reader, struct fy_node *node, enum cpu_trust *trust);
// A number, or {value: …, trust: …, source: …}. What the mapping leaves out stays as it is.
bool read_number(struct cpu_reader *reader, struct fy_node *node, struct cpu_number *number);

bool read_word(struct cpu_reader *reader, struct fy_node *node, struct cpu_word *word);
bool read_plain(struct cpu_reader *reader, struct fy_node *node, double *number);
// Where the value of a number stands, for messages.
struct fy_node *read_value_node(struct cpu_reader *reader, struct fy_node *node);

// The lists `forms` and `lacks`; null: the file has none.
bool read_forms(struct cpu_reader *reader, struct fy_node *node);
bool read_lacks(struct cpu_reader *reader, struct fy_node *node);

#endif
