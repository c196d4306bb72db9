// The kernel for small networks with few inputs a node: a chain's whole state is W 64-bit words, a
// node gathers the bits of its inputs into the number of its row. Any cardinality, either scan.
// Slow twin: tests/reference/sampling.py.
#pragma once

#include "sampler_task.hpp"

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
    PackedRun(const PackedProgram& p, const Task& task, const Randomness& random,
              std::int64_t first, PackedWords<W>* x)
        : p_(p),
          nodes_(static_cast<const PackedNode<W>*>(p.nodes)),
          out_stride_(task.out_stride),
          x_(x + first),
          words_(p.scan, task, random, first) {}

    bool sweeps(std::int64_t first, std::int64_t count) {
        run_sweeps(words_.index(first), count);
        return true;
    }

    void record(std::uint8_t* out, std::int64_t row) const { unpack(x_, out, row); }

    bool sweep_with_record(std::int64_t sweep, std::int64_t record_number, std::uint8_t* out,
                           std::int64_t row) {
        std::uint64_t w = words_.index(sweep);
        PackedWords<W> kept[kTile];
        std::int64_t place[kTile];
        words_.record_places(record_number, place);
        for (std::int64_t j = 0; j < p_.scan.node_count; ++j) {
            for (std::int64_t c = 0; c < words_.chains; ++c)
                if (place[c] == j) kept[c] = x_[c];
            step(j, w++);
        }
        unpack(kept, out, row);
        return true;
    }

  private:
    void run_sweeps(std::uint64_t w, std::int64_t sweeps) {
        const std::int64_t m = p_.scan.node_count, chains = words_.chains;
        if (chains == 1) {
            run_one(w, sweeps * m);
            return;
        }
        if (!p_.scan.random) {
            for (; sweeps > 0; --sweeps)
                for (std::int64_t j = 0; j < m; ++j) step(j, w++);
            return;
        }
        for (std::int64_t t = sweeps * m; t > 0; --t, w += 2) {
            const std::uint32_t* choice = words_.words.row(w);
            std::int64_t node[kTile];
            for (std::int64_t c = 0; c < chains; ++c) node[c] = chosen_node(p_.scan, choice[c]);
            const std::uint32_t* word = words_.words.row(w + 1);
            for (std::int64_t c = 0; c < chains; ++c)
                x_[c] = packed_update<W, kCells>(nodes_[node[c]], p_, x_[c], word[c]);
        }
    }

    // One chain: its state stays in registers, and an update waits for nothing but the last one.
    void run_one(std::uint64_t w, std::int64_t steps) {
        const std::int64_t m = p_.scan.node_count, each = p_.scan.random ? 2 : 1;
        const std::int64_t stride = words_.words.stride();
        const PackedProgram p = p_;
        const PackedNode<W>* const nodes = nodes_;
        PackedWords<W> x = x_[0];
        std::int64_t j = 0;
        while (steps > 0) {
            const std::uint32_t* word = nullptr;
            std::int64_t count = words_.words.at_hand(w, word) / each;
            if (count > steps) count = steps;
            steps -= count;
            w += static_cast<std::uint64_t>(count * each);
            if (p.scan.random) {
                for (; count > 0; --count, word += 2 * stride) {
                    const std::int64_t i = chosen_node(p.scan, word[0]);
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
        const std::uint32_t* word = words_.words.row(w);
        for (std::int64_t c = 0; c < words_.chains; ++c)
            x_[c] = packed_update<W, kCells>(node, p_, x_[c], word[c]);
    }

    void unpack(const PackedWords<W>* x, std::uint8_t* out, std::int64_t row) const {
        for (std::int64_t i = 0; i < p_.variable_count; ++i) {
            const PackedVariable v = p_.variables[i];
            std::uint8_t* to = out + i * out_stride_ + row + words_.first;
            for (std::int64_t c = 0; c < words_.chains; ++c)
                to[c] = static_cast<std::uint8_t>((x[c].w[v.word] >> v.shift) & v.mask);
        }
    }

    const PackedProgram& p_;
    const PackedNode<W>* nodes_;
    std::int64_t out_stride_;
    PackedWords<W>* x_;
    TileWords words_;
};

template <int W, int kCells>
void run_packed(const PackedProgram& p, const Task& task, const Randomness& random,
                std::uint64_t* state, std::uint8_t* out) {
    for (std::int64_t first = 0; first < task.chains; first += kTile) {
        PackedRun<W, kCells> run(p, task, random, first, reinterpret_cast<PackedWords<W>*>(state));
        run_task(run, task, p.scan.random, out);
    }
}

template <int W>
void run_packed(const PackedProgram& p, const Task& task, const Randomness& random,
                std::uint64_t* state, std::uint8_t* out) {
    const auto run = p.cells == 1   ? run_packed<W, 1>
                     : p.cells == 3 ? run_packed<W, 3>
                                    : run_packed<W, 7>;
    run(p, task, random, state, out);
}

}  // namespace depnet::sampler::DEPNET_ISA_NAMESPACE
