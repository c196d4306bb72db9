// Passes and moves of an ordered law, for every instruction set (law_unit.hpp): what is here is
// plain data.
#pragma once

#include "isa.hpp"
#include "network_view.hpp"

namespace depnet::law {

using namespace network;

constexpr std::uint32_t kPassStream = 64, kMoveStream = 80;

// What a pass does with a variable of a row that has a role: nothing, draw it, or weigh the row by
// theta of its code.
enum Role : std::uint8_t { kLeave = 0, kDraw = 1, kWeigh = 2 };

struct PassTask {
    const Step* steps;
    std::size_t count;
    const std::int32_t* given;  // variables that are not drawn in every row, but may be read
    std::size_t given_count;
    const std::uint8_t* roles;  // [rows][variables], or null: every step is drawn in every row
    std::uint64_t seed;
    std::int64_t first;
    const std::uint32_t* words;  // the caller's, `stride` rows wide, or null
    std::int64_t stride;
    std::size_t rows;
    double* log_weights;
    std::uint16_t* tile;  // scratch: codes of all variables, kRows each
    Scratch scratch;
};

struct MoveTask {
    const std::uint8_t* active;  // of each place
    const std::int32_t* known;   // where the weights of each variable begin, or -1
    const double* log_known;
    std::uint64_t seed;
    std::int64_t first_row, first_sweep, sweeps;
    const std::uint8_t* hidden;  // [rows][variables], or one row for all
    bool alike;
    std::uint16_t* codes;  // [rows][variables]
    std::size_t rows;
    const std::int32_t* cells;
    double* sums;  // [rows][columns]
    std::size_t columns;
    std::int64_t* impossible;
    std::uint16_t* tile;   // scratch: codes of all variables, kRows each
    double* logs;          // scratch: [states of any variable][kRows]
    std::int32_t* totals;  // scratch: the sums of all boosted nodes
    Scratch scratch;       // its masks are those of all boosted nodes
};

DEPNET_FOR_EACH_ISA(void pass(const View&, const PassTask&, std::uint8_t*);
                    void pass(const View&, const PassTask&, std::uint16_t*);
                    void move(const View&, const MoveTask&);
                    void words(std::uint64_t seed, std::uint32_t stream, std::uint64_t first,
                               std::int64_t first_chain, std::int64_t chains, std::int64_t rows,
                               std::uint32_t* out);)

}  // namespace depnet::law
