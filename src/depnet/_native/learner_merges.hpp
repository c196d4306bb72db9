// The best merge of all pairs of leaves, repaired lazily.
//
// Every leaf keeps its best partner among the later leaves. A merge or split removes leaves: a best
// partner that is gone leaves its change behind as a lower bound, and the row is searched again
// only when that bound reaches the top. Leaves enter only when some merge may win at all, so that
// those which are split soon after cost nothing.
#pragma once

#include <cstdint>
#include <vector>

#include "learner_leaf.hpp"

namespace depnet {

class Merges {
  public:
    Merges(Leaves& leaves, const XLogX& xlogx) : leaves_(leaves), xlogx_(xlogx) {}

    // A new leaf, to be looked at when it must be.
    void add(Leaf& leaf) {
        alive_.resize(std::max<std::size_t>(alive_.size(), leaf.id + 1), 0);
        alive_[leaf.id] = 1;
        waiting_.push_back(&leaf);
    }

    void remove(const Leaf& leaf) {
        alive_[leaf.id] = 0;
        std::erase(waiting_, &leaf);
    }

    // Let all waiting leaves in: each becomes a possible partner of the leaves before it.
    void admit() {
        for (Leaf* leaf : waiting_) leaf->merge_known = false;
        std::vector<char> waits(alive_.size(), 0);
        for (Leaf* leaf : waiting_) waits[leaf->id] = 1;
        for (Leaf* leaf : waiting_) {
            for (std::int64_t a = 0; a < leaf->position; ++a)
                if (!waits[leaves_[a]->id]) offer(*leaves_[a], *leaf, change(*leaves_[a], *leaf));
            search(*leaf);
        }
        waiting_.clear();
    }

    // The first of the best pair, or none if no merge changes the entropy by less than `limit`.
    Leaf* best(double limit) {
        while (true) {
            Leaf* top = nullptr;
            for (const auto& leaf : leaves_)
                if (top == nullptr || leaf->merge_change < top->merge_change) top = leaf.get();
            if (top == nullptr || !(top->merge_change < limit)) return nullptr;
            if (known(*top)) return top;
            search(*top);
        }
    }

    Leaf* partner(const Leaf& first) const {
        for (std::size_t b = first.position + 1; b < leaves_.size(); ++b)
            if (leaves_[b]->id == first.merge_partner) return leaves_[b].get();
        return nullptr;
    }

  private:
    bool known(const Leaf& leaf) const { return leaf.merge_known && alive_[leaf.merge_partner]; }

    // The entropy change of merging two leaves, in nats * rows.
    double change(const Leaf& a, const Leaf& b) const {
        double states = 0.0;
        auto i = a.cells.begin(), j = b.cells.begin();
        while (i != a.cells.end() || j != b.cells.end()) {
            if (j == b.cells.end() || (i != a.cells.end() && i->state < j->state)) {
                states += xlogx_((i++)->count);
            } else if (i == a.cells.end() || j->state < i->state) {
                states += xlogx_((j++)->count);
            } else {
                states += xlogx_(i->count + j->count);
                ++i, ++j;
            }
        }
        return (xlogx_(a.count + b.count) - states) - (a.entropy + b.entropy);
    }

    // `b` is a new leaf after `a`. A change below a lower bound is below all the rest.
    void offer(Leaf& a, const Leaf& b, double change) {
        const bool first_of_equals =
            change == a.merge_change && known(a) && b.position < partner(a)->position;
        if (change < a.merge_change || first_of_equals) {
            a.merge_change = change;
            a.merge_partner = b.id;
            a.merge_known = true;
        }
    }

    void search(Leaf& a) {
        a.merge_change = kInfinity;
        a.merge_known = false;
        for (std::size_t b = a.position + 1; b < leaves_.size(); ++b) {
            const double found = change(a, *leaves_[b]);
            if (found < a.merge_change) {
                a.merge_change = found;
                a.merge_partner = leaves_[b]->id;
                a.merge_known = true;
            }
        }
    }

    Leaves& leaves_;
    const XLogX& xlogx_;
    std::vector<char> alive_;
    std::vector<Leaf*> waiting_;
};

}  // namespace depnet
