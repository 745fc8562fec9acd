// Forms that need something around them (form_wrapper.h).
#include "survey/experiments/experiment_kinds.h"

#include "survey/experiments/experiment_text.h"
#include "survey/forms/chain_partners.h"

#include <string.h>

// The body of copy `i` of a form with surroundings.
static const char *copy_of(const struct shape *shape, const char *body, unsigned i, struct arena *arena) {
    static const char first[] = "%st(1)";
    const char *at = strstr(body, first);
    if (!shape->wrapper->first_register || !at)
        return body;
    return arena_printf(arena, "%.*s%%st(%u)%s", (int)(at - body), body, shape->wrapper->first_register + i,
                        at + strlen(first));
}

static void add_part(const char *part, struct text *text) {
    if (part)
        text_addf(text, "%s%s", text->length ? "; " : "", part);
}

// Through memory by an instruction of its own, as from push to pop.
static void add_load_back(const struct shape *shape, struct experiment_list *out) {
    static const char step[] = "movslq";
    const struct shape_port *port = &shape->ports[0];
    for (int is_longer = 0; is_longer < 2; is_longer++) {
        struct text load = {.arena = out->arena};
        text_addf(&load, "; %s {%s:%s}", shape->wrapper->load, port->role, port->class->name);
        for (unsigned i = 0; is_longer && i < PARTNER_LONGER_STEPS; i++)
            text_addf(&load, "; movslq {%s:r32}, {%s:r64}", port->role, port->role);
        const struct experiment_key key = {.kind = EXPERIMENT_PAIR,
                                           .source = port->role,
                                           .result = "memory",
                                           .way = shape->wrapper->load,
                                           .variant = is_longer ? EXPERIMENT_LONGER : EXPERIMENT_USUAL,
                                           .step = is_longer ? step : NULL};
        experiment_add_chain(shape, key, shape->body, load.data, "", port->role, out);
    }
}

void experiments_add_wrapped(const struct shape *shape, struct experiment_list *out) {
    const struct form_wrapper *around = shape->wrapper;
    const char *body = around->is_fixed_place ? shape->body : experiment_with_places(shape, out->arena),
               *init = around->init ? arena_printf(out->arena, ", %s", around->init) : "";
    unsigned n = around->copies ? around->copies : 1;
    bool has_company = around->first || around->last || around->before || around->after;
    const struct experiment_key several = {.kind = has_company ? EXPERIMENT_AROUND : EXPERIMENT_COPIES, .copies = n};
    struct text copies = {.arena = out->arena};
    add_part(around->first, &copies);
    for (unsigned i = 0; i < n; i++) {
        add_part(around->before, &copies);
        add_part(copy_of(shape, body, i, out->arena), &copies);
        add_part(around->after, &copies);
    }
    add_part(around->last, &copies);
    if (around->is_steady)
        experiment_add_throughput(shape, (struct experiment_key){.kind = EXPERIMENT_PLAIN}, body, "", init, out);
    if (has_company || n > 1)
        experiment_add_throughput(shape, several, copies.data, "", init, out);
    if (around->load)
        add_load_back(shape, out);
    if (!around->chain)
        return;
    experiment_add_chain(shape, (struct experiment_key){.kind = EXPERIMENT_CHAIN}, shape->body, "", init, around->chain,
                         out);
}
