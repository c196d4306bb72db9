// How a 32-bit word draws a state: it draws the number of thresholds at or below it
// (depnet.sampling.words). The threshold of state s is the share of the states 0..s,
// times 2^32 and rounded: 0 where the share is 0, never 0 elsewhere, and kAlways, which no word
// reaches, where what is left is less than one word.
#pragma once

#include <cmath>
#include <cstddef>
#include <cstdint>

#include "network_view.hpp"

namespace depnet::network {

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

// How many of the ascending marks are at or below the word: the state drawn.
static inline std::uint32_t state_of(const std::uint32_t* marks, std::int64_t count,
                                     std::uint32_t word) {
    std::uint32_t state = 0;
    if (count <= 16) {
        for (std::int64_t s = 0; s < count; ++s) state += marks[s] <= word;
        return state;
    }
    auto left = static_cast<std::uint32_t>(count);
    while (left > 0) {
        const std::uint32_t half = left / 2;
        if (marks[state + half] <= word) {
            state += half + 1;
            left -= half + 1;
        } else {
            left = half;
        }
    }
    return state;
}

// The same of weights that have no marks: computed one after the other, until one is beyond the
// word.
static inline std::uint32_t state_of(const double* weights, std::int64_t states, double total,
                                     std::uint32_t word) {
    double sum = 0.0;
    std::uint32_t state = 0;
    for (; state + 1 < states; ++state) {
        sum += weights[state];
        if (threshold(sum, total) > word) break;
    }
    return state;
}

static inline std::uint32_t clipped(std::uint32_t word) {  // kAlways is beyond every word
    return word < kAlways ? word : kAlways - 1;
}

}  // namespace depnet::network
