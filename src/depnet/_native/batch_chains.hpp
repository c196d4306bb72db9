// Clamped pseudo-Gibbs chains with Rao-Blackwell sums of what their updates would draw.
#pragma once

#include <span>

#include "batch_estimators.hpp"
#include "splitmix.hpp"

namespace depnet::rows {

constexpr std::size_t kTogether = 8;  // chains stepped in turn, so that their latencies overlap
constexpr double kUnit = 1.0 / 4294967296.0;

// A row of evidence.
struct Row {
    std::int64_t number = -1;
    std::span<const std::int32_t> free;
    const double* choice = nullptr;
    const std::int32_t* positions = nullptr;
    std::int32_t length = 0;
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
    Stepper(const Network& network, const View& view, const Steps& steps,
            const Estimators& estimators)
        : view_(view), steps_(steps), estimators_(estimators), buffers_(network) {}

    // Sequential scan: an update of an estimator's targets stands until the next one, a share
    // (steps until then) / (steps of a sweep), nodes counted that are left out as irrelevant.
    void weigh(Row& row) const {
        const std::size_t places = row.free.size();
        row.weight_begin.assign(places + 1, 0);
        for (std::size_t p = 0; p < places; ++p) {
            const Feeds& node = estimators_.feeds[row.free[p]];
            row.weight_begin[p + 1] = row.weight_begin[p] + node.pair_end - node.pair_begin;
        }
        row.weight.assign(row.weight_begin[places], 0.0);
        std::vector<std::ptrdiff_t> next(estimators_.estimators.size(), -1);
        for (std::size_t again = 2 * places; again-- > 0;) {  // twice round, backwards
            const std::size_t p = again % places;
            const Feeds& node = estimators_.feeds[row.free[p]];
            for (std::int32_t q = node.pair_begin; q < node.pair_end; ++q) {
                std::ptrdiff_t& following = next[estimators_.pairs[q].estimator];
                const std::ptrdiff_t now = row.positions[p] + (again < places ? 0 : row.length);
                if (again < places)
                    row.weight[row.weight_begin[p] + q - node.pair_begin] =
                        static_cast<double>(following - now) / static_cast<double>(row.length);
                following = now;
            }
        }
    }

    template <bool Sequential, bool Record>
    void sweep(const Row& row, std::span<Chain> chains, std::int64_t sweeps) {
        const std::size_t places = row.free.size();
        for (std::int64_t s = 0; s < sweeps; ++s)
            for (std::size_t p = 0; p < places; ++p)
                for (Chain& chain : chains) {
                    const std::uint64_t random = splitmix(chain.key, chain.counter++);
                    const auto word = static_cast<std::uint32_t>(random);
                    if constexpr (Sequential) {
                        update<Record>(chain, row.free[p], word,
                                       row.weight.data() + row.weight_begin[p]);
                    } else {
                        update<Record>(chain, row.free[chosen(row, random >> 32)], word, nullptr);
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
    void update(Chain& chain, std::int32_t place, std::uint32_t word, const double* weight) {
        const Node& node = view_.nodes[place];
        const Feeds& feeds = estimators_.feeds[place];
        const std::int32_t k = node.states;
        std::uint16_t& code = chain.codes[node.variable];
        const Update made =
            update_of(view_, steps_[place], chain.codes, 1, buffers_.scratch(), word);
        const double* theta = made.theta;
        if (theta == nullptr) {  // the evidence leaves theta no mass here: the state stays
            if constexpr (Record) {
                ++chain.impossible;
                add(chain, feeds, weight,
                    [&](double* cell, std::int32_t stride, double w) { cell[code * stride] += w; });
            }
            return;
        }
        if constexpr (Record) {
            if (feeds.simple_cell != kNone) {
                double* cell = chain.sums + feeds.simple_cell;
                const double w = weight == nullptr ? 1.0 : weight[0];
                for (std::int32_t s = 0; s < k; ++s) cell[s] += w * theta[s];
                chain.weights[estimators_.pairs[feeds.pair_begin].estimator] += w;
            } else {
                add(chain, feeds, weight, [&](double* cell, std::int32_t stride, double w) {
                    for (std::int32_t s = 0; s < k; ++s) cell[s * stride] += w * theta[s];
                });
            }
        }
        code = static_cast<std::uint16_t>(made.state);
    }

    // What an update adds to each of its estimators: `put(cell of the other codes, stride,
    // weight)`.
    template <typename Put>
    void add(Chain& chain, const Feeds& node, const double* weight, Put&& put) const {
        for (std::int32_t q = node.pair_begin; q < node.pair_end; ++q) {
            const Pair& pair = estimators_.pairs[q];
            const double w = weight == nullptr ? 1.0 : weight[q - node.pair_begin];
            double* cell = chain.sums + pair.cell;
            for (std::int32_t o = pair.outside_begin; o < pair.outside_end; ++o)
                cell +=
                    chain.codes[estimators_.outside_variable[o]] * estimators_.outside_stride[o];
            put(cell, pair.stride, w);
            chain.weights[pair.estimator] += w;
        }
    }

    const View& view_;
    const Steps& steps_;  // of all places
    const Estimators& estimators_;
    Buffers buffers_;  // a stepper is of one thread
};

}  // namespace depnet::rows
