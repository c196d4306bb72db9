// A leaf L_y while a node's information source is grown.
#pragma once

#include <sys/mman.h>

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

// Memory for row numbers. Long lists come and go in all sizes, and between them what is kept for
// long: in one heap they would leave holes, several times the rows. So long ones are pages of their
// own, which go back to the system at once.
class RowMemory {
  public:
    static std::uint32_t* get(std::size_t size) {
        if (size < kLong) return new std::uint32_t[size];
        void* pages = mmap(nullptr, size * sizeof(std::uint32_t), PROT_READ | PROT_WRITE,
                           MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
        if (pages == MAP_FAILED) throw std::bad_alloc();
        return static_cast<std::uint32_t*>(pages);
    }
    static void give_back(std::uint32_t* rows, std::size_t size) {
        if (size < kLong)
            delete[] rows;
        else
            munmap(rows, size * sizeof(std::uint32_t));
    }

  private:
    static constexpr std::size_t kLong = 1 << 17;  // 512 KB
};

// Row numbers, not initialised: a vector would fill them with zeros first.
class RowList {
  public:
    RowList() = default;
    explicit RowList(std::size_t size) : rows_(RowMemory::get(size)), size_(size) {}
    RowList(RowList&& other) noexcept { swap(other); }
    RowList& operator=(RowList&& other) noexcept {
        RowList old(std::move(other));
        swap(old);
        return *this;
    }
    ~RowList() {
        if (rows_) RowMemory::give_back(rows_, size_);
    }
    std::size_t size() const { return size_; }
    bool empty() const { return size_ == 0; }
    std::uint32_t* data() { return rows_; }
    const std::uint32_t* data() const { return rows_; }
    const std::uint32_t* begin() const { return rows_; }
    const std::uint32_t* end() const { return rows_ + size_; }
    std::uint32_t operator[](std::size_t i) const { return rows_[i]; }

  private:
    void swap(RowList& other) noexcept {
        std::swap(rows_, other.rows_);
        std::swap(size_, other.size_);
    }

    std::uint32_t* rows_ = nullptr;
    std::size_t size_ = 0;
};

// A vector of counts whose new elements are not set to zero: whoever resizes it counts anew.
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
