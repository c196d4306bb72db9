// theta of the scores of boosted nodes, of one row or of many, bit for bit the same.
#pragma once

#include "fixed_math.hpp"
#include "stages_kernels.hpp"

namespace depnet::stages {

// Internal to each unit: units are compiled for different instruction sets.

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
