// Boosted nodes for one row at a time: the same sums and the same theta, bit for bit, as the
// kernels of stages_kernels.hpp give for sixty-four. For chains, each in its own state.
#pragma once

#include "fixed_math.hpp"
#include "stages_kernels.hpp"

namespace depnet::stages {

// Split t of a stage: rows of `leaf` with low <= code <= low + width go to the next new leaf.
struct Split {
    std::int32_t variable, leaf;
    std::uint16_t low, width;
};

// The stages of one node. Stage m has the splits begin[m], ..., begin[m + 1] - 1; `scores` are
// [leaf][state], the leaves of all stages one after the other.
struct RowView {
    const Split* splits;
    std::size_t stages;
    const std::int32_t *begin, *scores;
    const std::int32_t* column;  // as in `View`
    std::size_t states;
};

// Internal to each unit: units are compiled for different instruction sets.

// Add the scores of all stages; the code of a variable is codes[variable * stride].
template <typename Code>
static inline void add_scores(const RowView& view, const Code* codes, std::size_t stride,
                              std::int32_t* sums) {
    const std::int32_t* score = view.scores;
    for (std::size_t m = 0; m < view.stages; ++m) {
        const std::int32_t first = view.begin[m], last = view.begin[m + 1];
        std::int32_t y = 0;
        for (std::int32_t t = first; t < last; ++t) {
            const Split& split = view.splits[t];
            const std::int32_t code = codes[static_cast<std::size_t>(split.variable) * stride];
            const bool goes =
                (y == split.leaf) & (static_cast<std::uint16_t>(code - split.low) <= split.width);
            y += (t - first + 1 - y) & -std::int32_t{goes};  // no branch: it would be a guess
        }
        const std::int32_t* own = score + static_cast<std::size_t>(y) * view.states;
        if (view.column[m] != kEveryState)
            sums[view.column[m]] += own[view.column[m]];
        else
            for (std::size_t x = 0; x < view.states; ++x) sums[x] += own[x];
        score += static_cast<std::size_t>(last - first + 1) * view.states;
    }
}

// theta of the scores of one row.
static inline void theta_of(const std::int32_t* scores, std::size_t states, const Digits& digits,
                            double* theta) {
    if (digits.count != 0) {
        for (std::size_t x = 0; x < states; ++x) theta[x] = 1.0;
        for (std::size_t v = 0; v < digits.count; ++v) {
            const double score = scores[v], top = score > 0.0 ? score : 0.0;
            const double zero = fixed::exp((0.0 - top) * kUnit);
            const double one = fixed::exp((score - top) * kUnit);
            for (std::int32_t x = digits.low[v]; x < digits.high[v]; ++x)
                theta[x] *= (x >= digits.middle[v] ? one : zero) / (zero + one);
        }
        return;
    }
    double top = scores[0], total = 0.0;
    for (std::size_t x = 1; x < states; ++x) {
        const double score = scores[x];
        top = score > top ? score : top;
    }
    for (std::size_t x = 0; x < states; ++x) {
        theta[x] = fixed::exp((scores[x] - top) * kUnit);
        total += theta[x];
    }
    for (std::size_t x = 0; x < states; ++x) theta[x] /= total;
}

}  // namespace depnet::stages
