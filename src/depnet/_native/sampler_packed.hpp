// The kernel for small networks with few inputs a node: a chain's whole state is W 64-bit words, a
// node gathers the bits of its inputs into the number of its row. Any cardinality, blocks, either
// scan. Slow twin: tests/reference/sampling.py.
#pragma once

#include "sampler_codes.hpp"

namespace depnet::sampler::DEPNET_ISA_NAMESPACE {

inline std::uint64_t gather_bits(std::uint64_t x, std::uint64_t mask) {
#if defined(__BMI2__)
    return _pext_u64(x, mask);
#else
    std::uint64_t out = 0;
    for (int k = 0; mask != 0; ++k, mask &= mask - 1)
        out |= ((x & mask & (0 - mask)) != 0 ? std::uint64_t{1} : 0) << k;
    return out;
#endif
}

template <int W>
struct PackedWords {
    std::uint64_t w[W];
};

// One update in registers. `kCells` thresholds a row, the same for all nodes (rows are padded).
template <int W, int kCells>
inline PackedWords<W> packed_update(const PackedNode<W>& node, const PackedProgram& p,
                                    PackedWords<W> x, std::uint32_t word) {
    std::uint64_t row = gather_bits(x.w[0], node.inputs[0]);
    for (int k = 1; k < W; ++k) row |= gather_bits(x.w[k], node.inputs[k]) << node.shifts[k];
    const std::uint32_t* thresholds = p.thresholds + node.thresholds + row * kCells;
    const std::uint32_t w = clipped(word);
    if constexpr (kCells == 1 && W == 1) {
        const std::uint64_t state = *thresholds <= w;
        x.w[0] = (x.w[0] & node.keep[0]) | (state << node.position);
    } else {
        std::uint64_t state = 0;
        for (int s = 0; s < kCells; ++s) state += thresholds[s] <= w;
        const std::uint64_t* pattern = p.patterns + node.patterns + state * W;
        for (int k = 0; k < W; ++k) x.w[k] = (x.w[k] & node.keep[k]) | pattern[k];
    }
    return x;
}

template <int W, int kCells>
class PackedRun {
  public:
    PackedRun(const PackedProgram& p, const Task& task, const Randomness& random, PackedWords<W>* x,
              std::int64_t first, std::int64_t chains)
        : p_(p),
          nodes_(static_cast<const PackedNode<W>*>(p.nodes)),
          task_(task),
          x_(x),
          first_(first),
          chains_(chains),
          words_(random.seed, random.stream, task.first_chain + first, chains,
                 random.words ? random.words + first : nullptr, task.chains,
                 word_index(task.first_sweep)),
          places_(random.seed, random.place_stream, task.first_chain + first, chains,
                  random.place_words ? random.place_words + first : nullptr, task.chains,
                  static_cast<std::uint64_t>(task.first_record)) {}

    void run(std::uint8_t* out) {
        std::int64_t sweep = task_.first_sweep;
        const std::int64_t records = task_.records == 0 ? 1 : task_.records;
        for (std::int64_t r = 0; r < records; ++r) {
            const std::int64_t gap = r == 0 ? task_.lead : task_.gap;
            run_sweeps(sweep, gap);
            sweep += gap;
            if (task_.records == 0) return;
            const std::int64_t row = task_.first_row + r * task_.record_stride + first_;
            if (task_.random_scan || task_.at_boundary)
                unpack(x_, out, row);
            else
                sweep_with_record(sweep++, task_.first_record + r, out, row);
        }
    }

  private:
    std::uint64_t word_index(std::int64_t sweep) const {
        return static_cast<std::uint64_t>(sweep) * p_.choices.node_count *
               (task_.random_scan ? 2 : 1);
    }

    void run_sweeps(std::int64_t sweep, std::int64_t sweeps) {
        const std::int64_t m = p_.choices.node_count;
        std::uint64_t w = word_index(sweep);
        if (chains_ == 1) {
            run_one(w, sweeps * m);
            return;
        }
        if (!task_.random_scan) {
            for (; sweeps > 0; --sweeps)
                for (std::int64_t j = 0; j < m; ++j) step(j, w++);
            return;
        }
        for (std::int64_t t = sweeps * m; t > 0; --t, w += 2) {
            const std::uint32_t* choice = words_.row(w);
            std::int64_t node[kTile];
            for (std::int64_t c = 0; c < chains_; ++c) node[c] = chosen_node(p_.choices, choice[c]);
            const std::uint32_t* word = words_.row(w + 1);
            for (std::int64_t c = 0; c < chains_; ++c)
                x_[c] = packed_update<W, kCells>(nodes_[node[c]], p_, x_[c], word[c]);
        }
    }

    // One chain: its state stays in registers, and an update waits for nothing but the last one.
    void run_one(std::uint64_t w, std::int64_t steps) {
        const std::int64_t m = p_.choices.node_count, each = task_.random_scan ? 2 : 1;
        const std::int64_t stride = words_.stride();
        const PackedProgram p = p_;
        const PackedNode<W>* const nodes = nodes_;
        PackedWords<W> x = x_[0];
        std::int64_t j = 0;
        while (steps > 0) {
            const std::uint32_t* word = nullptr;
            std::int64_t count = words_.at_hand(w, word) / each;
            if (count > steps) count = steps;
            steps -= count;
            w += static_cast<std::uint64_t>(count * each);
            if (task_.random_scan) {
                for (; count > 0; --count, word += 2 * stride) {
                    const std::int64_t i = chosen_node(p.choices, word[0]);
                    x = packed_update<W, kCells>(nodes[i], p, x, word[stride]);
                }
            } else {
                for (; count > 0; --count, word += stride) {
                    x = packed_update<W, kCells>(nodes[j], p, x, *word);
                    j = j + 1 == m ? 0 : j + 1;
                }
            }
        }
        x_[0] = x;
    }

    void step(std::int64_t j, std::uint64_t w) {
        const PackedNode<W> node = nodes_[j];
        const std::uint32_t* word = words_.row(w);
        for (std::int64_t c = 0; c < chains_; ++c)
            x_[c] = packed_update<W, kCells>(node, p_, x_[c], word[c]);
    }

    void sweep_with_record(std::int64_t sweep, std::int64_t record_index, std::uint8_t* out,
                           std::int64_t row) {
        std::uint64_t w = word_index(sweep);
        PackedWords<W> kept[kTile];
        std::int64_t place[kTile];
        const std::uint32_t* word = places_.row(static_cast<std::uint64_t>(record_index));
        for (std::int64_t c = 0; c < chains_; ++c)
            place[c] = place_of(word[c], p_.choices.node_count);
        for (std::int64_t j = 0; j < p_.choices.node_count; ++j) {
            for (std::int64_t c = 0; c < chains_; ++c)
                if (place[c] == j) kept[c] = x_[c];
            step(j, w++);
        }
        unpack(kept, out, row);
    }

    void unpack(const PackedWords<W>* x, std::uint8_t* out, std::int64_t row) const {
        for (std::int64_t i = 0; i < p_.choices.variables; ++i) {
            const PackedVariable v = p_.variables[i];
            std::uint8_t* to = out + i * task_.out_stride + row;
            for (std::int64_t c = 0; c < chains_; ++c)
                to[c] = static_cast<std::uint8_t>((x[c].w[v.word] >> v.shift) & v.mask);
        }
    }

    const PackedProgram& p_;
    const PackedNode<W>* nodes_;
    const Task& task_;
    PackedWords<W>* x_;
    std::int64_t first_, chains_;
    Rows words_, places_;
};

template <int W, int kCells>
void run_packed(const PackedProgram& p, const Task& task, const Randomness& random,
                std::uint64_t* state, std::uint8_t* out) {
    auto* x = reinterpret_cast<PackedWords<W>*>(state);
    for (std::int64_t first = 0; first < task.chains; first += kTile) {
        const std::int64_t chains = task.chains - first < kTile ? task.chains - first : kTile;
        PackedRun<W, kCells>(p, task, random, x + first, first, chains).run(out);
    }
}

template <int W>
void run_packed_cells(const PackedProgram& p, const Task& task, const Randomness& random,
                      std::uint64_t* state, std::uint8_t* out) {
    if (p.cells == 1)
        run_packed<W, 1>(p, task, random, state, out);
    else if (p.cells == 3)
        run_packed<W, 3>(p, task, random, state, out);
    else
        run_packed<W, 7>(p, task, random, state, out);
}

}  // namespace depnet::sampler::DEPNET_ISA_NAMESPACE
