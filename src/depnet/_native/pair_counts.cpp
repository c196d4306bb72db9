// 2-way counts of a coded table: how many rows have X_i = x and X_j = x', for all pairs i < j.
//
// Variables of few states are turned into planes, one bit a row for each state but the first, and a
// pair of planes is counted 64 rows at a time by popcount(A & B); what state 0 has is what is left
// over. Pairs with a variable of more states, and tables with row weights, are counted row by row.
// Rows go in chunks, so that the chunk's planes and codes stay in the cache for all pairs.

#include <nanobind/stl/optional.h>
#include <nanobind/stl/vector.h>

#include <algorithm>
#include <cstdint>
#include <optional>
#include <vector>

#include "arrays.hpp"
#include "learner_kernels.hpp"

namespace depnet {
namespace {

constexpr std::int32_t kFewStates = 8;         // beyond, counting row by row is faster
constexpr std::size_t kChunk = 16384;          // rows; a multiple of 512
constexpr std::size_t kMostRows = 0xffffffff;  // that planes are counted for, in 32 bits

template <typename Code>
class Counter {
  public:
    Counter(const Code* codes, std::size_t rows, const std::vector<std::int32_t>& cards,
            const std::int64_t* weights, std::size_t first, std::size_t last, std::int64_t* out)
        : codes_(codes), rows_(rows), cards_(cards), weights_(weights), first_(first), last_(last) {
        for (std::size_t i = first; i < last; ++i)
            for (std::size_t j = i + 1; j < cards.size(); ++j) {
                tables_.push_back(out);
                out += static_cast<std::size_t>(cards[i]) * static_cast<std::size_t>(cards[j]);
            }
        std::fill(tables_.empty() ? out : tables_.front(), out, 0);
        plane_.assign(cards.size() + 1, 0);
        for (std::size_t j = first; j < cards.size(); ++j)
            plane_[j + 1] = plane_[j] + (has_planes(j) ? cards[j] - 1 : 0);
        planes_ = plane_.back();
        band_ = plane_[last];
    }

    void count() {
        const LearnerKernels& kernels = learner_kernels();
        std::vector<std::uint64_t> bits(planes_ * (kChunk / 64));
        std::vector<std::uint32_t> product(band_ * planes_, 0), totals(planes_, 0);
        for (std::size_t begin = 0; begin < rows_; begin += kChunk) {
            const std::size_t count = std::min(kChunk, rows_ - begin);
            if (planes_ != 0) count_planes(kernels, begin, count, bits, product, totals);
            count_rows(begin, count);
        }
        unfold(product, totals);
    }

  private:
    bool has_planes(std::size_t j) const {
        return weights_ == nullptr && rows_ <= kMostRows && cards_[j] <= kFewStates;
    }

    void count_planes(const LearnerKernels& kernels, std::size_t begin, std::size_t count,
                      std::vector<std::uint64_t>& bits, std::vector<std::uint32_t>& product,
                      std::vector<std::uint32_t>& totals) {
        constexpr std::size_t kStride = kChunk / 64, kBand = 32;
        const std::size_t used = (count + 511) / 512 * 8;
        std::vector<std::uint8_t> narrowed(sizeof(Code) == 1 ? 0 : count);
        for (std::size_t j = first_; j < cards_.size(); ++j) {
            if (!has_planes(j) || cards_[j] < 2) continue;
            const Code* column = codes_ + j * rows_ + begin;
            const std::uint8_t* codes;
            if constexpr (sizeof(Code) == 1) {
                codes = column;
            } else {
                std::copy(column, column + count, narrowed.begin());
                codes = narrowed.data();
            }
            for (std::int32_t z = 1; z < cards_[j]; ++z) {
                std::uint64_t* plane = bits.data() + (plane_[j] + z - 1) * kStride;
                kernels.pack_equal(codes, count, static_cast<std::uint8_t>(z), plane);
                std::fill(plane + (count + 63) / 64, plane + used, 0);
            }
        }
        for (std::size_t p = 0; p < planes_; ++p) {
            const std::uint64_t* plane = bits.data() + p * kStride;
            kernels.popcount_product(plane, kStride, 1, plane, kStride, 1, used, &totals[p], 1);
        }
        for (std::size_t a = 0; a < band_; a += kBand)
            kernels.popcount_product(bits.data() + a * kStride, kStride, std::min(kBand, band_ - a),
                                     bits.data() + a * kStride, kStride, planes_ - a, used,
                                     product.data() + a * planes_ + a, planes_);
    }

    // The pairs that planes do not count.
    void count_rows(std::size_t begin, std::size_t count) {
        std::size_t pair = 0;
        for (std::size_t i = first_; i < last_; ++i)
            for (std::size_t j = i + 1; j < cards_.size(); ++j, ++pair) {
                if (has_planes(i) && has_planes(j)) continue;
                const Code *a = codes_ + i * rows_ + begin, *b = codes_ + j * rows_ + begin;
                std::int64_t* table = tables_[pair];
                const auto states = static_cast<std::size_t>(cards_[j]);
                if (weights_ == nullptr)
                    for (std::size_t r = 0; r < count; ++r) ++table[a[r] * states + b[r]];
                else
                    for (std::size_t r = 0; r < count; ++r)
                        table[a[r] * states + b[r]] += weights_[begin + r];
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
                std::int64_t none = static_cast<std::int64_t>(rows_);
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

    const Code* codes_;
    std::size_t rows_;
    const std::vector<std::int32_t>& cards_;
    const std::int64_t* weights_;
    std::size_t first_, last_;
    std::vector<std::int64_t*> tables_;  // of the pairs (i, j), first <= i < last, i < j
    std::vector<std::size_t> plane_;     // a variable's first plane, counted from variable `first`
    std::size_t planes_ = 0, band_ = 0;  // of all variables, and of those before `last`
};

template <typename Code>
void pair_counts(Codes<Code> codes, const std::vector<std::int32_t>& cardinalities,
                 std::optional<In1<std::int64_t>> weights, std::size_t first, std::size_t last,
                 Out1<std::int64_t> out) {
    nb::gil_scoped_release release;
    Counter<Code>(codes.data(), codes.shape(0), cardinalities, weights ? weights->data() : nullptr,
                  first, last, out.data())
        .count();
}

template <typename Code>
void bind(nb::module_& m, const char* doc) {
    m.def("pair_counts", &pair_counts<Code>, nb::arg("codes").noconvert(), nb::arg("cardinalities"),
          nb::arg("weights").none(), nb::kw_only(), nb::arg("first"), nb::arg("last"),
          nb::arg("out").noconvert(), doc);
}

}  // namespace
}  // namespace depnet

NB_MODULE(pair_counts, m) {
    depnet::bind<std::uint8_t>(
        m,
        R"(Write the 2-way counts of the pairs (i, j), first <= i < last and i < j, one after another.

`codes` is [N, n], column-major. A table is [x_i, x_j], row-major; tables stand in the order of (i, j).)");
    depnet::bind<std::uint16_t>(m, "");
}
