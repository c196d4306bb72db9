// An ordered network laid out for passes and moves: flat graphs and tables, thresholds, readers.
#pragma once

#include <algorithm>
#include <cmath>
#include <vector>

#include "arrays.hpp"
#include "law_kernels.hpp"

namespace depnet::law {

// The thresholds of depnet.sampling.plan.thresholds: a word draws the number of thresholds at or
// below it. T_s is the share of the states 0..s times 2^32; kAlways means that no word reaches it.
inline void thresholds_of(const double* row, std::size_t states, std::uint32_t* out) {
    double total = 0.0;
    for (std::size_t s = 0; s < states; ++s) total += row[s];
    double sum = 0.0;
    for (std::size_t s = 0; s + 1 < states; ++s) {
        sum += row[s];
        const double share = sum / total;
        if (sum == 0.0)
            out[s] = 0;
        else if (share >= 1.0 - 0x1p-32)
            out[s] = kAlways;
        else
            out[s] = static_cast<std::uint32_t>(
                std::clamp(std::floor(share * 0x1p32 + 0.5), 1.0, 4294967294.0));
    }
}

class Program {
  public:
    explicit Program(In1<std::int32_t> cardinalities)
        : cards_(copied(cardinalities)), readers_(cards_.size()) {}

    void add_graph_node(std::int32_t variable, In1<std::int32_t> tested, In1<std::int32_t> begin,
                        In1<std::int32_t> children, In1<double> theta) {
        Node node = started(variable, theta);
        const auto first = static_cast<std::int32_t>(slots_.size());
        const auto slot = [&](std::size_t v) {
            return Slot{tested(v), tested(v) == kLeaf ? begin(v) : first + begin(v)};
        };
        for (std::size_t c = 0; c < children.size(); ++c)
            slots_.push_back(slot(static_cast<std::size_t>(children(c))));
        node.root = slot(0);
        read_by(node, tested.data(), tested.size());
    }

    void add_table_node(std::int32_t variable, In1<std::int32_t> inputs, In1<std::int32_t> leaves,
                        In1<double> theta) {
        Node node = started(variable, theta);
        node.map = static_cast<std::int64_t>(leaf_map_.size());
        leaf_map_.insert(leaf_map_.end(), leaves.data(), leaves.data() + leaves.size());
        node.input_begin = static_cast<std::int64_t>(inputs_.size());
        std::int32_t stride = 1;
        for (std::size_t k = inputs.size(); k-- > 0; stride *= cards_[inputs(k)])
            inputs_.push_back({inputs(k), stride});
        node.input_end = static_cast<std::int64_t>(inputs_.size());
        read_by(node, inputs.data(), inputs.size());
    }

    std::size_t variables() const { return cards_.size(); }
    std::size_t most_states() const {
        return static_cast<std::size_t>(*std::max_element(cards_.begin(), cards_.end()));
    }
    const Node& node(std::size_t place) const { return nodes_[place]; }
    std::size_t leaves(const Node& node) const {
        return sizes_[static_cast<std::size_t>(node.variable)];
    }
    const double* theta(const Node& node) const { return theta_.data() + node.cells; }
    const double* log_theta(const Node& node) const { return log_theta_.data() + node.cells; }
    const std::uint32_t* thresholds(const Node& node) const {
        return thresholds_.data() + node.marks;
    }

    // Of the nodes added so far; not to be called by two threads at once.
    View view() {
        if (reader_begin_.empty() || counted_ != nodes_.size()) {
            flat_readers_.clear();
            reader_begin_.assign(1, 0);
            for (const auto& places : readers_) {
                flat_readers_.insert(flat_readers_.end(), places.begin(), places.end());
                reader_begin_.push_back(static_cast<std::int64_t>(flat_readers_.size()));
            }
            counted_ = nodes_.size();
        }
        return {cards_.size(),  nodes_.data(), log_theta_.data(),    leaf_map_.data(),
                inputs_.data(), slots_.data(), flat_readers_.data(), reader_begin_.data()};
    }

  private:
    Node started(std::int32_t variable, In1<double> theta) {
        Node node;
        node.variable = variable;
        node.states = cards_[static_cast<std::size_t>(variable)];
        const auto states = static_cast<std::size_t>(node.states);
        node.cells = static_cast<std::int64_t>(theta_.size());
        node.marks = static_cast<std::int64_t>(thresholds_.size());
        theta_.insert(theta_.end(), theta.data(), theta.data() + theta.size());
        for (std::size_t c = 0; c < theta.size(); ++c) {
            log_theta_.push_back(std::log(theta(c)));
            node.zeros = node.zeros || !(theta(c) > 0.0);
        }
        const std::size_t leaves = theta.size() / states;
        sizes_.resize(cards_.size());
        sizes_[static_cast<std::size_t>(variable)] = leaves;
        thresholds_.resize(thresholds_.size() + leaves * (states - 1));
        for (std::size_t leaf = 0; leaf < leaves; ++leaf)
            thresholds_of(
                theta.data() + leaf * states, states,
                thresholds_.data() + static_cast<std::size_t>(node.marks) + leaf * (states - 1));
        return node;
    }

    void read_by(const Node& node, const std::int32_t* variables, std::size_t count) {
        const auto place = static_cast<std::int32_t>(nodes_.size());
        for (std::size_t k = 0; k < count; ++k) {
            if (variables[k] == kLeaf) continue;
            auto& readers = readers_[static_cast<std::size_t>(variables[k])];
            if (readers.empty() || readers.back() != place) readers.push_back(place);
        }
        nodes_.push_back(node);
    }

    std::vector<std::int32_t> cards_;
    std::vector<Node> nodes_;         // in the order
    std::vector<std::size_t> sizes_;  // the leaves of each variable's node
    std::vector<std::vector<std::int32_t>> readers_;
    std::vector<double> theta_, log_theta_;
    std::vector<std::uint32_t> thresholds_;
    std::vector<std::int32_t> leaf_map_, flat_readers_;
    std::vector<std::int64_t> reader_begin_;
    std::vector<Input> inputs_;
    std::vector<Slot> slots_;
    std::size_t counted_ = 0;
};

}  // namespace depnet::law
