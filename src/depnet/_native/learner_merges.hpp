// The best merge of all pairs of leaves, repaired lazily.
//
// Every leaf keeps its best partner among the later leaves. A merge or split removes leaves: a best
// partner that is gone leaves its change behind as a lower bound, and the row is searched again
// only when that bound reaches the top. Leaves enter only when some merge may win at all, so that
// those which are split soon after cost nothing.
#pragma once

#include <algorithm>
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
    void put(std::int64_t position) {
        const Leaf& leaf = *leaves_[position];
        const auto at = static_cast<std::size_t>(position);
        if (at == change_.size()) {
            change_.push_back(kInfinity);
            partner_.push_back(-1);
            row_.push_back(kWaiting);
            entropy_.push_back(0.0);
            if (at >= room_) grow_room();
        }
        change_[at] = kInfinity;
        partner_[at] = -1;
        row_[at] = kWaiting;
        entropy_[at] = leaf.entropy;
        for (std::size_t s = 0; s < states_; ++s) counts_[s * room_ + at] = 0;
        if (states_)
            for (const Cell& cell : leaf.cells)
                counts_[cell.state * room_ + at] = static_cast<std::uint32_t>(cell.count);
    }

    void erase(std::int64_t position) {
        const std::size_t size = change_.size();
        for (std::size_t s = 0; s < states_; ++s) {
            auto row = counts_.begin() + s * room_;
            std::copy(row + position + 1, row + size, row + position);
        }
        change_.erase(change_.begin() + position);
        partner_.erase(partner_.begin() + position);
        row_.erase(row_.begin() + position);
        entropy_.erase(entropy_.begin() + position);
    }

    // Let all new leaves in: each becomes a possible partner of the leaves before it.
    void admit() {
        const auto size = static_cast<std::int64_t>(change_.size());
        for (std::int64_t b = 0; b < size; ++b) {
            if (row_[b] != kWaiting) continue;
            watch_.poll(b);
            changes(b, 0, b);
            for (std::int64_t a = 0; a < b; ++a)
                if (row_[a] != kWaiting) offer(a, b, found_[a]);
        }
        for (std::int64_t b = 0; b < size; ++b)
            if (row_[b] == kWaiting) search(b);
    }

    // The first of the best pair, or -1 if no merge changes the entropy by less than `limit`.
    std::int64_t best(double limit) {
        while (true) {
            const auto top =
                std::min_element(change_.begin(), change_.end());  // the first of equals
            if (top == change_.end() || !(*top < limit)) return -1;
            const std::int64_t first = top - change_.begin();
            if (row_[first] == kKnown && partner(first) >= 0) return first;
            watch_.poll(static_cast<std::int64_t>(change_.size()));
            search(first);
        }
    }

    double change(std::int64_t first) const { return change_[first]; }

    std::int64_t partner(std::int64_t first) const {
        // Leaves keep their order and their ids grow where they are appended: but a merged leaf is
        // new in an old place, so ids are looked for and not counted.
        for (std::size_t b = first + 1; b < leaves_.size(); ++b)
            if (leaves_[b]->id == partner_[first]) return static_cast<std::int64_t>(b);
        return -1;
    }

  private:
    enum Row : char { kWaiting, kBound, kKnown };

    // Changes of the merges of one leaf with those at begin .. end - 1, into found_.
    void changes(std::int64_t leaf, std::int64_t begin, std::int64_t end) {
        const Leaf& one = *leaves_[leaf];
        const auto count = static_cast<std::size_t>(std::max<std::int64_t>(0, end - begin));
        found_.resize(count);
        if (one.count == 0) {  // E(L_y) - (E(L_y) + 0)
            std::fill(found_.begin(), found_.end(), 0.0);
            return;
        }
        std::int64_t largest = 0;
        if (states_)
            for (std::int64_t b = begin; b < end; ++b)
                largest = std::max(largest, leaves_[b]->count);
        if (!states_ || one.count + largest >= xlogx_.size) {
            for (std::size_t i = 0; i < count; ++i) found_[i] = change_of(one, *leaves_[begin + i]);
            return;
        }
        base_.assign(states_, 0);
        for (const Cell& cell : one.cells)
            base_[cell.state] = static_cast<std::uint32_t>(cell.count);
        kernels_.entropies(xlogx_.table, counts_.data() + begin, room_, states_, base_.data(),
                           count, found_.data());
        const double entropy = one.entropy;
        for (std::size_t i = 0; i < count; ++i) found_[i] -= entropy + entropy_[begin + i];
    }

    // The entropy change of merging two leaves, in nats * rows.
    double change_of(const Leaf& a, const Leaf& b) const {
        double states = 0.0;
        for_joined_cells(a, b, [&](std::uint32_t, std::int64_t n) { states += xlogx_(n); });
        return (xlogx_(a.count + b.count) - states) - (a.entropy + b.entropy);
    }

    // `b` is new and after `a`. A change below a lower bound is below all the rest.
    void offer(std::int64_t a, std::int64_t b, double change) {
        if (change > change_[a]) return;
        if (change == change_[a]) {  // the first of equals; a bound stays a bound
            if (row_[a] != kKnown) return;
            const std::int64_t other = partner(a);
            if (other < 0 || other < b) return;
        }
        change_[a] = change;
        partner_[a] = leaves_[b]->id;
        row_[a] = kKnown;
    }

    void search(std::int64_t a) {
        const auto size = static_cast<std::int64_t>(change_.size());
        changes(a, a + 1, size);
        change_[a] = kInfinity;
        partner_[a] = -1;
        row_[a] = kKnown;
        for (std::int64_t b = a + 1; b < size; ++b)
            if (found_[b - a - 1] < change_[a]) {
                change_[a] = found_[b - a - 1];
                partner_[a] = leaves_[b]->id;
            }
    }

    void grow_room() {
        const std::size_t room = std::max<std::size_t>(16, 2 * room_);
        std::vector<std::uint32_t> counts(states_ * room, 0);
        for (std::size_t s = 0; s < states_; ++s)
            std::copy_n(counts_.begin() + s * room_, room_, counts.begin() + s * room);
        counts_ = std::move(counts);
        room_ = room;
    }

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
