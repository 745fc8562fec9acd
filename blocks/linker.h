// Private to this folder.
// What finds the memory that a piece of an ELF file refers to, on its way to a struct link: the file's sections at
// addresses, and references that only another file could fill in.
#ifndef BLOCKS_LINKER_H
#define BLOCKS_LINKER_H

#include "blocks/decoder.h"
#include "blocks/object_code.h"
#include "gen/link.h"

#include <gelf.h>
#include <libelf.h>

// A section that the program has in memory.
struct linked_section {
    const char *name;
    uint64_t address; // 0: not in memory, or thread-local data of a linked file or of other ISAs
    uint8_t *bytes;   // in its segment; null: zeros
    size_t size;
    uint64_t flags; // SHF_…
    bool is_zero;   // the file has no bytes of it
};

enum { LINKER_WORD_BYTES = 8, LINKER_MOST_WORDS = 512, LINKER_MOST_UNKNOWN = 100 };

// Memory that another file would fill in: its address, and whose content or address it would hold.
struct linker_hole {
    uint64_t address;
    const char *name;
};

// What a file refers to and lacks.
struct linker_absence {
    const char *who;  // function that refers to it; null: unknown
    const char *name; // null: data of threads
    enum absence {
        ABSENT_ELSEWHERE,    // another file holds it, or nothing defines it
        ABSENT_THREAD_LOCAL, // it is thread-local
        ABSENT_CHOICE,       // a function of the file, which the program chooses at run time
    } absence;
    bool is_call;
};

// An entry by its address, before segments are made.
struct linker_entry {
    uint64_t address;
    unsigned type;
    size_t target;
    int64_t addend;
};

// A symbol that no file defines: its address is made up, in memory that appears on demand.
struct linker_unknown {
    const char *name;
    uint64_t address;
};

struct object_linker {
    struct arena *arena;
    const struct object_file *file;
    const struct isa *isa;
    struct decoder decoder;
    Elf *elf;               // null: a file whose code is taken as it is
    unsigned machine, kind; // EM_…, ET_…
    uint64_t base;          // added to the file's addresses
    struct linked_section *sections;
    size_t n_sections;
    Elf_Data *symbols; // of the table that relocations use
    size_t strings, n_symbols;
    uint64_t threads; // linked x86-64: what stands for the address in fs, where its data are known; 0: they are not
    bool has_threads; // an object for x86-64: thread-local data are among the sections
    uint64_t end;     // behind the last section
    struct segment *segments;
    size_t n_segments;
    struct linker_hole *holes;
    size_t n_holes;
    struct linker_pointer { // words that a loader fills in with addresses in the file
        uint64_t place, target;
    } * pointers;
    size_t n_pointers;
    uint64_t unknown_base; // where the first symbol is that nothing defines
    struct linker_unknown *unknown;
    size_t n_unknown;
    uint64_t *words; // of an object: addresses that the words of its last section hold
    size_t n_words;
    // Of the piece at hand:
    const struct object_piece *piece;
    bool lengthens_end; // its last jump needs a distance of four bytes, where it has one
    struct link_fixup *fixups;
    size_t n_fixups;
    struct linker_entry *entries;
    size_t n_entries;
    struct block_absent *absent; // what is in no file; of all pieces
    size_t n_absent;
    const char **made_up; // symbols that it refers to and nothing defines
    size_t n_made_up;
    struct block_register *held; // that hold an address which code before the piece sets
    size_t n_held;
    const char *missing; // symbol that it is refused for; null: none
    const char *way_out; // where a jump table leads out of it, a clause; null: nowhere
    struct fail *fail;
};

// The section that holds an address; null: none does.
struct linked_section *linker_section(const struct object_linker *linker, uint64_t address);
uint8_t *linker_bytes(const struct object_linker *linker, uint64_t address,
                      size_t n);                           // its bytes; null: none, or zeros
uint64_t linker_piece(const struct object_linker *linker); // address of the piece's first byte
// Whether the address lies in the piece.
bool linker_is_own(const struct object_linker *linker, uint64_t address);
unsigned linker_address_type(const struct object_linker *linker); // type of a relocation that is an address
// Whether a byte of x86 says that a distance from the instruction's end follows: Intel's manual, volume 2, table 2-7.
bool linker_precedes_distance(uint8_t modrm);
// Null: it has no name.
const char *linker_symbol_name(const struct object_linker *linker, const GElf_Sym *symbol);

// Sets what x86's instruction refers to by its distance; false: nothing. `field`: offset in it of the distance.
bool linker_find_distance(const struct object_linker *linker, const struct insn *insn, const uint8_t *bytes,
                          uint64_t address, uint64_t *target, unsigned *field);
// Notes that x86's `insn` at an offset of the piece, a jump out of this function, has to reach `target`. False: its
// distance is one byte, which cannot be filled in; but the last jump of a function is made longer.
bool linker_add_jump(struct object_linker *linker, const struct insn *insn, size_t offset, uint64_t target);

// A walk through relocations of the file. The caller sets `elf`, and zeroes the rest.
struct linker_relocations {
    Elf *elf;
    size_t section; // whose relocations, an index; 0: those that a loader applies
    Elf_Scn *scn;
    Elf_Data *data; // of `scn`
    int next;       // index in it
};
bool linker_next_relocation(struct linker_relocations *walk, GElf_Rela *relocation); // false: at the end

void linker_add_hole(struct object_linker *linker, const struct linker_hole *hole);
void linker_add_fixup(struct object_linker *linker, size_t offset, unsigned type, uint64_t target);
void linker_add_entry(struct object_linker *linker, uint64_t address, unsigned type, uint64_t target, int64_t addend);

// What a reference of code is for. Compilers write `jmp f` for a call that is a function's last.
enum linker_purpose { LINKER_OPERAND, LINKER_BRANCH, LINKER_JUMP, LINKER_CALL };
struct linker_use {
    unsigned machine, type;
    const uint8_t *code; // that of the section; null: none
    size_t offset;       // of the field in it
};
enum linker_purpose linker_purpose_of(const struct linker_use *use);

const char *linker_absence_reason(const struct object_linker *linker, enum absence absence); // a clause
// Notes why a run cannot go on at these addresses.
void linker_explain(struct object_linker *linker, const struct linker_absence *absence, uint64_t address, size_t size);
// Returns an address that stands for what is absent: a run that comes there traps. 0: there is no room for one more.
uint64_t linker_absent(struct object_linker *linker, const struct linker_absence *wanted);
// The name of the function that a resolver at this address of the file chooses; "?": it has none.
const char *linker_choice_name(const struct object_linker *linker, uint64_t resolver);
// Whether an instruction of x86-64 accesses thread-local data, which here would be this program's own.
bool linker_is_thread_local(const struct object_linker *linker, const struct insn *insn);
// Makes it trap in `bytes`, which are its bytes: by the segment gs, which begins at 0, in place of fs.
void linker_bar_threads(struct object_linker *linker, const char *who, const struct insn *insn, uint8_t *bytes);
// Makes the instruction at this address access thread-local data of the file: its displacement becomes `target`. False:
// it has no displacement of four bytes, and is as before.
bool linker_meet_threads(struct object_linker *linker, const struct insn *insn, uint64_t address, uint64_t target);
// The same where a register alone brings the offset: of instruction `index`, at this address. What puts the offset
// there gets the address instead. False: no instruction before does, and all is as before.
bool linker_meet_base(struct object_linker *linker, const struct block *block, unsigned index, uint64_t address);
// Of a linked file for x86-64: a section for its thread-local data, before segments are made; then its content.
void linker_add_threads(struct object_linker *linker);
void linker_fill_threads(struct object_linker *linker);

// Whether an entry of a jump table leads out of the piece, a range of addresses, to other code of the same function.
// Then linker_add_way_out has it lead to the block's end.
bool linker_leads_out(struct object_linker *linker, uint64_t target);
void linker_add_way_out(struct object_linker *linker, uint64_t address, unsigned type, int64_t addend);
// Whether the piece, decoded, jumps to an address from a register or memory.
bool linker_jumps_by_table(const struct block *block);
// The function around the piece, a range of addresses; false: no symbol names one, or the piece is a function.
bool linker_find_home(const struct object_linker *linker, uint64_t *begin, uint64_t *end);
// Of x86-64's code that jumps by tables: sets `held` to the bases of its addresses that the function sets before the
// piece. Then, when all entries are known: drops those where no jump table begins.
void linker_find_registers(struct object_linker *linker, const struct block *block);
void linker_keep_tables(struct object_linker *linker);
// Of a linked file for x86-64: finds the tables that the piece, decoded, refers to, and those at `held` addresses.
void linker_find_tables(struct object_linker *linker, const struct block *block);

// Fill in what an unlinked object's relocations state; of a linked file, what a loader would, and find the references
// of its machine code.
bool linker_read_object(struct object_linker *linker);
void linker_load(struct object_linker *linker); // once for all pieces
bool linker_read_linked(struct object_linker *linker);
bool linker_read_riscv(struct object_linker *linker); // the machine code of a linked file for RISC-V
// Whether what linked code refers to is in the file; where it is not, fails with who refers to it.
bool linker_check_target(const struct object_linker *linker, const char *who, uint64_t address);

#endif
