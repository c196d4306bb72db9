// Algorithm 3 for one node.
#include "learner_grow.hpp"

#include <algorithm>
#include <utility>

#include "learner_merges.hpp"
#include "learner_splits.hpp"

namespace depnet {
namespace {

constexpr std::int64_t kMostDenseStates = 256;
constexpr std::int64_t kCountsKept = 4 << 20;  // bytes

class Grower {
  public:
    Grower(const Data& data, const Bits& bits, const LearnerKernels& kernels,
           const Settings& settings, Watch& watch)
        : data_(data),
          settings_(settings),
          watch_(watch),
          xlogx_(shared_xlogx(data.total)),
          costs_(settings, data.total, data.cardinalities[settings.target]),
          // Where R is not linear, or where max_leaves bars splits by some variables at some steps,
          // the best split of a leaf changes with the number of leaves.
          keep_all_(!costs_.linear() ||
                    settings.max_leaves != std::numeric_limits<std::int64_t>::max()),
          splits_(data, bits, kernels, settings, xlogx_, costs_, keep_all_, watch),
          merges_(leaves_, xlogx_, kernels, splits_.states(),
                  splits_.states() <= kMostDenseStates && data.total < (std::int64_t{1} << 31),
                  watch) {}

    Grown grow() {
        try {
            append(splits_.root());
            do evaluate_new();
            while (step());
        } catch (const DeadlineReached&) {  // what was grown so far is the node
        }
        grown_.counts.assign(leaves_.size() * splits_.states(), 0);
        for (std::size_t y = 0; y < leaves_.size(); ++y)
            for (const Cell& cell : leaves_[y]->cells)
                grown_.counts[y * splits_.states() + cell.state] = cell.count;
        return std::move(grown_);
    }

  private:
    std::int64_t size() const { return static_cast<std::int64_t>(leaves_.size()); }

    void append(std::unique_ptr<Leaf> leaf) { insert(std::move(leaf), size()); }

    void insert(std::unique_ptr<Leaf> leaf, std::int64_t position) {
        leaf->id = next_id_++;
        leaf->position = position;
        new_.push_back(leaf.get());
        if (position == size())
            leaves_.push_back(std::move(leaf));
        else
            leaves_[position] = std::move(leaf);
        merges_.put(position);
    }

    void erase(std::int64_t position) {
        leaves_.erase(leaves_.begin() + position);
        merges_.erase(position);
        for (auto y = position; y < size(); ++y) leaves_[y]->position = y;
    }

    // Finds the splits of the new leaves.
    void evaluate_new() {
        watch_.poll(size());
        // Counts are kept for subtracting and adding, as long as they are few beside the data.
        const bool drop =
            leaves_.size() * splits_.bytes_of_counts() >
            static_cast<std::size_t>(std::max(data_.rows * data_.variables() / 8, kCountsKept));
        for (Leaf* leaf : std::exchange(new_, {})) {
            splits_.evaluate(*leaf);
            if (drop) splits_.drop_counts(*leaf);
        }
    }

    // The best split: the least Delta, then the lowest (leaf, variable).
    void find_split(double& delta, std::int64_t& y, std::int32_t& j) {
        delta = kInfinity;
        for (const auto& leaf : leaves_) {
            if (keep_all_) {
                for (std::size_t at = 0; at < settings_.inputs.size(); ++at) {
                    const std::int32_t k = data_.cardinalities[settings_.inputs[at]];
                    const double change = leaf->split_changes[at];
                    if (size() + k - 1 > settings_.max_leaves || change == kInfinity) continue;
                    const double candidate = change / static_cast<double>(data_.total) +
                                             costs_.parameters(size(), size() + k - 1);
                    if (candidate < delta) {
                        delta = candidate;
                        y = leaf->position;
                        j = settings_.inputs[at];
                    }
                }
            } else if (leaf->split_delta < delta) {
                delta = leaf->split_delta;
                y = leaf->position;
                j = leaf->split_variable;
            }
        }
        if (delta < kInfinity) delta += costs_.split_name(size());
    }

    // One pass of Algorithm 3's loop; false if nothing lowers the cost any more.
    bool step() {
        double split_delta;
        std::int64_t y = -1;
        std::int32_t j = -1;
        find_split(split_delta, y, j);
        const double wanted = std::min(split_delta, -kStep);  // what a merge must be below

        std::int64_t first = -1;
        if (size() >= 2) {
            const auto total = static_cast<double>(data_.total);
            const double parameters = costs_.parameters(size(), size() - 1);
            const double name = costs_.merge_name(size());
            const double error =
                Costs::rounding(static_cast<double>(std::min(splits_.states(), data_.total)));
            const auto delta = [&](double change) { return change / total + parameters + name; };
            if (parameters + name - error < wanted) {
                merges_.admit();
                // Generous: merges whose exact Delta is not below `wanted` are turned away here.
                first = merges_.best((wanted - parameters - name + error) * total);
                if (first >= 0 && !(delta(merges_.change(first)) < wanted)) first = -1;
            }
        }
        if (first >= 0) {
            merge(first, merges_.partner(first));
            return true;
        }
        if (!(split_delta < -kStep)) return false;
        split(y, j);
        return true;
    }

    void record(std::uint8_t kind, std::int64_t first, std::int64_t second) {
        grown_.kinds.push_back(kind);
        grown_.first.push_back(static_cast<std::int32_t>(first));
        grown_.second.push_back(static_cast<std::int32_t>(second));
    }

    void split(std::int64_t y, std::int32_t j) {
        record(kSplit, y, j);
        const auto leaf = std::move(leaves_[y]);
        erase(y);
        for (auto& child : splits_.split(*leaf, j)) append(std::move(child));
    }

    void merge(std::int64_t y0, std::int64_t y1) {
        record(kMerge, y0, y1);
        insert(splits_.merge(*leaves_[y0], *leaves_[y1]), y0);
        erase(y1);
    }

    const Data& data_;
    const Settings& settings_;
    Watch& watch_;
    XLogX xlogx_;
    Costs costs_;
    bool keep_all_;
    Splits splits_;
    Leaves leaves_;
    Merges merges_;
    std::vector<Leaf*> new_;
    std::int64_t next_id_ = 0;
    Grown grown_;
};

}  // namespace

Grown grow(const Data& data, const Bits& bits, const LearnerKernels& kernels,
           const Settings& settings, Watch& watch) {
    return Grower(data, bits, kernels, settings, watch).grow();
}

}  // namespace depnet
