// Regression trees with random tests, whose leaves keep the rows that came to them.
//
// A node of a tree looks at one random test a variable: x <= v of a number, or all that is below v,
// and x = v of a category, where v is what a random row of the node has. It takes the test that
// leaves the least squared error of the target within its two parts, which is the one with the
// largest
//
//   |S1|^2 / n1 + |S0|^2 / n0,
//
// S the sum of the target over the n rows of a part; a target of K states is a vector of K
// indicators, and the squared error Gini's. A node is a leaf where no test leaves `least` rows on
// both sides, or the target is one value.

#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>
#include <tuple>
#include <utility>
#include <vector>

#include "arrays.hpp"
#include "splitmix.hpp"

namespace depnet {
namespace {

enum Kind : std::int64_t { kLeaf = 0, kAtMost = 1, kEqual = 2 };

// A node as two words, its threshold and the rest: one place in memory for a row to go through.
struct Node {
    double threshold;
    std::int64_t child, variable, kind;

    static Node read(const std::int64_t* words) {
        return {std::bit_cast<double>(words[0]), words[1] >> 32, (words[1] >> 2) & 0x3fffffff,
                words[1] & 3};
    }
    void write(std::int64_t* words) const {
        words[0] = std::bit_cast<std::int64_t>(threshold);
        words[1] = child << 32 | variable << 2 | kind;
    }
};

struct Test {
    std::size_t place = 0;  // among the readable variables
    Kind kind = kLeaf;
    double v = 0.0, worth = 0.0;
};

struct Span {
    std::size_t node, first, last;
};

struct Growing {
    std::size_t states, least;
    std::uint64_t seed;
};

class Tree {
  public:
    // The readable columns of the members are copied: a node then reads little memory.
    Tree(const double* values, std::size_t rows, const std::vector<std::int32_t>& readable,
         const std::vector<std::uint8_t>& categorical, const double* target,
         const In1<std::int32_t>& members, const Growing& how)
        : readable_(readable), categorical_(categorical), how_(how), size_(members.size()) {
        local_.resize(readable.size() * size_);
        for (std::size_t d = 0; d < readable.size(); ++d) {
            const double* column = values + static_cast<std::size_t>(readable[d]) * rows;
            for (std::size_t k = 0; k < size_; ++k)
                local_[d * size_ + k] = column[members.data()[k]];
        }
        place.resize(size_);
        own_.resize(size_);
        for (std::size_t k = 0; k < size_; ++k) {
            place[k] = static_cast<std::int32_t>(k);
            own_[k] = target[members.data()[k]];
        }
    }

    void grow() {
        std::vector<Span> open{{add_node(), 0, size_}};
        while (!open.empty()) {
            const Span span = open.back();
            open.pop_back();
            const Test best = find_test(span.first, span.last);
            if (best.kind == kLeaf) {
                Node{0.0, static_cast<std::int64_t>(begin.size() / 2), 0, kLeaf}.write(
                    &nodes[2 * span.node]);
                begin.push_back(static_cast<std::int32_t>(span.first));
                begin.push_back(static_cast<std::int32_t>(span.last));
                continue;
            }
            const std::size_t middle = divide(best, span.first, span.last);
            const std::size_t inside = add_node(), outside = add_node();
            Node{best.v, static_cast<std::int64_t>(inside), readable_[best.place], best.kind}.write(
                &nodes[2 * span.node]);
            open.push_back({inside, span.first, middle});
            open.push_back({outside, middle, span.last});
        }
    }

    std::vector<std::int64_t> nodes;
    std::vector<std::int32_t> begin;  // of leaves: the first of its members, and the end of them
    std::vector<std::int32_t> place;  // among the members as they were given, leaf after leaf

  private:
    std::size_t add_node() {
        nodes.insert(nodes.end(), {0, 0});
        return nodes.size() / 2 - 1;
    }

    std::size_t draw(std::size_t below) { return splitmix(how_.seed, drawn_++) % below; }

    Test find_test(std::size_t first, std::size_t last) {
        Test best;
        if (last - first < 2 * how_.least || pure(first, last)) return best;
        double all = 0.0;
        for (std::size_t k = first; k < last; ++k) all += own_[k];
        for (std::size_t d = 0; d < readable_.size(); ++d) {
            const double* column = &local_[d * size_];
            Test test{d, kEqual, column[place[first + draw(last - first)]], 0.0};
            if (!categorical_[static_cast<std::size_t>(readable_[d])]) {
                test.kind = kAtMost;
                if (draw(2))
                    test.v = std::nextafter(test.v, -std::numeric_limits<double>::infinity());
            }
            test.worth = how_.states == 0 ? worth_of_number(test, column, first, last, all)
                                          : worth_of_states(test, column, first, last);
            if (test.worth > best.worth) best = test;
        }
        return best;
    }

    bool pure(std::size_t first, std::size_t last) const {
        for (std::size_t k = first + 1; k < last; ++k)
            if (own_[k] != own_[first]) return false;
        return true;
    }

    bool passes(const Test& test, double x) const {
        return test.kind == kAtMost ? x <= test.v : x == test.v;
    }

    // Beyond that of the undivided node; 0 where a part is too small. Four sums, so that none waits
    // for the one before.
    double worth_of_number(const Test& test, const double* column, std::size_t first,
                           std::size_t last, double all) const {
        double sums[4] = {0.0, 0.0, 0.0, 0.0};
        std::size_t counts[4] = {0, 0, 0, 0};
        const auto add = [&](auto pass) {
            std::size_t k = first;
            for (; k + 4 <= last; k += 4)
                for (std::size_t a = 0; a < 4; ++a) {
                    const bool in = pass(column[place[k + a]]);
                    counts[a] += in;
                    sums[a] += static_cast<double>(in) * own_[k + a];
                }
            for (; k < last; ++k) {
                const bool in = pass(column[place[k]]);
                counts[0] += in;
                sums[0] += static_cast<double>(in) * own_[k];
            }
        };
        const double v = test.v;
        if (test.kind == kAtMost)
            add([v](double x) { return x <= v; });
        else
            add([v](double x) { return x == v; });
        const std::size_t count = counts[0] + counts[1] + counts[2] + counts[3];
        const std::size_t rest = last - first - count;
        if (count < how_.least || rest < how_.least) return 0.0;
        const double inside = (sums[0] + sums[1]) + (sums[2] + sums[3]);
        const double outside = all - inside;
        return inside * inside / static_cast<double>(count) +
               outside * outside / static_cast<double>(rest) -
               all * all / static_cast<double>(last - first);
    }

    double worth_of_states(const Test& test, const double* column, std::size_t first,
                           std::size_t last) {
        counts_.assign(2 * how_.states, 0.0);
        std::size_t count = 0;
        for (std::size_t k = first; k < last; ++k) {
            const bool in = passes(test, column[place[k]]);
            count += in;
            counts_[static_cast<std::size_t>(own_[k]) * 2 + in] += 1.0;
        }
        const std::size_t rest = last - first - count;
        if (count < how_.least || rest < how_.least) return 0.0;
        double in = 0.0, out = 0.0, all = 0.0;
        for (std::size_t x = 0; x < how_.states; ++x) {
            const double a = counts_[2 * x + 1], b = counts_[2 * x];
            in += a * a;
            out += b * b;
            all += (a + b) * (a + b);
        }
        return in / static_cast<double>(count) + out / static_cast<double>(rest) -
               all / static_cast<double>(last - first);
    }

    // Rows that pass come first, in their order, then the others in theirs.
    std::size_t divide(const Test& test, std::size_t first, std::size_t last) {
        const double* column = &local_[test.place * size_];
        kept_.clear();
        kept_own_.clear();
        std::size_t at = first;
        for (std::size_t k = first; k < last; ++k) {
            if (passes(test, column[place[k]])) {
                place[at] = place[k];
                own_[at++] = own_[k];
            } else {
                kept_.push_back(place[k]);
                kept_own_.push_back(own_[k]);
            }
        }
        std::copy(kept_.begin(), kept_.end(), place.begin() + static_cast<std::ptrdiff_t>(at));
        std::copy(kept_own_.begin(), kept_own_.end(),
                  own_.begin() + static_cast<std::ptrdiff_t>(at));
        return at;
    }

    const std::vector<std::int32_t>& readable_;
    const std::vector<std::uint8_t>& categorical_;
    Growing how_;
    std::size_t size_;
    std::uint64_t drawn_ = 0;
    std::vector<double> local_;  // [readable][member]
    std::vector<double> own_;    // the target, in the order of `place`
    std::vector<double> counts_;
    std::vector<std::int32_t> kept_;
    std::vector<double> kept_own_;
};

using Values = nb::ndarray<nb::numpy, const double, nb::ndim<2>, nb::f_contig, nb::device::cpu>;

using Grown = std::tuple<Array1<std::int64_t>, Array1<std::int32_t>, Array1<std::int32_t>>;

Grown grow(const Values& values, const std::vector<std::int32_t>& readable,
           const std::vector<std::uint8_t>& categorical, const In1<double>& target,
           const In1<std::int32_t>& members, std::size_t states, std::size_t least,
           std::uint64_t seed) {
    std::vector<std::int64_t> nodes;
    std::vector<std::int32_t> begin, place;
    {
        const nb::gil_scoped_release released;
        Tree tree(values.data(), values.shape(0), readable, categorical, target.data(), members,
                  {states, least, seed});
        tree.grow();
        nodes = std::move(tree.nodes);
        begin = std::move(tree.begin);
        place = std::move(tree.place);
    }
    return Grown(to_numpy(std::move(nodes)), to_numpy(std::move(begin)),
                 to_numpy(std::move(place)));
}

void leaves(const In2<double>& values, const In1<std::int64_t>& nodes,
            const Out1<std::int32_t>& out) {
    const nb::gil_scoped_release released;
    for (std::size_t k = 0; k < values.shape(0); ++k) {
        const double* row = values.data() + k * values.shape(1);
        Node node = Node::read(nodes.data());
        while (node.kind != kLeaf) {
            const double x = row[node.variable];
            const bool in = node.kind == kAtMost ? x <= node.threshold : x == node.threshold;
            node = Node::read(nodes.data() + 2 * (node.child + !in));
        }
        out.data()[k] = static_cast<std::int32_t>(node.child);
    }
}

}  // namespace

NB_MODULE(forest, m) {
    using namespace nb::literals;
    m.doc() = "Regression trees with random tests.";
    m.def("grow", &grow, "values"_a, "readable"_a, "categorical"_a, "target"_a, "members"_a,
          nb::kw_only(), "states"_a, "least"_a, "seed"_a,
          "A tree of some rows of `values` [N, n], column-major: (nodes, begin, place).\n\n"
          "`target` [N] is a number of each row, or with `states` above 0 a code; `members` are "
          "the rows, repeated where they were drawn so.\nA node is two words, the bits of its "
          "threshold, and child << 32 | variable << 2 | kind: 0 a leaf, 1 x <= threshold, 2 x = "
          "threshold.\n`child` is the node of rows that pass (the others' is the next), or a "
          "leaf's number, whose members are those at the places\nplace[begin[2 leaf]] to "
          "place[begin[2 leaf + 1] - 1].");
    m.def("leaves", &leaves, "values"_a, "nodes"_a, "out"_a,
          "Write the leaf of each row of `values` [N, n], row-major.");
}

}  // namespace depnet
