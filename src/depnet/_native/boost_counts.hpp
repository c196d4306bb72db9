// The sums of a leaf's rows for every test, by bits or row by row, and what splits gain by them.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstring>

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
        sums[c] = 0;
        for (std::size_t q = 0; q < kPlanes; ++q) {
            const Word* plane = planes + q * words;
            std::uint64_t total = 0;
            for (std::size_t w = begin; w < end; ++w)
                total += static_cast<std::uint64_t>(std::popcount(columns[c][w] & plane[w]));
            const std::size_t at = q == 0 ? 0
                                   : q <= kProbabilityBits
                                       ? kProbabilityAt + q - 1
                                       : kCurvatureAt + q - 1 - kProbabilityBits;
            sums[c] += total << at;
        }
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

// Sums of a few rows fit into bytes, of more into 16 bits.
constexpr std::size_t kInBytes = 17, kInShorts = 240 * kInBytes;
static_assert(kInBytes * 15 < 256 && kInShorts * 15 < 65536);

#if defined(__AVX512BW__)
constexpr double kRowCost = 2.0;

// The sums of rows `begin` to `end` of one block of tests, added to shorts[sum][test].
inline void add_rows(const Word* own, const std::uint32_t* listed, const RowValues* values,
                     std::size_t begin, std::size_t end, __m512i (*shorts)[2]) {
    for (std::size_t k = begin; k < end;) {
        __m512i bytes[3] = {};
        for (const std::size_t until = std::min(k + kInBytes, end); k < until; ++k) {
            const __mmask64 passed = own[listed[k]];
            const auto add = [&](int sum, std::uint8_t value) {
                bytes[sum] = _mm512_mask_add_epi8(bytes[sum], passed, bytes[sum],
                                                  _mm512_set1_epi8(static_cast<char>(value)));
            };
            add(0, values[k].hit);
            add(1, values[k].probability);
            add(2, values[k].curvature);
        }
        for (int sum = 0; sum < 3; ++sum) {
            const __m256i low = _mm512_castsi512_si256(bytes[sum]);
            const __m256i high = _mm512_extracti64x4_epi64(bytes[sum], 1);
            shorts[sum][0] = _mm512_add_epi16(shorts[sum][0], _mm512_cvtepu8_epi16(low));
            shorts[sum][1] = _mm512_add_epi16(shorts[sum][1], _mm512_cvtepu8_epi16(high));
        }
    }
}
using Shorts = __m512i[3][2];
#else
constexpr double kRowCost = 6.0;

// Byte j of kSpread[b]: bit j of b.
constexpr auto kSpread = [] {
    std::array<std::uint64_t, 256> spread{};
    for (unsigned b = 0; b < 256; ++b)
        for (unsigned j = 0; j < 8; ++j) spread[b] |= std::uint64_t{(b >> j) & 1u} << (8 * j);
    return spread;
}();

inline void add_rows(const Word* own, const std::uint32_t* listed, const RowValues* values,
                     std::size_t begin, std::size_t end, std::uint16_t (*shorts)[kRows]) {
    for (std::size_t k = begin; k < end;) {
        std::uint64_t bytes[3][8] = {};  // each of eight sums
        for (const std::size_t until = std::min(k + kInBytes, end); k < until; ++k)
            for (unsigned j = 0; j < 8; ++j) {
                const std::uint64_t passed = kSpread[(own[listed[k]] >> (8 * j)) & 255u];
                bytes[0][j] += passed * values[k].hit;
                bytes[1][j] += passed * values[k].probability;
                bytes[2][j] += passed * values[k].curvature;
            }
        for (int sum = 0; sum < 3; ++sum)
            for (std::size_t t = 0; t < kRows; ++t)
                shorts[sum][t] = static_cast<std::uint16_t>(
                    shorts[sum][t] + ((bytes[sum][t / 8] >> (8 * (t % 8))) & 255u));
    }
}
using Shorts = std::uint16_t[3][kRows];
#endif

void count_rows(const Word* by_row, std::size_t stride, std::size_t blocks,
                const std::uint32_t* listed, const RowValues* values, std::size_t rows,
                const Sums& sums) {
    std::int64_t* const each[3] = {sums.hits, sums.probability, sums.curvature};
    for (std::size_t d = 0; d < blocks; ++d)
        for (std::size_t begin = 0; begin < rows; begin += kInShorts) {
            Shorts shorts = {};
            add_rows(by_row + d * stride, listed, values, begin, std::min(begin + kInShorts, rows),
                     shorts);
            std::uint16_t found[3][kRows];
            static_assert(sizeof found == sizeof shorts);
            std::memcpy(found, shorts, sizeof found);
            for (int sum = 0; sum < 3; ++sum)
                for (std::size_t t = 0; t < kRows; ++t) each[sum][d * kRows + t] += found[sum][t];
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
