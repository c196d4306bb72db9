// What the sampling kernels read: the nodes of one scan, flattened into arrays, and one call's
// task. Views only: the arrays belong to the caller.
#pragma once

#include <cstddef>
#include <cstdint>

#include "stages_row.hpp"

namespace depnet::sampler {

constexpr std::uint32_t kLargestWord = 0xFFFFFFFFu;

enum Kind : std::int64_t { kDirect = 0, kMapped = 1, kWalk = 2 };

// One node of the scan. Its row of thresholds is that of the leaf, which is
//   kDirect: base + sum of stride * code over the inputs;
//   kMapped: leaf_map[extra + that sum];
//   kWalk:   what the decision graph at vertex `extra` leads to.
// A state at or beyond `limit` means that the evidence leaves nothing possible in this row. Where
// `boosted` is not kNotBoosted the row has no thresholds but the node's first scores, one a state.
struct Node {
    std::int64_t variable, kind, thresholds, cells, limit, base, inputs, input_count, extra,
        boosted;
};

constexpr std::int64_t kNotBoosted = -1;

// What a boosted node adds to its first scores, and the weights that the evidence gives to its
// states (null: all alike).
struct Boosted {
    stages::RowView stages;
    const double* weights;
};

// A vertex of a decision graph: go on to children[begin + scale * code of variable]. A leaf has
// scale 0 and leads to itself, so that many chains can walk in step and wait there.
struct Vertex {
    std::int32_t variable, begin, scale, leaf;
};

// How the nodes are chosen.
struct Scan {
    std::int64_t node_count;
    bool random;                  // else one after the other
    bool uniform;                 // the choice is word * node_count >> 32
    const std::uint32_t* choice;  // thresholds of the random scan, node_count - 1 of them
    const std::int32_t* guide;    // first node that a word with these top bits can choose
};

constexpr int kGuideShift = 22;  // what the guide leaves out of a word

struct Program {
    std::int64_t variables;
    Scan scan;
    const Node* nodes;
    const std::uint32_t* thresholds;  // [leaf][cells], ascending in a row
    const std::int32_t* inputs;       // pairs (variable, stride)
    const std::int32_t* leaf_map;
    const Vertex* vertices;  // a node's root is its `extra`
    const std::int32_t* children;
    const Boosted* boosted;
    std::int32_t* scores;  // scratch of one thread, for the states of any boosted node
    double* theta;         // alike
};

// Words come from the counter generator, or, where `words` is set, from the caller: row r of the
// buffer holds word r of every chain of the call.
struct Randomness {
    std::uint64_t seed;
    std::uint32_t stream;              // of the updates
    std::uint32_t place_stream;        // of the places where rows are recorded
    const std::uint32_t* words;        // [steps * words a step][chains], or null
    const std::uint32_t* place_words;  // [records][chains], or null
};

// Run `lead` sweeps, record a row of every chain, and again `records - 1` times with `gap` sweeps
// between. Under the sequential scan a row is recorded inside a sweep, just before the update at
// a place drawn uniformly, and that sweep is finished.
struct Task {
    std::int64_t first_chain, chains;
    std::int64_t first_sweep;   // sweeps that were run before this call
    std::int64_t first_record;  // rows of each chain that were recorded before this call
    std::int64_t lead, gap, records;
    std::int64_t first_row;      // row of the output of the first chain's first record
    std::int64_t record_stride;  // rows of the output between two records of a chain
    bool at_boundary;  // sequential scan: record between sweeps instead of at random places
    std::int64_t out_stride = 0;  // rows of the output
};

constexpr std::int64_t kDone = -1;

// The packed kernel: a chain's state is W words, variable i the bits `mask << shift` of one of
// them.
struct PackedVariable {
    std::int64_t word, shift;
    std::uint64_t mask;
};

template <int W>
struct PackedNode {
    std::uint64_t inputs[W];  // bits that make the number of the row, lowest first
    std::uint64_t shifts[W];  // where the bits of each word go
    std::uint64_t keep[W];    // bits that the node leaves alone
    std::int64_t thresholds, patterns;
    std::uint64_t position;  // of a binary target
};

struct PackedProgram {
    Scan scan;
    std::int64_t variable_count;
    const void* nodes;
    const std::uint32_t* thresholds;
    const std::uint64_t* patterns;  // [state][word] bits of a node's states
    const PackedVariable* variables;
    std::int64_t cells, width;
};

// The bit-sliced kernel: bit c of a variable's plane is its code in chain c.
struct SlicedNode {
    std::int64_t variable, vertices, vertex_count, leaves, leaf_count, planes;
};

struct SlicedProgram {
    std::int64_t variables, node_count;
    const SlicedNode* nodes;
    const std::int32_t* vertices;  // (variable, slot if 0, slot if 1), a parent before its children
    const std::uint32_t*
        thresholds;               // of a node's leaves; their slots follow those of the vertices
    const std::uint64_t* planes;  // [32][leaf]: all ones where that bit of the threshold is set
    std::int64_t most_slots;
};

}  // namespace depnet::sampler
