// The columns of a table as CSV: what `cyclops table --csv` writes (report/table_data.c), and table_csv.c reads. A file
// may lack all but the required ones, and have them in any order.
#ifndef SURVEY_TABLE_TABLE_COLUMNS_H
#define SURVEY_TABLE_TABLE_COLUMNS_H

// In the order in which they are written: COLUMN(number, title, kind of column, member of the line that is written).
#define TABLE_COLUMNS(COLUMN)                                                                                          \
    COLUMN(FORM, "form", TEXT, form)                                                                                   \
    COLUMN(QUANTITY, "quantity", TEXT, quantity)                                                                       \
    COLUMN(SOURCE, "source", TEXT, source)                                                                             \
    COLUMN(DESTINATION, "destination", TEXT, destination)                                                              \
    COLUMN(CYCLES, "cycles", REAL, cycles)                                                                             \
    COLUMN(LOW, "low", REAL, low)                                                                                      \
    COLUMN(HIGH, "high", REAL, high)                                                                                   \
    COLUMN(RELATION, "relation", TEXT, relation)                                                                       \
    COLUMN(VERDICT, "verdict", TEXT, verdict)                                                                          \
    COLUMN(WHY, "why", TEXT, why)                                                                                      \
    COLUMN(KERNEL, "kernel", TEXT, kernel)                                                                             \
    COLUMN(BYTES, "bytes", TEXT, bytes)                                                                                \
    COLUMN(CLASS, "class", TEXT, class_name)                                                                           \
    COLUMN(EXAMPLE, "example", TEXT, example)                                                                          \
    COLUMN(CODE, "code", TEXT, code)                                                                                   \
    COLUMN(SAME_ADDRESS, "same_address", TRUTH, same_address)                                                          \
    COLUMN(BREAKERS, "breakers", TRUTH, breakers)                                                                      \
    COLUMN(SLOW_VALUES, "slow_values", TRUTH, slow_values)                                                             \
    COLUMN(LANES_ON_LINES, "lanes_on_lines", TRUTH, lanes_on_lines)                                                    \
    COLUMN(STREAMS, "streams", COUNT, streams)                                                                         \
    COLUMN(HEADLINE, "headline", TRUTH, headline)                                                                      \
    COLUMN(PARTNER, "partner", TEXT, partner)                                                                          \
    COLUMN(SUM, "sum", REAL, sum)                                                                                      \
    COLUMN(TO_OTHERS, "to_others", TRUTH, to_others)                                                                   \
    COLUMN(PLACEMENT, "placement", TEXT, placement)                                                                    \
    COLUMN(FILLERS, "fillers", COUNT, fillers)

// Of each model, behind those: the title is the model's name, a space, and one of these. The first one's shows a model.
#define TABLE_MODEL_LATENCY "latency"
#define TABLE_MODEL_RTHROUGHPUT "rthroughput"
#define TABLE_MODEL_UOPS "uops"

#endif
