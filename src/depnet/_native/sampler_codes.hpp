// The kernel for any network: codes in bytes (or 16 bits), tables over few inputs, decision graphs
// walked for the rest, blocks of variables, either scan. Slow twin: tests/reference/sampling.py.
//
// Chains run in tiles of 64 that take each step together. Under the sequential scan a tile's state
// is [variable][chain], so that a node's work is one loop over neighbouring bytes; under the random
// scan every chain updates a node of its own, and the state is [chain][variable].
#pragma once

#include "sampler_philox.hpp"
#include "sampler_program.hpp"

namespace depnet::sampler::DEPNET_ISA_NAMESPACE {

inline std::uint32_t clipped(std::uint32_t word) {  // so that the threshold 2^32 - 1 means "never"
    return word < kLargestWord ? word : kLargestWord - 1;
}

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

inline std::int64_t chosen_node(const Program& p, std::uint32_t word) {
    if (p.uniform_choice)
        return static_cast<std::int64_t>((static_cast<std::uint64_t>(word) * p.node_count) >> 32);
    const std::uint32_t w = clipped(word);
    std::int64_t i = p.choice_guide[w >> p.guide_shift];
    while (i < p.node_count - 1 && p.choice[i] <= w) ++i;
    return i;
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

template <typename Code>
inline void assign(const Program& p, const Node& node, const Tile<Code>& tile, std::int64_t chain,
                   std::int64_t state) {
    if (node.target_count == 1) {
        tile.at(p.targets[node.targets], chain) = static_cast<Code>(state);
        return;
    }
    const std::uint16_t* codes = p.decode + node.decode + state * node.target_count;
    for (std::int64_t k = 0; k < node.target_count; ++k)
        tile.at(p.targets[node.targets + k], chain) = static_cast<Code>(codes[k]);
}

template <typename Code>
inline bool update_in(const Program& p, const Node& node, const Tile<Code>& tile,
                      std::int64_t chain, std::int64_t leaf, std::uint32_t word) {
    const std::int64_t state =
        state_of(p.thresholds + node.thresholds + leaf * node.cells, node.cells, clipped(word));
    if (state >= node.limit) return false;
    assign(p, node, tile, chain, state);
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
    if (node.kind == kMapped || node.cells > 16 || node.target_count != 1 || chains < 8) {
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
    Code* out = tile.x + p.targets[node.targets] * kTile;
    for (std::int64_t c = 0; c < chains; ++c) out[c] = static_cast<Code>(state[c]);
    return true;
}

// A node of its own in every chain. Returns the place of a node that failed, or kDone.
template <typename Code>
inline std::int64_t update_each(const Program& p, const Tile<Code>& tile, std::int64_t chains,
                                const std::uint32_t* choices, const std::uint32_t* words) {
    if (chains < 8) {
        for (std::int64_t c = 0; c < chains; ++c) {
            const std::int64_t own = chosen_node(p, choices[c]);
            if (!update(p, p.nodes[own], tile, c, words[c])) return own;
        }
        return kDone;
    }
    std::int64_t node[kTile], walker[kTile], walkers = 0;
    std::int32_t at[kTile];
    for (std::int64_t c = 0; c < chains; ++c) {
        node[c] = chosen_node(p, choices[c]);
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
inline void record(const Tile<Code>& tile, std::int64_t variables, std::int64_t chain, Code* out,
                   std::int64_t out_stride, std::int64_t row) {
    for (std::int64_t i = 0; i < variables; ++i) out[i * out_stride + row] = tile.at(i, chain);
}

template <typename Code>
class TileRun {
  public:
    TileRun(const Program& p, const Task& task, const Randomness& random, Tile<Code> tile,
            std::int64_t first, std::int64_t chains)
        : p_(p),
          task_(task),
          tile_(tile),
          first_(first),
          chains_(chains),
          words_(random.seed, random.stream, task.first_chain + first, chains,
                 random.words ? random.words + first : nullptr, task.chains,
                 word_index(task.first_sweep)),
          places_(random.seed, random.place_stream, task.first_chain + first, chains,
                  random.place_words ? random.place_words + first : nullptr, task.chains,
                  static_cast<std::uint64_t>(task.first_record)) {}

    // kDone, or the place in the scan of a node whose row the evidence leaves empty.
    std::int64_t run(Code* out) {
        std::int64_t sweep = task_.first_sweep;
        for (std::int64_t r = 0; r < task_.records; ++r) {
            const std::int64_t until = sweep + (r == 0 ? task_.lead : task_.gap);
            for (; sweep < until; ++sweep)
                if (!sweep_without_record(sweep)) return failed_;
            const std::int64_t row = task_.first_row + r * task_.record_stride + first_;
            if (task_.random_scan || task_.at_boundary) {
                for (std::int64_t c = 0; c < chains_; ++c)
                    record(tile_, p_.variables, c, out, task_.out_stride, row + c);
            } else if (!sweep_with_record(sweep++, task_.first_record + r, out, row)) {
                return failed_;
            }
        }
        if (task_.records == 0)
            for (const std::int64_t until = sweep + task_.lead; sweep < until; ++sweep)
                if (!sweep_without_record(sweep)) return failed_;
        return kDone;
    }

  private:
    std::uint64_t word_index(std::int64_t sweep) const {
        return static_cast<std::uint64_t>(sweep) * p_.node_count * (task_.random_scan ? 2 : 1);
    }

    bool sweep_without_record(std::int64_t sweep) {
        const std::uint64_t first = word_index(sweep);
        if (!task_.random_scan) {
            for (std::int64_t j = 0; j < p_.node_count; ++j)
                if (!step(j, first + j)) return false;
            return true;
        }
        for (std::int64_t j = 0; j < p_.node_count; ++j) {
            const std::uint32_t* choices = words_.row(first + 2 * j);
            const std::uint32_t* words = words_.row(first + 2 * j + 1);
            failed_ = update_each(p_, tile_, chains_, choices, words);
            if (failed_ != kDone) return false;
        }
        return true;
    }

    bool sweep_with_record(std::int64_t sweep, std::int64_t record_index, Code* out,
                           std::int64_t row) {
        const std::uint64_t first = word_index(sweep);
        std::int64_t place[kTile];
        const std::uint32_t* word = places_.row(static_cast<std::uint64_t>(record_index));
        for (std::int64_t c = 0; c < chains_; ++c) place[c] = place_of(word[c], p_.node_count);
        for (std::int64_t j = 0; j < p_.node_count; ++j) {
            for (std::int64_t c = 0; c < chains_; ++c)
                if (place[c] == j) record(tile_, p_.variables, c, out, task_.out_stride, row + c);
            if (!step(j, first + j)) return false;
        }
        return true;
    }

    bool step(std::int64_t j, std::uint64_t word) {
        failed_ = j;
        return update_all(p_, p_.nodes[j], tile_, chains_, words_.row(word));
    }

    const Program& p_;
    const Task& task_;
    Tile<Code> tile_;
    std::int64_t first_, chains_, failed_ = kDone;
    Rows words_, places_;
};

// `state` holds a tile of 64 chains after the other, the last one padded.
template <typename Code>
std::int64_t run_codes(const Program& p, const Task& task, const Randomness& random, Code* state,
                       Code* out) {
    for (std::int64_t first = 0; first < task.chains; first += kTile) {
        const std::int64_t chains = task.chains - first < kTile ? task.chains - first : kTile;
        Code* x = state + first * p.variables;
        const Tile<Code> tile =
            task.random_scan ? Tile<Code>{x, 1, p.variables} : Tile<Code>{x, kTile, 1};
        const std::int64_t failed = TileRun<Code>(p, task, random, tile, first, chains).run(out);
        if (failed != kDone) return failed;
    }
    return kDone;
}

// Algorithm 1 to the letter for one chain: `out[t]` is X before the update of step t.
template <typename Code>
std::int64_t run_trace(const Program& p, bool random_scan, const Randomness& random,
                       std::int64_t first_step, std::int64_t steps, Code* x, Code* out) {
    const int each = random_scan ? 2 : 1;
    Rows words(random.seed, random.stream, 0, 1, random.words, 1,
               static_cast<std::uint64_t>(first_step) * each);
    const Tile<Code> tile{x, 1, p.variables};
    for (std::int64_t t = first_step; t < first_step + steps; ++t, out += p.variables) {
        __builtin_memcpy(out, x, p.variables * sizeof(Code));
        std::uint64_t w = static_cast<std::uint64_t>(t) * each;
        const std::int64_t i = random_scan ? chosen_node(p, *words.row(w++)) : t % p.node_count;
        if (!update(p, p.nodes[i], tile, 0, *words.row(w))) return i;
    }
    return kDone;
}

}  // namespace depnet::sampler::DEPNET_ISA_NAMESPACE
