// A compiled network as the kernels of every instruction set read it: plain data, the arrays of a
// Network (network.hpp).
#pragma once

#include <cstddef>
#include <cstdint>

#include "stages_kernels.hpp"

namespace depnet::network {

constexpr std::int32_t kLeaf = -1;
constexpr std::uint32_t kAlways = 0xFFFFFFFFu;
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
    std::int64_t cells = 0, marks = 0;  // in theta and log_theta; in the thresholds
    std::size_t leaves = 0;
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
    stages::Digits digits;      // what the scores are of
    const std::int32_t* start;  // scores of the first source, [leaf][state]
    std::size_t sums, masks;    // where they begin in a tile of moves
};

// What a boosted node reads one variable with: some stages and tests, and perhaps its first source.
struct Reading {
    const std::int32_t *stages, *tests;
    std::size_t stage_count, test_count;
    bool start;
};

struct View {
    std::size_t variables;
    const Node* nodes;  // in the order
    const double* log_theta;
    const std::int32_t* leaf_map;
    const Input* inputs;
    const Slot* slots;
    const Boosted* boosted;
    const std::int32_t* readers;       // the places of the nodes that read variable i:
    const std::int64_t* reader_begin;  // from reader_begin[i] to reader_begin[i + 1]
    const Reading* readings;           // how each of the readers reads it; of boosted ones
};

// How a node's variable is drawn under what is known of it. A word draws the number of marks of its
// leaf at or below it; `theta` are the probabilities. Where something is known, logs[leaf * stride]
// is the log of its weight, -inf where nothing is possible; a variable that is known for certain
// has `code` >= 0. A boosted node has neither: its theta, times `weights` unless these are null, is
// computed in every row.
struct Step {
    std::int32_t place, code;
    const std::uint32_t* marks;
    const double *theta, *logs;
    std::int64_t stride;
    const double* weights;
};

// Scratch of boosted nodes: outcomes of tests, and [states of any variable][kRows] of the others.
struct Scratch {
    std::uint64_t* masks;
    std::int32_t *scores, *read;
    double* theta;
};

}  // namespace depnet::network
