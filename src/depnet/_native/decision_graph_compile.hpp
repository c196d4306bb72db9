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

// Vertices made while operations are replayed; a vertex is a leaf until it is split. A merge makes
// one leaf an alias of another, so that both paths lead to one vertex: that is what makes the graph
// a DAG and not a tree.
struct Builder {
    std::vector<std::int32_t> variable;
    std::vector<std::int32_t> begin;
    std::vector<std::int32_t> branches;
    std::vector<std::int32_t> alias;
    std::vector<std::int32_t> children;
    std::vector<std::int32_t> leaves{new_leaf()};  // in the paper's numbering

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
        return v;
    }

    // Eq. newYsplit: leaf y is removed, later leaves shift left, the new ones are appended.
    void split(std::int32_t y, std::int32_t j, std::int32_t cardinality) {
        const std::int32_t v = leaves[y];
        leaves.erase(leaves.begin() + y);
        variable[v] = j;
        begin[v] = static_cast<std::int32_t>(children.size());
        branches[v] = cardinality;
        for (std::int32_t s = 0; s < cardinality; ++s) {
            children.push_back(new_leaf());
            leaves.push_back(children.back());
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
    Builder made;
    for (std::size_t t = 0; t < operations; ++t) {
        if (kinds[t] == kSplit)
            made.split(first[t], second[t], branches(t));
        else
            made.merge(first[t], second[t]);
    }
    std::vector<std::int32_t> leaf_number(made.variable.size(), -1);
    for (std::size_t y = 0; y < made.leaves.size(); ++y)
        leaf_number[made.leaves[y]] = static_cast<std::int32_t>(y);

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
