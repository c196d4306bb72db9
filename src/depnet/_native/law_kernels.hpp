// Passes and moves of an ordered law, for every instruction set. Each set is one translation unit
// that defines DEPNET_ISA_NAMESPACE and includes law_unit.hpp; what is here is plain data.
#pragma once

#include <cstddef>
#include <cstdint>

#include "stages_kernels.hpp"

namespace depnet::law {

constexpr std::int32_t kLeaf = -1;
constexpr std::uint32_t kAlways = 0xFFFFFFFFu;
constexpr std::uint32_t kPassStream = 64, kMoveStream = 80;
constexpr std::size_t kRows = stages::kRows;  // rows that go through a node together

struct Input {
    std::int32_t variable, stride;
};

// A vertex of a decision graph, as its parents have it: what it tests, and where its children
// begin among the slots, one for each state. Of a leaf: kLeaf and its number.
struct Slot {
    std::int32_t variable, next;
};

// Its leaf is leaf_map[map + sum of stride * code over the inputs], or, where map < 0, what the
// decision graph from `root` on leads to. Its rows [leaf][state] begin at `cells`. Of a boosted
// node these are the leaves of its first source, which has scores and no rows.
struct Node {
    std::int32_t variable = 0, states = 0;
    std::int64_t cells = 0, marks = 0;  // in theta and log_theta; in thresholds
    std::int64_t map = -1;
    Slot root{kLeaf, 0};
    std::int64_t input_begin = 0, input_end = 0;
    bool zeros = false;         // among its probabilities
    std::int32_t boosted = -1;  // its number among the boosted nodes
};

// theta of a boosted node are the scores of its first source's leaf and of all stages, summed and
// normalised. A tile of moves keeps its sums [state][kRows] and the outcomes of its tests.
struct Boosted {
    stages::View stages;
    const std::int32_t* start;  // scores of the first source, [leaf][state]
    std::size_t sums, masks;    // where they begin in a tile of moves
};

// What a boosted node reads one variable with: some stages and tests, and perhaps its first source.
// What these say for each state of the variable, [its state][state][kRows], is kept from `kept` on
// until the variable is drawn; kNotKept: it is summed again.
struct Reading {
    const std::int32_t *stages, *tests;
    std::size_t stage_count, test_count;
    bool start;
    std::size_t kept;
};
constexpr std::size_t kNotKept = ~std::size_t{0};
constexpr std::size_t kMostKept = std::size_t{1} << 16;  // of all readers of a variable: scores

// A program's arrays.
struct View {
    std::size_t variables;
    const Node* nodes;  // in the order
    const double* log_theta;
    const std::int32_t* leaf_map;
    const Input* inputs;
    const Slot* slots;
    const std::int32_t* readers;       // the places of the nodes that read variable i:
    const std::int64_t* reader_begin;  // from reader_begin[i] to reader_begin[i + 1]
    const Reading* readings;           // how each of the readers reads it; of boosted ones
    const Boosted* boosted;
};

// Scratch of boosted nodes: outcomes of tests, and [states of any variable][kRows] of the others.
struct Scratch {
    std::uint64_t* masks;
    std::int32_t *scores, *read, *kept;
    double* theta;
};

// One node of a pass. A word draws the number of marks of its leaf at or below it; where something
// is known, logs[leaf * stride] is the log of the weight. A clamped variable has `code` >= 0. The
// marks of a boosted node are those of theta times `weights`, unless these are null, in each row.
struct Step {
    std::int32_t place, code;
    const std::uint32_t* marks;
    const double* logs;
    std::int64_t stride;
    const double* weights;
};

struct PassTask {
    const Step* steps;
    std::size_t count;
    const std::int32_t* others;  // variables that do not take part, but may be read
    std::size_t other_count;
    std::uint64_t seed;
    std::int64_t first;
    const std::uint32_t* words;  // the caller's, `stride` rows wide, or null
    std::int64_t stride;
    std::size_t rows;
    double* log_weights;
    void* tile;  // scratch: codes of all variables, kRows each
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

#define DEPNET_DECLARE_KERNELS(isa)                          \
    namespace isa {                                          \
    void pass(const View&, const PassTask&, std::uint8_t*);  \
    void pass(const View&, const PassTask&, std::uint16_t*); \
    void move(const View&, const MoveTask&);                 \
    }

DEPNET_DECLARE_KERNELS(portable)
DEPNET_DECLARE_KERNELS(avx2)
DEPNET_DECLARE_KERNELS(avx512)

}  // namespace depnet::law
