#include "learner_counted.hpp"

#include <algorithm>
#include <stdexcept>
#include <utility>

#include "learner_grow.hpp"

namespace depnet {

std::size_t width_of_counts(const Data& data, const Settings& settings) {
    std::size_t states = 1, width = 0;
    for (const std::int32_t i : settings.targets) states *= data.cardinalities[i];
    for (const std::int32_t j : settings.inputs) width += data.cardinalities[j] * states;
    return width;
}

CountedSplits::CountedSplits(const Data& data, const Settings& settings, const XLogX& xlogx,
                             const Costs& costs, bool keep_all, std::vector<std::int64_t> root)
    : data_(data),
      settings_(settings),
      xlogx_(xlogx),
      costs_(costs),
      keep_all_(keep_all),
      root_(std::move(root)) {
    for (const std::int32_t i : settings.targets) states_ *= data.cardinalities[i];
    offsets_.push_back(0);
    for (const std::int32_t j : settings.inputs) {
        offsets_.push_back(offsets_.back() + data.cardinalities[j] * states_);
        if (data.cardinalities[j] > 1) cardinalities_.push_back(data.cardinalities[j]);
    }
    std::sort(cardinalities_.begin(), cardinalities_.end());
    cardinalities_.erase(std::unique(cardinalities_.begin(), cardinalities_.end()),
                         cardinalities_.end());
}

namespace {

// The cells of a leaf from its counts by state of the target.
std::unique_ptr<Leaf> leaf_of(const std::int64_t* counts, std::int64_t states, const XLogX& xlogx) {
    auto leaf = std::make_unique<Leaf>();
    for (std::int64_t x = 0; x < states; ++x)
        if (counts[x] > 0) leaf->cells.push_back({static_cast<std::uint32_t>(x), counts[x]});
    leaf->sum_up(xlogx);
    return leaf;
}

}  // namespace

std::unique_ptr<Leaf> CountedSplits::root() { return leaf_of(root_.data(), states_, xlogx_); }

CountedSplits::Counts CountedSplits::take(const Leaf& leaf) {
    const auto found = counts_.find(&leaf);
    if (found == counts_.end()) return {};
    Counts counts = std::move(found->second);
    counts_.erase(found);
    return counts;
}

bool CountedSplits::evaluate(Leaf& leaf) {
    leaf.split_delta = kInfinity;
    leaf.split_variable = -1;
    if (keep_all_) leaf.split_changes.assign(settings_.inputs.size(), kInfinity);
    if (cardinalities_.empty() || !costs_.may_pay(leaf, cardinalities_)) return true;
    const auto found = counts_.find(&leaf);
    if (found == counts_.end()) {
        const auto derived = [&](const Rest& rest) { return rest.leaf == &leaf; };
        if (std::find(wanted_.begin(), wanted_.end(), &leaf) == wanted_.end() &&
            std::none_of(rests_.begin(), rests_.end(), derived))
            wanted_.push_back(&leaf);
        return false;
    }
    for (std::size_t at = 0; at < settings_.inputs.size(); ++at) {
        const std::int32_t j = settings_.inputs[at];
        const std::int64_t k = data_.cardinalities[j];
        if (k == 1) continue;  // its split changes nothing
        const std::int64_t* count = found->second.data() + offsets_[at];
        double entropy = 0.0;
        bool admissible = true;
        for (std::int64_t z = 0; z < k; ++z) {
            std::int64_t filled = 0;
            double inside = 0.0;
            for (std::int64_t x = 0; x < states_; ++x, ++count) {
                filled += *count;
                inside += xlogx_(*count);
            }
            if (filled == 0) continue;
            admissible = admissible && filled >= settings_.min_leaf_rows;
            entropy += xlogx_(filled) - inside;
        }
        costs_.propose(leaf, at, k, admissible ? entropy - leaf.entropy : kInfinity, keep_all_);
    }
    return true;
}

Leaves CountedSplits::split(Leaf& leaf, std::int32_t j) {
    news_.kinds.push_back(kSplit);
    news_.first.push_back(leaf.id);
    news_.second.push_back(j);
    Counts counts = take(leaf);
    const auto at = std::lower_bound(settings_.inputs.begin(), settings_.inputs.end(), j) -
                    settings_.inputs.begin();
    Leaves children;
    for (std::int64_t z = 0; z < data_.cardinalities[j]; ++z)
        children.push_back(leaf_of(counts.data() + offsets_[at] + z * states_, states_, xlogx_));

    // Where it is less work, count all but the largest child and subtract.
    std::int64_t direct = 0, others = 0;
    const Leaf* largest = children.front().get();
    for (const auto& child : children) {
        if (costs_.may_pay(*child, cardinalities_)) direct += child->count;
        others += child->count;
        if (child->count > largest->count) largest = child.get();
    }
    others -= largest->count;
    if (others < direct && costs_.may_pay(*largest, cardinalities_)) {
        Rest rest{largest, std::move(counts), {}};
        for (const auto& child : children)
            if (child.get() != largest && child->count > 0) {
                rest.siblings.push_back(child.get());
                wanted_.push_back(child.get());
            }
        rests_.push_back(std::move(rest));
        if (others == 0) tell(nullptr);
    }
    return children;
}

std::unique_ptr<Leaf> CountedSplits::merge(Leaf& a, Leaf& b) {
    news_.kinds.push_back(kMerge);
    news_.first.push_back(a.id);
    news_.second.push_back(b.id);
    auto merged = std::make_unique<Leaf>();
    merged->cells = add_cells(a.cells, b.cells);
    merged->sum_up(xlogx_);
    Counts one = take(a), two = take(b);
    if (b.count == 0) {
        if (!one.empty()) counts_[merged.get()] = std::move(one);
    } else if (a.count == 0) {
        if (!two.empty()) counts_[merged.get()] = std::move(two);
    } else if (!one.empty() && !two.empty()) {
        for (std::size_t c = 0; c < one.size(); ++c) one[c] += two[c];
        counts_[merged.get()] = std::move(one);
    }
    return merged;
}

std::vector<std::int64_t> CountedSplits::wanted() const {
    std::vector<std::int64_t> ids;
    for (const Leaf* leaf : wanted_) ids.push_back(leaf->id);
    return ids;
}

void CountedSplits::tell(const std::int64_t* counts) {
    const std::size_t width = offsets_.back();
    for (const Leaf* leaf : wanted_) {
        counts_[leaf].assign(counts, counts + width);
        counts += width;
    }
    wanted_.clear();
    for (Rest& rest : rests_) {
        for (const Leaf* sibling : rest.siblings) {
            const Counts& less = counts_.at(sibling);
            for (std::size_t c = 0; c < width; ++c) rest.parent[c] -= less[c];
        }
        counts_[rest.leaf] = std::move(rest.parent);
    }
    rests_.clear();
}

namespace {

// A price that nothing pays: rows are counted when they are asked for, never in advance.
Settings never_paying(Settings settings) {
    settings.per_parameter = kInfinity;
    settings.penalty = nullptr;
    settings.structural = false;
    return settings;
}

}  // namespace

LeafRows::LeafRows(const Data& data, const Bits& bits, const LearnerKernels& kernels,
                   Settings settings)
    : settings_(never_paying(std::move(settings))),
      xlogx_(shared_xlogx(data.total)),
      costs_(settings_, data.total, 2),
      watch_(-1.0, never_, [] {}),
      splits_(data, bits, kernels, settings_, xlogx_, costs_, false, watch_),
      width_(width_of_counts(data, settings_)) {
    add(splits_.root());
}

std::unique_ptr<Leaf> LeafRows::take(std::int64_t id) {
    const auto found = leaves_.find(id);
    if (found == leaves_.end()) throw std::out_of_range("there is no such leaf");
    auto leaf = std::move(found->second);
    leaves_.erase(found);
    return leaf;
}

void LeafRows::apply(std::uint8_t kind, std::int64_t first, std::int64_t second) {
    const auto leaf = take(first);
    if (kind == kMerge) {
        const auto other = take(second);
        add(splits_.merge(*leaf, *other));
    } else {
        for (auto& child : splits_.split(*leaf, static_cast<std::int32_t>(second)))
            add(std::move(child));
    }
}

void LeafRows::add_counts(std::int64_t id, std::int64_t* out) {
    const auto found = leaves_.find(id);
    if (found == leaves_.end()) throw std::out_of_range("there is no such leaf");
    Leaf& leaf = *found->second;
    splits_.add_counts(leaf, out);
    if (leaf.mask.empty()) leaf.ones = {};  // a mask is split by its counts, a list without
}

}  // namespace depnet
