// How a 32-bit word draws a state: it draws the number of thresholds at or below it
// (depnet.sampling.plan.thresholds). The threshold of state s is the share of the states 0..s,
// times 2^32 and rounded: 0 where the share is 0, never 0 elsewhere, and kAlways, which no word
// reaches, where what is left is less than one word.
#pragma once

#include <cstddef>
#include <cstdint>

#include "law_kernels.hpp"

namespace depnet::law {

// Internal to each unit: units are compiled for different instruction sets.
static inline std::uint32_t threshold(double sum, double total) {
    const double share = sum / total, scaled = share * 0x1p32 + 0.5;
    const double bounded = !(scaled > 1.0) ? 1.0 : scaled > 4294967294.0 ? 4294967294.0 : scaled;
    const auto whole = static_cast<std::uint32_t>(static_cast<std::int64_t>(bounded));
    return sum == 0.0 ? 0 : share >= 1.0 - 0x1p-32 ? kAlways : whole;
}

static inline void thresholds_of(const double* row, std::size_t states, std::uint32_t* out) {
    double total = 0.0;
    for (std::size_t s = 0; s < states; ++s) total += row[s];
    double sum = 0.0;
    for (std::size_t s = 0; s + 1 < states; ++s) {
        sum += row[s];
        out[s] = threshold(sum, total);
    }
}

}  // namespace depnet::law
