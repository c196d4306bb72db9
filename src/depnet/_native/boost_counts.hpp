// The sums of a leaf's rows for every test, and what splits gain by them.
#pragma once

#include <algorithm>
#include <bit>

#include "boost_kernels.hpp"
#include "vectors.hpp"

namespace depnet::boost::DEPNET_ISA_NAMESPACE {

// Words of every plane that are gone through at a time, at most: they stay in the cache, and the
// sums of their rows fit into parts of one word.
constexpr std::size_t kCounted = 512;

#if defined(__AVX512VPOPCNTDQ__)
// The sums of `size` columns at a time, whose planes are then loaded once for all of them.
template <std::size_t size>
inline void count_some(const Word* const* columns, const Word* planes, std::size_t words,
                       std::size_t begin, std::size_t end, std::uint64_t* sums) {
    __m512i totals[size][kPlanes];
    for (auto& each : totals)
        for (auto& total : each) total = _mm512_setzero_si512();
    for (std::size_t w = begin; w < end; w += 8) {
        __m512i bits[size];
        for (std::size_t c = 0; c < size; ++c) bits[c] = _mm512_loadu_si512(columns[c] + w);
        for (std::size_t q = 0; q < kPlanes; ++q) {
            const __m512i plane = _mm512_loadu_si512(planes + q * words + w);
            for (std::size_t c = 0; c < size; ++c)
                totals[c][q] = _mm512_add_epi64(
                    totals[c][q], _mm512_popcnt_epi64(_mm512_and_si512(bits[c], plane)));
        }
    }
    for (std::size_t c = 0; c < size; ++c) {
        const auto weighed = [&](std::size_t first, std::size_t bits) {
            __m512i sum = totals[c][first + bits - 1];
            for (std::size_t bit = bits - 1; bit > 0; --bit)
                sum = _mm512_add_epi64(_mm512_slli_epi64(sum, 1), totals[c][first + bit - 1]);
            return sum;
        };
        const __m512i probability = _mm512_slli_epi64(weighed(1, kProbabilityBits), kProbabilityAt);
        const __m512i curvature =
            _mm512_slli_epi64(weighed(1 + kProbabilityBits, kCurvatureBits), kCurvatureAt);
        sums[c] = static_cast<std::uint64_t>(_mm512_reduce_add_epi64(
            _mm512_add_epi64(totals[c][0], _mm512_add_epi64(probability, curvature))));
    }
}
#else
template <std::size_t size>
inline void count_some(const Word* const* columns, const Word* planes, std::size_t words,
                       std::size_t begin, std::size_t end, std::uint64_t* sums) {
    for (std::size_t c = 0; c < size; ++c) {
        std::uint64_t totals[kPlanes] = {};
        for (std::size_t w = begin; w < end; ++w)
            for (std::size_t q = 0; q < kPlanes; ++q)
                totals[q] += static_cast<std::uint64_t>(
                    std::popcount(columns[c][w] & planes[q * words + w]));
        sums[c] = totals[0];
        for (std::size_t bit = 0; bit < kProbabilityBits; ++bit)
            sums[c] += totals[1 + bit] << (kProbabilityAt + bit);
        for (std::size_t bit = 0; bit < kCurvatureBits; ++bit)
            sums[c] += totals[1 + kProbabilityBits + bit] << (kCurvatureAt + bit);
    }
}
#endif

void count(const Word* columns, std::size_t stride, const std::int32_t* tests, std::size_t count,
           const Word* planes, std::size_t words, const Sums& sums) {
    constexpr std::size_t kTogether = 2;
    const std::size_t parts = std::max<std::size_t>((words + kCounted - 1) / kCounted, 1);
    const std::size_t step = (words / kBlock + parts - 1) / parts * kBlock;
    for (std::size_t begin = 0; begin < words; begin += step) {
        const std::size_t end = std::min(begin + step, words);
        const Word* some[kTogether];
        std::uint64_t found[kTogether];
        for (std::size_t k = 0; k < count; k += kTogether) {
            const std::size_t size = std::min(kTogether, count - k);
            for (std::size_t c = 0; c < size; ++c)
                some[c] = columns + static_cast<std::size_t>(tests[k + c]) * stride;
            if (size == kTogether)
                count_some<kTogether>(some, planes, words, begin, end, found);
            else
                count_some<1>(some, planes, words, begin, end, found);
            for (std::size_t c = 0; c < size; ++c) {
                sums.hits[k + c] += static_cast<std::int64_t>(found[c] & kHitsPart);
                sums.probability[k + c] +=
                    static_cast<std::int64_t>((found[c] >> kProbabilityAt) & kSharePart);
                sums.curvature[k + c] += static_cast<std::int64_t>(found[c] >> kCurvatureAt);
            }
        }
    }
}

void within(const Word* leaf, const Word* planes, std::size_t words, Word* own) {
    for (std::size_t q = 0; q < kPlanes; ++q)
        for (std::size_t w = 0; w < words; ++w)
            own[q * words + w] = planes[q * words + w] & leaf[w];
}

void gains(const Gains& leaf, const Sums& sums, std::size_t count, double* gain) {
    const double g = leaf.gradient, h = leaf.curvature, lambda = leaf.shrinkage;
    const double before = g * g / (h + lambda), least = leaf.least_curvature;
    for (std::size_t k = 0; k < count; ++k) {
        const double h1 = static_cast<double>(sums.curvature[k]) * leaf.curvature_unit;
        const double g1 = static_cast<double>(sums.hits[k]) -
                          static_cast<double>(sums.probability[k]) * leaf.probability_unit;
        const double h0 = h - h1, g0 = g - g1;
        const double found = g1 * g1 / (h1 + lambda) + g0 * g0 / (h0 + lambda) - before;
        gain[k] = h1 < least || h0 < least ? 0.0 : found;
    }
}

}  // namespace depnet::boost::DEPNET_ISA_NAMESPACE
