// An ordered network laid out for passes and moves: flat graphs and tables, thresholds, readers.
#pragma once

#include <algorithm>
#include <cmath>
#include <map>
#include <utility>
#include <vector>

#include "arrays.hpp"
#include "law_kernels.hpp"
#include "law_thresholds.hpp"
#include "stages_by_state.hpp"

namespace depnet::law {

// The stages of a boosted node and the scores of its first source, [leaf][state].
struct Stages {
    std::vector<std::int32_t> variable, begin, test, scores, start;
    std::vector<std::uint16_t> low, high, leaf;
    std::size_t states;

    Stages(In1<std::int32_t> variable, In1<std::uint16_t> low, In1<std::uint16_t> high,
           In1<std::int32_t> begin, In1<std::uint16_t> leaf, In1<std::int32_t> test,
           In2<std::int32_t> scores, In2<std::int32_t> start)
        : variable(copied(variable)),
          begin(copied(begin)),
          test(copied(test)),
          scores(stages::by_state(begin.data(), begin.size() - 1, scores.data(), start.shape(1))),
          start(start.data(), start.data() + start.size()),
          low(copied(low)),
          high(copied(high)),
          leaf(copied(leaf)),
          states(start.shape(1)) {}

    stages::View view() const {
        return {variable.size(), variable.data(), low.data(),  high.data(),   begin.size() - 1,
                begin.data(),    leaf.data(),     test.data(), scores.data(), states};
    }
};

// The stages and the tests that read a variable, and whether the first source does.
struct Read {
    std::vector<std::int32_t> stages, tests;
    bool start = false;

    Reading reading(std::size_t kept) const {
        return {stages.data(), tests.data(), stages.size(), tests.size(), start, kept};
    }
};

class Program {
  public:
    explicit Program(In1<std::int32_t> cardinalities)
        : cards_(copied(cardinalities)), readers_(cards_.size()) {}

    void add_graph_node(std::int32_t variable, In1<std::int32_t> tested, In1<std::int32_t> begin,
                        In1<std::int32_t> children, In1<double> theta) {
        Node node = with_table(variable, theta);
        walked(node, tested, begin, children);
        add(node, read_by(tested.data(), tested.size()));
    }

    void add_table_node(std::int32_t variable, In1<std::int32_t> inputs, In1<std::int32_t> leaves,
                        In1<double> theta) {
        Node node = with_table(variable, theta);
        looked_up(node, inputs, leaves);
        add(node, read_by(inputs.data(), inputs.size()));
    }

    void add_boosted_graph_node(std::int32_t variable, In1<std::int32_t> tested,
                                In1<std::int32_t> begin, In1<std::int32_t> children,
                                const Stages& stages) {
        Node node = with_stages(variable, stages);
        walked(node, tested, begin, children);
        add(node, read_by(tested.data(), tested.size(), &stages));
    }

    void add_boosted_table_node(std::int32_t variable, In1<std::int32_t> inputs,
                                In1<std::int32_t> leaves, const Stages& stages) {
        Node node = with_stages(variable, stages);
        looked_up(node, inputs, leaves);
        add(node, read_by(inputs.data(), inputs.size(), &stages));
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

    // What a tile of moves has for all boosted nodes: sums, and outcomes of tests.
    std::size_t sums() const { return sums_; }
    std::size_t masks() const { return masks_; }
    // And what the readers of any variable keep; after `view`.
    std::size_t most_kept() const { return most_kept_; }

    // Of the nodes added so far; not to be called by two threads at once.
    View view() {
        if (reader_begin_.empty() || counted_ != nodes_.size()) {
            flat_readers_.clear();
            readings_.clear();
            reader_begin_.assign(1, 0);
            most_kept_ = 0;
            for (std::size_t i = 0; i < readers_.size(); ++i) {
                std::size_t kept = 0;
                for (const Reader& reader : readers_[i]) {
                    const Node& node = nodes_[static_cast<std::size_t>(reader.place)];
                    const std::size_t scores = node.boosted < 0 ? 0 : kept_scores(node, cards_[i]);
                    const bool keeping = kept + scores <= kMostKept;
                    flat_readers_.push_back(reader.place);
                    readings_.push_back(reader.read.reading(keeping ? kept : kNotKept));
                    kept += keeping ? scores : 0;
                }
                most_kept_ = std::max(most_kept_, kept);
                reader_begin_.push_back(static_cast<std::int64_t>(flat_readers_.size()));
            }
            for (std::size_t k = 0; k < stages_.size(); ++k) {
                boosted_[k].stages = stages_[k].view();
                boosted_[k].start = stages_[k].start.data();
            }
            counted_ = nodes_.size();
        }
        return {cards_.size(),    nodes_.data(),  log_theta_.data(),    leaf_map_.data(),
                inputs_.data(),   slots_.data(),  flat_readers_.data(), reader_begin_.data(),
                readings_.data(), boosted_.data()};
    }

  private:
    struct Reader {
        std::int32_t place;
        Read read;
    };

    // What a boosted node says for each state of a variable, in all rows of a tile.
    static std::size_t kept_scores(const Node& node, std::int32_t states) {
        return static_cast<std::size_t>(node.states) * static_cast<std::size_t>(states) * kRows;
    }

    Node started(std::int32_t variable) const {
        Node node;
        node.variable = variable;
        node.states = cards_[static_cast<std::size_t>(variable)];
        return node;
    }

    Node with_table(std::int32_t variable, In1<double> theta) {
        Node node = started(variable);
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

    Node with_stages(std::int32_t variable, const Stages& stages) {
        Node node = started(variable);
        node.boosted = static_cast<std::int32_t>(boosted_.size());
        boosted_.push_back({{}, nullptr, sums_, masks_});
        stages_.push_back(stages);
        sums_ += stages.states * kRows;
        masks_ += stages.variable.size();
        return node;
    }

    // The leaf is where a compiled decision graph leads.
    void walked(Node& node, In1<std::int32_t> tested, In1<std::int32_t> begin,
                In1<std::int32_t> children) {
        const auto first = static_cast<std::int32_t>(slots_.size());
        const auto slot = [&](std::size_t v) {
            return Slot{tested(v), tested(v) == kLeaf ? begin(v) : first + begin(v)};
        };
        for (std::size_t c = 0; c < children.size(); ++c)
            slots_.push_back(slot(static_cast<std::size_t>(children(c))));
        node.root = slot(0);
    }

    // The leaf is looked up by the joint state of the inputs.
    void looked_up(Node& node, In1<std::int32_t> inputs, In1<std::int32_t> leaves) {
        node.map = static_cast<std::int64_t>(leaf_map_.size());
        leaf_map_.insert(leaf_map_.end(), leaves.data(), leaves.data() + leaves.size());
        node.input_begin = static_cast<std::int64_t>(inputs_.size());
        std::int32_t stride = 1;
        for (std::size_t k = inputs.size(); k-- > 0; stride *= cards_[inputs(k)])
            inputs_.push_back({inputs(k), stride});
        node.input_end = static_cast<std::int64_t>(inputs_.size());
    }

    // The variables that a node reads: its source reads `variables`, its stages what they test.
    static std::map<std::int32_t, Read> read_by(const std::int32_t* variables, std::size_t count,
                                                const Stages* stages = nullptr) {
        std::map<std::int32_t, Read> found;
        for (std::size_t k = 0; k < count; ++k)
            if (variables[k] != kLeaf) found[variables[k]].start = true;
        if (stages == nullptr) return found;
        for (std::size_t t = 0; t < stages->variable.size(); ++t)
            found[stages->variable[t]].tests.push_back(static_cast<std::int32_t>(t));
        for (std::size_t m = 0; m + 1 < stages->begin.size(); ++m)
            for (std::int32_t t = stages->begin[m]; t < stages->begin[m + 1]; ++t) {
                auto& own = found[stages->variable[static_cast<std::size_t>(stages->test[t])]];
                const auto stage = static_cast<std::int32_t>(m);
                if (own.stages.empty() || own.stages.back() != stage) own.stages.push_back(stage);
            }
        return found;
    }

    void add(const Node& node, std::map<std::int32_t, Read> read) {
        const auto place = static_cast<std::int32_t>(nodes_.size());
        for (auto& [variable, how] : read)
            if (how.start || !how.stages.empty())  // tests may be there that no split names
                readers_[static_cast<std::size_t>(variable)].push_back({place, std::move(how)});
        nodes_.push_back(node);
    }

    std::vector<std::int32_t> cards_;
    std::vector<Node> nodes_;         // in the order
    std::vector<std::size_t> sizes_;  // the leaves of each variable's node
    std::vector<std::vector<Reader>> readers_;
    std::vector<Stages> stages_;  // of boosted nodes
    std::vector<Boosted> boosted_;
    std::vector<Reading> readings_;
    std::size_t sums_ = 0, masks_ = 0, most_kept_ = 0;
    std::vector<double> theta_, log_theta_;
    std::vector<std::uint32_t> thresholds_;
    std::vector<std::int32_t> leaf_map_, flat_readers_;
    std::vector<std::int64_t> reader_begin_;
    std::vector<Input> inputs_;
    std::vector<Slot> slots_;
    std::size_t counted_ = 0;
};

}  // namespace depnet::law
