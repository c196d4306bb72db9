// Leaves as sets of rows: divided, summed over, and their values added to the rows' scores.
#pragma once

#include <algorithm>
#include <bit>

#include "boost_kernels.hpp"
#include "stages_leaves.hpp"

namespace depnet::boost::DEPNET_ISA_NAMESPACE {

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

void add_leaves(const Word* const* leaves, std::size_t count, std::size_t words,
                const std::int32_t* values, std::size_t states, std::int32_t* scores) {
    constexpr std::size_t kSome = 16;  // words at a time: state after state, not each word's states
    for (std::size_t first = 0; first < words; first += kSome) {
        const std::size_t some = std::min(kSome, words - first);
        stages::DEPNET_ISA_NAMESPACE::Leaves rows[kSome];
        for (std::size_t w = 0; w < some; ++w) {
            for (std::size_t y = 1; y < count; ++y) rows[w].put(leaves[y][first + w], y);
            rows[w].end(count);
        }
        for (std::size_t x = 0; x < states; ++x)
            for (std::size_t w = 0; w < some; ++w)
                rows[w].add(values + x * count, scores + (x * words + first + w) * kRows);
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

}  // namespace depnet::boost::DEPNET_ISA_NAMESPACE
