// The kernel for any network: codes in bytes (or 16 bits), either scan. Slow twin:
// tests/reference/sampling.py.
//
// Chains run in tiles of 64, [variable][chain]. Under the sequential scan they take each step
// together, so that a node's work is a few loops over neighbouring bytes; under the random scan
// every chain updates a node of its own.
#pragma once

#include "network_draw.hpp"
#include "sampler_task.hpp"

namespace depnet::sampler::DEPNET_ISA_NAMESPACE {

constexpr std::int64_t kFewChains =
    8;  // of fewer, each goes by itself: a tile would be mostly empty

// One chain's update; the code of a variable is x[variable * stride]. False where the evidence
// leaves nothing possible.
template <typename Code>
inline bool update(const Program& p, const Step& step, Code* x, std::size_t stride,
                   std::uint32_t word) {
    const Update made = update_of(p.view, step, x, stride, p.scratch, word);
    if (made.theta == nullptr) return false;
    x[static_cast<std::size_t>(p.view.nodes[step.place].variable) * stride] =
        static_cast<Code>(made.state);
    return true;
}

template <typename Code>
class TileRun {
  public:
    TileRun(const Program& p, const Task& task, const Randomness& random, std::int64_t first,
            Code* state)
        : p_(p),
          tile_(state + first * static_cast<std::int64_t>(p.view.variables)),
          out_stride_(task.out_stride),
          words_(p.scan, task, random, first) {}

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
        for (std::size_t i = 0; i < p_.view.variables; ++i)
            out[static_cast<std::int64_t>(i) * out_stride_ + row + words_.first + chain] =
                tile_[i * kTile + chain];
    }

    bool one_step(std::int64_t j, std::int64_t chain, std::uint32_t word) {
        if (update(p_, p_.steps[j], tile_ + chain, kTile, word)) return true;
        failed_ = j;
        return false;
    }

    // One node, the same in all chains of the tile.
    bool step(std::int64_t j, std::uint64_t index) {
        const std::uint32_t* words = words_.words.row(index);
        if (words_.chains < kFewChains) {
            for (std::int64_t c = 0; c < words_.chains; ++c)
                if (!one_step(j, c, words[c])) return false;
            return true;
        }
        const Step& step = p_.steps[j];
        const auto chains = static_cast<std::size_t>(words_.chains);
        Code* column = tile_ + static_cast<std::size_t>(p_.view.nodes[step.place].variable) * kTile;
        double log_weights[kTile] = {};
        network::DEPNET_ISA_NAMESPACE::draw_column(p_.view, step, tile_, words, chains, p_.scratch,
                                                   column, log_weights);
        if (step.logs == nullptr && step.weights == nullptr) return true;
        for (std::size_t c = 0; c < chains; ++c)
            if (log_weights[c] == -HUGE_VAL) {
                failed_ = j;
                return false;
            }
        return true;
    }

    // A node of its own in every chain.
    bool random_step(std::uint64_t word) {
        std::int64_t node[kTile];
        const std::uint32_t* choices = words_.words.row(word);
        for (std::int64_t c = 0; c < words_.chains; ++c) node[c] = chosen_node(p_.scan, choices[c]);
        const std::uint32_t* words = words_.words.row(word + 1);
        for (std::int64_t c = 0; c < words_.chains; ++c)
            if (!one_step(node[c], c, words[c])) return false;
        return true;
    }

    const Program& p_;
    Code* tile_;
    std::int64_t out_stride_, failed_ = kDone;
    TileWords words_;
};

// `state` holds a tile of 64 chains after the other, the last one padded. Returns kDone, or the
// place in the scan of a node that cannot be updated.
template <typename Code>
std::int64_t codes(const Program& p, const Task& task, const Randomness& random, Code* state,
                   Code* out) {
    for (std::int64_t first = 0; first < task.chains; first += kTile) {
        TileRun<Code> tile(p, task, random, first, state);
        if (!run_task(tile, task, p.scan.random, out)) return tile.failed();
    }
    return kDone;
}

// Algorithm 1 to the letter for one chain: `out[t]` is X before the update of step t.
template <typename Code>
std::int64_t trace(const Program& p, const Randomness& random, std::int64_t first_step,
                   std::int64_t steps, Code* x, Code* out) {
    const int each = p.scan.random ? 2 : 1;
    const std::size_t variables = p.view.variables;
    Rows words(random.seed, random.stream, 0, 1, random.words, 1,
               static_cast<std::uint64_t>(first_step) * each);
    for (std::int64_t t = first_step; t < first_step + steps; ++t, out += variables) {
        __builtin_memcpy(out, x, variables * sizeof(Code));
        std::uint64_t w = static_cast<std::uint64_t>(t) * each;
        const std::int64_t i =
            p.scan.random ? chosen_node(p.scan, *words.row(w++)) : t % p.scan.node_count;
        if (!update(p, p.steps[i], x, 1, *words.row(w))) return i;
    }
    return kDone;
}

}  // namespace depnet::sampler::DEPNET_ISA_NAMESPACE
