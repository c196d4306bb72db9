// A leaf L_y while a node's information source is grown.
#pragma once

#include <cstdint>
#include <limits>
#include <memory>
#include <new>
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

// A vector whose new elements are not set to zero: whoever makes it fills it.
template <typename T>
struct Unset : std::allocator<T> {
    template <typename U>
    struct rebind {
        using other = Unset<U>;
    };
    template <typename U>
    void construct(U* at) {
        ::new (static_cast<void*>(at)) U;
    }
    template <typename U, typename... Arguments>
    void construct(U* at, Arguments&&... arguments) {
        ::new (static_cast<void*>(at)) U(std::forward<Arguments>(arguments)...);
    }
};
using PlaneCounts = std::vector<std::uint32_t, Unset<std::uint32_t>>;
using RowList = PlaneCounts;

struct Leaf {
    std::int64_t id = 0;
    std::int64_t position = 0;  // the leaf's number now (Eqs. newYsplit and newYmerge)

    // The leaf's rows: a list, or a mask with one bit a row. Where planes are counted, the list
    // goes state by state of the target: those of state s are rows[starts[s]] to rows[starts[s + 1]
    // - 1].
    RowList rows;
    std::vector<std::uint32_t> starts;
    std::vector<std::uint64_t> mask;
    bool unlisted = false;  // all rows of the table, not listed yet
    PlaneCounts ones;       // [s][plane]: rows of state s with the bit set; empty: not counted

    std::vector<Cell> cells;  // ascending states
    std::int64_t count = 0;   // N_y
    double entropy = 0;       // E = T(N_y) - sum of T(N_yx), in nats * rows

    // The best split, or the entropy change of the split by each input where they must all be kept.
    double split_delta = kInfinity;
    std::int32_t split_variable = -1;
    std::vector<double> split_changes;

    // The cells of counts by state of the target.
    template <typename Count>
    void set_cells(const Count* counts, std::int64_t states, const XLogX& xlogx) {
        cells.clear();
        for (std::int64_t s = 0; s < states; ++s)
            if (counts[s] > 0)
                cells.push_back(
                    {static_cast<std::uint32_t>(s), static_cast<std::int64_t>(counts[s])});
        sum_up(xlogx);
    }

    void forget_splits(std::size_t kept) {
        split_delta = kInfinity;
        split_variable = -1;
        split_changes.assign(kept, kInfinity);
    }

    // A new leaf with the cells of both, without rows.
    std::unique_ptr<Leaf> joined(const Leaf& other, const XLogX& xlogx) const;

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

// Calls `use(state, count)` for the cells of two leaves together, ascending.
template <typename Use>
inline void for_joined_cells(const Leaf& a, const Leaf& b, Use&& use) {
    auto i = a.cells.begin(), j = b.cells.begin();
    while (i != a.cells.end() || j != b.cells.end()) {
        if (j == b.cells.end() || (i != a.cells.end() && i->state < j->state)) {
            use(i->state, i->count);
            ++i;
        } else if (i == a.cells.end() || j->state < i->state) {
            use(j->state, j->count);
            ++j;
        } else {
            use(i->state, i->count + j->count);
            ++i, ++j;
        }
    }
}

inline std::unique_ptr<Leaf> Leaf::joined(const Leaf& other, const XLogX& xlogx) const {
    auto both = std::make_unique<Leaf>();
    both->cells.reserve(cells.size() + other.cells.size());
    for_joined_cells(*this, other, [&](std::uint32_t state, std::int64_t n) {
        both->cells.push_back({state, n});
    });
    both->sum_up(xlogx);
    return both;
}

}  // namespace depnet
