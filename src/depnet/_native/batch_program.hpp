// A network laid out for many clamped chains: flat graphs and tables, and what is estimated.
#pragma once

#include <algorithm>
#include <cstddef>

#include "arrays.hpp"
#include "stages_kept.hpp"

namespace depnet {

constexpr std::int32_t kLeaf = -1;
constexpr std::int32_t kNone = -1;

struct Node {
    bool walk;  // walk the decision graph from `root`, or look up `leaf_rows` from `root`
    std::int32_t root;
    std::int32_t input_begin, input_end;
    std::int32_t variable, states;
    std::int32_t pair_begin, pair_end;
    std::int32_t simple_cell;  // the node's one estimator is its variable's marginal, from here on
    std::int32_t boosted;      // what is added to its row, which then holds scores; or kNone
};

// The stages of a boosted node, and the weights that the evidence gives to its states (none: all
// alike).
struct Boosted {
    stages::Kept stages;
    std::vector<double> weights;
};

// theta where a node is to be updated, and its sums up to each state.
struct ThetaRow {
    const double *theta, *cumulated;
};

// Where the row of a boosted node is made.
struct Scratch {
    std::vector<std::int32_t> scores;
    std::vector<double> theta, cumulated;
};

struct Estimator {
    std::vector<std::int32_t> variables, strides;
    std::int32_t cell;
};

// A node updates one of the variables of an estimator: its state x adds to the estimator's cell of
// the other variables' codes, x * `stride` further on.
struct Pair {
    std::int32_t estimator;
    std::int32_t cell, stride;
    std::int32_t outside_begin, outside_end;
};

struct Program {
    explicit Program(In1<std::int32_t> cardinalities)
        : cards(cardinalities.data(), cardinalities.data() + cardinalities.size()) {}

    void add_graph_node(std::int32_t variable, In1<std::int32_t> tested, In1<std::int32_t> begin,
                        In1<std::int32_t> children, In1<double> theta) {
        Node node =
            started(variable, theta, true, static_cast<std::int32_t>(vertex_variable.size()));
        const auto first_child = static_cast<std::int32_t>(vertex_children.size());
        const auto first_cell = static_cast<std::int32_t>(thetas.size() - theta.size());
        for (std::size_t v = 0; v < tested.size(); ++v) {
            vertex_variable.push_back(tested(v));
            vertex_next.push_back(tested(v) == kLeaf ? first_cell + begin(v) * node.states
                                                     : first_child + begin(v));
        }
        for (std::size_t c = 0; c < children.size(); ++c)
            vertex_children.push_back(node.root + children(c));
        nodes.push_back(node);
    }

    void add_table_node(std::int32_t variable, In1<std::int32_t> inputs, In1<std::int32_t> leaves,
                        In1<double> theta) {
        Node node = started(variable, theta, false, static_cast<std::int32_t>(leaf_rows.size()));
        const auto first_cell = static_cast<std::int32_t>(thetas.size() - theta.size());
        std::int32_t stride = 1;
        for (std::size_t j = inputs.size(); j-- > 0; stride *= cards[inputs(j)]) {
            input_variable.push_back(inputs(j));
            input_stride.push_back(stride);
        }
        node.input_end = static_cast<std::int32_t>(input_variable.size());
        for (std::size_t x = 0; x < leaves.size(); ++x)
            leaf_rows.push_back(first_cell + leaves(x) * node.states);
        nodes.push_back(node);
    }

    // The node added last is boosted: its theta are the first scores, to which these are added.
    void add_stages(In1<std::int32_t> variable, In1<std::uint16_t> low, In1<std::uint16_t> high,
                    In1<std::int32_t> begin, In1<std::uint16_t> leaf, In1<std::int32_t> test,
                    In2<std::int32_t> scores, In1<double> weights) {
        nodes.back().boosted = static_cast<std::int32_t>(boosted.size());
        boosted.push_back(
            {stages::Kept(variable, low, high, begin, leaf, test, scores), copied(weights)});
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
            const bool marginal = node.pair_end - node.pair_begin == 1 &&
                                  estimators[pairs.back().estimator].variables.size() == 1;
            node.simple_cell = marginal ? pairs.back().cell : kNone;
        }
    }

    Node started(std::int32_t variable, In1<double> theta, bool walk, std::int32_t root) {
        Node node{};
        node.walk = walk;
        node.root = root;
        node.input_begin = node.input_end = static_cast<std::int32_t>(input_variable.size());
        node.variable = variable;
        node.states = cards[variable];
        node.boosted = kNone;
        const std::size_t first = thetas.size();
        thetas.insert(thetas.end(), theta.data(), theta.data() + theta.size());
        cumulated.resize(thetas.size());
        for (std::size_t row = first; row < thetas.size(); row += node.states)
            cumulate(thetas.data() + row, node.states, cumulated.data() + row);
        return node;
    }

    // From the last possible state on, the cumulated probability is 1 whatever rounding made of it;
    // a row with no possible state stays at 0.
    static void cumulate(const double* theta, std::int32_t states, double* sums) {
        std::int32_t possible = kNone;
        for (std::int32_t x = 0; x < states; ++x)
            if (theta[x] > 0) possible = x;
        double total = 0;
        for (std::int32_t x = 0; x < states; ++x) {
            total += theta[x];
            sums[x] = possible != kNone && x >= possible ? 1.0 : total;
        }
    }

    void link(const Node& node, std::size_t e) {
        const Estimator& estimator = estimators[e];
        const auto& of = estimator.variables;
        const auto own = std::find(of.begin(), of.end(), node.variable);
        if (own == of.end()) return;
        Pair pair{static_cast<std::int32_t>(e), estimator.cell, estimator.strides[own - of.begin()],
                  static_cast<std::int32_t>(outside_variable.size()), 0};
        for (std::size_t t = 0; t < of.size(); ++t)
            if (of[t] != node.variable) {
                outside_variable.push_back(of[t]);
                outside_stride.push_back(estimator.strides[t]);
            }
        pair.outside_end = static_cast<std::int32_t>(outside_variable.size());
        pairs.push_back(pair);
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

    // theta where `node` would be updated.
    ThetaRow row(const Node& node, const std::uint16_t* codes, Scratch& scratch) const {
        const std::int32_t at = theta_row(node, codes);
        if (node.boosted == kNone) return {thetas.data() + at, cumulated.data() + at};
        const Boosted& own = boosted[node.boosted];
        const auto states = static_cast<std::size_t>(node.states);
        scratch.scores.resize(states);
        scratch.theta.resize(states);
        scratch.cumulated.resize(states);
        for (std::size_t x = 0; x < states; ++x)
            scratch.scores[x] = static_cast<std::int32_t>(thetas[at + x]);
        stages::add_scores(own.stages.view(), codes, 1, scratch.scores.data());
        double* theta = scratch.theta.data();
        stages::theta_of(scratch.scores.data(), states, theta);
        if (!own.weights.empty()) {
            double total = 0;
            for (std::size_t x = 0; x < states; ++x) total += theta[x] *= own.weights[x];
            for (std::size_t x = 0; x < states && total > 0; ++x) theta[x] /= total;
        }
        cumulate(theta, node.states, scratch.cumulated.data());
        return {theta, scratch.cumulated.data()};
    }

    std::vector<std::int32_t> cards;
    std::vector<Node> nodes;
    std::vector<Boosted> boosted;
    std::vector<Estimator> estimators;
    std::vector<Pair> pairs;
    std::vector<std::int32_t> vertex_variable, vertex_next, vertex_children;
    std::vector<std::int32_t> input_variable, input_stride, leaf_rows;
    std::vector<std::int32_t> outside_variable, outside_stride;
    std::vector<double> thetas, cumulated;
    std::int32_t cells = 0;
};

}  // namespace depnet
