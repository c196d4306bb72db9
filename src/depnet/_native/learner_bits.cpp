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

// A row in words: first as many whole vectors as it fills, then what is left over, if that is at
// most half a vector.
void divide_rows(const Data& data, Bits& bits) {
    const auto words = static_cast<std::size_t>(bits.planes + 63) / 64;
    std::size_t whole = words / 8 * 8, rest = words % 8;
    if (rest > 4) {
        whole += 8;
        rest = 0;
    }
    for (const std::size_t part : {whole, rest == 3 ? 4 : rest}) {
        if (part == 0) continue;
        const auto first = static_cast<std::int32_t>(bits.row_words * 64);
        bits.rows.push_back({part, first, Words(static_cast<std::size_t>(data.rows) * part + 8)});
        bits.row_words += part;
    }
}

// One chunk of rows after the other, so that it stays in the cache for all that is made of it.
class Chunks {
  public:
    Chunks(const Data& data, const LearnerKernels& kernels, Bits& bits)
        : data_(data), kernels_(kernels), bits_(bits), planes_(bits.planes) {
        const std::int64_t codes = data.rows * data.variables();
        // Of variables with many states, each node counts its own root sooner.
        count_pairs_ =
            planes_ <= 8 * bits.variables.size() &&
            bits.planes * std::int64_t{bits.planes} * 4 <= std::max(codes / 2, kSmallPairs);
        keep_columns_ = kept(codes);
        size_ = planes_ <= 256 ? 16384 : 8192;
        if (keep_columns_) bits.columns = Words(planes_ * bits.column_words);
        if (!keep_columns_) own_ = Words(planes_ * (size_ / 64));
        if (count_pairs_) bits.pairs.assign(planes_ * planes_, 0);
    }

    std::size_t size() const { return size_; }

    void make(std::size_t begin) {
        count_ = std::min(size_, static_cast<std::size_t>(data_.rows) - begin);
        begin_ = begin;
        stride_ = keep_columns_ ? bits_.column_words : size_ / 64;
        columns_ = keep_columns_ ? bits_.columns.data() + begin / 64 : own_.data();
        for (std::size_t v = 0; v < bits_.variables.size(); ++v)
            pack_planes(data_, kernels_, bits_.variables[v], begin, count_,
                        columns_ + bits_.first_plane[v] * stride_, stride_);
        turn_columns();
        if (count_pairs_)
            count_planes(kernels_, columns_, stride_, planes_, planes_, words_of(count_),
                         bits_.pairs.data());
    }

    void finish() {
        const std::size_t n = planes_;
        for (std::size_t a = 0; count_pairs_ && a < n; ++a) {
            for (std::size_t b = 0; b < a; ++b) bits_.pairs[a * n + b] = bits_.pairs[b * n + a];
            bits_.totals.push_back(bits_.pairs[a * n + a]);
        }
    }

  private:
    // Columns are for masks, which targets of few states use.
    bool kept(std::int64_t codes) const {
        bool few = false;
        for (const std::int32_t j : bits_.variables)
            few = few || data_.cardinalities[j] <= kMostStatesInBits;
        return few && static_cast<std::int64_t>(planes_ * bits_.column_words * 8) <=
                          std::max(codes / 4, kSmallColumns);
    }

    void turn_columns() {
        std::uint64_t square[64];
        for (RowBits& part : bits_.rows)
            for (std::size_t w = 0; w < part.words; ++w) {
                const std::size_t first = static_cast<std::size_t>(part.first) + w * 64;
                for (std::size_t r = 0; r < count_; r += 64) {
                    for (std::size_t p = 0; p < 64; ++p)
                        square[p] =
                            first + p < planes_ ? columns_[(first + p) * stride_ + r / 64] : 0;
                    if (first < planes_) transpose(square);
                    const std::size_t last = std::min<std::size_t>(64, count_ - r);
                    for (std::size_t i = 0; i < last; ++i) part.row(begin_ + r + i)[w] = square[i];
                }
            }
    }

    const Data& data_;
    const LearnerKernels& kernels_;
    Bits& bits_;
    const std::size_t planes_;
    bool count_pairs_, keep_columns_;
    Words own_;  // the chunk's columns, where they are not kept

    std::size_t size_;                   // rows of a chunk; a multiple of 512
    std::size_t begin_ = 0, count_ = 0;  // of the chunk that is made
    std::uint64_t* columns_ = nullptr;
    std::size_t stride_ = 0;
};

}  // namespace

void pack_planes(const Data& data, const LearnerKernels& kernels, std::int32_t j, std::size_t begin,
                 std::size_t count, std::uint64_t* out, std::size_t stride) {
    std::vector<std::uint8_t> narrowed;
    const std::uint8_t* codes = nullptr;
    data.column(j, [&](const auto* column) {
        if constexpr (sizeof *column == 1) {
            codes = column + begin;
        } else {
            narrowed.assign(column + begin, column + begin + count);
            codes = narrowed.data();
        }
    });
    for (std::int32_t z = 1; z < data.cardinalities[j]; ++z, out += stride) {
        kernels.pack_equal(codes, count, static_cast<std::uint8_t>(z), out);
        std::fill(out + (count + 63) / 64, out + words_of(count), 0);
    }
}

void count_planes(const LearnerKernels& kernels, const std::uint64_t* planes, std::size_t stride,
                  std::size_t band, std::size_t count, std::size_t words, std::uint32_t* out) {
    constexpr std::size_t kTogether = 32;
    for (std::size_t a = 0; a < band; a += kTogether)
        kernels.popcount_product(planes + a * stride, stride, std::min(kTogether, band - a),
                                 planes + a * stride, stride, count - a, words, out + a * count + a,
                                 count);
}

Bits make_bits(const Data& data, const LearnerKernels& kernels, const std::function<void()>& poll) {
    Bits bits;
    choose_variables(data, bits);
    if (bits.planes == 0) return bits;
    const auto rows = static_cast<std::size_t>(data.rows);
    bits.column_words = words_of(rows);
    divide_rows(data, bits);
    Chunks chunks(data, kernels, bits);
    for (std::size_t begin = 0; begin < rows; begin += chunks.size()) {
        poll();
        chunks.make(begin);
    }
    chunks.finish();
    return bits;
}

}  // namespace depnet
