#include "infer/port_smt.h"

#include "base/text.h"

// Forms with a recipe, and those without a port.
static bool is_in(const struct ports *ports, unsigned form) {
    return ports->map.recipes[form].n > 0 || ports->forms[form].state == PORTS_DISPATCH;
}

static void declare_forms(struct text *text, const struct ports *ports) {
    for (unsigned f = 0; f < ports->evidence->n_forms; f++) {
        const struct port_recipe *recipe = &ports->map.recipes[f];
        if (is_in(ports, f))
            text_addf(text, "; form %u: %s\n", f, text_printable(text->arena, ports->evidence->forms[f], 200));
        for (unsigned u = 0; u < recipe->n; u++) {
            for (unsigned p = 0; p < ports->map.n_ports; p++)
                text_addf(text, "(declare-const m_%u_%u_%u Bool)\n", f, u, p);
            text_add(text, "(assert (or");
            for (unsigned p = 0; p < ports->map.n_ports; p++)
                text_addf(text, " m_%u_%u_%u", f, u, p);
            text_add(text, "))\n");
        }
    }
}

// No longer than `high`: all uops can be spread so that no port has more. x_I_F_U_P: cycles of them on the port.
static void limit_above(struct text *text, const struct ports *ports, size_t i, double high) {
    const struct evidence_item *item = &ports->evidence->items[i];
    for (unsigned t = 0; t < item->n_terms; t++) {
        unsigned f = item->terms[t].form;
        for (unsigned u = 0; u < ports->map.recipes[f].n; u++) {
            for (unsigned p = 0; p < ports->map.n_ports; p++)
                text_addf(text,
                          "(declare-const x_%zu_%u_%u_%u Real)\n(assert (>= x_%zu_%u_%u_%u 0.0))\n"
                          "(assert (or m_%u_%u_%u (= x_%zu_%u_%u_%u 0.0)))\n",
                          i, f, u, p, i, f, u, p, f, u, p, i, f, u, p);
            text_addf(text, "(assert (= %u.0 (+ 0.0", item->terms[t].count);
            for (unsigned p = 0; p < ports->map.n_ports; p++)
                text_addf(text, " x_%zu_%u_%u_%u", i, f, u, p);
            text_add(text, ")))\n");
        }
    }
    for (unsigned p = 0; p < ports->map.n_ports; p++) {
        text_addf(text, "(assert (>= %.6f (+ 0.0", high);
        for (unsigned t = 0; t < item->n_terms; t++)
            for (unsigned u = 0; u < ports->map.recipes[item->terms[t].form].n; u++)
                text_addf(text, " x_%zu_%u_%u_%u", i, item->terms[t].form, u, p);
        text_add(text, ")))\n");
    }
}

// No shorter than `low`: some set of ports (q_I_P) has that much to do that can go nowhere else; or dispatch has.
static void limit_below(struct text *text, const struct ports *ports, size_t i, double low) {
    const struct evidence_item *item = &ports->evidence->items[i];
    double slots = 0;
    for (unsigned t = 0; t < item->n_terms; t++)
        slots += item->terms[t].count * ports->map.recipes[item->terms[t].form].slots;
    if (slots >= low * ports->map.width)
        return;
    for (unsigned p = 0; p < ports->map.n_ports; p++)
        text_addf(text, "(declare-const q_%zu_%u Bool)\n", i, p);
    text_addf(text, "(assert (or");
    for (unsigned p = 0; p < ports->map.n_ports; p++)
        text_addf(text, " q_%zu_%u", i, p);
    text_add(text, "))\n(assert (>= (+ 0.0");
    for (unsigned t = 0; t < item->n_terms; t++)
        for (unsigned u = 0; u < ports->map.recipes[item->terms[t].form].n; u++) {
            text_add(text, " (ite (and true");
            for (unsigned p = 0; p < ports->map.n_ports; p++)
                text_addf(text, " (=> m_%u_%u_%u q_%zu_%u)", item->terms[t].form, u, p, i, p);
            text_addf(text, ") %u.0 0.0)", item->terms[t].count);
        }
    text_addf(text, ") (* %.6f (+ 0.0", low);
    for (unsigned p = 0; p < ports->map.n_ports; p++)
        text_addf(text, " (ite q_%zu_%u 1.0 0.0)", i, p);
    text_add(text, "))))\n");
}

static void add_items(struct text *text, const struct ports *ports) {
    for (size_t i = 0; i < ports->evidence->n_items; i++) {
        const struct evidence_item *item = &ports->evidence->items[i];
        struct ports_band band = ports_band_of(ports, i);
        bool is_used = !ports->is_unused[i];
        for (unsigned t = 0; t < item->n_terms; t++)
            is_used &= is_in(ports, item->terms[t].form);
        if (!is_used)
            continue;
        text_addf(text, "; experiment %s: %.6g cycles\n", text_printable(text->arena, item->id, 80), item->cycles);
        limit_above(text, ports, i, band.high);
        limit_below(text, ports, i, band.low);
    }
}

static void add_choice(struct text *text, const struct ports *ports) {
    for (unsigned f = 0; f < ports->evidence->n_forms; f++)
        for (unsigned u = 0; u < ports->map.recipes[f].n; u++)
            for (unsigned p = 0; p < ports->map.n_ports; p++)
                text_addf(text,
                          ports->map.recipes[f].uops[u].pipes >> p & 1 ? "(assert m_%u_%u_%u)\n"
                                                                       : "(assert (not m_%u_%u_%u))\n",
                          f, u, p);
}

const char *port_smt_text(struct arena *arena, const struct ports *ports) {
    struct text text = {.arena = arena};
    text_addf(&text,
              "; Port sets that experiments allow. m_F_U_P: uop U of form F may go to port P.\n"
              "; %u ports, %g slots of dispatch a cycle.\n(set-logic QF_LRA)\n",
              ports->map.n_ports, ports->map.width);
    declare_forms(&text, ports);
    add_items(&text, ports);
    text_add(&text, "; Does the map that was chosen fit?\n(push 1)\n");
    add_choice(&text, ports);
    text_add(&text, "(check-sat)\n(pop 1)\n; Does any?\n(check-sat)\n");
    return text.data;
}
