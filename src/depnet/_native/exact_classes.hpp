// Recurrent classes: strongly connected components that nothing leaves, by Tarjan's algorithm on a
// graph that is never written down.
#pragma once

#include <algorithm>
#include <deque>
#include <limits>

#include "exact_chain.hpp"

namespace depnet::exact {

constexpr std::int32_t kTransient = -1;

// Where the edges of a vertex have been followed to.
struct Edges {
    std::uint32_t update = 0;
    std::uint32_t state = 0;
};

// The next target of one update from the state x: a state of x's context that theta allows.
inline bool next_target(const Update& u, Index x, std::uint32_t& state, Index& target) {
    const Index context = u.context_of(x);
    const Index leaf = u.leaf_of(context);
    if (u.any_impossible && u.impossible[leaf]) {
        target = x;
        return state++ == 0;
    }
    const double* row = u.theta.data() + leaf * u.states();
    for (; state < u.states(); ++state)
        if (row[state] > 0) {
            target = u.base_of(context) + u.offsets[state++];
            return true;
        }
    return false;
}

// Random scan: a vertex is a joint state, any update may follow.
struct RandomGraph {
    const Chain& chain;

    Index vertices() const { return chain.size; }

    bool next(Index x, Edges& edges, Index& target) const {
        for (; edges.update < chain.updates.size(); edges = {edges.update + 1, 0})
            if (next_target(chain.updates[edges.update], x, edges.state, target)) return true;
        return false;
    }
};

// Sequential scan: a vertex is (place in the order, joint state before that place's update).
struct SequentialGraph {
    const Chain& chain;
    const std::vector<Index>& order;

    Index vertices() const { return chain.size * static_cast<Index>(order.size()); }

    bool next(Index v, Edges& edges, Index& target) const {
        const Index place = v / chain.size;
        if (!next_target(chain.updates[order[place]], v % chain.size, edges.state, target))
            return false;
        if (place + 1 < static_cast<Index>(order.size())) target += (place + 1) * chain.size;
        return true;
    }
};

// label[v]: the number of v's recurrent class, or kTransient. Vertices that the roots do not reach
// are not visited; from every vertex some recurrent class can be reached.
template <typename Graph>
std::vector<std::int32_t> recurrent_labels(const Graph& graph, Index roots) {
    using Order = std::uint32_t;
    constexpr Order kNew = 0, kDone = std::numeric_limits<Order>::max();
    struct Frame {
        Index vertex;
        Edges edges;
        bool leaves;  // an edge from the part of the component under this vertex goes elsewhere
    };
    const Index n = graph.vertices();
    std::vector<Order> order(n, kNew), low(n, 0);
    std::vector<std::int32_t> label(n, kTransient);
    std::deque<Index> component;  // may hold every vertex: no doubling, no copies
    std::deque<Frame> path;
    Order visited = 0;
    std::int32_t classes = 0;
    const auto enter = [&](Index v) {
        order[v] = low[v] = ++visited;
        component.push_back(v);
        path.push_back({v, {}, false});
    };
    for (Index root = 0; root < roots; ++root) {
        if (order[root] != kNew) continue;
        enter(root);
        while (!path.empty()) {
            Frame& frame = path.back();
            const Index v = frame.vertex;
            Index w;
            if (graph.next(v, frame.edges, w)) {
                if (order[w] == kNew)
                    enter(w);
                else if (order[w] == kDone)
                    frame.leaves = true;
                else
                    low[v] = std::min(low[v], order[w]);
                continue;
            }
            bool leaves = frame.leaves;
            const bool complete = low[v] == order[v];
            if (complete) {
                const std::int32_t number = leaves ? kTransient : classes++;
                Index w2;
                do {
                    w2 = component.back();
                    component.pop_back();
                    order[w2] = kDone;
                    label[w2] = number;
                } while (w2 != v);
                leaves = true;  // the parent's edge to here leaves the parent's component
            }
            const Order below = low[v];
            path.pop_back();
            if (!path.empty()) {
                Frame& parent = path.back();
                parent.leaves = parent.leaves || leaves;
                if (!complete) low[parent.vertex] = std::min(low[parent.vertex], below);
            }
        }
    }
    return label;
}

}  // namespace depnet::exact
