#include "analyzer/llvm/regions.h"

#include <tuple>

using namespace llvm;

bool span::covers(SMLoc place) const {
    return (!begin.isValid() || place.getPointer() >= begin.getPointer()) &&
           (!end.isValid() || place.getPointer() <= end.getPointer());
}

template <typename Span> static bool is_open(const Span &span, StringRef name) {
    return span.open && span.begin.isValid() && span.name == name;
}

template <typename Span> static void close_span(Span &span, SMLoc place) {
    span.end = place;
    span.open = false;
}

regions::regions(SourceMgr &source_manager, mca::InstrumentManager &instrument_manager)
    : sources(source_manager), manager(instrument_manager), blocks(1), live(1) {
    markers_start(&state, &arena);
}

regions::~regions() {
    arena_free(&arena);
}

bool regions::in_text(SMLoc place) const {
    return sources.FindBufferContainingLoc(place) == sources.getMainFileID();
}

size_t regions::offset(SMLoc place) const {
    return place.getPointer() - sources.getMemoryBuffer(sources.getMainFileID())->getBufferStart();
}

// The parser looks ahead: it may see a comment before it hands over the instruction of the line above.
void regions::pass(SMLoc place) {
    if (!last_place.isValid() || place.getPointer() > last_place.getPointer())
        last_place = place;
}

void regions::refuse(SMLoc place, const struct marker_mistake &mistake) {
    const char *start = sources.getMemoryBuffer(sources.getMainFileID())->getBufferStart();
    sources.PrintMessage(place, SourceMgr::DK_Error, mistake.text);
    sources.PrintMessage(mistake.note_at == MARKERS_NOWHERE ? place : SMLoc::getFromPointer(start + mistake.note_at),
                         SourceMgr::DK_Note, mistake.note);
    has_region_errors = true;
}

void regions::instrument_error(SMLoc place, const Twine &message) {
    instrument_errors.emplace_back(place, message.str());
}

bool regions::tell_instrument_errors() {
    for (const auto &[place, message] : instrument_errors)
        sources.PrintMessage(place, SourceMgr::DK_Error, message);
    return !instrument_errors.empty();
}

static struct slice to_slice(StringRef text) {
    return {text.data(), text.size()};
}

void regions::HandleComment(SMLoc place, StringRef comment) {
    if (!in_text(place))
        return;
    pass(place);
    struct slice read;
    const enum marker_kind kind = marker_read(to_slice(comment), &read);
    const StringRef rest(read.data, read.length);
    if (kind == MARKER_BEGIN)
        return begin(rest, place);
    if (kind == MARKER_END)
        return end(rest, place);
    if (kind != MARKER_INSTRUMENT || manager.shouldIgnoreInstruments())
        return;
    const auto [word, data] = rest.split(" ");
    read_instrument(word, data, place);
}

void regions::begin(StringRef name, SMLoc place) {
    struct marker_mistake mistake;
    if (!markers_begin(&state, to_slice(name), offset(place), &mistake))
        return refuse(place, mistake);
    if (state.n_regions <= blocks.size()) { // until now the whole text was one
        blocks.clear();
        live.clear();
    }
    region fresh;
    fresh.name = name.str();
    fresh.begin = place;
    live.push_back(blocks.size());
    blocks.push_back(std::move(fresh));
}

void regions::end(StringRef name, SMLoc place) {
    struct marker_mistake mistake;
    size_t index;
    if (!markers_end(&state, to_slice(name), offset(place), &index, &mistake))
        return refuse(place, mistake);
    close_span(blocks[index], place);
}

void regions::read_instrument(StringRef kind, StringRef data, SMLoc place) {
    if (!manager.supportsInstrumentType(kind)) {
        if (kind.empty())
            return instrument_error(place, "No instrumentation kind was provided in LLVM-MCA comment");
        return instrument_error(place, "Unknown instrumentation type in LLVM-MCA comment: " + kind);
    }
    unique_instrument made = manager.createInstrument(kind, data);
    if (!made) {
        if (data.empty())
            return instrument_error(place, "Failed to create " + kind + " instrument with no data");
        return instrument_error(place, "Failed to create " + kind + " instrument with data: " + data);
    }
    start_instrument(std::move(made), kind, place);
}

void regions::start_instrument(unique_instrument instrument, StringRef kind, SMLoc place) {
    const auto before = find_if(instruments, [&](const instrument_span &span) { return is_open(span, kind); });
    if (before != instruments.end())
        close_span(*before, place);
    instrument_span fresh;
    fresh.name = kind.str();
    fresh.begin = place;
    fresh.instrument = std::move(instrument);
    instruments.push_back(std::move(fresh));
}

void regions::add(const MCInst &inst) {
    source_insn insn = {inst, inst.getLoc(), 0, 0};
    if (in_text(insn.place)) {
        std::tie(insn.line, insn.column) = sources.getLineAndColumn(insn.place);
        pass(insn.place);
    } else if (last_place.isValid()) {
        insn.place = SMLoc::getFromPointer(last_place.getPointer() + 1);
    }
    // Instructions come in the order of their places: what ends before this one does not live on.
    erase_if(live, [&](size_t i) { return !blocks[i].open && blocks[i].end.getPointer() < insn.place.getPointer(); });
    for (size_t i : live)
        if (blocks[i].covers(insn.place))
            blocks[i].insns.push_back(insn);
    for (unique_instrument &made : manager.createInstruments(inst)) {
        if (!made) // RISC-V: of a vector type that is reserved
            continue;
        const std::string kind = made->getDesc().str();
        start_instrument(std::move(made), kind, insn.place);
    }
}

void regions::add_label(StringRef name, SMLoc place) {
    for (region &block : blocks)
        if (block.covers(place))
            block.labels.push_back({name.str(), block.insns.size()});
}

instrument_list regions::active_instruments(SMLoc place) const {
    instrument_list active;
    for (const instrument_span &span : instruments)
        if (span.covers(place))
            active.push_back(span.instrument.get());
    return active;
}
