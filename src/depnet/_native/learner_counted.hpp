// A node grown from counts alone: rows may lie anywhere, in many parts.
//
// Where rows are, `LeafRows` keeps those of each leaf and counts them; where the node is grown,
// `CountedSplits` asks for the counts of leaves that are new and may be split again. Sets of rows
// are called by ids, given in the order in which they come to be: the root is 0, a split adds its
// children one by one, a merge adds one. Both sides number alike. Counts are whole numbers and
// every float is computed from their sums as `Splits` does, so the node is the same for any
// partition of the rows.
//
// Asking takes a round, however little is asked. So splits that are likely to come are foreseen:
// the parts divide those leaves and count the children beforehand, and should the leaf be merged
// instead, the parts put it together again. What is foreseen changes nothing but the rounds.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <optional>
#include <unordered_map>
#include <utility>
#include <vector>

#include "learner_costs.hpp"
#include "learner_data.hpp"
#include "learner_leaf.hpp"
#include "learner_splits.hpp"

namespace depnet {

// The counts of a leaf: for each input X_j, ascending, [z][x], one after the other.
std::size_t width_of_counts(const Data& data, const Settings& settings);

// The splits of leaves whose counts are told.
class CountedSplits {
  public:
    CountedSplits(const Data& data, const Settings& settings, const XLogX& xlogx,
                  const Costs& costs, bool keep_all, std::vector<std::int64_t> root);

    std::int64_t states() const { return states_; }
    std::size_t bytes_of_counts() const { return 0; }
    void drop_counts(Leaf&) {}  // never asked to

    std::unique_ptr<Leaf> root();
    bool evaluate(Leaf& leaf);  // false: its counts are wanted
    Leaves split(Leaf& leaf, std::int32_t j);
    std::unique_ptr<Leaf> merge(Leaf& a, Leaf& b);

    // Ask for the counts of the children of the leaf's best split, before it is made.
    void foresee(const Leaf& leaf);

    // The ids to count: their counts, in this order, are then told by `tell`.
    std::vector<std::int64_t> wanted() const;
    void tell(const std::int64_t* counts);

    // The operations since the last call, by ids: Split(id, variable) or Merge(first, second).
    struct Operations {
        std::vector<std::uint8_t> kinds;
        std::vector<std::int64_t> first, second;
    };
    Operations news() { return std::exchange(news_, {}); }

  private:
    using Counts = std::vector<std::int64_t>;

    // Rows, as the parts call them, and their counts: none if nobody asked, empty until told.
    struct Rows {
        std::int64_t id = 0;
        std::shared_ptr<Counts> counts;
        bool told() const { return counts && !counts->empty(); }
    };
    // The children of a split that is foreseen: for the parts, it is made.
    struct Foreseen {
        std::int32_t variable;
        std::vector<Rows> children;
    };
    struct Known {
        Rows rows;
        std::optional<Foreseen> foreseen;
    };

    Known take(const Leaf& leaf);
    Leaves children(const Counts& counts, std::int32_t j) const;
    std::vector<Rows> divide(const Rows& rows, std::int32_t j, const Leaves& children);
    void reunite(Known& known);
    void want(Rows& rows);
    void log(std::uint8_t kind, std::int64_t first, std::int64_t second);

    const Data& data_;
    const Settings& settings_;
    const XLogX& xlogx_;
    const Costs& costs_;
    const bool keep_all_;
    const std::int64_t states_;
    const std::vector<std::int64_t> cardinalities_;  // of the inputs, each once
    std::vector<std::size_t> offsets_;  // of each input's counts, and their width at the end
    std::vector<std::int64_t> root_;    // [state]
    std::unordered_map<const Leaf*, Known> known_;
    std::int64_t next_ = 0;  // id

    std::vector<Rows> wanted_;
    // A child that is not counted: its counts are its parent's less its siblings'.
    struct Rest {
        std::shared_ptr<Counts> counts, parent;
        std::vector<std::shared_ptr<Counts>> siblings;
    };
    std::vector<Rest> rests_;
    Operations news_;
};

// The rows of the leaves of one node, in one part of the table.
class LeafRows {
  public:
    LeafRows(const Data& data, const Bits& bits, const LearnerKernels& kernels, Settings settings);

    // The operations of `CountedSplits::news`, in order.
    void apply(std::uint8_t kind, std::int64_t first, std::int64_t second);
    void add_counts(std::int64_t id, std::int64_t* out);
    std::size_t width() const { return width_; }

  private:
    void add(std::unique_ptr<Leaf> leaf) { leaves_[next_++] = std::move(leaf); }
    std::unique_ptr<Leaf> take(std::int64_t id);

    Settings settings_;
    XLogX xlogx_;
    Costs costs_;
    std::atomic<bool> never_{false};
    Watch watch_;
    Splits splits_;
    std::size_t width_;
    std::int64_t next_ = 0;
    std::unordered_map<std::int64_t, std::unique_ptr<Leaf>> leaves_;
};

}  // namespace depnet
