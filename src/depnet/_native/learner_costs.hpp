// What an operation costs beside its entropy change, and bounds on what it can gain.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <functional>
#include <set>
#include <unordered_map>
#include <vector>

#include "learner_bits.hpp"
#include "learner_leaf.hpp"

namespace depnet {

// An operation must lower the cost by more than this to be applied (nats per row).
constexpr double kStep = 1e-12;

struct Settings {
    std::int32_t target = 0;                      // the variable of the node
    std::vector<std::int32_t> inputs;             // the variables it may be split by, ascending
    double per_parameter = 0;                     // R(1, N), for a penalty that is linear in k
    std::function<double(std::int64_t)> penalty;  // or R(k, N), called once for each k
    bool structural = false;
    double split_factor = 0, merge_factor = 0;
    std::int64_t max_leaves = std::numeric_limits<std::int64_t>::max();
    std::int64_t min_leaf_rows = 0;
};

// The numbers of states of the inputs, each once, ascending; one state splits nothing.
inline std::vector<std::int64_t> cardinalities_of_inputs(const Data& data,
                                                         const Settings& settings) {
    std::set<std::int64_t> found;
    for (const std::int32_t j : settings.inputs)
        if (data.cardinalities[j] > 1) found.insert(data.cardinalities[j]);
    return {found.begin(), found.end()};
}

class Costs {
  public:
    Costs(const Settings& settings, std::int64_t total, std::int64_t states)
        : settings_(settings), total_(static_cast<double>(total)), states_(states) {}

    bool linear() const { return !settings_.penalty; }

    // R(k', N) - R(k, N) as the number of leaves changes.
    double parameters(std::int64_t before, std::int64_t after) {
        if (linear())
            return static_cast<double>((after - before) * (states_ - 1)) * settings_.per_parameter;
        return value(after * (states_ - 1)) - value(before * (states_ - 1));
    }

    // Nats per row of naming one split, or one merge, among the leaves there are (StructuralMdl).
    double split_name(std::int64_t leaves) const {
        if (!settings_.structural) return 0.0;
        const auto splits = leaves * static_cast<std::int64_t>(settings_.inputs.size());
        return settings_.split_factor * std::log(static_cast<double>(splits)) / total_;
    }
    double merge_name(std::int64_t leaves) const {
        if (!settings_.structural) return 0.0;
        const auto pairs = leaves * (leaves - 1) / 2;
        return settings_.merge_factor * std::log(static_cast<double>(pairs)) / total_;
    }

    // Whether some split of a leaf by a variable of this cardinality might lower the cost: it takes
    // away at most the leaf's entropy, and at most log |X_j| nats a row. Generous by more than
    // rounding. Only where R is linear.
    bool may_pay(const Leaf& leaf, std::int64_t cardinality) const {
        const auto rows = static_cast<double>(leaf.count);
        const double gain =
            std::min(leaf.entropy, rows * std::log(static_cast<double>(cardinality)));
        const double cells = std::min(
            rows, static_cast<double>(leaf.cells.size()) * static_cast<double>(cardinality));
        const double price =
            static_cast<double>((cardinality - 1) * (states_ - 1)) * settings_.per_parameter;
        return leaf.entropy > 0.0 && -gain / total_ + price < rounding(cells) - kStep;
    }

    bool may_pay(const Leaf& leaf, const std::vector<std::int64_t>& cardinalities) const {
        return !linear() || std::any_of(cardinalities.begin(), cardinalities.end(),
                                        [&](std::int64_t k) { return may_pay(leaf, k); });
    }

    // The leaf's split by X_j, the input at this place, changes the entropy by so much: remember it
    // if it is the best, or with all the others.
    void propose(Leaf& leaf, std::size_t input, std::int64_t cardinality, double entropy_change,
                 bool keep_all) const {
        if (keep_all) {
            leaf.split_changes[input] = entropy_change;
            return;
        }
        const std::int32_t j = settings_.inputs[input];
        const double delta =
            entropy_change / total_ +
            static_cast<double>((cardinality - 1) * (states_ - 1)) * settings_.per_parameter;
        if (delta < leaf.split_delta || (delta == leaf.split_delta && j < leaf.split_variable)) {
            leaf.split_delta = delta;
            leaf.split_variable = j;
        }
    }

    // A bound on the rounding error of an entropy change that sums the given number of cells, in
    // nats per row: every term is at most N log N < 40 N, and each of the few sums over the cells
    // errs by half an ulp.
    static double rounding(double cells) { return 2e-14 * (cells + 4.0); }

  private:
    double value(std::int64_t parameters) {
        const auto found = values_.find(parameters);
        if (found != values_.end()) return found->second;
        return values_[parameters] = settings_.penalty(parameters);
    }

    const Settings& settings_;
    double total_;
    std::int64_t states_;
    std::unordered_map<std::int64_t, double> values_;
};

}  // namespace depnet
