// Private to this folder.
// Classes whose forms run short of registers. Where half the streams take longer, more than there are might take less,
// so a throughput is an upper bound. Only the first form of a class is measured with half the streams.
#ifndef SURVEY_TABLE_FEW_STREAMS_H
#define SURVEY_TABLE_FEW_STREAMS_H

#include "survey/table/table.h"

// Makes throughputs upper bounds that take as long as one of their class, made in the same way,
//  - with as many streams or more, which is a bound for that reason. Those that whole cycles of some pipes give stay:
//  that
//    is what they take.
//  - of which fewer streams take less.
void few_streams_mark(struct arena *arena, struct table_row *rows, size_t n);

#endif
