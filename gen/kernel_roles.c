// The roles of a kernel's registers: those that the body names with a class, and fixed ones.
#include "gen/kernel_read.h"

#include "base/text.h"
#include "gen/isa.h"
#include "gen/registers.h"

#include <string.h>
#include <sys/param.h>

static const char flags_name[] = "flags";

static unsigned add(struct arena *arena, struct kernel *kernel, struct kernel_role role) {
    kernel->roles = arena_grow(arena, kernel->roles, kernel->n_roles, sizeof *kernel->roles);
    kernel->roles[kernel->n_roles] = role;
    return kernel->n_roles++;
}

static bool find_by_name(const struct kernel *kernel, const char *name, unsigned *role) {
    for (*role = 0; *role < kernel->n_roles; (*role)++)
        if (strcmp(kernel->roles[*role].name, name) == 0)
            return true;
    return false;
}

static unsigned entry_of(const struct kernel_role *role) {
    return role->index * role->class->span;
}

bool kernel_role_can_be(const struct kernel_role *a, const struct kernel_role *b) {
    if (a->class->file != b->class->file)
        return false;
    if (a->is_fixed && b->is_fixed)
        return entry_of(a) == entry_of(b);
    const struct kernel_role *fixed = a->is_fixed ? a : b, *other = a->is_fixed ? b : a;
    unsigned index = entry_of(fixed) / other->class->span;
    return !fixed->is_fixed || (entry_of(fixed) % other->class->span == 0 && index >= other->class->first &&
                                index < register_class_count(other->class));
}

// Finds the role that is always this register, or a part of it.
static bool find_by_register(const struct kernel *kernel, const struct register_name *found, unsigned *role) {
    for (*role = 0; *role < kernel->n_roles; (*role)++) {
        const struct kernel_role *each = &kernel->roles[*role];
        if (each->is_fixed && each->class->file == found->class->file && entry_of(each) == register_entry(found))
            return true;
    }
    return false;
}

static bool find_register(const struct isa *isa, const char *name, struct register_name *found) {
    return register_find(isa, (struct slice){name, strlen(name)}, found);
}

// The register of the buffer's address is free: it is only needed until the loop begins.
bool kernel_role_is_reserved(const struct isa *isa, const struct kernel_role *role) {
    struct register_set reserved = {0};
    for (unsigned i = 0; isa->reserved[i]; i++)
        if (strcmp(isa->reserved[i], isa->memory) != 0)
            register_set_add_name(&reserved, isa, isa->reserved[i]);
    return role->is_fixed && register_set_has(&reserved, role->class, role->index);
}

static bool fail_class(struct arena *arena, const struct isa *isa, const char *word, struct fail *fail) {
    const char *names[32];
    size_t n = 0;
    for (const struct register_class *each = isa->classes; each->name && n < 32; each++)
        names[n++] = each->name;
    const char *near = text_did_you_mean(arena, word, names, n);
    struct text all = {.arena = arena};
    for (size_t i = 0; i < n && !*near; i++)
        text_addf(&all, "%s%s", i ? ", " : "; it has: ", names[i]);
    return fail_set(fail, FAIL_INPUT, "unknown register class '%s' of %s%s%s%s", word, isa->name, near,
                    all.data ? all.data : "", *near ? "" : ", and the name of any register");
}

// Reads a register such as "rax" in place of a class: the role is always that register.
static bool read_fixed(struct arena *arena, const struct isa *isa, const char *word, struct kernel_role *role,
                       struct fail *fail) {
    struct register_name found;
    if (!find_register(isa, word, &found))
        return fail_class(arena, isa, word, fail);
    const char *name = found.class->registers[found.index];
    if (strcmp(name, word) != 0)
        return fail_set(fail, FAIL_INPUT, "'%s' is another name of %s, or a part of it: write {%s:%s}", word, name,
                        role->name, name);
    role->class = found.class;
    role->is_fixed = true;
    role->index = found.index;
    return !kernel_role_is_reserved(isa, role) ||
           fail_set(fail, FAIL_INPUT, "register %s is reserved for the program around the body", name);
}

const char *kernel_role_class(const struct kernel_role *role) {
    return role->is_fixed ? role->class->registers[role->index] : role->class->name;
}

bool kernel_role_add(struct arena *arena, const struct isa *isa, struct kernel *kernel, const char *name,
                     const char *class_name, unsigned *role, struct fail *fail) {
    struct kernel_role made = {.name = name, .class = isa_class(isa, class_name)};
    if (strcmp(name, flags_name) == 0)
        return fail_set(fail, FAIL_INPUT, "'flags' is the name of the condition flags: rename this role");
    if (!made.class && !read_fixed(arena, isa, class_name, &made, fail))
        return false;
    if (made.class && made.class->file == 's')
        return fail_set(fail, FAIL_INPUT,
                        "registers of a stack have no names of their own: write their text, and list them under "
                        "'implicit'");
    made.n_registers = register_class_count(made.class);
    if (!find_by_name(kernel, name, role)) {
        *role = add(arena, kernel, made);
        return true;
    }
    struct kernel_role *other = &kernel->roles[*role];
    if (strcmp(kernel_role_class(other), class_name) == 0)
        return true;
    if (other->is_fixed || made.is_fixed || !made.class || other->class->file != made.class->file ||
        other->class->span != made.class->span)
        return fail_set(fail, FAIL_INPUT, "role '%s' has class %s before, whose registers are others", name,
                        kernel_role_class(other));
    other->n_registers = MIN(other->n_registers, made.n_registers);
    return true;
}

static bool add_flags(struct kernel_file *file, struct kernel *kernel, struct fy_node *node, unsigned *role) {
    if (!file->isa->flags)
        return yaml_fail(&file->yaml, node, "there is no role 'flags': %s", file->isa->no_flags);
    if (!find_by_name(kernel, flags_name, role))
        *role = add(file->yaml.arena, kernel,
                    (struct kernel_role){.name = flags_name, .class = file->isa->flags, .is_fixed = true});
    return true;
}

bool kernel_role_find(struct kernel_file *file, struct kernel *kernel, struct fy_node *node, const char *name,
                      unsigned *role) {
    struct arena *arena = file->yaml.arena;
    struct register_name found;
    if (find_by_name(kernel, name, role))
        return true;
    if (strcmp(name, flags_name) == 0)
        return add_flags(file, kernel, node, role);
    if (find_register(file->isa, name, &found))
        return find_by_register(kernel, &found, role) ||
               yaml_fail(&file->yaml, node,
                         "register %s is not a role of '%s': write {x:%s} in the body, or list it under 'implicit'",
                         name, kernel->name, found.class->registers[found.index]);
    const char **names = ARENA_ARRAY(arena, const char *, kernel->n_roles + 1);
    for (unsigned i = 0; i < kernel->n_roles; i++)
        names[i] = kernel->roles[i].name;
    const char *near = text_did_you_mean(arena, name, names, kernel->n_roles);
    struct text all = {.arena = arena};
    for (unsigned i = 0; i < kernel->n_roles && !*near; i++)
        text_addf(&all, "%s%s", i ? ", " : "; its roles: ", names[i]);
    return yaml_fail(&file->yaml, node, "unknown role '%s' in the body of '%s'%s%s", name, kernel->name, near,
                     all.data ? all.data : "");
}

static const char *nearest_register(struct arena *arena, const struct isa *isa, const char *word) {
    const char *names[256];
    size_t n = 0;
    for (const struct register_class *each = isa->classes; each->name; each++)
        for (unsigned i = 0; each->registers[i] && n < 256; i++)
            names[n++] = each->registers[i];
    return text_did_you_mean(arena, word, names, n);
}

bool kernel_roles_read_implicit(struct kernel_file *file, const struct kernel_words *words, struct kernel *kernel) {
    for (size_t i = 0; i < words->n; i++) {
        const struct kernel_word *word = &words->items[i];
        struct register_name found;
        unsigned role;
        if (strcmp(word->text, flags_name) == 0) {
            if (!add_flags(file, kernel, word->node, &role))
                return false;
            continue;
        }
        if (!find_register(file->isa, word->text, &found))
            return yaml_fail(&file->yaml, word->node, "unknown register '%s' of %s%s", word->text, file->isa->name,
                             nearest_register(file->yaml.arena, file->isa, word->text));
        if (!find_by_register(kernel, &found, &role))
            add(file->yaml.arena, kernel,
                (struct kernel_role){.name = word->text, .class = found.class, .is_fixed = true, .index = found.index});
    }
    return true;
}

const struct kernel_role *kernel_shared_chain(const struct kernel *kernel) {
    for (unsigned i = 0; i < kernel->n_arcs; i++) {
        const struct kernel_role *from = &kernel->roles[kernel->arcs[i].from], *to = &kernel->roles[kernel->arcs[i].to];
        if (from->is_fixed && to->is_fixed)
            return from;
    }
    return NULL;
}

bool kernel_uses_flags(const struct kernel *kernel) {
    for (unsigned i = 0; i < kernel->n_roles; i++)
        if (kernel->roles[i].class == kernel->isa->flags)
            return true;
    return false;
}
