// A network laid out for many clamped chains: flat graphs and tables, and what is estimated.
#pragma once

#include <algorithm>
#include <cstddef>

#include "arrays.hpp"

namespace depnet {

constexpr std::int32_t kLeaf = -1;
constexpr std::int32_t kNone = -1;

struct Node {
    bool walk;  // walk the decision graph from `root`, or look up `leaf_rows` from `root`
    std::int32_t root;
    std::int32_t input_begin, input_end;
    std::int32_t states;
    std::int32_t target_begin, target_end;
    std::int32_t pair_begin, pair_end;
    std::int32_t
        simple_cell;  // the node's one estimator is the marginal of its one variable, from here
};

struct Estimator {
    std::vector<std::int32_t> variables, strides;
    std::int32_t cell;
};

// Node i updates part of the targets of an estimator: state b adds to cell + outside + offset[b].
struct Pair {
    std::int32_t estimator;
    std::int32_t cell;
    std::int32_t offset_begin;
    std::int32_t outside_begin, outside_end;
};

struct Plan {
    explicit Plan(In1<std::int32_t> cardinalities)
        : cards(cardinalities.data(), cardinalities.data() + cardinalities.size()) {}

    void add_graph_node(In1<std::int32_t> targets, In1<std::int32_t> variable,
                        In1<std::int32_t> begin, In1<std::int32_t> children, In1<double> theta) {
        Node node =
            started(targets, theta, true, static_cast<std::int32_t>(vertex_variable.size()));
        const auto first_child = static_cast<std::int32_t>(vertex_children.size());
        const auto first_cell = static_cast<std::int32_t>(thetas.size() - theta.size());
        for (std::size_t v = 0; v < variable.size(); ++v) {
            vertex_variable.push_back(variable(v));
            vertex_next.push_back(variable(v) == kLeaf ? first_cell + begin(v) * node.states
                                                       : first_child + begin(v));
        }
        for (std::size_t c = 0; c < children.size(); ++c)
            vertex_children.push_back(node.root + children(c));
        nodes.push_back(node);
    }

    void add_table_node(In1<std::int32_t> targets, In1<std::int32_t> inputs,
                        In1<std::int32_t> leaves, In1<double> theta) {
        Node node = started(targets, theta, false, static_cast<std::int32_t>(leaf_rows.size()));
        const auto first_cell = static_cast<std::int32_t>(thetas.size() - theta.size());
        std::vector<std::int32_t> strides(inputs.size());
        std::int32_t stride = 1;
        for (std::size_t j = inputs.size(); j-- > 0;) {
            strides[j] = stride;
            stride *= cards[inputs(j)];
        }
        for (std::size_t j = 0; j < inputs.size(); ++j) {
            input_variable.push_back(inputs(j));
            input_stride.push_back(strides[j]);
        }
        node.input_end = static_cast<std::int32_t>(input_variable.size());
        for (std::size_t x = 0; x < leaves.size(); ++x)
            leaf_rows.push_back(first_cell + leaves(x) * node.states);
        nodes.push_back(node);
    }

    // The joint of `variables`, row-major, as the next cells of the sums.
    void add_estimator(In1<std::int32_t> variables) {
        Estimator made{{variables.data(), variables.data() + variables.size()}, {}, cells};
        made.strides.resize(variables.size());
        std::int32_t size = 1;
        for (std::size_t j = variables.size(); j-- > 0;) {
            made.strides[j] = size;
            size *= cards[variables(j)];
        }
        cells += size;
        estimators.push_back(std::move(made));
    }

    // Which nodes feed which estimators; call once, after everything was added.
    void link() {
        for (Node& node : nodes) {
            node.pair_begin = static_cast<std::int32_t>(pairs.size());
            for (std::size_t e = 0; e < estimators.size(); ++e) link(node, e);
            node.pair_end = static_cast<std::int32_t>(pairs.size());
            const bool one =
                node.pair_end - node.pair_begin == 1 && node.target_end - node.target_begin == 1;
            const bool marginal = one && estimators[pairs.back().estimator].variables.size() == 1;
            node.simple_cell = marginal ? pairs.back().cell : kNone;
        }
    }

    Node started(In1<std::int32_t> targets, In1<double> theta, bool walk, std::int32_t root) {
        Node node{};
        node.walk = walk;
        node.root = root;
        node.input_begin = node.input_end = static_cast<std::int32_t>(input_variable.size());
        node.target_begin = static_cast<std::int32_t>(target_variable.size());
        node.states = 1;
        for (std::size_t b = 0; b < targets.size(); ++b) {
            target_variable.push_back(targets(b));
            node.states *= cards[targets(b)];
        }
        node.target_end = static_cast<std::int32_t>(target_variable.size());
        std::int32_t stride = node.states;
        for (std::size_t b = 0; b < targets.size(); ++b) {
            stride /= cards[targets(b)];
            target_stride.push_back(stride);
        }
        // From the last possible state on, the cumulated probability is 1 whatever rounding made of
        // it; a row with no possible state stays at 0.
        for (std::size_t row = 0; row < theta.size(); row += node.states) {
            std::int32_t possible = kNone;
            for (std::int32_t x = 0; x < node.states; ++x)
                if (theta(row + x) > 0) possible = x;
            double total = 0;
            for (std::int32_t x = 0; x < node.states; ++x) {
                total += theta(row + x);
                thetas.push_back(theta(row + x));
                cumulated.push_back(possible != kNone && x >= possible ? 1.0 : total);
            }
        }
        return node;
    }

    void link(const Node& node, std::size_t e) {
        const Estimator& estimator = estimators[e];
        Pair pair{static_cast<std::int32_t>(e), estimator.cell,
                  static_cast<std::int32_t>(pair_offsets.size()),
                  static_cast<std::int32_t>(outside_variable.size()), 0};
        std::vector<std::int32_t> inside(node.target_end - node.target_begin, 0);
        bool any = false;
        for (std::size_t t = 0; t < estimator.variables.size(); ++t) {
            const auto begin = target_variable.begin() + node.target_begin;
            const auto end = target_variable.begin() + node.target_end;
            const auto found = std::find(begin, end, estimator.variables[t]);
            if (found == end) {
                outside_variable.push_back(estimator.variables[t]);
                outside_stride.push_back(estimator.strides[t]);
            } else {
                inside[found - begin] = estimator.strides[t];
                any = true;
            }
        }
        pair.outside_end = static_cast<std::int32_t>(outside_variable.size());
        if (!any) {
            outside_variable.resize(pair.outside_begin);
            outside_stride.resize(pair.outside_begin);
            return;
        }
        for (std::int32_t b = 0; b < node.states; ++b) {
            std::int32_t offset = 0;
            for (std::int32_t t = node.target_begin; t < node.target_end; ++t)
                offset += inside[t - node.target_begin] * digit(t, b);
            pair_offsets.push_back(offset);
        }
        pairs.push_back(pair);
    }

    std::int32_t digit(std::int32_t t, std::int32_t state) const {
        return state / target_stride[t] % cards[target_variable[t]];
    }

    // Where the row of theta lies that node would be updated from.
    std::int32_t theta_row(const Node& node, const std::uint16_t* codes) const {
        std::int32_t at = node.root;
        if (node.walk) {
            std::int32_t v;
            while ((v = vertex_variable[at]) != kLeaf)
                at = vertex_children[vertex_next[at] + codes[v]];
            return vertex_next[at];
        }
        for (std::int32_t j = node.input_begin; j < node.input_end; ++j)
            at += codes[input_variable[j]] * input_stride[j];
        return leaf_rows[at];
    }

    std::vector<std::int32_t> cards;
    std::vector<Node> nodes;
    std::vector<Estimator> estimators;
    std::vector<Pair> pairs;
    std::vector<std::int32_t> vertex_variable, vertex_next, vertex_children;
    std::vector<std::int32_t> input_variable, input_stride, leaf_rows;
    std::vector<std::int32_t> target_variable, target_stride;
    std::vector<std::int32_t> pair_offsets, outside_variable, outside_stride;
    std::vector<double> thetas, cumulated;
    std::int32_t cells = 0;
};

}  // namespace depnet
