// Private to this folder.
// What the readers of an overlay's parts share: numbers, texts and lists, each null where the file leaves it out.
// Private to the overlay's files.
#ifndef ANALYZER_SCHED_OVERLAY_READER_H
#define ANALYZER_SCHED_OVERLAY_READER_H

#include "analyzer/sched/overlay_file.h"
#include "base/text.h"

enum { OVERLAY_MOST = 65535 }; // of every number: what LLVM's tables hold of cycles

struct overlay_reader {
    struct overlay *overlay;
    struct yaml yaml;
    struct text sources; // of the rule that is being read
};

bool overlay_read_integer(struct yaml *yaml, struct fy_node *node, int least, int *value);
bool overlay_read_source(struct overlay_reader *reader, struct fy_node *node);
// A number, or {value: …, source: …}.
bool overlay_read_number(struct overlay_reader *reader, struct fy_node *node, int least, struct overlay_number *number);
bool overlay_read_unsigned(struct overlay_reader *reader, struct fy_node *node, int least, unsigned *value);
bool overlay_read_text(struct overlay_reader *reader, struct fy_node *node, const char **text);
// One of two words.
bool overlay_read_choice(struct overlay_reader *reader, struct fy_node *node, const char *yes, const char *no,
                         bool *is_yes);
bool overlay_read_flag(struct overlay_reader *reader, struct fy_node *node, struct overlay_number *flag);
bool overlay_read_pattern(struct overlay_reader *reader, struct fy_node *node, struct opcode_pattern *pattern);
// Calls `read` for each item of a list.
typedef bool overlay_item_reader(struct overlay_reader *reader, struct fy_node *node);
bool overlay_read_list(struct overlay_reader *reader, struct fy_node *node, const char *what,
                       overlay_item_reader *read);

// overlay_read_rule.c
bool overlay_read_rule(struct overlay_reader *reader, struct fy_node *node);

#endif
