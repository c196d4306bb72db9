// Trees of the place of a number within its bin, given the levels of other variables.
//
// The values that a bin keeps are its m places, 0..m-1; all values that a variable keeps, bin after
// bin, are its levels. A tree of one bin is grown from the rows in it: a node takes the test of
// another variable, level <= t of a number or level = t of a category, with the largest
//
//   S1^2 / n1 + S0^2 / n0 - S^2 / n,
//
// S the sum of the places of n rows: what it takes off their squared error. A leaf keeps the shares
// of its rows that are at each place, in 256ths: of those at places up to p, rounded to the
// nearest.

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
constexpr std::int64_t kWhole = 256;  // of the shares of a leaf, in all

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
    std::size_t places;
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
                child[span.node] = static_cast<std::int32_t>(shares.size() / how_.places);
                add_shares(span.first, span.last);
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

    Words variable, threshold, child, shares;

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

    void add_shares(std::size_t first, std::size_t last) {
        std::vector<std::int64_t> count(how_.places, 0);
        for (std::size_t k = first; k < last; ++k)
            ++count[static_cast<std::size_t>(place_[rows_[k]])];
        const auto n = static_cast<std::int64_t>(last - first);
        std::int64_t rows = 0, before = 0;
        for (const std::int64_t own : count) {
            rows += own;
            const std::int64_t until = (2 * kWhole * rows + n) / (2 * n);
            shares.push_back(static_cast<std::int32_t>(until - before));
            before = until;
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
           const In1<std::int32_t>& place, const In1<std::int32_t>& members, std::size_t places,
           std::size_t least, double pays) {
    Words variable, threshold, child, shares;
    {
        const nb::gil_scoped_release released;
        Grower grower(levels, equal, sizes, place.data(), copied(members), {least, pays, places});
        grower.grow();
        variable = std::move(grower.variable);
        threshold = std::move(grower.threshold);
        child = std::move(grower.child);
        shares = std::move(grower.shares);
    }
    return Grown(to_numpy(std::move(variable)), to_numpy(std::move(threshold)),
                 to_numpy(std::move(child)), to_numpy(std::move(shares)));
}

void draw(const Out2<std::int32_t>& levels, std::int32_t column, const In1<std::int32_t>& bins,
          const In1<std::int32_t>& roots, const In1<std::int32_t>& variable,
          const In1<std::int32_t>& threshold, const In1<std::int32_t>& child,
          const In1<std::uint8_t>& equal, const In1<std::int32_t>& first,
          const In1<std::int32_t>& sizes, const In2<double>& ends, const In1<std::int32_t>& same,
          const In1<double>& random, const Out1<std::int32_t>& out,
          const Out1<std::int32_t>& laws) {
    const nb::gil_scoped_release released;
    const auto leaves = static_cast<std::int32_t>(ends.shape(0) - roots.shape(0));
    for (std::size_t r = 0; r < bins.shape(0); ++r) {
        const std::int32_t bin = bins.data()[r];
        if (bin < 0) continue;
        std::int32_t* row = levels.data() + r * levels.shape(1);
        std::int32_t node = roots.data()[bin], law = leaves + bin;
        if (node >= 0) {
            std::int32_t j;
            while ((j = variable.data()[node]) != kLeaf) {
                const bool in = equal.data()[j] ? row[j] == threshold.data()[node]
                                                : row[j] <= threshold.data()[node];
                node = child.data()[node] + !in;
            }
            law = child.data()[node];
        }
        const double* begin = ends.data() + static_cast<std::size_t>(law) * ends.shape(1);
        const double* end = begin + ends.shape(1);
        const auto place =
            static_cast<std::int32_t>(std::upper_bound(begin, end, random.data()[r]) - begin);
        const std::int32_t level = first.data()[bin] + std::min(place, sizes.data()[bin] - 1);
        out.data()[r] = level;
        laws.data()[r] = law;
        row[column] = same.data()[level];
    }
}

}  // namespace

NB_MODULE(within, m) {
    using namespace nb::literals;
    m.doc() = "Trees of the place of a number within its bin.";
    m.def("grow", &grow, "levels"_a, "equal"_a, "sizes"_a, "place"_a, "members"_a, nb::kw_only(),
          "places"_a, "least"_a, "pays"_a,
          "A tree of some rows of `levels` [N, n], column-major: (variable, threshold, child, "
          "shares).\n\n"
          "`place` [N] is what is told; `equal` and `sizes` say of each variable whether it is a "
          "category, and how many levels it has.\nA split leaves `least` rows on both sides, and "
          "takes more than `pays` times the mean squared error off the sum.\nNode t tests level "
          "<= threshold[t], or = threshold[t], of variable[t]; rows that pass go to child[t], "
          "others to the next node.\nWhere variable[t] is -1, child[t] is the number of a leaf, "
          "whose shares of `places` places, 256 in all, follow those of the leaf before.");
    m.def("draw", &draw, "levels"_a, "column"_a, "bins"_a, "roots"_a, "variable"_a, "threshold"_a,
          "child"_a, "equal"_a, "first"_a, "sizes"_a, "ends"_a, "same"_a, "random"_a, "out"_a,
          "laws"_a,
          "Write a level of `column` for each row of `levels` [N, n], row-major, whose bin is not "
          "below 0; the row has it then, as `same` says.\n\n"
          "In bin k the tree begins at node roots[k] (below 0: there is none); its levels are the "
          "sizes[k] from first[k] on. `ends` are the cumulated\nlaws of places, of the leaves and "
          "then of the "
          "bins without a tree; `laws` gets the one that a row was drawn by.");
}

}  // namespace depnet
