// Do two kernels issue together? Told from three times: of each alone, and of both mixed, copy for copy, on registers
// of their own. Where neither takes anything from the other, a pair of copies takes as long as the longer of the two;
// where all they need is the same (a pipe, the whole issue width) or an in-order core does not pair them, as long as
// both. Knows numbers only, so measurements and predictions are judged alike.
#ifndef ANALYZER_PREDICT_PAIRING_H
#define ANALYZER_PREDICT_PAIRING_H

enum pairing_kind {
    PAIRING_TOGETHER, // as long as the longer one
    PAIRING_PARTLY,   // in between
    PAIRING_APART,    // as long as one after the other
    PAIRING_SLOWER,   // longer than that: they hinder each other
    PAIRING_WAITING,  // too few streams fit in the registers: the mix waits for latencies, and says nothing of pipes
    PAIRING_UNCLEAR,  // the times do not tell
    PAIRING_N_KINDS,
};
const char *pairing_name(enum pairing_kind kind); // "together", "partly", …

// Cycles of one copy, or of a pair of copies, with their interval.
struct pairing_time {
    double cycles, low, high;
};

struct pairing_times {
    struct pairing_time alone[2]; // at their best: as many streams as help
    struct pairing_time few[2];   // alone in no more streams than each has in the mix
    struct pairing_time mix;
};

struct pairing {
    enum pairing_kind kind;
    double overlap; // share of the shorter one that costs nothing: 1 together, 0 apart, below 0 slower
};

struct pairing pairing_find(const struct pairing_times *times);

#endif
