// The sampling kernels and what they read: the nodes of one scan, and one call's task. Views
// only: the arrays belong to the caller.
#pragma once

#include <cstddef>
#include <cstdint>

#include "network_view.hpp"

namespace depnet::sampler {

using namespace network;

// How the nodes are chosen.
struct Scan {
    std::int64_t node_count;
    bool random;                  // else one after the other
    bool uniform;                 // the choice is word * node_count >> 32
    const std::uint32_t* choice;  // thresholds of the random scan, node_count - 1 of them
    const std::int32_t* guide;    // first node that a word with these top bits can choose
};

constexpr int kGuideShift = 22;  // what the guide leaves out of a word

// Chains of any network: how the nodes of the scan are drawn, in its order.
struct Program {
    View view;
    Scan scan;
    const Step* steps;
    Scratch scratch;  // of one thread
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
    std::int64_t first_row;       // row of the output of the first chain's first record
    std::int64_t record_stride;   // rows of the output between two records of a chain
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

// The kernels of every instruction set. Each set is one translation unit that defines
// DEPNET_ISA_NAMESPACE and includes sampler_unit.hpp; they call nothing but each other, so that no
// function compiled for one set can be linked into another.
#define DEPNET_DECLARE_KERNELS(isa)                                                          \
    namespace isa {                                                                          \
    template <typename Code>                                                                 \
    std::int64_t codes(const Program&, const Task&, const Randomness&, Code*, Code*);        \
    template <typename Code>                                                                 \
    std::int64_t trace(const Program&, const Randomness&, std::int64_t, std::int64_t, Code*, \
                       Code*);                                                               \
    void packed(const PackedProgram&, const Task&, const Randomness&, std::uint64_t*,        \
                std::uint8_t*);                                                              \
    void words(std::uint64_t seed, std::uint32_t stream, std::uint64_t first,                \
               std::int64_t first_chain, std::int64_t chains, std::int64_t rows,             \
               std::uint32_t* out);                                                          \
    }

DEPNET_DECLARE_KERNELS(portable)
DEPNET_DECLARE_KERNELS(avx2)
DEPNET_DECLARE_KERNELS(avx512)

}  // namespace depnet::sampler
