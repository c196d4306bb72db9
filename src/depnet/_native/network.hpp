// One network compiled for all that is done with it: passes and moves of an ordered law, and
// chains.
#pragma once

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <stdexcept>
#include <utility>
#include <vector>

#include "arrays.hpp"
#include "network_view.hpp"
#include "thresholds.hpp"

namespace depnet::stages {

// Scores [leaf][state] of stages that begin at `begin`, as [state][leaf] of each stage.
inline std::vector<std::int32_t> by_state(const std::int32_t* begin, std::size_t stages,
                                          const std::int32_t* scores, std::size_t states) {
    const std::size_t leaves = static_cast<std::size_t>(begin[stages]) + stages;
    std::vector<std::int32_t> turned(leaves * states);
    for (std::size_t m = 0; m < stages; ++m) {
        const std::size_t at = (static_cast<std::size_t>(begin[m]) + m) * states;
        const auto size = static_cast<std::size_t>(begin[m + 1] - begin[m]) + 1;
        for (std::size_t y = 0; y < size; ++y)
            for (std::size_t x = 0; x < states; ++x)
                turned[at + x * size + y] = scores[at + y * states + x];
    }
    return turned;
}

// The only state that each stage has scores of, or kEveryState: the others need not be added.
inline std::vector<std::int32_t> only_columns(const std::int32_t* begin, std::size_t stages,
                                              const std::int32_t* scores, std::size_t states) {
    std::vector<std::int32_t> found(stages, kEveryState);
    for (std::size_t m = 0; m < stages; ++m) {
        const std::size_t first = static_cast<std::size_t>(begin[m]) + m;
        const std::size_t last = static_cast<std::size_t>(begin[m + 1]) + m;
        std::size_t columns = 0, column = 0;
        for (std::size_t x = 0; x < states; ++x)
            for (std::size_t y = first; y <= last; ++y)
                if (scores[y * states + x] != 0) {
                    column = x;
                    ++columns;
                    break;
                }
        if (columns <= 1) found[m] = static_cast<std::int32_t>(column);
    }
    return found;
}

}  // namespace depnet::stages

namespace depnet::network {

// The stages of a boosted node.
class Stages {
  public:
    Stages(In1<std::int32_t> variable, In1<std::uint16_t> low, In1<std::uint16_t> high,
           In1<std::int32_t> begin, In1<std::uint16_t> leaf, In1<std::int32_t> test,
           In2<std::int32_t> scores)
        : variable_(copied(variable)),
          begin_(copied(begin)),
          test_(copied(test)),
          by_state_(
              stages::by_state(begin.data(), begin.size() - 1, scores.data(), scores.shape(1))),
          column_(
              stages::only_columns(begin.data(), begin.size() - 1, scores.data(), scores.shape(1))),
          low_(copied(low)),
          high_(copied(high)),
          leaf_(copied(leaf)),
          states_(scores.shape(1)) {}

    std::size_t states() const { return states_; }
    const std::vector<std::int32_t>& variable() const { return variable_; }
    const std::vector<std::int32_t>& begin() const { return begin_; }
    const std::vector<std::int32_t>& test() const { return test_; }

    stages::View view() const {
        return {variable_.size(),  variable_.data(), low_.data(),  high_.data(),
                begin_.size() - 1, begin_.data(),    leaf_.data(), test_.data(),
                by_state_.data(),  column_.data(),   states_};
    }

  private:
    std::vector<std::int32_t> variable_, begin_, test_, by_state_, column_;
    std::vector<std::uint16_t> low_, high_, leaf_;
    std::size_t states_;
};

// The tree of digits whose low, middle and high lie one after the other.
inline stages::Digits digits_of(const std::int32_t* tree, std::size_t count) {
    return {count, tree, tree + count, tree + 2 * count};
}

// The stages and the tests that read a variable, and whether the first source does.
struct Read {
    std::vector<std::int32_t> stages, tests;
    bool start = false;

    Reading reading() const {
        return {stages.data(), tests.data(), stages.size(), tests.size(), start};
    }
};

// A network compiled: every node's source as a table of leaves or as a flat decision graph, and its
// theta, or its stages. Add the nodes in the order, each by its source and then by what its leaves
// mean.
class Network {
  public:
    explicit Network(In1<std::int32_t> cardinalities)
        : cards_(copied(cardinalities)), readers_(cards_.size()) {}

    // The next node's leaf is looked up by the joint state of the inputs, row-major.
    void add_table(std::int32_t variable, In1<std::int32_t> inputs, In1<std::int32_t> leaves) {
        Node& node = started(variable);
        node.map = static_cast<std::int64_t>(leaf_map_.size());
        leaf_map_.insert(leaf_map_.end(), leaves.data(), leaves.data() + leaves.size());
        node.input_begin = static_cast<std::int64_t>(inputs_.size());
        std::int32_t stride = 1;
        for (std::size_t k = inputs.size(); k-- > 0; stride *= cards_[inputs(k)])
            inputs_.push_back({inputs(k), stride});
        node.input_end = static_cast<std::int64_t>(inputs_.size());
        for (std::size_t k = 0; k < inputs.size(); ++k) read_[inputs(k)].start = true;
    }

    // The next node's leaf is where a compiled decision graph leads.
    void add_graph(std::int32_t variable, In1<std::int32_t> tested, In1<std::int32_t> begin,
                   In1<std::int32_t> children) {
        Node& node = started(variable);
        const auto first = static_cast<std::int32_t>(slots_.size());
        const auto slot = [&](std::size_t v) {
            return Slot{tested(v), tested(v) == kLeaf ? begin(v) : first + begin(v)};
        };
        for (std::size_t c = 0; c < children.size(); ++c)
            slots_.push_back(slot(static_cast<std::size_t>(children(c))));
        node.root = slot(0);
        for (std::size_t v = 0; v < tested.size(); ++v)
            if (tested(v) != kLeaf) read_[tested(v)].start = true;
    }

    // theta [leaf, state] of the node that was added last.
    void set_theta(In2<double> theta) {
        Node& node = nodes_.back();
        const auto states = static_cast<std::size_t>(node.states);
        node.leaves = theta.shape(0);
        node.cells = static_cast<std::int64_t>(theta_.size());
        node.marks = static_cast<std::int64_t>(thresholds_.size());
        theta_.insert(theta_.end(), theta.data(), theta.data() + theta.size());
        for (std::size_t c = 0; c < theta.size(); ++c) {
            log_theta_.push_back(std::log(theta.data()[c]));
            node.zeros = node.zeros || !(theta.data()[c] > 0.0);
        }
        thresholds_.resize(thresholds_.size() + node.leaves * (states - 1));
        for (std::size_t leaf = 0; leaf < node.leaves; ++leaf)
            thresholds_of(
                theta.data() + leaf * states, states,
                thresholds_.data() + static_cast<std::size_t>(node.marks) + leaf * (states - 1));
        add_readings();
    }

    // The node that was added last is boosted: `start` are the scores [leaf, state] of its source;
    // `digits` [low, middle, high][vertex] the tree of its digits, or empty.
    void set_stages(const Stages& stages, In2<std::int32_t> start, In2<std::int32_t> digits) {
        Node& node = nodes_.back();
        node.leaves = start.shape(0);
        node.boosted = static_cast<std::int32_t>(boosted_.size());
        boosted_.push_back({{}, {}, nullptr, sums_, masks_});
        digits_.emplace_back(digits.data(), digits.data() + digits.size());
        stages_.push_back(stages);
        starts_.emplace_back(start.data(), start.data() + start.size());
        sums_ += stages.states() * kRows;
        masks_ += stages.variable().size();
        for (std::size_t t = 0; t < stages.variable().size(); ++t)
            read_[stages.variable()[t]].tests.push_back(static_cast<std::int32_t>(t));
        for (std::size_t m = 0; m + 1 < stages.begin().size(); ++m)
            for (std::int32_t t = stages.begin()[m]; t < stages.begin()[m + 1]; ++t) {
                const auto test = static_cast<std::size_t>(stages.test()[t]);
                auto& own = read_[stages.variable()[test]].stages;
                const auto stage = static_cast<std::int32_t>(m);
                if (own.empty() || own.back() != stage) own.push_back(stage);
            }
        add_readings();
    }

    std::size_t variables() const { return cards_.size(); }
    const std::vector<std::int32_t>& cardinalities() const { return cards_; }
    std::size_t most_states() const {
        return static_cast<std::size_t>(*std::max_element(cards_.begin(), cards_.end()));
    }
    const Node& node(std::size_t place) const { return nodes_[place]; }
    const double* theta(const Node& node) const { return theta_.data() + node.cells; }
    const double* log_theta(const Node& node) const { return log_theta_.data() + node.cells; }
    const std::uint32_t* thresholds(const Node& node) const {
        return thresholds_.data() + node.marks;
    }

    // What a tile of moves has for all boosted nodes: sums, and outcomes of tests.
    std::size_t sums() const { return sums_; }
    std::size_t masks() const { return masks_; }

    // Of the nodes added so far; not to be called by two threads at once.
    View view() {
        if (reader_begin_.empty() || counted_ != nodes_.size()) {
            flat_readers_.clear();
            readings_.clear();
            reader_begin_.assign(1, 0);
            for (const std::vector<Reader>& readers : readers_) {
                for (const Reader& reader : readers) {
                    flat_readers_.push_back(reader.place);
                    readings_.push_back(reader.read.reading());
                }
                reader_begin_.push_back(static_cast<std::int64_t>(flat_readers_.size()));
            }
            for (std::size_t k = 0; k < stages_.size(); ++k) {
                boosted_[k].stages = stages_[k].view();
                boosted_[k].start = starts_[k].data();
                boosted_[k].digits = digits_of(digits_[k].data(), digits_[k].size() / 3);
            }
            counted_ = nodes_.size();
        }
        return {cards_.size(),        nodes_.data(),   log_theta_.data(), leaf_map_.data(),
                inputs_.data(),       slots_.data(),   boosted_.data(),   flat_readers_.data(),
                reader_begin_.data(), readings_.data()};
    }

  private:
    struct Reader {
        std::int32_t place;
        Read read;
    };

    Node& started(std::int32_t variable) {
        nodes_.emplace_back();
        nodes_.back().variable = variable;
        nodes_.back().states = cards_[static_cast<std::size_t>(variable)];
        read_.clear();
        return nodes_.back();
    }

    void add_readings() {
        const auto place = static_cast<std::int32_t>(nodes_.size() - 1);
        for (auto& [variable, how] : read_)
            if (how.start || !how.stages.empty())  // tests may be there that no split names
                readers_[static_cast<std::size_t>(variable)].push_back({place, std::move(how)});
        read_.clear();
    }

    std::vector<std::int32_t> cards_;
    std::vector<Node> nodes_;  // in the order
    std::vector<std::vector<Reader>> readers_;
    std::map<std::int32_t, Read> read_;  // what the node that was added last reads, and how
    std::vector<Stages> stages_;         // of boosted nodes
    std::vector<std::vector<std::int32_t>> starts_, digits_;
    std::vector<Boosted> boosted_;
    std::vector<Reading> readings_;
    std::size_t sums_ = 0, masks_ = 0;
    std::vector<double> theta_, log_theta_;
    std::vector<std::uint32_t> thresholds_;
    std::vector<std::int32_t> leaf_map_, flat_readers_;
    std::vector<std::int64_t> reader_begin_;
    std::vector<Input> inputs_;
    std::vector<Slot> slots_;
    std::size_t counted_ = 0;
};

constexpr double kImpossible = -std::numeric_limits<double>::infinity();

// What is known of each variable: where its weights begin, or -1, and all weights.
struct Known {
    std::vector<std::int32_t> begin;
    std::vector<double> weights, log_weights;

    explicit Known(std::size_t variables) : begin(variables, -1) {}  // nothing
    Known(In1<std::int32_t> begin, In1<double> weights)
        : begin(copied(begin)), weights(copied(weights)) {
        for (const double weight : this->weights) log_weights.push_back(std::log(weight));
    }
};

// Of a variable with weights: thresholds in proportion to theta_i(. | y_i) w_i of every leaf, and
// the log of what these are divided by. Where nothing is possible: the first state that w allows.
struct Weighted {
    std::vector<std::uint32_t> marks;
    std::vector<double> theta, logs;

    Weighted(const double* rows, std::size_t leaves, std::size_t states, const double* weights)
        : marks(leaves * (states - 1)), theta(leaves * states), logs(leaves) {
        const auto allowed = static_cast<std::size_t>(
            std::find_if(weights, weights + states, [](double w) { return w > 0.0; }) - weights);
        for (std::size_t leaf = 0; leaf < leaves; ++leaf) {
            double total = 0.0, *row = theta.data() + leaf * states;
            for (std::size_t s = 0; s < states; ++s)
                total += row[s] = rows[leaf * states + s] * weights[s];
            std::uint32_t* own = marks.data() + leaf * (states - 1);
            logs[leaf] = total > 0.0 ? std::log(total) : kImpossible;
            if (total > 0.0)
                thresholds_of(row, states, own);
            else
                for (std::size_t s = 0; s + 1 < states; ++s) own[s] = s < allowed ? 0 : kAlways;
            for (std::size_t s = 0; s < states && total > 0.0; ++s) row[s] /= total;
        }
    }
};

// The scratch of boosted nodes; nothing where there are none.
struct Buffers {
    std::vector<std::uint64_t> masks;
    std::vector<std::int32_t> scores, read;
    std::vector<double> theta;

    explicit Buffers(const Network& network) : masks(network.masks() + 1) {
        if (network.sums() == 0) return;
        const std::size_t cells = network.most_states() * kRows;
        scores.resize(cells);
        read.resize(cells);
        theta.resize(cells);
    }
    Scratch scratch() { return {masks.data(), scores.data(), read.data(), theta.data()}; }
};

// The state that alone has weight, and weight 1; -1 where there is none.
inline std::int32_t clamped_to(const double* weights, std::size_t states) {
    std::int32_t code = -1;
    for (std::size_t s = 0; s < states; ++s) {
        if (weights[s] == 0.0) continue;
        if (code >= 0 || weights[s] != 1.0) return -1;
        code = static_cast<std::int32_t>(s);
    }
    return code;
}

// How the nodes at some places are drawn under what is known.
class Steps {
  public:
    // With `clamp`, a variable whose only state of weight is of weight 1 is not drawn.
    Steps(const Network& network, const Known& known, const std::int32_t* places, std::size_t count,
          bool clamp) {
        if (known.begin.size() != network.variables())
            throw std::invalid_argument("one begin a variable");
        weighted_.reserve(count);
        for (std::size_t k = 0; k < count; ++k) {
            const Node& node = network.node(static_cast<std::size_t>(places[k]));
            const auto states = static_cast<std::size_t>(node.states);
            const std::int32_t begin = known.begin[static_cast<std::size_t>(node.variable)];
            const double* weights = begin < 0 ? nullptr : known.weights.data() + begin;
            Step step{places[k], -1, nullptr, nullptr, nullptr, 0, nullptr};
            if (clamp && weights != nullptr) step.code = clamped_to(weights, states);
            if (node.boosted >= 0) {
                step.weights = weights;
            } else if (step.code >= 0) {
                step.logs = network.log_theta(node) + step.code;
                step.stride = node.states;
            } else if (weights != nullptr) {
                weighted_.emplace_back(network.theta(node), node.leaves, states, weights);
                step.marks = weighted_.back().marks.data();
                step.theta = weighted_.back().theta.data();
                step.logs = weighted_.back().logs.data();
                step.stride = 1;
            } else {
                step.marks = network.thresholds(node);
                step.theta = network.theta(node);
            }
            steps_.push_back(step);
        }
    }

    const Step* data() const { return steps_.data(); }
    std::size_t size() const { return steps_.size(); }
    const Step& operator[](std::size_t k) const { return steps_[k]; }

  private:
    std::vector<Step> steps_;
    std::vector<Weighted> weighted_;
};

}  // namespace depnet::network
