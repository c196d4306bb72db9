// The chain on the free domain: its updates as leaf indices and tables, and the walk over contexts.
#pragma once

#include <cstddef>
#include <cstdint>
#include <numeric>
#include <variant>
#include <vector>

namespace depnet::exact {

using Index = std::int64_t;
using Leaves =
    std::variant<std::vector<std::uint8_t>, std::vector<std::uint16_t>, std::vector<std::uint32_t>>;

// Neighbouring axes that an update leaves alone, seen as one axis.
struct Group {
    Index count;
    Index stride;          // in the states of the free domain
    Index context_stride;  // in the contexts of the update
};

// One node: contexts are the joint states of the axes it leaves alone, row-major.
struct Update {
    Index axis;                 // that it updates; -1: one of a single state, which has none
    std::vector<Group> groups;  // outermost first; all of them make up the context
    Index contexts = 1;         // how many
    Index run = 1;              // contexts side by side: the last group, where its stride is 1
    std::vector<Index>
        offsets;    // where each state of the updated axis lies, from its context's base
    Leaves leaves;  // of each context
    std::vector<double> theta;             // [leaf, state]
    std::vector<std::uint8_t> impossible;  // [leaf]
    bool any_impossible = false;

    Index states() const { return static_cast<Index>(offsets.size()); }

    Index leaf_of(Index context) const {
        return std::visit([&](const auto& leaf) { return static_cast<Index>(leaf[context]); },
                          leaves);
    }

    // The context of a joint state, and the state's place `offsets[s]` from the context's base.
    Index context_of(Index x) const {
        Index context = 0;
        for (const Group& g : groups) context += x / g.stride % g.count * g.context_stride;
        return context;
    }

    Index base_of(Index context) const {
        Index base = 0;
        for (const Group& g : groups) base += context / g.context_stride % g.count * g.stride;
        return base;
    }

    // f(base, context) for every run of contexts, in ascending order of contexts.
    template <typename F>
    void for_each_run(F&& f) const {
        const std::size_t outer = groups.size() - (run > 1 ? 1 : 0);
        if (outer == 0) {
            f(Index{0}, Index{0});
            return;
        }
        const Group last = groups[outer - 1];
        const Index rounds = contexts / run / last.count;
        Index context = 0;
        for (Index round = 0; round < rounds; ++round) {
            Index base = outer > 1 ? base_of(context) : 0;
            for (Index i = 0; i < last.count; ++i, base += last.stride, context += run)
                f(base, context);
        }
    }
};

struct Chain {
    std::vector<Index> shape;
    std::vector<Update> updates;
    Index size = 1;

    explicit Chain(std::vector<Index> lengths) : shape(std::move(lengths)) {
        for (const Index k : shape) size *= k;
    }

    void add(Index axis, Leaves leaves, std::vector<double> theta,
             std::vector<std::uint8_t> impossible) {
        Update u;
        const Index n = static_cast<Index>(shape.size());
        std::vector<Index> stride(n + 1, 1);
        for (Index a = n; a-- > 0;) stride[a] = stride[a + 1] * shape[a];
        for (Index a = 0; a < n; ++a) {
            if (a == axis) continue;
            u.contexts *= shape[a];
            if (a > 0 && a - 1 != axis)
                u.groups.back().count *= shape[a];
            else
                u.groups.push_back({shape[a], 0, 0});
            u.groups.back().stride = stride[a + 1];
        }
        Index context_stride = 1;
        for (std::size_t g = u.groups.size(); g-- > 0;) {
            u.groups[g].context_stride = context_stride;
            context_stride *= u.groups[g].count;
        }
        if (!u.groups.empty() && u.groups.back().stride == 1) u.run = u.groups.back().count;
        for (Index s = 0; s < (axis < 0 ? 1 : shape[axis]); ++s)
            u.offsets.push_back(s * stride[axis + 1]);
        for (const std::uint8_t flag : impossible) u.any_impossible = u.any_impossible || flag;
        u.axis = axis;
        u.leaves = std::move(leaves);
        u.theta = std::move(theta);
        u.impossible = std::move(impossible);
        updates.push_back(std::move(u));
    }
};

}  // namespace depnet::exact
