// Splits of a leaf: counting its rows by (state of X_j, state of the target), and the best split.
//
// There are two ways to count. Variables that have planes are counted all at once, in bits, where
// rows have no weights and the target has few states; a child's counts are often its parent's less
// its siblings'. Anything else is counted one variable after the other. The counts are the same,
// and so is every float.
#pragma once

#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

#include "learner_bits.hpp"
#include "learner_costs.hpp"
#include "learner_leaf.hpp"
#include "learner_watch.hpp"

namespace depnet {

class Splits {
  public:
    Splits(const Data& data, const Bits& bits, const LearnerKernels& kernels,
           const Settings& settings, const XLogX& xlogx, const Costs& costs, bool keep_all,
           Watch& watch);

    std::int64_t states() const { return states_; }
    std::size_t bytes_of_counts() const { return bits_ ? stride_ * states_ * 4 : 0; }

    // The leaf of all rows.
    std::unique_ptr<Leaf> root();

    // Forget a leaf's counts; their memory is used for the next leaf that is counted.
    void drop_counts(Leaf& leaf) {
        if (!leaf.ones.empty()) spare_.push_back(std::exchange(leaf.ones, {}));
    }

    // Find the leaf's best split, or the entropy changes of all its splits (`keep_all`).
    void evaluate(Leaf& leaf);

    // The |X_j| leaves of Split(leaf, j), the empty ones among them. Uses the leaf up.
    Leaves split(Leaf& leaf, std::int32_t j);

    // The leaf of Merge(a, b). Uses both up.
    std::unique_ptr<Leaf> merge(Leaf& a, Leaf& b);

  private:
    void place_inputs();
    void read_target();
    void as_list(Leaf& leaf);
    void make_target_masks();

    // One variable at a time.
    double change(const Leaf& leaf, std::int32_t j);
    void propose(Leaf& leaf, std::size_t input, double entropy_change) const {
        const std::int64_t k = data_.cardinalities[settings_.inputs[input]];
        costs_.propose(leaf, input, k, entropy_change, keep_all_);
    }
    void fill_cells(Leaf& leaf) const;

    // All planes at once.
    bool masks_pay(std::int64_t rows) const;
    void count(Leaf& leaf);
    void count_children(Leaf& leaf, Leaves& children);
    void evaluate_planes(Leaf& leaf);
    void find_worth(const Leaf& leaf);
    void list_rows(Leaf& leaf) const;
    void split_mask(Leaf& leaf, std::int32_t place, Leaves& children);
    bool partition(const std::uint32_t* rows, std::size_t chosen, std::int32_t plane,
                   std::uint32_t* zeros, std::uint32_t* ones) const;
    void split_list(const Leaf& leaf, std::int32_t j, Leaves& children);

    const Data& data_;
    const Bits* bits_ = nullptr;  // none: everything one variable at a time
    const LearnerKernels& kernels_;
    const Settings& settings_;
    const XLogX& xlogx_;
    const Costs& costs_;
    const bool keep_all_;
    Watch& watch_;
    const std::int64_t states_;
    const std::vector<std::int64_t> cardinalities_;  // of the inputs, each once
    std::vector<std::uint16_t> target_;  // the state of the target, by row, where it is needed
    std::int32_t place_ = -1;            // of the target, if it has planes

    std::size_t stride_ = 0;  // of `ones`: the bits of a row
    std::vector<std::int32_t>
        input_;  // place of a variable with planes -> its place in the inputs, or -1
    std::vector<double> price_;                // of a split by it; infinite if it is no input
    std::vector<std::size_t> single_;          // the inputs that are counted one at a time
    std::vector<std::uint64_t> target_masks_;  // [state][word], where masks are used

    std::vector<std::int64_t> counts_;                            // scratch: [z][x]
    std::vector<std::pair<std::uint64_t, std::int64_t>> sorted_;  // scratch: (z, x), weight
    std::vector<std::uint64_t> masks_;                            // scratch: [state][word]
    std::vector<std::uint32_t> zeros_, small_, left_;             // scratch
    std::vector<double> weights_, terms_, entropies_;             // scratch
    std::vector<std::size_t> worth_;                              // scratch
    std::vector<PlaneCounts> spare_;                              // see drop_counts
};

}  // namespace depnet
