// The kernels of stages_kernels.hpp for one instruction set, whose translation unit includes this.
#pragma once

#include "stages_leaves.hpp"
#include "stages_theta.hpp"
#include "vectors.hpp"

namespace depnet::stages::DEPNET_ISA_NAMESPACE {

// Bit r: is low <= column[r] <= high?
inline std::uint64_t test_mask(const std::uint16_t* column, std::uint16_t low, std::uint16_t high) {
    const auto width = static_cast<std::uint16_t>(high - low);
    std::uint64_t mask = 0;
#if defined(__AVX512BW__)
    for (int half = 0; half < 2; ++half) {
        const __m512i codes = _mm512_loadu_si512(column + 32 * half);
        const __m512i above = _mm512_sub_epi16(codes, _mm512_set1_epi16(static_cast<short>(low)));
        mask |= std::uint64_t{_mm512_cmple_epu16_mask(above,
                                                      _mm512_set1_epi16(static_cast<short>(width)))}
                << (32 * half);
    }
#else
    std::uint8_t inside[kRows];
    for (std::size_t r = 0; r < kRows; ++r)
        inside[r] = static_cast<std::uint16_t>(column[r] - low) <= width;
    for (std::size_t r = 0; r < kRows; r += 8) {
        std::uint64_t eight = 0;  // bytes of 0 or 1: the product has their sum of 2^r on top
        for (std::size_t k = 0; k < 8; ++k) eight |= std::uint64_t{inside[r + k]} << (8 * k);
        mask |= (eight * 0x0102040810204080u >> 56) << r;
    }
#endif
    return mask;
}

// The codes of some rows, of whichever width: loops of a fixed length are vectorised.
template <typename From, typename To>
inline void copy_codes(const From* from, std::size_t rows, To* to) {
    if (rows == kRows)
        for (std::size_t r = 0; r < kRows; ++r) to[r] = static_cast<To>(from[r]);
    else
        for (std::size_t r = 0; r < rows; ++r) to[r] = static_cast<To>(from[r]);
}

template <typename Code>
inline void test_masks_of(const View& view, const Code* codes, std::size_t stride, std::size_t rows,
                          std::uint64_t* masks) {
    std::uint16_t column[kRows] = {};
    for (std::size_t t = 0; t < view.tests; ++t) {
        if (t == 0 || view.variable[t] != view.variable[t - 1])
            copy_codes(codes + static_cast<std::size_t>(view.variable[t]) * stride, rows, column);
        masks[t] = test_mask(column, view.low[t], view.high[t]);
    }
}
std::uint64_t test_mask(const View& view, std::size_t test, const std::uint16_t* column) {
    return test_mask(column, view.low[test], view.high[test]);
}

void add_stages(const View& view, const std::int32_t* which, std::size_t count,
                const std::uint64_t* masks, std::int32_t* scores) {
    std::uint64_t rows[kMostLeaves];  // of each leaf
    for (std::size_t k = 0; k < count; ++k) {
        const std::size_t m = which == nullptr ? k : static_cast<std::size_t>(which[k]);
        const std::int32_t first = view.begin[m], last = view.begin[m + 1];
        Leaves leaves;
        rows[0] = ~std::uint64_t{0};
        std::size_t size = 1;
        for (std::int32_t t = first; t < last; ++t, ++size) {
            std::uint64_t& from = rows[view.leaf[t]];
            const std::uint64_t inside = masks[view.test[t]];
            rows[size] = from & inside;
            from &= ~inside;
            leaves.put(rows[size], size);
        }
        leaves.end(size);
        const std::int32_t* table =
            view.by_state + (static_cast<std::size_t>(first) + m) * view.states;
        if (view.column[m] != kEveryState) {
            const auto x = static_cast<std::size_t>(view.column[m]);
            leaves.add(table + x * size, scores + x * kRows);
            continue;
        }
        for (std::size_t x = 0; x < view.states; ++x)
            leaves.add(table + x * size, scores + x * kRows);
    }
}

void add_scores(const View& view, const std::uint8_t* codes, std::size_t stride, std::size_t rows,
                std::uint64_t* masks, std::int32_t* scores) {
    test_masks_of(view, codes, stride, rows, masks);
    add_stages(view, nullptr, view.stages, masks, scores);
}
void add_scores(const View& view, const std::uint16_t* codes, std::size_t stride, std::size_t rows,
                std::uint64_t* masks, std::int32_t* scores) {
    test_masks_of(view, codes, stride, rows, masks);
    add_stages(view, nullptr, view.stages, masks, scores);
}

void probabilities(const std::int32_t* scores, std::size_t states, const Digits& digits,
                   double* theta) {
    theta_of<kRows>(scores, states, digits, theta);
}

}  // namespace depnet::stages::DEPNET_ISA_NAMESPACE
