// An ordered network laid out for passes and moves: flat graphs and tables, thresholds, readers.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <vector>

#include "arrays.hpp"

namespace depnet::law {

constexpr std::int32_t kLeaf = -1;
constexpr std::uint32_t kAlways = 0xFFFFFFFFu;

// The thresholds of depnet.sampling.thresholds: a word draws the number of thresholds at or below
// it. T_s is the share of the states 0..s times 2^32; kAlways means that no word reaches it.
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

inline std::size_t drawn(const std::uint32_t* thresholds, std::size_t states, std::uint32_t word) {
    word = std::min(word, kAlways - 1);
    std::size_t state = 0;
    for (std::size_t s = 0; s + 1 < states; ++s) state += thresholds[s] <= word;
    return state;
}

struct Input {
    std::int32_t variable, stride;
};

struct Vertex {
    std::int32_t variable, next;  // of a leaf: kLeaf and its number
};

// Its leaf is leaf_map[map + sum of stride * code over the inputs], or, where map < 0, what the
// decision graph at vertex `root` leads to. Its rows [leaf][state] begin at `cells`.
struct Node {
    std::int32_t variable = 0, states = 0;
    std::int64_t cells = 0, marks = 0;  // in theta and log_theta; in thresholds
    std::int64_t map = -1, root = 0;
    std::size_t input_begin = 0, input_end = 0;
};

class Program {
  public:
    explicit Program(In1<std::int32_t> cardinalities)
        : cards_(cardinalities.data(), cardinalities.data() + cardinalities.size()),
          readers_(cards_.size()) {}

    void add_graph_node(std::int32_t variable, In1<std::int32_t> tested, In1<std::int32_t> begin,
                        In1<std::int32_t> children, In1<double> theta) {
        Node node = started(variable, theta);
        node.root = static_cast<std::int64_t>(vertices_.size());
        const auto first_child = static_cast<std::int32_t>(children_.size());
        for (std::size_t v = 0; v < tested.size(); ++v)
            vertices_.push_back(
                {tested(v), tested(v) == kLeaf ? begin(v) : first_child + begin(v)});
        for (std::size_t c = 0; c < children.size(); ++c)
            children_.push_back(static_cast<std::int32_t>(node.root) + children(c));
        read_by(node, tested.data(), tested.size());
    }

    void add_table_node(std::int32_t variable, In1<std::int32_t> inputs, In1<std::int32_t> leaves,
                        In1<double> theta) {
        Node node = started(variable, theta);
        node.map = static_cast<std::int64_t>(leaf_map_.size());
        leaf_map_.insert(leaf_map_.end(), leaves.data(), leaves.data() + leaves.size());
        node.input_begin = inputs_.size();
        std::int32_t stride = 1;
        for (std::size_t k = inputs.size(); k-- > 0; stride *= cards_[inputs(k)])
            inputs_.push_back({inputs(k), stride});
        node.input_end = inputs_.size();
        read_by(node, inputs.data(), inputs.size());
    }

    std::size_t variables() const { return cards_.size(); }
    std::int32_t states(std::size_t variable) const { return cards_[variable]; }
    const Node& node(std::size_t place) const { return nodes_[place]; }
    const double* theta(const Node& node) const { return theta_.data() + node.cells; }
    const double* log_theta(const Node& node) const { return log_theta_.data() + node.cells; }
    const std::uint32_t* thresholds(const Node& node) const {
        return thresholds_.data() + node.marks;
    }
    // The places in the order of the nodes that read a variable.
    const std::vector<std::int32_t>& readers(std::size_t variable) const {
        return readers_[variable];
    }

    // The leaf of a state whose codes lie `stride` apart.
    template <typename Code>
    std::int64_t leaf(const Node& node, const Code* codes, std::size_t stride) const {
        if (node.map >= 0) {
            std::int64_t at = node.map;
            for (std::size_t k = node.input_begin; k < node.input_end; ++k)
                at += static_cast<std::int64_t>(inputs_[k].stride) *
                      codes[static_cast<std::size_t>(inputs_[k].variable) * stride];
            return leaf_map_[static_cast<std::size_t>(at)];
        }
        Vertex vertex = vertices_[static_cast<std::size_t>(node.root)];
        while (vertex.variable != kLeaf)
            vertex = vertices_[static_cast<std::size_t>(
                children_[static_cast<std::size_t>(vertex.next) +
                          codes[static_cast<std::size_t>(vertex.variable) * stride]])];
        return vertex.next;
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
        for (std::size_t c = 0; c < theta.size(); ++c) log_theta_.push_back(std::log(theta(c)));
        thresholds_.resize(thresholds_.size() + theta.size() / states * (states - 1));
        for (std::size_t leaf = 0; leaf < theta.size() / states; ++leaf)
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
    std::vector<Node> nodes_;  // in the order
    std::vector<std::vector<std::int32_t>> readers_;
    std::vector<double> theta_, log_theta_;
    std::vector<std::uint32_t> thresholds_;
    std::vector<std::int32_t> leaf_map_, children_;
    std::vector<Input> inputs_;
    std::vector<Vertex> vertices_;
};

}  // namespace depnet::law
