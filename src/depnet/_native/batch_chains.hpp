// Clamped pseudo-Gibbs chains with Rao-Blackwell sums of what their updates would draw.
#pragma once

#include <span>

#include "batch_plan.hpp"

namespace depnet {

constexpr std::size_t kTogether = 8;  // chains stepped in turn, so that their latencies overlap
constexpr std::int32_t kManyStates = 24;
constexpr double kUnit = 1.0 / 4294967296.0;

// SplitMix64 as a counter generator: word number `counter` of the stream `key`.
inline std::uint64_t word(std::uint64_t key, std::uint64_t counter) {
    std::uint64_t z = key + (counter + 1) * 0x9E3779B97F4A7C15ULL;
    z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9ULL;
    z = (z ^ (z >> 27)) * 0x94D049BB133111EBULL;
    return z ^ (z >> 31);
}

// A row of evidence.
struct Row {
    std::int64_t number = -1;
    std::span<const std::int32_t> free;
    const double* choice = nullptr;
    const std::int32_t* positions = nullptr;
    std::int32_t length = 0;
    const std::uint8_t* clamped = nullptr;
    std::vector<std::int32_t> weight_begin;  // place in the order -> its pairs' weights
    std::vector<double> weight;
};

struct Chain {
    std::uint64_t key, counter;
    std::uint16_t* codes;
    double* sums;
    double* weights;
    std::int64_t impossible;
};

class Stepper {
  public:
    explicit Stepper(const Plan& plan) : plan_(plan) {}

    // Sequential scan: an update of an estimator's targets stands until the next one, a share
    // (steps until then) / (steps of a sweep), nodes counted that are left out as irrelevant.
    void weigh(Row& row) const {
        const std::size_t places = row.free.size();
        row.weight_begin.assign(places + 1, 0);
        for (std::size_t p = 0; p < places; ++p) {
            const Node& node = plan_.nodes[row.free[p]];
            row.weight_begin[p + 1] = row.weight_begin[p] + node.pair_end - node.pair_begin;
        }
        row.weight.assign(row.weight_begin[places], 0.0);
        std::vector<std::ptrdiff_t> next(plan_.estimators.size(), -1);
        for (std::size_t again = 2 * places; again-- > 0;) {  // twice round, backwards
            const std::size_t p = again % places;
            const Node& node = plan_.nodes[row.free[p]];
            for (std::int32_t q = node.pair_begin; q < node.pair_end; ++q) {
                std::ptrdiff_t& following = next[plan_.pairs[q].estimator];
                const std::ptrdiff_t now = row.positions[p] + (again < places ? 0 : row.length);
                if (again < places)
                    row.weight[row.weight_begin[p] + q - node.pair_begin] =
                        static_cast<double>(following - now) / static_cast<double>(row.length);
                following = now;
            }
        }
    }

    template <bool Sequential, bool Record>
    void sweep(const Row& row, std::span<Chain> chains, std::int64_t sweeps) const {
        const std::size_t places = row.free.size();
        for (std::int64_t s = 0; s < sweeps; ++s)
            for (std::size_t p = 0; p < places; ++p)
                for (Chain& chain : chains) {
                    const std::uint64_t random = word(chain.key, chain.counter++);
                    const double u = static_cast<double>(random & 0xFFFFFFFFULL) * kUnit;
                    if constexpr (Sequential) {
                        update<Record>(row, chain, row.free[p], u,
                                       row.weight.data() + row.weight_begin[p]);
                    } else {
                        update<Record>(row, chain, row.free[chosen(row, random >> 32)], u, nullptr);
                    }
                }
    }

  private:
    static std::size_t chosen(const Row& row, std::uint64_t half) {
        const std::size_t places = row.free.size();
        if (row.choice == nullptr) return half * places >> 32;
        const double v = static_cast<double>(half) * kUnit;
        return std::upper_bound(row.choice, row.choice + places - 1, v) - row.choice;
    }

    template <bool Record>
    void update(const Row& row, Chain& chain, std::int32_t number, double u,
                const double* weight) const {
        const Node& node = plan_.nodes[number];
        const std::int32_t at = plan_.theta_row(node, chain.codes);
        const double* theta = plan_.thetas.data() + at;
        const double* cumulated = plan_.cumulated.data() + at;
        const std::int32_t k = node.states;
        if (node.target_end - node.target_begin > 1) {
            update_block<Record>(row, chain, node, theta, cumulated, u, weight);
            return;
        }
        std::uint16_t& code = chain.codes[plan_.target_variable[node.target_begin]];
        if (cumulated[k - 1] == 0) {
            stay<Record>(chain, node, code, weight);
            return;
        }
        std::int32_t x = 0;
        if (k == 2) {
            x = u >= cumulated[0];
        } else {
            x = draw(cumulated, k, u);
        }
        if constexpr (Record) {
            if (node.simple_cell != kNone) {
                double* cell = chain.sums + node.simple_cell;
                const double w = weight == nullptr ? 1.0 : weight[0];
                for (std::int32_t s = 0; s < k; ++s) cell[s] += w * theta[s];
                chain.weights[plan_.pairs[node.pair_begin].estimator] += w;
            } else {
                add(chain, node, theta, 1.0, weight);
            }
        }
        code = static_cast<std::uint16_t>(x);
    }

    static std::int32_t draw(const double* cumulated, std::int32_t k, double u) {
        if (k > kManyStates)
            return static_cast<std::int32_t>(std::upper_bound(cumulated, cumulated + k - 1, u) -
                                             cumulated);
        std::int32_t x = 0;
        while (x < k - 1 && u >= cumulated[x]) ++x;
        return x;
    }

    void add(Chain& chain, const Node& node, const double* theta, double total,
             const double* weight) const {
        for (std::int32_t q = node.pair_begin; q < node.pair_end; ++q) {
            const Pair& pair = plan_.pairs[q];
            const double w = weight == nullptr ? 1.0 : weight[q - node.pair_begin];
            double* cell = chain.sums + pair.cell;
            for (std::int32_t o = pair.outside_begin; o < pair.outside_end; ++o)
                cell += chain.codes[plan_.outside_variable[o]] * plan_.outside_stride[o];
            const std::int32_t* offset = plan_.pair_offsets.data() + pair.offset_begin;
            for (std::int32_t b = 0; b < node.states; ++b) cell[offset[b]] += w * theta[b] / total;
            chain.weights[pair.estimator] += w;
        }
    }

    // The evidence leaves theta no mass here: the state stays.
    template <bool Record>
    void stay(Chain& chain, const Node& node, std::int32_t state, const double* weight) const {
        if constexpr (Record) {
            ++chain.impossible;
            for (std::int32_t q = node.pair_begin; q < node.pair_end; ++q) {
                const Pair& pair = plan_.pairs[q];
                const double w = weight == nullptr ? 1.0 : weight[q - node.pair_begin];
                double* cell = chain.sums + pair.cell;
                for (std::int32_t o = pair.outside_begin; o < pair.outside_end; ++o)
                    cell += chain.codes[plan_.outside_variable[o]] * plan_.outside_stride[o];
                cell[plan_.pair_offsets[pair.offset_begin + state]] += w;
                chain.weights[pair.estimator] += w;
            }
        }
    }

    // A block: its clamped variables condition theta.
    template <bool Record>
    void update_block(const Row& row, Chain& chain, const Node& node, const double* theta,
                      const double* cumulated, double u, const double* weight) const {
        bool partial = false;
        std::int32_t current = 0;
        for (std::int32_t t = node.target_begin; t < node.target_end; ++t) {
            partial = partial || row.clamped[plan_.target_variable[t]];
            current += chain.codes[plan_.target_variable[t]] * plan_.target_stride[t];
        }
        std::int32_t state = 0;
        if (!partial) {
            if (cumulated[node.states - 1] == 0) {
                stay<Record>(chain, node, current, weight);
                return;
            }
            state = draw(cumulated, node.states, u);
            if constexpr (Record) add(chain, node, theta, 1.0, weight);
        } else {
            thread_local std::vector<double> left;
            left.assign(node.states, 0.0);
            double total = 0;
            for (std::int32_t b = 0; b < node.states; ++b) {
                bool matches = true;
                for (std::int32_t t = node.target_begin; t < node.target_end; ++t)
                    if (row.clamped[plan_.target_variable[t]] &&
                        plan_.digit(t, b) != chain.codes[plan_.target_variable[t]])
                        matches = false;
                if (matches) total += left[b] = theta[b];
            }
            if (total == 0) {
                stay<Record>(chain, node, current, weight);
                return;
            }
            double cumulative = 0;
            state = kNone;
            std::int32_t possible = 0;
            for (std::int32_t b = 0; b < node.states && state == kNone; ++b) {
                if (left[b] == 0) continue;
                cumulative += left[b];
                possible = b;
                if (u * total < cumulative) state = b;
            }
            if (state == kNone) state = possible;
            if constexpr (Record) add(chain, node, left.data(), total, weight);
        }
        for (std::int32_t t = node.target_begin; t < node.target_end; ++t)
            chain.codes[plan_.target_variable[t]] =
                static_cast<std::uint16_t>(plan_.digit(t, state));
    }

    const Plan& plan_;
};

}  // namespace depnet
