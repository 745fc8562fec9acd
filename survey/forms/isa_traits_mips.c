// MIPS32, of either byte order. HI and LO are hidden: most instructions do not name them.
#include "survey/forms/isa_traits.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const struct chain_partner_experiment experiments[] = {
    {"addiu", "addiu {a:r}, {a:r}, 0", "a", "a: 1", NULL, 1, {NULL}, NULL},
    {"xor", "xor {a:r}, {a:r}, {b:r}", "a", "a: 1, b: 0", NULL, 1, {NULL}, NULL},
    {"load", "lw {a:r}, 0({a:r})", "a", "a: memory", NULL, 1, {NULL}, NULL},
    {"address",
     "lw {b:r}, 0({a:r}); xor {a:r}, {a:r}, {b:r}; xor {a:r}, {a:r}, {b:r}",
     "a",
     "a: memory",
     NULL,
     3,
     {NULL},
     "load"},
    {"address-xor",
     "lw {b:r}, 0({a:r}); xor {a:r}, {a:r}, {b:r}; xor {a:r}, {a:r}, {b:r}; xor {a:r}, {a:r}, {b:r}; xor {a:r}, {a:r}, "
     "{b:r}",
     "a",
     "a: memory",
     NULL,
     5,
     {"address", "xor", "xor"},
     NULL},
    {"mulsadds",
     "mul.s {a:s}, {a:s}, {z:s}; add.s {a:s}, {a:s}, {b:s}",
     "a",
     "a: f32 1.0, b: f32 1.0",
     NULL,
     1,
     {NULL},
     NULL},
    {"muldaddd",
     "mul.d {a:d}, {a:d}, {z:d}; add.d {a:d}, {a:d}, {b:d}",
     "a",
     "a: f64 1.0, b: f64 1.0",
     NULL,
     1,
     {NULL},
     NULL},
    {"mtc1", "mtc1 {a:r}, {x:s}; mfc1 {a:r}, {x:s}", "a", "a: 1", NULL, 2, {NULL}, NULL},
    {"mthi", "mthi {a:r}; mfhi {a:r}", "a", "a: 1", NULL, 2, {NULL}, NULL},
    {"mtlo", "mtlo {a:r}; mflo {a:r}", "a", "a: 1", NULL, 2, {NULL}, NULL},
    {"addiu-xor",
     "addiu {b:r}, {a:r}, 0; xor {b:r}, {b:r}, {a:r}; xor {a:r}, {a:r}, {b:r}",
     "a",
     "a: 1",
     NULL,
     3,
     {"addiu", "xor", "xor"},
     NULL},
};

static const struct way_step steps[] = {
    {"addiu", 'g', 'g', 0, 1, "; addiu {b:r}, {a:r}, 0", "", WAY_ANY},
    {"address", 'g', 'a', 0, 1, "; xor {b:r}, {b:r}, {a:r}; xor {b:r}, {b:r}, {a:r}", "", WAY_ANY},
    {"mtc1", 'g', 'S', 0, 1, "; mtc1 {a:r}, {b:s}", "", WAY_ANY},
    {"mtc1", 'g', 'D', 0, 1, "; mtc1 {a:r}, {b:s}", "", WAY_ANY},
    {"mtc1", 'S', 'g', 0, 1, "; mfc1 {b:r}, {a:s}", "", WAY_ANY},
    {"mtc1", 'D', 'g', 0, 1, "; mfc1 {b:r}, {a:s}", "", WAY_ANY},
    {"mulsadds", 'S', '=', 0, 1, "; mul.s {b:s}, {b:s}, {zero:s}; add.s {b:s}, {b:s}, {again:s}", "", WAY_ANY},
    {"muldaddd", 'D', '=', 0, 1, "; mul.d {b:d}, {b:d}, {zero:d}; add.d {b:d}, {b:d}, {again:d}", "", WAY_ANY},
    {"mthi", 'g', 'H', 0, 1, "; mthi {a:r}", "", WAY_ANY},
    {"mthi", 'H', 'g', 0, 1, "; mfhi {b:r}", "", WAY_ANY},
    {"mtlo", 'g', 'L', 0, 1, "; mtlo {a:r}", "", WAY_ANY},
    {"mtlo", 'L', 'g', 0, 1, "; mflo {b:r}", "", WAY_ANY},
    {"mtlo", 'g', 'A', 0, 1, "; mthi {a:r}; mtlo {a:r}", "", WAY_ANY}, // LLVM does not state which of them is read
    {.name = NULL},
};

static const struct way_breaker breakers[] = {
    {'g', "; li {b:r}, 1", WAY_ANY, false, NULL},
    {'H', "; mthi $zero", WAY_ANY, false, NULL},
    {'L', "; mtlo $zero", WAY_ANY, false, NULL},
    {.text = NULL},
};

static const struct way_reason left_out[] = {
    {"TEQ", "it traps where its sources are equal"},
    {"TGE", "it traps where its sources are equal"},
    {"TTGE", "it traps where its sources are equal"},
    {"SC", "it stores only behind an exclusive load"},
    {"SYSCALL", "it calls the system"},
    {"BREAK", "it traps"},
    {"SDBBP", "it traps"},
    {"WAIT", "it waits for an event"},
    {"PAUSE", "it waits for an event"},
    {"CTC1", "it changes a state of the thread, for all code behind it"},
    {.start = NULL},
};

static const struct way_reason register_classes[] = {
    {"COP", "it works on a coprocessor"},
    {"CCR", "it works on a control register"},
    {"FCC", "it works on a condition of the floating-point unit, which no role can be"},
    {.start = NULL},
};

// LLVM's F1 is $f1, and its D1 the double in $f2 and $f3. Returns false for other registers.
static bool find_floating(const char *name, unsigned *number) {
    char *end = NULL;
    if ((*name != 'D' && *name != 'F') || !isdigit((unsigned char)name[1]))
        return false;
    *number = (unsigned)strtoul(name + 1, &end, 10) * (*name == 'D' ? 2 : 1);
    return !*end;
}

static bool is_word(const char *name, struct slice word) {
    char text[sizeof "$f4294967295"];
    unsigned number;
    if (!find_floating(name, &number))
        return true;
    snprintf(text, sizeof text, "$f%u", number);
    return slice_is(word, text);
}

// Roles are only even registers. An odd one stands for the even one below it, so that an example may have it.
static bool find(const struct isa *isa, const char *name, struct register_name *found) {
    enum { MOST_BYTES = 12 };
    char text[MOST_BYTES + 2];
    unsigned number;
    bool is_floating = find_floating(name, &number);
    if (is_floating)
        snprintf(text, sizeof text, "$f%u", number);
    else
        snprintf(text, sizeof text, "$%.*s", MOST_BYTES, name);
    for (char *c = text; *c; c++)
        *c = (char)tolower((unsigned char)*c);
    if (!register_find(isa, (struct slice){text, strlen(text)}, found))
        return false;
    if (is_floating && *name == 'F')
        found->class = isa_class(isa, "s");
    return true;
}

static const char *one(const struct shape *shape, const struct shape_port *port) {
    (void)shape;
    return port->class->bits == 64 ? "f64 1.0" : "f32 1.0";
}

static const char *const hi[] = {"hi", NULL}, *const lo[] = {"lo", NULL}, *const hilo[] = {"hilo", NULL};
static const struct way_hidden hidden[] = {{"HI0", {"hi", hi, 'H', 32, 1, 0}},
                                           {"LO0", {"lo", lo, 'L', 32, 1, 0}},
                                           {"AC0", {"hilo", hilo, 'A', 64, 1, 0}},
                                           {.name = NULL}};

// "div $zero, $4, $5": with another first register, the assembler would make several instructions of it.
static size_t fixed_start(const char *opcode, const char *text) {
    bool is_division = strcmp(opcode, "SDIV") == 0 || strcmp(opcode, "UDIV") == 0;
    return is_division ? strcspn(text, ",") : 0;
}

// A move needs a pipe on such cores: where there are as many pipes as slots, it would show more slots of a form that
// holds one.
static const struct slots_filler fillers[] = {
    {"nop", "nop", "nop", true},
    {.name = NULL},
};

const struct isa_traits isa_traits_mips = {
    .family = "mips",
    .experiments = experiments,
    .n_experiments = sizeof experiments / sizeof *experiments,
    .steps = steps,
    .breakers = breakers,
    .register_mark = "",
    .clear_memory = "sw $zero, 0($a2)",
    .hides_breakers = true,
    .mask_of_all = "1",
    .has_parts = true,
    .modes = (const char *const[]){"FCR31", NULL},
    .left_out = left_out,
    .classes = register_classes,
    .find_register = find,
    .is_word = is_word,
    .one = one,
    .hidden = hidden,
    .fixed_start = fixed_start,
    .fillers = fillers,
    .simple = {"addu {b:r}, {a:r}, {a:r}; lw {c:r}, 64({p:r}); add.s {y:s}, {x:s}, {x:s}; addu {d:r}, {c:r}, {a:r}",
               "b, c, y, d", "p: memory"},
    .load = {"lw {c:r}, 64({p:r})", "c", "p: memory"},
    .chain = {"mul {b:r}, {a:r}, {a:r}; mul {c:r}, {b}, {b}; addu {d:r}, {c}, {a}", "b, c, d", NULL},
};
