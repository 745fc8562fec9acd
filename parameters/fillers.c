#include "parameters/fillers.h"

#include <string.h>

enum { MOST_CANDIDATES = 2 };

// A kind of filler, alone and where it waits for a chase: one code shows what both need. RECIPE_N_LINES: it has no such
// line.
static const struct certificate {
    const char *isa;
    enum recipe_line alone, waits;
    const char *name;    // of its trials
    const char *need;    // what windows need of it, one clause
    const char *feature; // null: every CPU has it
    struct candidate {
        const char *alone, *waits; // the lines; null: the recipe's own
        const char *body;          // code through it; null ends the candidates
        double least;              // cycles that this code takes at least where the candidate is executed
        const char *init, *writes; // as in struct timing
    } candidates[MOST_CANDIDATES];
} certificates[] = {
    {"x86_64",
     LINE_INTEGER,
     LINE_INTEGER_WAITS,
     "integer",
     "is executed and writes a general register",
     NULL,
     {{NULL, NULL, "lea {a:r64}, [{a} + 1]\n", 0.9, NULL, "a"},
      {"lea {d$i:r64}, [{s:r64} + {s}]", "lea {d$i:r64}, [{$w:r64} + {s:r64}]", "lea {a:r64}, [{a} + {s:r64}]\n", 0.9,
       NULL, "a"}}},
    {"x86_64",
     LINE_VECTOR,
     LINE_VECTOR_WAITS,
     "vector",
     "is executed and writes a vector register",
     "avx",
     {{NULL, NULL, "vpaddd {x:xmm}, {x}, {t:xmm}\n", 0.9, NULL, "x"}}},
    {"x86_64",
     LINE_LOAD,
     LINE_LOAD_WAITS,
     "load",
     "goes through a load pipe",
     NULL,
     {{NULL, NULL, "mov {a:r64}, [{a}]\n", 1.8, "a: memory", "a"}}},
    {"x86_64",
     LINE_COMPARE,
     RECIPE_N_LINES,
     "compare",
     "is executed and writes flags",
     NULL,
     {{NULL, NULL, "test {a:r64}, {a}\ncmovne {a}, {s:r64}\n", 1.8, NULL, "a"}}},
    {"x86_64",
     LINE_MASK,
     RECIPE_N_LINES,
     "mask",
     "is executed and writes a mask register",
     "avx512f",
     {{NULL, NULL, "knotw {x:k}, {x}\n", 0.9, NULL, "x"}}},
    {"aarch64",
     LINE_INTEGER,
     LINE_INTEGER_WAITS,
     "integer",
     "is executed and writes a general register",
     NULL,
     {{NULL, NULL, "add {a:x}, {a}, #1\n", 0.9, NULL, "a"},
      {"add {d$i:x}, {s:x}, {s}", "add {d$i:x}, {$w:x}, {s:x}", "add {a:x}, {a}, {s:x}\n", 0.9, NULL, "a"}}},
    {"aarch64",
     LINE_VECTOR,
     LINE_VECTOR_WAITS,
     "vector",
     "is executed and writes a vector register",
     NULL,
     {{NULL, NULL, "add {x:v}.4s, {x}.4s, {t:v}.4s\n", 0.9, NULL, "x"}}},
    {"aarch64",
     LINE_LOAD,
     LINE_LOAD_WAITS,
     "load",
     "goes through a load pipe",
     NULL,
     {{NULL, NULL, "ldr {a:x}, [{a}]\n", 1.8, "a: memory", "a"}}},
    {"riscv64",
     LINE_INTEGER,
     LINE_INTEGER_WAITS,
     "integer",
     "is executed and writes a general register",
     NULL,
     {{NULL, NULL, "addi {a:x}, {a}, 1\n", 0.9, NULL, "a"},
      {"add {d$i:x}, {s:x}, {s}", "add {d$i:x}, {$w:x}, {s:x}", "add {a:x}, {a}, {s:x}\n", 0.9, NULL, "a"}}},
    {"riscv64",
     LINE_VECTOR,
     LINE_VECTOR_WAITS,
     "vector",
     "is executed and writes a vector register",
     NULL,
     {{NULL, NULL, "fadd.d {x:d}, {x}, {t:d}\n", 0.9, NULL, "x"}}},
    {"riscv64",
     LINE_LOAD,
     LINE_LOAD_WAITS,
     "load",
     "goes through a load pipe",
     NULL,
     {{NULL, NULL, "ld {a:x}, 0({a})\n", 1.8, "a: memory", "a"}}},
};

static void set(struct fillers *fillers, enum recipe_line line, const char *text, unsigned candidate) {
    if (line == RECIPE_N_LINES)
        return;
    if (text)
        fillers->lines[line] = text;
    fillers->candidate[line] = candidate;
}

static void refuse(struct fillers *fillers, enum recipe_line line, const char *why) {
    if (line == RECIPE_N_LINES)
        return;
    fillers->lines[line] = NULL;
    fillers->why[line] = why;
}

// The first candidate that does what windows need. A neighbour only slows, and by less than what tells the two apart: a
// chain that is not executed takes a fifth of a cycle a step. So an unstable value counts, too. False: not measured
// yet.
static bool certify(struct session *session, const struct certificate *certificate, struct fillers *fillers) {
    struct text why = {.arena = session->arena};
    text_addf(&why, "no filler %s:", certificate->need);
    for (unsigned i = 0; i < MOST_CANDIDATES && certificate->candidates[i].body; i++) {
        const struct candidate *candidate = &certificate->candidates[i];
        const struct timing timing = {.name = arena_printf(session->arena, "filler.%s.%u", certificate->name, i + 1),
                                      .body = candidate->body,
                                      .feature = certificate->feature,
                                      .init = candidate->init,
                                      .writes = candidate->writes};
        const struct value *value = session_value(session, &timing);
        if (!value)
            return false;
        if (value->is_good && value->cycles >= candidate->least) {
            set(fillers, certificate->alone, candidate->alone, i);
            set(fillers, certificate->waits, candidate->waits, i);
            return true;
        }
        text_addf(&why, "%s ", i ? "," : "");
        if (value->is_good)
            text_addf(&why, "a step takes %.2f cycles", value->cycles);
        else
            text_add(&why, value->why ? value->why : "it could not be measured");
    }
    refuse(fillers, certificate->alone, why.data);
    refuse(fillers, certificate->waits, why.data);
    return true;
}

bool fillers_certify(struct session *session, struct fillers *fillers) {
    bool is_whole = true;
    *fillers = (struct fillers){.lines = {NULL}};
    for (unsigned i = 0; i < RECIPE_N_LINES; i++) {
        fillers->lines[i] = session->recipe->lines[i];
        fillers->why[i] = fillers->lines[i] ? NULL : "the ISA has no such instruction";
    }
    for (size_t i = 0; i < sizeof certificates / sizeof *certificates; i++)
        if (strcmp(certificates[i].isa, session->recipe->isa) == 0)
            is_whole = certify(session, &certificates[i], fillers) && is_whole;
    return is_whole;
}
