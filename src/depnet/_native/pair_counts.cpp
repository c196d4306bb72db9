// 2-way counts of a coded table: how many rows have X_i = x and X_j = x', for all pairs i < j.
//
// Variables of few states are turned into planes, one bit a row for each state but the first, and a
// pair of planes is counted 64 rows at a time by popcount(A & B); what state 0 has is what is left
// over. Pairs with a variable of more states, and tables with row weights, are counted row by row.
// Rows go in chunks, so that the chunk's planes and codes stay in the cache for all pairs.

#include <algorithm>

#include "learner_bits.hpp"

namespace depnet {
namespace {

constexpr std::int32_t kFewStates = 8;         // beyond, counting row by row is faster
constexpr std::size_t kChunk = 16384;          // rows; a multiple of 512
constexpr std::size_t kMostRows = 0xffffffff;  // that planes are counted for, in 32 bits

class Counter {
  public:
    Counter(const Data& data, std::size_t first, std::size_t last, std::int64_t* out)
        : data_(data), cards_(data.cardinalities), first_(first), last_(last) {
        for (std::size_t i = first; i < last; ++i)
            for (std::size_t j = i + 1; j < cards_.size(); ++j) {
                tables_.push_back(out);
                out += static_cast<std::size_t>(cards_[i]) * static_cast<std::size_t>(cards_[j]);
            }
        std::fill(tables_.empty() ? out : tables_.front(), out, 0);
        plane_.assign(cards_.size() + 1, 0);
        for (std::size_t j = first; j < cards_.size(); ++j)
            plane_[j + 1] = plane_[j] + (has_planes(j) ? cards_[j] - 1 : 0);
        planes_ = plane_.back();
        band_ = plane_[last];
    }

    void count() {
        constexpr std::size_t kStride = kChunk / 64;
        const LearnerKernels& kernels = learner_kernels();
        const auto rows = static_cast<std::size_t>(data_.rows);
        std::vector<std::uint64_t> bits(planes_ * kStride);
        std::vector<std::uint32_t> product(band_ * planes_, 0), totals(planes_, 0);
        for (std::size_t begin = 0; begin < rows; begin += kChunk) {
            const std::size_t count = std::min(kChunk, rows - begin), words = words_of(count);
            for (std::size_t j = first_; j < cards_.size(); ++j)
                if (has_planes(j))
                    pack_planes(data_, kernels, static_cast<std::int32_t>(j), begin, count,
                                bits.data() + plane_[j] * kStride, kStride);
            for (std::size_t p = 0; p < planes_; ++p) {
                const std::uint64_t* plane = bits.data() + p * kStride;
                kernels.popcount_product(plane, kStride, 1, plane, kStride, 1, words, &totals[p],
                                         1);
            }
            count_planes(kernels, bits.data(), kStride, band_, planes_, words, product.data());
            count_rows(begin, count);
        }
        unfold(product, totals);
    }

  private:
    bool has_planes(std::size_t j) const {
        return data_.weights == nullptr && static_cast<std::size_t>(data_.rows) <= kMostRows &&
               cards_[j] <= kFewStates;
    }

    // The pairs that planes do not count.
    void count_rows(std::size_t begin, std::size_t count) {
        std::size_t pair = 0;
        for (std::size_t i = first_; i < last_; ++i)
            for (std::size_t j = i + 1; j < cards_.size(); ++j, ++pair) {
                if (has_planes(i) && has_planes(j)) continue;
                std::int64_t* table = tables_[pair];
                const auto states = static_cast<std::size_t>(cards_[j]);
                data_.column(static_cast<std::int32_t>(i), [&](const auto* column) {
                    const auto *a = column + begin, *b = a + (j - i) * data_.rows;
                    const std::int64_t* weights = data_.weights;
                    for (std::size_t r = 0; r < count && weights == nullptr; ++r)
                        ++table[a[r] * states + b[r]];
                    for (std::size_t r = 0; r < count && weights != nullptr; ++r)
                        table[a[r] * states + b[r]] += weights[begin + r];
                });
            }
    }

    // From pairs of planes to tables: first the states above 0, then what is left.
    void unfold(const std::vector<std::uint32_t>& product,
                const std::vector<std::uint32_t>& totals) const {
        std::size_t pair = 0;
        for (std::size_t i = first_; i < last_; ++i)
            for (std::size_t j = i + 1; j < cards_.size(); ++j, ++pair) {
                if (!has_planes(i) || !has_planes(j)) continue;
                std::int64_t* table = tables_[pair];
                const std::int32_t height = cards_[i], width = cards_[j];
                std::int64_t none = data_.rows;
                for (std::int32_t y = 1; y < width; ++y) {
                    table[y] = totals[plane_[j] + y - 1];
                    none -= table[y];
                }
                for (std::int32_t x = 1; x < height; ++x) {
                    std::int64_t left = totals[plane_[i] + x - 1];
                    none -= left;
                    for (std::int32_t y = 1; y < width; ++y) {
                        const std::int64_t both =
                            product[(plane_[i] + x - 1) * planes_ + plane_[j] + y - 1];
                        table[x * width + y] = both;
                        table[y] -= both;
                        left -= both;
                        none += both;
                    }
                    table[x * width] = left;
                }
                table[0] = none;
            }
    }

    const Data& data_;
    const std::vector<std::int32_t>& cards_;
    std::size_t first_, last_;
    std::vector<std::int64_t*> tables_;  // of the pairs (i, j), first <= i < last, i < j
    std::vector<std::size_t> plane_;     // a variable's first plane, counted from variable `first`
    std::size_t planes_ = 0, band_ = 0;  // of all variables, and of those before `last`
};

}  // namespace

void count_pairs(const Data& data, std::size_t first, std::size_t last, std::int64_t* out) {
    Counter(data, first, last, out).count();
}

}  // namespace depnet
