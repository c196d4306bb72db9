// Boosted nodes for one row at a time: the same sums and the same theta, bit for bit, as the
// kernels of stages_kernels.hpp give for sixty-four. For chains, each in its own state.
#pragma once

#include <vector>

#include "arrays.hpp"
#include "fixed_math.hpp"
#include "stages_kernels.hpp"

namespace depnet::stages {

// The stages of one node, kept.
class Kept {
  public:
    Kept(In1<std::int32_t> variable, In1<std::uint16_t> low, In1<std::uint16_t> high,
         In1<std::int32_t> begin, In1<std::uint16_t> leaf, In1<std::int32_t> test,
         In2<std::int32_t> scores)
        : begin_(begin.data(), begin.data() + begin.size()),
          scores_(scores.data(), scores.data() + scores.size()),
          states_(scores.shape(1)) {
        for (std::size_t t = 0; t < leaf.size(); ++t) {
            const std::int32_t d = test(t);
            splits_.push_back(
                {variable(d), leaf(t), low(d), static_cast<std::uint16_t>(high(d) - low(d))});
        }
    }

    std::size_t states() const { return states_; }

    // Add the scores of all stages for the row `codes`.
    void add_scores(const std::uint16_t* codes, std::int32_t* scores) const {
        const std::int32_t* score = scores_.data();
        for (std::size_t m = 0; m + 1 < begin_.size(); ++m) {
            const std::int32_t first = begin_[m], last = begin_[m + 1];
            std::int32_t y = 0;
            for (std::int32_t t = first; t < last; ++t) {
                const Split& split = splits_[t];
                const bool goes =
                    (y == split.leaf) &
                    (static_cast<std::uint16_t>(codes[split.variable] - split.low) <= split.width);
                y += (t - first + 1 - y) & -std::int32_t{goes};  // no branch: it would be a guess
            }
            const std::int32_t* own = score + static_cast<std::size_t>(y) * states_;
            for (std::size_t x = 0; x < states_; ++x) scores[x] += own[x];
            score += static_cast<std::size_t>(last - first + 1) * states_;
        }
    }

  private:
    struct Split {
        std::int32_t variable, leaf;
        std::uint16_t low, width;
    };
    std::vector<Split> splits_;
    std::vector<std::int32_t> begin_, scores_;
    std::size_t states_;
};

// theta of the scores of one row.
inline void theta_of(const std::int32_t* scores, std::size_t states, double* theta) {
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
