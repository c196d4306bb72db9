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

// theta[state][rows] of scores [state][rows]: exp of the scores, each row divided by its sum over
// states in their order; or of digits, the product over the vertices on the way to a state.
template <std::size_t rows>
static inline void theta_of(const std::int32_t* scores, std::size_t states, const Digits& digits,
                            double* theta) {
    if (digits.count != 0) {
        for (std::size_t k = 0; k < states * rows; ++k) theta[k] = 1.0;
        double digit[2][rows];
        for (std::size_t v = 0; v < digits.count; ++v) {
            for (std::size_t r = 0; r < rows; ++r) {
                const double score = scores[v * rows + r], top = score > 0.0 ? score : 0.0;
                const double zero = fixed::exp((0.0 - top) * kUnit);
                const double one = fixed::exp((score - top) * kUnit);
                digit[0][r] = zero / (zero + one);
                digit[1][r] = one / (zero + one);
            }
            for (std::int32_t x = digits.low[v]; x < digits.high[v]; ++x)
                for (std::size_t r = 0; r < rows; ++r)
                    theta[static_cast<std::size_t>(x) * rows + r] *=
                        digit[x >= digits.middle[v]][r];
        }
        return;
    }
    double top[rows], total[rows] = {};
    for (std::size_t r = 0; r < rows; ++r) top[r] = scores[r];
    for (std::size_t x = 1; x < states; ++x)
        for (std::size_t r = 0; r < rows; ++r) {
            const double score = scores[x * rows + r];
            top[r] = score > top[r] ? score : top[r];
        }
    for (std::size_t x = 0; x < states; ++x)
        for (std::size_t r = 0; r < rows; ++r) {
            const double e = fixed::exp((scores[x * rows + r] - top[r]) * kUnit);
            theta[x * rows + r] = e;
            total[r] += e;
        }
    for (std::size_t x = 0; x < states; ++x)
        for (std::size_t r = 0; r < rows; ++r) theta[x * rows + r] /= total[r];
}

}  // namespace depnet::stages
