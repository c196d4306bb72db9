// A leaf L_y while a node's information source is grown.
#pragma once

#include <cstdint>
#include <limits>
#include <memory>
#include <utility>
#include <vector>

#include "xlogx.hpp"

namespace depnet {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

// How many rows of a leaf have this state of the target; cells with no row are left out, which
// changes no sum, since T(0) = 0.
struct Cell {
    std::uint32_t state;
    std::int64_t count;
};

// Row numbers, not initialised: a vector would fill them with zeros first.
class RowList {
  public:
    RowList() = default;
    explicit RowList(std::size_t size) : rows_(new std::uint32_t[size]), size_(size) {}
    RowList(RowList&& other) noexcept : rows_(std::move(other.rows_)), size_(other.size_) {
        other.size_ = 0;
    }
    RowList& operator=(RowList&& other) noexcept {
        rows_ = std::move(other.rows_);
        size_ = other.size_;
        other.size_ = 0;
        return *this;
    }
    std::size_t size() const { return size_; }
    bool empty() const { return size_ == 0; }
    std::uint32_t* data() { return rows_.get(); }
    const std::uint32_t* data() const { return rows_.get(); }
    const std::uint32_t* begin() const { return rows_.get(); }
    const std::uint32_t* end() const { return rows_.get() + size_; }
    std::uint32_t operator[](std::size_t i) const { return rows_[i]; }

  private:
    std::unique_ptr<std::uint32_t[]> rows_;
    std::size_t size_ = 0;
};

struct Leaf {
    std::int64_t id = 0;
    std::int64_t position = 0;  // the leaf's number now (Eqs. newYsplit and newYmerge)

    // The leaf's rows: a list, or a mask with one bit a row. Where planes are counted, the list
    // goes state by state of the target: those of state s are rows[starts[s]] to rows[starts[s + 1]
    // - 1].
    RowList rows;
    std::vector<std::uint32_t> starts;
    std::vector<std::uint64_t> mask;
    std::vector<std::uint32_t>
        ones;  // [s][plane]: rows of state s with the bit set; empty: not counted

    std::vector<Cell> cells;  // ascending states
    std::int64_t count = 0;   // N_y
    double entropy = 0;       // E = T(N_y) - sum of T(N_yx), in nats * rows

    // The best split, or the entropy change of the split by each input where they must all be kept.
    double split_delta = kInfinity;
    std::int32_t split_variable = -1;
    std::vector<double> split_changes;

    void sum_up(const XLogX& xlogx) {
        count = 0;
        double states = 0.0;
        for (const Cell& cell : cells) {
            count += cell.count;
            states += xlogx(cell.count);
        }
        entropy = xlogx(count) - states;
    }
};

using Leaves = std::vector<std::unique_ptr<Leaf>>;

// The cells of two leaves together.
inline std::vector<Cell> add_cells(const std::vector<Cell>& a, const std::vector<Cell>& b) {
    std::vector<Cell> sum;
    sum.reserve(a.size() + b.size());
    auto i = a.begin(), j = b.begin();
    while (i != a.end() || j != b.end()) {
        if (j == b.end() || (i != a.end() && i->state < j->state)) {
            sum.push_back(*i++);
        } else if (i == a.end() || j->state < i->state) {
            sum.push_back(*j++);
        } else {
            sum.push_back({i->state, i->count + j->count});
            ++i, ++j;
        }
    }
    return sum;
}

}  // namespace depnet
