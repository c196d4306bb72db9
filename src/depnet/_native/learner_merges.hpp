// The best merge of all pairs of leaves, repaired lazily.
//
// Every leaf keeps its best partner among the later leaves. A merge or split removes leaves: a best
// partner that is gone leaves its change behind as a lower bound, and the row is searched again
// only when that bound reaches the top. Leaves enter only when some merge may win at all, so that
// those which are split soon after cost nothing.
#pragma once

#include <cstdint>
#include <vector>

#include "learner_kernels.hpp"
#include "learner_leaf.hpp"
#include "learner_watch.hpp"

namespace depnet {

class Merges {
  public:
    // `dense`: counts fit 32 bits, and the target has so few states that each leaf holds all of
    // them.
    Merges(const Leaves& leaves, const XLogX& xlogx, const LearnerKernels& kernels,
           std::int64_t states, bool dense, Watch& watch)
        : leaves_(leaves),
          xlogx_(xlogx),
          kernels_(kernels),
          states_(dense ? static_cast<std::size_t>(states) : 0),
          watch_(watch) {}

    // The leaf at this position is new; it is looked at when it must be.
    void put(std::int64_t position);
    void erase(std::int64_t position);

    // Let all new leaves in: each becomes a possible partner of the leaves before it.
    void admit();

    // The first of the best pair, or -1 if no merge changes the entropy by less than `limit`.
    std::int64_t best(double limit);

    double change(std::int64_t first) const { return change_[first]; }
    std::int64_t partner(std::int64_t first) const;

  private:
    enum Row : char { kWaiting, kBound, kKnown };

    // Changes of the merges of one leaf with those at begin .. end - 1, into found_.
    void changes(std::int64_t leaf, std::int64_t begin, std::int64_t end);
    double change_of(const Leaf& a, const Leaf& b) const;
    void offer(std::int64_t a, std::int64_t b, double change);
    void search(std::int64_t a);
    void grow_room();

    const Leaves& leaves_;
    const XLogX& xlogx_;
    const LearnerKernels& kernels_;
    const std::size_t states_;  // of the counts below; 0: not dense
    Watch& watch_;

    // By position: the best change with a later leaf, that leaf's id, and what is known of it.
    std::vector<double> change_;
    std::vector<std::int64_t> partner_;
    std::vector<char> row_;
    std::vector<double> entropy_;
    std::vector<std::uint32_t> counts_;  // [state][position]
    std::size_t room_ = 0;               // positions between two states

    std::vector<double> found_;
    std::vector<std::uint32_t> base_;
};

}  // namespace depnet
