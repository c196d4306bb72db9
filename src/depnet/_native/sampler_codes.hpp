// The kernel for any network: codes in bytes (or 16 bits), tables over few inputs, decision graphs
// walked for the rest, either scan. Slow twin: tests/reference/sampling.py.
//
// Chains run in tiles of 64 that take each step together. Under the sequential scan a tile's state
// is [variable][chain], so that a node's work is one loop over neighbouring bytes; under the random
// scan every chain updates a node of its own, and the state is [chain][variable].
#pragma once

#include "law_thresholds.hpp"
#include "sampler_task.hpp"

namespace depnet::sampler::DEPNET_ISA_NAMESPACE {

// How many of the ascending thresholds are at or below the word: the state drawn.
inline std::int64_t state_of(const std::uint32_t* row, std::int64_t cells, std::uint32_t word) {
    std::int64_t state = 0;
    if (cells <= 16) {
        for (std::int64_t s = 0; s < cells; ++s) state += row[s] <= word;
        return state;
    }
    std::int64_t left = cells;
    while (left > 0) {
        const std::int64_t half = left / 2;
        if (row[state + half] <= word) {
            state += half + 1;
            left -= half + 1;
        } else {
            left = half;
        }
    }
    return state;
}

template <typename Code>
struct Tile {
    Code* x;
    std::int64_t variable_stride, chain_stride;
    Code& at(std::int64_t variable, std::int64_t chain) const {
        return x[variable * variable_stride + chain * chain_stride];
    }
};

template <typename Code>
inline std::int64_t leaf_of(const Program& p, const Node& node, const Tile<Code>& tile,
                            std::int64_t chain) {
    if (node.kind == kWalk) {
        const Vertex* v = p.vertices + node.extra;
        while (v->scale != 0) v = p.vertices + p.children[v->begin + tile.at(v->variable, chain)];
        return v->leaf;
    }
    std::int64_t sum = node.base;
    const std::int32_t* input = p.inputs + 2 * node.inputs;
    for (std::int64_t j = 0; j < node.input_count; ++j, input += 2)
        sum += static_cast<std::int64_t>(input[1]) * tile.at(input[0], chain);
    return node.kind == kDirect ? sum : p.leaf_map[node.extra + sum];
}

// The state that a word draws for a boosted node, whose row of first scores is `start`: thresholds
// are computed of theta one after the other, until one is beyond the word.
template <typename Code>
inline std::int64_t boosted_state(const Program& p, const Node& node, const Tile<Code>& tile,
                                  std::int64_t chain, const std::uint32_t* start,
                                  std::uint32_t word) {
    const Boosted& own = p.boosted[node.boosted];
    const std::size_t states = own.stages.states;
    for (std::size_t x = 0; x < states; ++x) p.scores[x] = static_cast<std::int32_t>(start[x]);
    stages::add_scores(own.stages, &tile.at(0, chain),
                       static_cast<std::size_t>(tile.variable_stride), p.scores);
    stages::theta_of(p.scores, states, p.theta);
    if (own.weights != nullptr)
        for (std::size_t x = 0; x < states; ++x) p.theta[x] *= own.weights[x];
    double total = 0.0, sum = 0.0;
    for (std::size_t x = 0; x < states; ++x) total += p.theta[x];
    if (!(total > 0.0)) return node.limit;
    std::size_t state = 0;
    for (; state + 1 < states; ++state) {
        sum += p.theta[state];
        if (law::threshold(sum, total) > word) break;
    }
    return static_cast<std::int64_t>(state);
}

template <typename Code>
inline bool update_in(const Program& p, const Node& node, const Tile<Code>& tile,
                      std::int64_t chain, std::int64_t leaf, std::uint32_t word) {
    const std::uint32_t* row = p.thresholds + node.thresholds + leaf * node.cells;
    const std::int64_t state = node.boosted == kNotBoosted
                                   ? state_of(row, node.cells, clipped(word))
                                   : boosted_state(p, node, tile, chain, row, clipped(word));
    if (state >= node.limit) return false;
    tile.at(node.variable, chain) = static_cast<Code>(state);
    return true;
}

template <typename Code>
inline bool update(const Program& p, const Node& node, const Tile<Code>& tile, std::int64_t chain,
                   std::uint32_t word) {
    return update_in(p, node, tile, chain, leaf_of(p, node, tile, chain), word);
}

// Chains walk in step, each from vertex at[k]: no branch depends on where one of them goes, and the
// walk ends when all have come to a leaf.
template <typename Code>
inline void walk_in_step(const Program& p, const Tile<Code>& tile, const std::int64_t* chain,
                         std::int64_t count, std::int32_t* at) {
    for (std::int32_t open = 1; open != 0;) {
        open = 0;
        for (std::int64_t k = 0; k < count; ++k) {
            const Vertex v = p.vertices[at[k]];
            at[k] = p.children[v.begin + v.scale * tile.at(v.variable, chain[k])];
            open |= p.vertices[at[k]].scale;
        }
    }
}

// One node, the same in all chains of the tile, whose state is [variable][kTile].
template <typename Code>
inline bool update_all(const Program& p, const Node& node, const Tile<Code>& tile,
                       std::int64_t chains, const std::uint32_t* words) {
    if (node.kind == kMapped || node.cells > 16 || chains < 8 || node.boosted != kNotBoosted) {
        for (std::int64_t c = 0; c < chains; ++c)
            if (!update(p, node, tile, c, words[c])) return false;
        return true;
    }
    std::uint32_t leaf[kTile], state[kTile] = {};
    if (node.kind == kWalk) {
        std::int64_t chain[kTile];
        std::int32_t at[kTile];
        for (std::int64_t c = 0; c < chains; ++c) {
            chain[c] = c;
            at[c] = static_cast<std::int32_t>(node.extra);
        }
        walk_in_step(p, tile, chain, chains, at);
        for (std::int64_t c = 0; c < chains; ++c)
            leaf[c] = static_cast<std::uint32_t>(p.vertices[at[c]].leaf);
    } else {
        for (std::int64_t c = 0; c < chains; ++c) leaf[c] = static_cast<std::uint32_t>(node.base);
        const std::int32_t* input = p.inputs + 2 * node.inputs;
        for (std::int64_t j = 0; j < node.input_count; ++j, input += 2) {
            const Code* code = tile.x + input[0] * kTile;
            const auto stride = static_cast<std::uint32_t>(input[1]);
            for (std::int64_t c = 0; c < chains; ++c) leaf[c] += stride * code[c];
        }
    }
    const std::uint32_t* rows = p.thresholds + node.thresholds;
    const auto cells = static_cast<std::uint32_t>(node.cells);
    for (std::uint32_t s = 0; s < cells; ++s)
        for (std::int64_t c = 0; c < chains; ++c)
            state[c] += rows[static_cast<std::size_t>(leaf[c]) * cells + s] <= clipped(words[c]);
    if (node.limit == node.cells) {  // some row has the extra cell that means "impossible"
        for (std::int64_t c = 0; c < chains; ++c)
            if (state[c] >= node.limit) return false;
    }
    Code* out = tile.x + node.variable * kTile;
    for (std::int64_t c = 0; c < chains; ++c) out[c] = static_cast<Code>(state[c]);
    return true;
}

// A node of its own in every chain. Returns the place of a node that failed, or kDone.
template <typename Code>
inline std::int64_t update_each(const Program& p, const Tile<Code>& tile, std::int64_t chains,
                                const std::uint32_t* choices, const std::uint32_t* words) {
    if (chains < 8) {
        for (std::int64_t c = 0; c < chains; ++c) {
            const std::int64_t own = chosen_node(p.scan, choices[c]);
            if (!update(p, p.nodes[own], tile, c, words[c])) return own;
        }
        return kDone;
    }
    std::int64_t node[kTile], walker[kTile], walkers = 0;
    std::int32_t at[kTile];
    for (std::int64_t c = 0; c < chains; ++c) {
        node[c] = chosen_node(p.scan, choices[c]);
        walker[walkers] = c;
        at[walkers] = static_cast<std::int32_t>(p.nodes[node[c]].extra);
        walkers += p.nodes[node[c]].kind == kWalk;
    }
    if (walkers > 0) walk_in_step(p, tile, walker, walkers, at);
    std::int64_t k = 0;
    for (std::int64_t c = 0; c < chains; ++c) {
        const Node& own = p.nodes[node[c]];
        const std::int64_t leaf =
            own.kind == kWalk ? p.vertices[at[k++]].leaf : leaf_of(p, own, tile, c);
        if (!update_in(p, own, tile, c, leaf, words[c])) return node[c];
    }
    return kDone;
}

template <typename Code>
class TileRun {
  public:
    TileRun(const Program& p, const Task& task, const Randomness& random, std::int64_t first,
            Code* state)
        : p_(p), out_stride_(task.out_stride), words_(p.scan, task, random, first) {
        Code* x = state + first * p.variables;
        tile_ = p.scan.random ? Tile<Code>{x, 1, p.variables} : Tile<Code>{x, kTile, 1};
    }

    // The place in the scan of the node whose row the evidence leaves empty.
    std::int64_t failed() const { return failed_; }

    bool sweeps(std::int64_t first, std::int64_t count) {
        for (std::int64_t sweep = first; sweep < first + count; ++sweep) {
            const std::uint64_t word = words_.index(sweep);
            for (std::int64_t j = 0; j < p_.scan.node_count; ++j)
                if (!(p_.scan.random ? random_step(word + 2 * j) : step(j, word + j))) return false;
        }
        return true;
    }

    void record(Code* out, std::int64_t row) const {
        for (std::int64_t c = 0; c < words_.chains; ++c) record_chain(c, out, row);
    }

    bool sweep_with_record(std::int64_t sweep, std::int64_t record_number, Code* out,
                           std::int64_t row) {
        const std::uint64_t first = words_.index(sweep);
        std::int64_t place[kTile];
        words_.record_places(record_number, place);
        for (std::int64_t j = 0; j < p_.scan.node_count; ++j) {
            for (std::int64_t c = 0; c < words_.chains; ++c)
                if (place[c] == j) record_chain(c, out, row);
            if (!step(j, first + j)) return false;
        }
        return true;
    }

  private:
    void record_chain(std::int64_t chain, Code* out, std::int64_t row) const {
        for (std::int64_t i = 0; i < p_.variables; ++i)
            out[i * out_stride_ + row + words_.first + chain] = tile_.at(i, chain);
    }

    bool step(std::int64_t j, std::uint64_t word) {
        failed_ = j;
        return update_all(p_, p_.nodes[j], tile_, words_.chains, words_.words.row(word));
    }

    bool random_step(std::uint64_t word) {
        const std::uint32_t* choices = words_.words.row(word);
        failed_ = update_each(p_, tile_, words_.chains, choices, words_.words.row(word + 1));
        return failed_ == kDone;
    }

    const Program& p_;
    Tile<Code> tile_;
    std::int64_t out_stride_, failed_ = kDone;
    TileWords words_;
};

// `state` holds a tile of 64 chains after the other, the last one padded. Returns kDone, or the
// place in the scan of a node that cannot be updated.
template <typename Code>
std::int64_t run_codes(const Program& p, const Task& task, const Randomness& random, Code* state,
                       Code* out) {
    for (std::int64_t first = 0; first < task.chains; first += kTile) {
        TileRun<Code> tile(p, task, random, first, state);
        if (!run_task(tile, task, p.scan.random || task.at_boundary, out)) return tile.failed();
    }
    return kDone;
}

// Algorithm 1 to the letter for one chain: `out[t]` is X before the update of step t.
template <typename Code>
std::int64_t run_trace(const Program& p, const Randomness& random, std::int64_t first_step,
                       std::int64_t steps, Code* x, Code* out) {
    const int each = p.scan.random ? 2 : 1;
    Rows words(random.seed, random.stream, 0, 1, random.words, 1,
               static_cast<std::uint64_t>(first_step) * each);
    const Tile<Code> tile{x, 1, p.variables};
    for (std::int64_t t = first_step; t < first_step + steps; ++t, out += p.variables) {
        __builtin_memcpy(out, x, p.variables * sizeof(Code));
        std::uint64_t w = static_cast<std::uint64_t>(t) * each;
        const std::int64_t i =
            p.scan.random ? chosen_node(p.scan, *words.row(w++)) : t % p.scan.node_count;
        if (!update(p, p.nodes[i], tile, 0, *words.row(w))) return i;
    }
    return kDone;
}

}  // namespace depnet::sampler::DEPNET_ISA_NAMESPACE
