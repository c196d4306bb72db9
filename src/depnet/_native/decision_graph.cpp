// Decision graphs: recorded split and merge operations compiled into a directed acyclic graph, and
// the walk that gives the leaf of every row. Slow twin: tests/reference/decision_graph.py.

#include <nanobind/stl/tuple.h>

#include <algorithm>
#include <cstddef>
#include <numeric>

#include "arrays.hpp"

namespace depnet {
namespace {

constexpr std::uint8_t kSplit = 0;
constexpr std::int32_t kLeaf = -1;

// Vertices made while operations are replayed. A merge makes one leaf an alias of another, so that
// both paths lead to one vertex: that is what makes the graph a DAG and not a tree.
struct Builder {
    std::vector<std::int32_t> variable{kLeaf};
    std::vector<std::int32_t> begin{0};
    std::vector<std::int32_t> alias{0};
    std::vector<std::int32_t> children;
    std::vector<std::int32_t> leaves{0};  // leaf number -> vertex

    std::int32_t find(std::int32_t v) {
        while (alias[v] != v) v = alias[v] = alias[alias[v]];
        return v;
    }

    std::int32_t new_leaf() {
        const auto v = static_cast<std::int32_t>(variable.size());
        variable.push_back(kLeaf);
        begin.push_back(0);
        alias.push_back(v);
        return v;
    }

    // Eq. newYsplit: leaf y is removed, later leaves shift left, the new ones are appended.
    void split(std::int32_t y, std::int32_t j, std::int32_t cardinality) {
        const std::int32_t v = leaves[y];
        leaves.erase(leaves.begin() + y);
        variable[v] = j;
        begin[v] = static_cast<std::int32_t>(children.size());
        for (std::int32_t s = 0; s < cardinality; ++s) {
            const std::int32_t child = new_leaf();
            children.push_back(child);
            leaves.push_back(child);
        }
    }

    // Eq. newYmerge: leaf y1 joins leaf y0, later leaves shift left.
    void merge(std::int32_t y0, std::int32_t y1) {
        alias[leaves[y1]] = leaves[y0];
        leaves.erase(leaves.begin() + y1);
    }
};

// Children are resolved before parents, since a child is never older than its parent unless by an
// alias, and an alias points at a leaf that was alive at the time. So one depth-first pass from the
// root, numbering what it meets, drops aliases, unreachable vertices and tests all of whose
// branches lead to one vertex (what is left of a split that was merged back).
struct Flattener {
    Builder& made;
    const std::vector<std::int32_t>& cardinality_of;
    std::vector<std::int32_t>
        final_of;  // vertex -> vertex it stands for after dropping empty tests

    std::int32_t resolve(std::int32_t root) {
        std::vector<std::int32_t> stack{root};
        while (!stack.empty()) {
            const std::int32_t v = stack.back();
            if (final_of[v] != -1) {
                stack.pop_back();
                continue;
            }
            if (made.variable[v] == kLeaf) {
                final_of[v] = v;
                stack.pop_back();
                continue;
            }
            bool ready = true;
            const std::int32_t k = cardinality_of[made.variable[v]];
            for (std::int32_t s = 0; s < k; ++s) {
                const std::int32_t child = made.find(made.children[made.begin[v] + s]);
                made.children[made.begin[v] + s] = child;
                if (final_of[child] == -1) {
                    stack.push_back(child);
                    ready = false;
                }
            }
            if (!ready) continue;
            bool same = true;
            for (std::int32_t s = 0; s < k; ++s) {
                auto& child = made.children[made.begin[v] + s];
                child = final_of[child];
                same = same && child == made.children[made.begin[v]];
            }
            final_of[v] = same ? made.children[made.begin[v]] : v;
            stack.pop_back();
        }
        return final_of[root];
    }
};

using Flat = std::tuple<nb::ndarray<nb::numpy, std::int32_t, nb::ndim<1>>,
                        nb::ndarray<nb::numpy, std::int32_t, nb::ndim<1>>,
                        nb::ndarray<nb::numpy, std::int32_t, nb::ndim<1>>>;

Flat compile_operations(In1<std::uint8_t> kinds, In1<std::int32_t> first, In1<std::int32_t> second,
                        In1<std::int32_t> cardinalities) {
    std::vector<std::int32_t> variable, begin, children;
    {
        nb::gil_scoped_release release;
        const std::vector<std::int32_t> cards(cardinalities.data(),
                                              cardinalities.data() + cardinalities.size());
        Builder made;
        for (std::size_t t = 0; t < kinds.size(); ++t) {
            if (kinds(t) == kSplit)
                made.split(first(t), second(t), cards[second(t)]);
            else
                made.merge(first(t), second(t));
        }
        std::vector<std::int32_t> leaf_number(made.variable.size(), -1);
        for (std::size_t y = 0; y < made.leaves.size(); ++y)
            leaf_number[made.leaves[y]] = static_cast<std::int32_t>(y);

        Flattener flat{made, cards, std::vector<std::int32_t>(made.variable.size(), -1)};
        const std::int32_t root = flat.resolve(made.find(0));

        std::vector<std::int32_t> number(made.variable.size(), -1);
        std::vector<std::int32_t> order{root};
        number[root] = 0;
        for (std::size_t at = 0; at < order.size();
             ++at) {  // breadth first: near vertices together
            const std::int32_t v = order[at];
            variable.push_back(made.variable[v]);
            if (made.variable[v] == kLeaf) {
                begin.push_back(leaf_number[v]);
                continue;
            }
            begin.push_back(static_cast<std::int32_t>(children.size()));
            for (std::int32_t s = 0; s < cards[made.variable[v]]; ++s) {
                const std::int32_t child = made.children[made.begin[v] + s];
                if (number[child] == -1) {
                    number[child] = static_cast<std::int32_t>(order.size());
                    order.push_back(child);
                }
                children.push_back(number[child]);
            }
        }
    }
    return {to_numpy(std::move(variable)), to_numpy(std::move(begin)),
            to_numpy(std::move(children))};
}

template <typename Code>
void walk(In1<std::int32_t> variable, In1<std::int32_t> begin, In1<std::int32_t> children,
          Codes<Code> codes, Out1<std::int32_t> leaves) {
    nb::gil_scoped_release release;
    const std::int32_t* var = variable.data();
    const std::int32_t* beg = begin.data();
    const std::int32_t* child = children.data();
    const Code* code = codes.data();
    std::int32_t* out = leaves.data();
    const std::size_t rows = codes.shape(0);
    for (std::size_t r = 0; r < rows; ++r) {
        std::int32_t v = 0;
        while (var[v] != kLeaf) v = child[beg[v] + code[var[v] * rows + r]];
        out[r] = beg[v];
    }
}

}  // namespace
}  // namespace depnet

NB_MODULE(decision_graph, m) {
    using namespace depnet;
    m.def("compile_operations", &compile_operations, nb::arg("kinds"), nb::arg("first"),
          nb::arg("second"), nb::arg("cardinalities"));
    m.def("walk", &walk<std::uint8_t>, nb::arg("variable"), nb::arg("begin"), nb::arg("children"),
          nb::arg("codes").noconvert(), nb::arg("leaves").noconvert());
    m.def("walk", &walk<std::uint16_t>, nb::arg("variable"), nb::arg("begin"), nb::arg("children"),
          nb::arg("codes").noconvert(), nb::arg("leaves").noconvert());
}
