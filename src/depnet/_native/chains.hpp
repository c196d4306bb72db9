// Pseudo-Gibbs chains of a compiled network as the kernels read them: plain data, the arrays of the
// caller.
#pragma once

#include "network_view.hpp"

namespace depnet::chains {

using namespace network;

// The joint law of some variables is estimated from the updates of their nodes (Rao and Blackwell):
// theta of the updated variable is added to the cells of the other variables' codes.
struct Other {
    std::int32_t variable, stride;
};
struct Pair {
    std::int32_t estimator, cell, stride, other_begin, other_end;
};

// Pair q is of the node at place i for q from begin[i] on. An update at a place of the scan has the
// weight shares[share_begin[place] + q - begin[i]], 1 where these are null. There is one row then.
struct Estimates {
    const std::int32_t* begin;
    const Pair* pairs;
    const Other* others;
    std::int64_t cells, count;
    const double* shares;
    const std::int64_t* share_begin;
    double *sums, *weights;  // [chain][cells], [chain][count]; null: nothing is estimated
};

// Chains first, ..., last - 1 run `lead` sweeps, record a state, and again with `gap` sweeps
// between records. Under the sequential scan a state is recorded inside a sweep, just before the
// update at a place drawn uniformly, and that sweep is finished. A trace records the state before
// each of `records` updates. `first_sweep` and `first_record` say how far the chains had come.
struct Task {
    std::int64_t first, last, first_sweep, first_record, lead, gap, records;
    bool trace;
};

// Chain c belongs to row c / per_row, which updates the nodes at the places node[begin[row]], ...,
// in the order of the scan. Update t of a chain takes word t of its stream, of 64 bits: the low
// half draws the state, the high half chooses the node of a random scan. The words are those of a
// key, or the caller's.
struct Run {
    View view;
    const Step* steps;  // of all places
    Scratch scratch;    // of one thread
    bool random;
    std::int64_t chains, per_row;
    const std::int32_t *begin, *node;
    const std::uint32_t* choice;  // thresholds of the random scan, or null: all nodes alike
    const std::uint64_t* keys;
    const std::uint64_t* words;        // [update][chain], or null
    const std::uint32_t* place_words;  // [record][chain], or null
    std::uint16_t* codes;              // [chain][variable]
    std::int64_t* impossible;          // [chain]: estimated updates that found no possible state
    std::uint16_t* out;                // [variable][record][chain]
    Estimates estimates;
    Task task;
};

// The variable of a node that found no possible state, or -1. `tile` has room for the codes of all
// variables, kRows each.
DEPNET_FOR_EACH_ISA(std::int64_t run_chains(const Run&, std::uint16_t* tile);)

}  // namespace depnet::chains
