// Trees of the place of a number within its bin, given the levels of other variables.
//
// The values that a bin keeps are its m places, 0..m-1; all values that a variable keeps, bin after
// bin, are its levels. A tree of one bin is grown from the rows in it: a node takes the test of
// another variable, level <= t of a number or level = t of a category, with the largest
//
//   S1^2 / n1 + S0^2 / n0 - S^2 / n,
//
// S the sum of the places of n rows: what it takes off their squared error. A leaf keeps the law of
// the place as nine knots, its quantiles at 0, 1/8, ..., 1, in eighths of a place: place p is the
// interval from 8 p to 8 (p + 1), and rows are spread evenly over theirs.

#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include <algorithm>
#include <cstdint>
#include <tuple>
#include <utility>
#include <vector>

#include "arrays.hpp"

namespace depnet {
namespace {

constexpr std::int32_t kLeaf = -1;
constexpr int kParts = 8;  // of a law between its knots, and of a place

using Levels =
    nb::ndarray<nb::numpy, const std::int32_t, nb::ndim<2>, nb::f_contig, nb::device::cpu>;
using Words = std::vector<std::int32_t>;

struct Test {
    std::int32_t variable = kLeaf, threshold = 0;
    double gain = 0.0;
};

struct Growing {
    std::size_t least;
    double pays;
};

struct Span {
    std::size_t node, first, last;
};

class Grower {
  public:
    Grower(const Levels& levels, const std::vector<std::uint8_t>& equal, const Words& sizes,
           const std::int32_t* place, Words rows, const Growing& how)
        : levels_(levels.data()),
          stride_(levels.shape(0)),
          equal_(equal),
          sizes_(sizes),
          place_(place),
          rows_(std::move(rows)),
          how_(how) {
        const auto most = std::max_element(sizes.begin(), sizes.end());
        counts_.assign(static_cast<std::size_t>(*most), 0);
        sums_.assign(static_cast<std::size_t>(*most), 0);
    }

    void grow() {
        std::vector<Span> open{{add_node(), 0, rows_.size()}};
        while (!open.empty()) {
            const Span span = open.back();
            open.pop_back();
            const Test best = find_test(span.first, span.last);
            variable[span.node] = best.variable;
            threshold[span.node] = best.threshold;
            if (best.variable == kLeaf) {
                child[span.node] = static_cast<std::int32_t>(knots.size() / (kParts + 1));
                add_knots(span.first, span.last);
                continue;
            }
            const auto begin = rows_.begin();
            const auto middle = std::stable_partition(
                begin + static_cast<std::ptrdiff_t>(span.first),
                begin + static_cast<std::ptrdiff_t>(span.last), [&](std::int32_t row) {
                    const std::int32_t level = column(best.variable)[row];
                    return equal_[static_cast<std::size_t>(best.variable)]
                               ? level == best.threshold
                               : level <= best.threshold;
                });
            const auto at = static_cast<std::size_t>(middle - begin);
            const std::size_t inside = add_node(), outside = add_node();
            child[span.node] = static_cast<std::int32_t>(inside);
            open.push_back({outside, at, span.last});
            open.push_back({inside, span.first, at});
        }
    }

    Words variable, threshold, child, knots;

  private:
    std::size_t add_node() {
        variable.push_back(kLeaf);
        threshold.push_back(0);
        child.push_back(0);
        return variable.size() - 1;
    }

    const std::int32_t* column(std::int32_t j) const {
        return levels_ + static_cast<std::size_t>(j) * stride_;
    }

    Test find_test(std::size_t first, std::size_t last) {
        Test best;
        const std::size_t n = last - first;
        if (n < 2 * how_.least) return best;
        std::int64_t all = 0, squares = 0;
        for (std::size_t k = first; k < last; ++k) {
            const std::int64_t p = place_[rows_[k]];
            all += p;
            squares += p * p;
        }
        const double rows = static_cast<double>(n), sum = static_cast<double>(all);
        const double error = static_cast<double>(squares) - sum * sum / rows;
        best.gain = how_.pays * error / rows;
        for (std::int32_t j = 0; j < static_cast<std::int32_t>(sizes_.size()); ++j) {
            const std::int32_t* level = column(j);
            std::int32_t low = sizes_[static_cast<std::size_t>(j)], high = -1;
            for (std::size_t k = first; k < last; ++k) {
                const std::int32_t row = rows_[k], at = level[row];
                low = std::min(low, at);
                high = std::max(high, at);
                counts_[static_cast<std::size_t>(at)] += 1;
                sums_[static_cast<std::size_t>(at)] += place_[row];
            }
            look_at(j, low, high, n, all, best);
            std::fill(counts_.begin() + low, counts_.begin() + high + 1, 0);
            std::fill(sums_.begin() + low, sums_.begin() + high + 1, 0);
        }
        return best;
    }

    // The tests of variable j, whose counts and sums by level lie in low..high.
    void look_at(std::int32_t j, std::int32_t low, std::int32_t high, std::size_t n,
                 std::int64_t all, Test& best) const {
        const bool single = equal_[static_cast<std::size_t>(j)] != 0;
        const double sum = static_cast<double>(all), rows = static_cast<double>(n);
        const double whole = sum * sum / rows;
        std::size_t count = 0;
        std::int64_t part = 0;
        for (std::int32_t t = low; t <= high; ++t) {
            const auto at = static_cast<std::size_t>(t);
            if (counts_[at] == 0) continue;
            count = static_cast<std::size_t>(counts_[at]) + (single ? 0 : count);
            part = sums_[at] + (single ? 0 : part);
            if (count < how_.least || n - count < how_.least) continue;
            const double inside = static_cast<double>(part), outside = sum - inside;
            const double gain = inside * inside / static_cast<double>(count) +
                                outside * outside / static_cast<double>(n - count) - whole;
            if (gain > best.gain) best = {j, t, gain};
        }
    }

    void add_knots(std::size_t first, std::size_t last) {
        std::vector<std::int64_t> count;
        for (std::size_t k = first; k < last; ++k) {
            const auto p = static_cast<std::size_t>(place_[rows_[k]]);
            if (p >= count.size()) count.resize(p + 1, 0);
            ++count[p];
        }
        std::size_t p = 0;
        while (count[p] == 0) ++p;
        knots.push_back(static_cast<std::int32_t>(kParts * p));
        const auto n = static_cast<std::int64_t>(last - first);
        std::int64_t before = 0;  // rows at lower places
        for (std::int64_t j = 1; j <= kParts; ++j) {
            while (kParts * (before + count[p]) < j * n) before += count[p++];
            const std::int64_t twice = 2 * (j * n - kParts * before);
            const auto into = (twice + count[p]) / (2 * count[p]);
            knots.push_back(
                static_cast<std::int32_t>(kParts * static_cast<std::int64_t>(p) + into));
        }
    }

    const std::int32_t* levels_;
    std::size_t stride_;
    const std::vector<std::uint8_t>& equal_;
    const Words& sizes_;
    const std::int32_t* place_;
    Words rows_;
    Growing how_;
    std::vector<std::int64_t> counts_, sums_;
};

using Grown = std::tuple<Array1<std::int32_t>, Array1<std::int32_t>, Array1<std::int32_t>,
                         Array1<std::int32_t>>;

Grown grow(const Levels& levels, const std::vector<std::uint8_t>& equal, const Words& sizes,
           const In1<std::int32_t>& place, const In1<std::int32_t>& members, std::size_t least,
           double pays) {
    Words variable, threshold, child, knots;
    {
        const nb::gil_scoped_release released;
        Grower grower(levels, equal, sizes, place.data(), copied(members), {least, pays});
        grower.grow();
        variable = std::move(grower.variable);
        threshold = std::move(grower.threshold);
        child = std::move(grower.child);
        knots = std::move(grower.knots);
    }
    return Grown(to_numpy(std::move(variable)), to_numpy(std::move(threshold)),
                 to_numpy(std::move(child)), to_numpy(std::move(knots)));
}

// Where the law with these knots has the level u, in eighths of a place.
double quantile(const std::int32_t* knots, double u) {
    const double at = u * kParts;
    const int j = std::min(static_cast<int>(at), kParts - 1);
    return knots[j] + (at - j) * (knots[j + 1] - knots[j]);
}

// The share of the law below x eighths.
double share_below(const std::int32_t* knots, std::int32_t x) {
    if (x <= knots[0]) return 0.0;
    if (x >= knots[kParts]) return 1.0;
    int j = 0;
    while (x >= knots[j + 1]) ++j;
    return (j + static_cast<double>(x - knots[j]) / (knots[j + 1] - knots[j])) / kParts;
}

// A place from low to high - 1 by the law with these knots, given that it is one of them.
std::int32_t drawn_place(const std::int32_t* knots, double u, std::int32_t low, std::int32_t high) {
    const double below = share_below(knots, kParts * low);
    const double inside = share_below(knots, kParts * high) - below;
    if (!(inside > 1e-9)) return low + static_cast<std::int32_t>(u * (high - low));
    const double x = quantile(knots, below + u * inside);
    return std::clamp(static_cast<std::int32_t>(x / kParts), low, high - 1);
}

void draw(const Out2<std::int32_t>& levels, std::int32_t column, const In1<std::int32_t>& bins,
          const In1<std::int32_t>& roots, const In1<std::int32_t>& variable,
          const In1<std::int32_t>& threshold, const In1<std::int32_t>& child,
          const In1<std::int32_t>& knots, const In1<std::uint8_t>& equal,
          const In1<std::int32_t>& first, const In1<std::int32_t>& low,
          const In1<std::int32_t>& high, const In1<std::int32_t>& same, const In1<double>& random,
          const Out1<std::int32_t>& out) {
    const nb::gil_scoped_release released;
    for (std::size_t r = 0; r < bins.shape(0); ++r) {
        const std::int32_t bin = bins.data()[r];
        if (bin < 0) continue;
        std::int32_t* row = levels.data() + r * levels.shape(1);
        const double u = random.data()[r];
        const std::int32_t from = low.data()[bin], to = high.data()[bin];
        std::int32_t place, node = roots.data()[bin];
        if (node < 0) {
            place = from + static_cast<std::int32_t>(u * (to - from));
        } else {
            std::int32_t j;
            while ((j = variable.data()[node]) != kLeaf) {
                const bool in = equal.data()[j] ? row[j] == threshold.data()[node]
                                                : row[j] <= threshold.data()[node];
                node = child.data()[node] + !in;
            }
            const std::int32_t* law = knots.data() + child.data()[node] * (kParts + 1);
            place = drawn_place(law, u, from, to);
        }
        const std::int32_t level = first.data()[bin] + place;
        out.data()[r] = level;
        row[column] = same.data()[level];
    }
}

}  // namespace

NB_MODULE(within, m) {
    using namespace nb::literals;
    m.doc() = "Trees of the place of a number within its bin.";
    m.def("grow", &grow, "levels"_a, "equal"_a, "sizes"_a, "place"_a, "members"_a, nb::kw_only(),
          "least"_a, "pays"_a,
          "A tree of some rows of `levels` [N, n], column-major: (variable, threshold, child, "
          "knots).\n\n"
          "`place` [N] is what is told; `equal` and `sizes` say of each variable whether it is a "
          "category, and how many levels it has.\nA split leaves `least` rows on both sides, and "
          "takes more than `pays` times the mean squared error off the sum.\nNode t tests level "
          "<= threshold[t], or = threshold[t], of variable[t]; rows that pass go to child[t], "
          "others to the next node.\nWhere variable[t] is -1, child[t] is the number of a leaf, "
          "whose nine knots follow those of the leaf before.");
    m.def("draw", &draw, "levels"_a, "column"_a, "bins"_a, "roots"_a, "variable"_a, "threshold"_a,
          "child"_a, "knots"_a, "equal"_a, "first"_a, "low"_a, "high"_a, "same"_a, "random"_a,
          "out"_a,
          "Write a level of `column` for each row of `levels` [N, n], row-major, whose bin is not "
          "below 0; the row has it then, as `same` says.\n\n"
          "In bin k the tree begins at node roots[k] (below 0: there is none, and all places are "
          "as likely), its first level is first[k],\nand places from low[k] to high[k] - 1 may be "
          "drawn.");
}

}  // namespace depnet
