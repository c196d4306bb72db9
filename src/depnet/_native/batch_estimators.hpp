// What clamped chains estimate from their updates: joint laws of some variables.
#pragma once

#include <algorithm>
#include <vector>

#include "network.hpp"

namespace depnet::rows {

using namespace network;

constexpr std::int32_t kNone = -1;

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

// What the updates of one node feed.
struct Feeds {
    std::int32_t pair_begin, pair_end;
    std::int32_t simple_cell;  // its one estimator is its variable's marginal, from here on
};

class Estimators {
  public:
    Estimators(const Network& network, const std::vector<std::vector<std::int32_t>>& tables) {
        for (const auto& variables : tables) add(network.cardinalities(), variables);
        for (std::size_t place = 0; place < network.variables(); ++place) {
            const Node& node = network.node(place);
            Feeds made{static_cast<std::int32_t>(pairs.size()), 0, kNone};
            for (std::size_t e = 0; e < estimators.size(); ++e) link(node, e);
            made.pair_end = static_cast<std::int32_t>(pairs.size());
            if (made.pair_end - made.pair_begin == 1 &&
                estimators[pairs.back().estimator].variables.size() == 1)
                made.simple_cell = pairs.back().cell;
            feeds.push_back(made);
        }
    }

    std::vector<Estimator> estimators;
    std::vector<Pair> pairs;
    std::vector<Feeds> feeds;  // of each place
    std::vector<std::int32_t> outside_variable, outside_stride;
    std::int32_t cells = 0;

  private:
    // The joint of `variables`, row-major, as the next cells of the sums.
    void add(const std::vector<std::int32_t>& cards, const std::vector<std::int32_t>& variables) {
        Estimator made{variables, std::vector<std::int32_t>(variables.size()), cells};
        std::int32_t size = 1;
        for (std::size_t j = variables.size(); j-- > 0; size *= cards[variables[j]])
            made.strides[j] = size;
        cells += size;
        estimators.push_back(std::move(made));
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
};

}  // namespace depnet::rows
