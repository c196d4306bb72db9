// Probabilities of rows from their scores: on a grid, with their curvatures, and rounded to bit
// planes.
#pragma once

#include <algorithm>

#include "boost_kernels.hpp"
#include "fixed_math.hpp"
#include "vectors.hpp"

namespace depnet::boost::DEPNET_ISA_NAMESPACE {

constexpr float kUnit = 0x1p-20f;  // of scores

// A probability as a multiple of 2^-24, never 0 and never 1.
inline std::uint32_t on_grid(float p) {
    const float scaled = p * static_cast<float>(kOne) + 0.5f;
    const float most = static_cast<float>(kOne - 1);
    const float bounded = scaled < 1.0f ? 1.0f : scaled > most ? most : scaled;
    return static_cast<std::uint32_t>(static_cast<std::int32_t>(bounded));
}

void two_shares(const std::int32_t* scores, std::size_t rows, std::uint32_t* p) {
    for (std::size_t r = 0; r < rows; ++r) {
        const float z = -static_cast<float>(scores[r]) * kUnit;
        p[r] = on_grid(1.0f / (1.0f + fixed::quick_exp(z)));
    }
}

void shares(const std::int32_t* scores, std::size_t states, std::size_t rows, std::uint32_t* p) {
    for (std::size_t first = 0; first < rows; first += kRows) {
        std::int32_t top[kRows];
        float total[kRows], over[kRows];
        for (std::size_t r = 0; r < kRows; ++r) top[r] = scores[first + r];
        for (std::size_t x = 1; x < states; ++x)
            for (std::size_t r = 0; r < kRows; ++r)
                top[r] = std::max(top[r], scores[x * rows + first + r]);
        const auto e = [&](std::size_t x, std::size_t r) {
            return fixed::quick_exp(static_cast<float>(scores[x * rows + first + r] - top[r]) *
                                    kUnit);
        };
        for (std::size_t r = 0; r < kRows; ++r) total[r] = 0.0f;
        for (std::size_t x = 0; x < states; ++x)
            for (std::size_t r = 0; r < kRows; ++r) total[r] += e(x, r);
        for (std::size_t r = 0; r < kRows; ++r) over[r] = 1.0f / total[r];
        for (std::size_t x = 0; x < states; ++x)
            for (std::size_t r = 0; r < kRows; ++r)
                p[x * rows + first + r] = on_grid(e(x, r) * over[r]);
    }
}

void curvatures(const std::uint32_t* p, std::size_t rows, std::uint32_t* bent) {
    for (std::size_t r = 0; r < rows; ++r) {
        const float share = static_cast<float>(static_cast<std::int32_t>(p[r]));
        const float rest = static_cast<float>(kOne) - share;
        bent[r] = static_cast<std::uint32_t>(static_cast<std::int32_t>(share * (rest * 0x1p-24f)));
    }
}

std::uint32_t largest(const std::uint32_t* values, std::size_t rows) {
    std::uint32_t most = 1;
    for (std::size_t r = 0; r < rows; ++r) most = std::max(most, values[r]);
    return most;
}

// The random word of row r: every bit of it depends on every bit of r and of the key.
inline std::uint32_t random_word(std::uint64_t key, std::uint32_t r) {
    std::uint32_t z = r * 0x9e3779b1u + static_cast<std::uint32_t>(key);
    z = (z ^ (z >> 16)) * 0x85ebca6bu;
    z = (z ^ (z >> 13) ^ static_cast<std::uint32_t>(key >> 32)) * 0xc2b2ae35u;
    return z ^ (z >> 16);
}

// Bit r: bit `bit` of values[r].
inline Word plane_of(const std::uint8_t* values, unsigned bit) {
#if defined(__AVX512BW__)
    return _mm512_test_epi8_mask(_mm512_loadu_si512(values),
                                 _mm512_set1_epi8(static_cast<char>(1u << bit)));
#elif defined(__AVX2__)
    Word plane = 0;
    for (int half = 0; half < 2; ++half) {
        const __m256i bytes =
            _mm256_loadu_si256(reinterpret_cast<const __m256i*>(values + 32 * half));
        const __m256i high = _mm256_slli_epi16(bytes, static_cast<int>(7 - bit));
        plane |= Word{static_cast<std::uint32_t>(_mm256_movemask_epi8(high))} << (32 * half);
    }
    return plane;
#else
    Word plane = 0;
    for (std::size_t r = 0; r < kRows; ++r) plane |= Word{(values[r] >> bit) & 1u} << r;
    return plane;
#endif
}

void round_planes(const std::uint32_t* p, const std::uint32_t* bent, std::size_t words,
                  const Rounding& rounding, Word* planes) {
    for (std::size_t w = 0; w < words; ++w) {
        std::uint8_t rounded[kRows];
        for (std::size_t r = 0; r < kRows; ++r) {
            const std::size_t row = w * kRows + r;
            const std::uint32_t word = random_word(rounding.key, static_cast<std::uint32_t>(row));
            const float u = static_cast<float>(static_cast<std::int32_t>(word >> 16)) * 0x1p-16f;
            const float v =
                static_cast<float>(static_cast<std::int32_t>(word & 0xffffu)) * 0x1p-16f;
            const float a =
                static_cast<float>(static_cast<std::int32_t>(p[row])) * rounding.probability_scale +
                u;
            const float b = static_cast<float>(static_cast<std::int32_t>(bent[row])) *
                                rounding.curvature_scale +
                            v;
            const auto probability =
                static_cast<std::int32_t>(a < kTopProbability ? a : kTopProbability);
            const auto curvature = static_cast<std::int32_t>(b < kTopCurvature ? b : kTopCurvature);
            rounded[r] = static_cast<std::uint8_t>(probability | (curvature << kProbabilityBits));
        }
        for (unsigned bit = 0; bit + 1 < kPlanes; ++bit)
            planes[(1 + bit) * words + w] = plane_of(rounded, bit);
    }
}

double log_score(const std::uint32_t* p, std::size_t states, std::size_t stride,
                 const std::uint16_t* own, std::size_t rows) {
    double lanes[kRows] = {};
    for (std::size_t first = 0; first < rows; first += kRows) {
        const std::size_t count = std::min(kRows, rows - first);
        double chosen[kRows];
        for (std::size_t r = 0; r < kRows; ++r) chosen[r] = kOne;
        if (states == 2)
            for (std::size_t r = 0; r < count; ++r)
                chosen[r] = own[first + r] ? p[first + r] : kOne - p[first + r];
        else
            for (std::size_t r = 0; r < count; ++r)
                chosen[r] = p[static_cast<std::size_t>(own[first + r]) * stride + first + r];
        for (std::size_t r = 0; r < kRows; ++r) lanes[r] += fixed::log(chosen[r] * 0x1p-24);
    }
    double total = 0.0;
    for (std::size_t r = 0; r < kRows; ++r) total += lanes[r];
    return total;
}

}  // namespace depnet::boost::DEPNET_ISA_NAMESPACE
