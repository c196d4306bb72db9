// Recorded split and merge operations compiled into a directed acyclic graph. Slow twin:
// tests/reference/decision_graph.py.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <vector>

namespace depnet {

constexpr std::uint8_t kSplit = 0, kMerge = 1;

namespace compiling {

constexpr std::int32_t kLeaf = -1;

// The leaves in the paper's numbering, as places in the order of their making: both operations
// remove one leaf, later ones shift left, and new ones are appended. A tree of counts (Fenwick's)
// finds and removes leaf y in logarithmic time, where erasing from an array would move all later
// leaves.
class Leaves {
  public:
    explicit Leaves(std::size_t places) : alive_below_(places + 1, 0) {
        while (2 * top_ <= places) top_ *= 2;
    }

    void append() {
        ++made_;
        for (std::size_t p = made_; p < alive_below_.size(); p += p & (~p + 1)) ++alive_below_[p];
    }

    std::size_t place_of(std::int32_t y) const {
        std::size_t before = 0;
        std::int32_t left = y;
        for (std::size_t step = top_; step > 0; step /= 2) {
            if (before + step < alive_below_.size() && alive_below_[before + step] <= left) {
                before += step;
                left -= alive_below_[before];
            }
        }
        return before;
    }

    void remove(std::size_t place) {
        for (std::size_t p = place + 1; p < alive_below_.size(); p += p & (~p + 1))
            --alive_below_[p];
    }

  private:
    std::vector<std::int32_t> alive_below_;
    std::size_t made_ = 0;
    std::size_t top_ = 1;
};

// Vertices made while operations are replayed; a vertex is a leaf until it is split, and its place
// among the leaves is its own number. A merge makes one leaf an alias of another, so that both
// paths lead to one vertex: that is what makes the graph a DAG and not a tree.
struct Builder {
    std::vector<std::int32_t> variable;
    std::vector<std::int32_t> begin;
    std::vector<std::int32_t> branches;
    std::vector<std::int32_t> alias;
    std::vector<std::int32_t> children;
    Leaves leaves;

    explicit Builder(std::size_t vertices) : leaves(vertices) { new_leaf(); }

    std::int32_t find(std::int32_t v) {
        while (alias[v] != v) v = alias[v] = alias[alias[v]];
        return v;
    }

    std::int32_t new_leaf() {
        const auto v = static_cast<std::int32_t>(variable.size());
        variable.push_back(kLeaf);
        begin.push_back(0);
        branches.push_back(0);
        alias.push_back(v);
        leaves.append();
        return v;
    }

    // Eq. newYsplit: leaf y is removed, later leaves shift left, the new ones are appended.
    void split(std::int32_t y, std::int32_t j, std::int32_t cardinality) {
        const auto v = static_cast<std::int32_t>(leaves.place_of(y));
        leaves.remove(v);
        variable[v] = j;
        begin[v] = static_cast<std::int32_t>(children.size());
        branches[v] = cardinality;
        for (std::int32_t s = 0; s < cardinality; ++s) children.push_back(new_leaf());
    }

    // Eq. newYmerge: leaf y1 joins leaf y0, later leaves shift left.
    void merge(std::int32_t y0, std::int32_t y1) {
        const auto joined = static_cast<std::int32_t>(leaves.place_of(y1));
        alias[joined] = static_cast<std::int32_t>(leaves.place_of(y0));
        leaves.remove(joined);
    }
};

// Children are resolved before parents, since a child is never older than its parent unless by an
// alias, and an alias points at a leaf that was alive at the time. So one depth-first pass from the
// root, numbering what it meets, drops aliases, unreachable vertices and tests all of whose
// branches lead to one vertex (what is left of a split that was merged back).
struct Flattener {
    Builder& made;
    // vertex -> vertex it stands for after dropping empty tests
    std::vector<std::int32_t> final_of;

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
            const std::int32_t k = made.branches[v];
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

}  // namespace compiling

// The graph as flat arrays; vertex 0 is the root. Vertex v with variable[v] >= 0 tests that
// variable and goes on to children[begin[v] + code]; one with variable[v] == -1 is the leaf
// begin[v].
struct CompiledGraph {
    std::vector<std::int32_t> variable, begin, children;
};

// `branches(t)` is the number of states of the variable that operation t splits by.
template <typename Branches>
CompiledGraph compile_operations(const std::uint8_t* kinds, const std::int32_t* first,
                                 const std::int32_t* second, std::size_t operations,
                                 Branches&& branches) {
    using namespace compiling;
    CompiledGraph graph;
    auto& [variable, begin, children] = graph;
    std::size_t vertices = 1;
    for (std::size_t t = 0; t < operations; ++t)
        if (kinds[t] == kSplit) vertices += static_cast<std::size_t>(branches(t));
    Builder made(vertices);
    for (std::size_t t = 0; t < operations; ++t) {
        if (kinds[t] == kSplit)
            made.split(first[t], second[t], branches(t));
        else
            made.merge(first[t], second[t]);
    }
    std::vector<std::int32_t> leaf_number(made.variable.size(), -1);
    std::int32_t leaves = 0;  // those neither split nor merged into another, as they were made
    for (std::size_t v = 0; v < made.variable.size(); ++v)
        if (made.variable[v] == kLeaf && made.alias[v] == static_cast<std::int32_t>(v))
            leaf_number[v] = leaves++;

    Flattener flat{made, std::vector<std::int32_t>(made.variable.size(), -1)};
    const std::int32_t root = flat.resolve(made.find(0));

    std::vector<std::int32_t> number(made.variable.size(), -1);
    std::vector<std::int32_t> order{root};
    number[root] = 0;
    for (std::size_t at = 0; at < order.size(); ++at) {  // breadth first: near vertices together
        const std::int32_t v = order[at];
        variable.push_back(made.variable[v]);
        if (made.variable[v] == kLeaf) {
            begin.push_back(leaf_number[v]);
            continue;
        }
        begin.push_back(static_cast<std::int32_t>(children.size()));
        for (std::int32_t s = 0; s < made.branches[v]; ++s) {
            const std::int32_t child = made.children[made.begin[v] + s];
            if (number[child] == -1) {
                number[child] = static_cast<std::int32_t>(order.size());
                order.push_back(child);
            }
            children.push_back(number[child]);
        }
    }
    return graph;
}

}  // namespace depnet
