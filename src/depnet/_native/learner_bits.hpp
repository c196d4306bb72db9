// The table as bits, made once and shared by all nodes.
//
// Every state but the first of a variable is a *plane*: one bit a row, 1 where the variable has the
// state. (State 0 is what is left.) The planes are kept row by row, for counting the rows of a list
// by carry-save adders, and where they are small also column by column, for counting the rows of a
// mask by popcount. `pairs` counts all pairs of planes over the whole table: the root of every
// node.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <new>
#include <vector>

#include "learner_kernels.hpp"

namespace depnet {

// The coded table as the learner reads it: shared by all nodes and threads, never written after it
// is made.
struct Data {
    std::int64_t rows = 0;
    std::int64_t total = 0;  // N: the sum of the row weights
    std::vector<std::int32_t> cardinalities;
    const std::uint8_t* narrow = nullptr;  // column-major codes: one of the two
    const std::uint16_t* wide = nullptr;
    const std::int64_t* weights = nullptr;  // or none: every row counts once

    std::int32_t variables() const { return static_cast<std::int32_t>(cardinalities.size()); }
    std::int64_t weight(std::uint32_t row) const { return weights ? weights[row] : 1; }

    // Calls `use` with a pointer to the codes of X_j, of whichever width they are.
    template <typename Use>
    void column(std::int32_t j, Use&& use) const {
        if (narrow)
            use(narrow + static_cast<std::int64_t>(j) * rows);
        else
            use(wide + static_cast<std::int64_t>(j) * rows);
    }
};

// Words on a cache line boundary, not initialised.
class Words {
  public:
    Words() = default;
    explicit Words(std::size_t size)
        : words_(static_cast<std::uint64_t*>(
              ::operator new(size * sizeof(std::uint64_t), std::align_val_t{64}))) {}
    std::uint64_t* data() { return words_.get(); }
    const std::uint64_t* data() const { return words_.get(); }
    explicit operator bool() const { return words_ != nullptr; }

  private:
    struct Free {
        void operator()(std::uint64_t* p) const { ::operator delete(p, std::align_val_t{64}); }
    };
    std::unique_ptr<std::uint64_t[], Free> words_;
};

// Some planes row by row: those from `first` on, `words` words a row, which is 1, 2, 4 or a
// multiple of 8.
struct RowBits {
    std::size_t words;
    std::int32_t first;
    Words bits;  // [row][word]

    const std::uint64_t* row(std::size_t r) const { return bits.data() + r * words; }
    std::uint64_t* row(std::size_t r) { return bits.data() + r * words; }
};

constexpr std::int64_t kMostStatesInBits = 32;  // of the target, where planes are counted

struct Bits {
    std::vector<std::int32_t> variables;    // those that have planes, ascending
    std::vector<std::int32_t> place;        // variable -> its place among them, or -1
    std::vector<std::int32_t> first_plane;  // by place, and one past the last plane at the end
    std::int32_t planes = 0;
    bool binary = true;  // every variable with planes has one

    std::size_t row_words = 0;  // of all parts of a row together
    std::vector<RowBits> rows;  // a first part of whole vectors, and what is left over

    std::size_t column_words = 0;  // a multiple of 8
    Words columns;                 // [plane][word], or none

    std::vector<std::uint32_t> pairs;   // [plane][plane], or none
    std::vector<std::uint32_t> totals;  // [plane], where there are pairs

    // The part of the rows that has this plane.
    const RowBits& part(std::int32_t plane) const {
        return plane >= rows.back().first ? rows.back() : rows.front();
    }

    const std::uint64_t* column(std::int32_t plane) const {
        return columns.data() + static_cast<std::size_t>(plane) * column_words;
    }
};

// The planes of X_j for `count` rows from `begin` on, `stride` words apart, the last vector filled
// up with 0. It has at most 256 states.
void pack_planes(const Data& data, const LearnerKernels& kernels, std::int32_t j, std::size_t begin,
                 std::size_t count, std::uint64_t* out, std::size_t stride);

// The vectors of some rows' planes, in words.
constexpr std::size_t words_of(std::size_t rows) { return (rows + 511) / 512 * 8; }

// out[a][b] += the rows that have both planes, for a < `band` and b >= a.
void count_planes(const LearnerKernels& kernels, const std::uint64_t* planes, std::size_t stride,
                  std::size_t band, std::size_t count, std::size_t words, std::uint32_t* out);

// 2-way counts: how many rows have X_i = x and X_j = x', [x][x'], for the pairs first <= i < last
// and i < j, one after another.
void count_pairs(const Data& data, std::size_t first, std::size_t last, std::int64_t* out);

// `poll` is called now and then, and may throw.
Bits make_bits(const Data& data, const LearnerKernels& kernels, const std::function<void()>& poll);

}  // namespace depnet
