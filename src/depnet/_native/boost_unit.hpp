// The kernels of boost_kernels.hpp for one instruction set, whose translation unit includes this.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstring>

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
                  const Rounding& rounding, std::uint8_t* values, Word* planes) {
    for (std::size_t w = 0; w < words; ++w) {
        std::uint8_t* rounded = values + w * kRows;
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

std::int64_t count_both(const Word* first, const Word* second, std::size_t words) {
    std::int64_t total = 0;
    for (std::size_t w = 0; w < words; ++w) total += std::popcount(first[w] & second[w]);
    return total;
}

void divide(const Word* column, const Word* leaf, std::size_t words, Word* inside, Word* outside) {
    for (std::size_t w = 0; w < words; ++w) {
        const Word rows = leaf[w];
        inside[w] = rows & column[w];
        outside[w] = rows & ~column[w];
    }
}

void number_leaves(const Word* const* leaves, std::size_t count, std::size_t words,
                   std::uint8_t* number) {
    for (std::size_t w = 0; w < words; ++w) {
#if defined(__AVX512BW__)
        __m512i numbers = _mm512_setzero_si512();
        for (std::size_t y = 1; y < count; ++y)
            numbers =
                _mm512_mask_mov_epi8(numbers, leaves[y][w], _mm512_set1_epi8(static_cast<char>(y)));
        _mm512_storeu_si512(number + w * kRows, numbers);
#else
        std::uint8_t* own = number + w * kRows;
        std::fill_n(own, kRows, std::uint8_t{0});
        for (std::size_t y = 1; y < count; ++y)
            for (Word rest = leaves[y][w]; rest != 0; rest &= rest - 1)
                own[std::countr_zero(rest)] = static_cast<std::uint8_t>(y);
#endif
    }
}

#if defined(__AVX512F__)
// The sums of the rows of words `begin` to `end` of `size` leaves.
template <std::size_t size>
inline void sum_some(const Word* const* leaves, std::size_t begin, std::size_t end,
                     const std::uint32_t* p, const std::uint32_t* bent, std::int64_t* sums) {
    __m512i totals[size][2] = {};
    for (std::size_t w = begin; w < end; ++w)
        for (unsigned part = 0; part < 4; ++part) {
            const std::size_t r = w * kRows + part * 16;
            const __m512i shares = _mm512_loadu_si512(p + r), curved = _mm512_loadu_si512(bent + r);
            for (std::size_t y = 0; y < size; ++y) {
                const auto own = static_cast<__mmask16>(leaves[y][w] >> (part * 16));
                totals[y][0] = _mm512_mask_add_epi32(totals[y][0], own, totals[y][0], shares);
                totals[y][1] = _mm512_mask_add_epi32(totals[y][1], own, totals[y][1], curved);
            }
        }
    for (std::size_t y = 0; y < size; ++y)
        for (int sum = 0; sum < 2; ++sum) {
            const __m512i all = totals[y][sum];
            const __m512i halves = _mm512_add_epi64(
                _mm512_and_si512(all, _mm512_set1_epi64(0xffffffff)), _mm512_srli_epi64(all, 32));
            sums[2 * y + static_cast<std::size_t>(sum)] += _mm512_reduce_add_epi64(halves);
        }
}

void sum_leaves(const Word* const* leaves, std::size_t count, std::size_t words,
                const std::uint32_t* p, const std::uint32_t* bent, std::int64_t* sums) {
    constexpr std::size_t kAtATime = 63;  // words: of 252 rows a lane, each below 2^24
    for (std::size_t begin = 0; begin < words; begin += kAtATime) {
        const std::size_t end = std::min(begin + kAtATime, words);
        std::size_t y = 0;
        for (; y + 8 <= count; y += 8) sum_some<8>(leaves + y, begin, end, p, bent, sums + 2 * y);
        for (; y + 4 <= count; y += 4) sum_some<4>(leaves + y, begin, end, p, bent, sums + 2 * y);
        for (; y < count; ++y) sum_some<1>(leaves + y, begin, end, p, bent, sums + 2 * y);
    }
}
#else
void sum_leaves(const Word* const* leaves, std::size_t count, std::size_t words,
                const std::uint32_t* p, const std::uint32_t* bent, std::int64_t* sums) {
    for (std::size_t y = 0; y < count; ++y)
        for (std::size_t w = 0; w < words; ++w)
            for (Word rest = leaves[y][w]; rest != 0; rest &= rest - 1) {
                const std::size_t r = w * kRows + static_cast<std::size_t>(std::countr_zero(rest));
                sums[2 * y] += p[r];
                sums[2 * y + 1] += bent[r];
            }
}
#endif

void add_by_leaf(const std::uint8_t* number, std::size_t rows, const std::int32_t* values,
                 std::size_t leaves, std::int32_t* scores) {
#if defined(__AVX512F__)
    if (leaves <= 32) {  // two registers hold the values
        std::int32_t padded[32] = {};
        std::copy_n(values, leaves, padded);
        const __m512i low = _mm512_loadu_si512(padded), high = _mm512_loadu_si512(padded + 16);
        for (std::size_t r = 0; r < rows; r += 16) {
            const __m512i at =
                _mm512_cvtepu8_epi32(_mm_loadu_si128(reinterpret_cast<const __m128i*>(number + r)));
            const __m512i value = _mm512_permutex2var_epi32(low, at, high);
            _mm512_storeu_si512(scores + r,
                                _mm512_add_epi32(_mm512_loadu_si512(scores + r), value));
        }
        return;
    }
#endif
    static_cast<void>(leaves);
    for (std::size_t r = 0; r < rows; ++r) scores[r] += values[number[r]];
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

const Kernels& kernels() {
    static constexpr Kernels all{two_shares,   shares,      curvatures, largest,
                                 round_planes, within,      count,      count_rows,
                                 gains,        count_both,  divide,     number_leaves,
                                 sum_leaves,   add_by_leaf, log_score,  kRowCost};
    return all;
}

}  // namespace depnet::boost::DEPNET_ISA_NAMESPACE
