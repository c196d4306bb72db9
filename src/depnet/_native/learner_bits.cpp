#include "learner_bits.hpp"

#include <algorithm>
#include <cstring>
#include <numeric>

namespace depnet {
namespace {

// Memory for bits, in terms of the codes (N x n bytes); so much is no matter for a small table.
constexpr std::int64_t kSmallRows = 8 << 20, kSmallColumns = 4 << 20, kSmallPairs = 12 << 20;

// Which variables get planes: those of few states first, as long as the planes stay about as large
// as the codes themselves.
void choose_variables(const Data& data, Bits& bits) {
    const std::int64_t n = data.variables();
    std::vector<std::int32_t> order;
    for (std::int32_t j = 0; j < n; ++j)
        if (data.cardinalities[j] >= 2 && data.cardinalities[j] <= 256) order.push_back(j);
    std::stable_sort(order.begin(), order.end(), [&](std::int32_t a, std::int32_t b) {
        return data.cardinalities[a] < data.cardinalities[b];
    });
    const std::int64_t room =
        std::max(data.rows * n * 3 / 2, kSmallRows) / std::max<std::int64_t>(1, data.rows);
    std::int64_t planes = 0;
    for (const std::int32_t j : order) {
        planes += data.cardinalities[j] - 1;
        if (planes > 8 * room || planes > 16384) break;
        bits.variables.push_back(j);
    }
    std::sort(bits.variables.begin(), bits.variables.end());
    bits.place.assign(n, -1);
    for (const std::int32_t j : bits.variables) {
        bits.place[j] = static_cast<std::int32_t>(bits.first_plane.size());
        bits.first_plane.push_back(bits.planes);
        bits.planes += data.cardinalities[j] - 1;
        bits.binary = bits.binary && data.cardinalities[j] == 2;
    }
    bits.first_plane.push_back(bits.planes);
}

// Transposes 64 x 64 bits: afterwards bit c of word r is what was bit r of word c.
void transpose(std::uint64_t* a) {
    std::uint64_t mask = 0x00000000ffffffffu;
    for (int width = 32; width != 0; width >>= 1, mask ^= mask << width)
        for (int k = 0; k < 64; k = (k + width + 1) & ~width) {
            const std::uint64_t swap = ((a[k] >> width) ^ a[k + width]) & mask;
            a[k] ^= swap << width;
            a[k + width] ^= swap;
        }
}

}  // namespace

Bits make_bits(const Data& data, const LearnerKernels& kernels, const std::function<void()>& poll) {
    Bits bits;
    choose_variables(data, bits);
    if (bits.planes == 0) return bits;
    const auto rows = static_cast<std::size_t>(data.rows);
    const auto planes = static_cast<std::size_t>(bits.planes);
    const std::size_t words = (planes + 63) / 64;
    bits.row_words = words <= 2 ? words : words <= 4 ? 4 : (words + 7) / 8 * 8;
    bits.rows = Words(rows * bits.row_words + 8);
    bits.column_words = (rows + 511) / 512 * 8;
    const std::int64_t codes = data.rows * data.variables();
    const bool keep_columns = static_cast<std::int64_t>(planes * bits.column_words * 8) <=
                              std::max(codes / 4, kSmallColumns);
    const bool count_pairs =
        static_cast<std::int64_t>(planes * planes * 4) <= std::max(codes / 2, kSmallPairs);
    if (keep_columns) bits.columns = Words(planes * bits.column_words);
    if (count_pairs) bits.pairs.assign(planes * planes, 0);

    // Chunk by chunk, so that the chunk's columns stay in the cache for all that is made of them.
    const std::size_t chunk = planes <= 256 ? 16384 : 8192;
    Words own;
    if (!keep_columns) own = Words(planes * (chunk / 64));
    std::vector<std::uint8_t> narrowed(data.wide ? chunk : 0);
    for (std::size_t begin = 0; begin < rows; begin += chunk) {
        poll();
        const std::size_t count = std::min(chunk, rows - begin);
        const std::size_t stride = keep_columns ? bits.column_words : chunk / 64;
        const std::size_t used = (count + 511) / 512 * 8;
        std::uint64_t* columns = keep_columns ? bits.columns.data() + begin / 64 : own.data();
        for (std::size_t v = 0; v < bits.variables.size(); ++v) {
            const std::int32_t j = bits.variables[v];
            const std::uint8_t* codes;
            if (data.narrow) {
                codes = data.narrow + static_cast<std::size_t>(j) * rows + begin;
            } else {
                const std::uint16_t* wide = data.wide + static_cast<std::size_t>(j) * rows + begin;
                for (std::size_t r = 0; r < count; ++r)
                    narrowed[r] = static_cast<std::uint8_t>(wide[r]);
                codes = narrowed.data();
            }
            for (std::int32_t z = 1; z < data.cardinalities[j]; ++z) {
                std::uint64_t* column = columns + (bits.first_plane[v] + z - 1) * stride;
                kernels.pack_equal(codes, count, static_cast<std::uint8_t>(z), column);
                std::fill(column + (count + 63) / 64, column + used, 0);
            }
        }
        if (count_pairs) {
            // The upper triangle, in bands.
            constexpr std::size_t kBand = 32;
            for (std::size_t a = 0; a < planes; a += kBand)
                kernels.popcount_product(columns + a * stride, stride, std::min(kBand, planes - a),
                                         columns + a * stride, stride, planes - a, used,
                                         bits.pairs.data() + a * planes + a, planes);
        }
        std::uint64_t square[64];
        for (std::size_t w = 0; w < bits.row_words; ++w)
            for (std::size_t r = 0; r < count; r += 64) {
                for (std::size_t p = 0; p < 64; ++p)
                    square[p] = w * 64 + p < planes ? columns[(w * 64 + p) * stride + r / 64] : 0;
                if (w * 64 < planes) transpose(square);
                const std::size_t last = std::min<std::size_t>(64, count - r);
                for (std::size_t i = 0; i < last; ++i)
                    bits.rows.data()[(begin + r + i) * bits.row_words + w] = square[i];
            }
    }
    for (std::size_t a = 0; count_pairs && a < planes; ++a) {
        for (std::size_t b = 0; b < a; ++b) bits.pairs[a * planes + b] = bits.pairs[b * planes + a];
        bits.totals.push_back(bits.pairs[a * planes + a]);
    }
    return bits;
}

}  // namespace depnet
