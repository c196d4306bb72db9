#include "learner_counted.hpp"

#include <algorithm>
#include <stdexcept>
#include <utility>

#include "learner_grow.hpp"

namespace depnet {

// A split into more children is not foreseen: their counts would be many times those of the leaf.
constexpr std::int64_t kMostForeseen = 8;

std::size_t width_of_counts(const Data& data, const Settings& settings) {
    const std::size_t states = data.cardinalities[settings.target];
    std::size_t width = 0;
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
      states_(data.cardinalities[settings.target]),
      cardinalities_(cardinalities_of_inputs(data, settings)),
      root_(std::move(root)) {
    offsets_.push_back(0);
    for (const std::int32_t j : settings.inputs)
        offsets_.push_back(offsets_.back() + data.cardinalities[j] * states_);
}

std::unique_ptr<Leaf> CountedSplits::root() {
    auto leaf = std::make_unique<Leaf>();
    leaf->set_cells(root_.data(), states_, xlogx_);
    known_[leaf.get()].rows.id = next_++;
    return leaf;
}

CountedSplits::Known CountedSplits::take(const Leaf& leaf) {
    const auto found = known_.find(&leaf);
    Known known = std::move(found->second);
    known_.erase(found);
    return known;
}

void CountedSplits::log(std::uint8_t kind, std::int64_t first, std::int64_t second) {
    news_.kinds.push_back(kind);
    news_.first.push_back(first);
    news_.second.push_back(second);
}

void CountedSplits::want(Rows& rows) {
    rows.counts = std::make_shared<Counts>();
    wanted_.push_back(rows);
}

bool CountedSplits::evaluate(Leaf& leaf) {
    leaf.forget_splits(keep_all_ ? settings_.inputs.size() : 0);
    if (cardinalities_.empty() || !costs_.may_pay(leaf, cardinalities_)) return true;
    Rows& rows = known_.at(&leaf).rows;
    if (!rows.told()) {
        if (!rows.counts) want(rows);
        return false;
    }
    for (std::size_t at = 0; at < settings_.inputs.size(); ++at) {
        const std::int32_t j = settings_.inputs[at];
        const std::int64_t k = data_.cardinalities[j];
        if (k == 1) continue;  // its split changes nothing
        const std::int64_t* count = rows.counts->data() + offsets_[at];
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

// The leaves of the split by X_j of a leaf that has these counts.
Leaves CountedSplits::children(const Counts& counts, std::int32_t j) const {
    const auto at = std::lower_bound(settings_.inputs.begin(), settings_.inputs.end(), j) -
                    settings_.inputs.begin();
    Leaves children;
    for (std::int64_t z = 0; z < data_.cardinalities[j]; ++z) {
        children.push_back(std::make_unique<Leaf>());
        children.back()->set_cells(counts.data() + offsets_[at] + z * states_, states_, xlogx_);
    }
    return children;
}

// Tell the parts to split these rows, and want the counts of the children that may be split again.
std::vector<CountedSplits::Rows> CountedSplits::divide(const Rows& rows, std::int32_t j,
                                                       const Leaves& children) {
    log(kSplit, rows.id, j);
    std::vector<Rows> divided(children.size());
    for (Rows& child : divided) child.id = next_++;

    // Where it is less work, count all but the largest child and subtract.
    std::int64_t direct = 0, others = 0;
    std::size_t largest = 0;
    for (std::size_t z = 0; z < children.size(); ++z) {
        if (costs_.may_pay(*children[z], cardinalities_)) direct += children[z]->count;
        others += children[z]->count;
        if (children[z]->count > children[largest]->count) largest = z;
    }
    others -= children[largest]->count;
    const bool subtract = others < direct && costs_.may_pay(*children[largest], cardinalities_);
    if (subtract && others == 0) {
        divided[largest].counts = rows.counts;
        return divided;
    }
    Rest rest;
    for (std::size_t z = 0; z < children.size(); ++z) {
        if (subtract ? z == largest || children[z]->count == 0
                     : !costs_.may_pay(*children[z], cardinalities_))
            continue;
        want(divided[z]);
        rest.siblings.push_back(divided[z].counts);
    }
    if (subtract) {
        rest.parent = rows.counts;
        rest.counts = divided[largest].counts = std::make_shared<Counts>();
        rests_.push_back(std::move(rest));
    }
    return divided;
}

void CountedSplits::foresee(const Leaf& leaf) {
    Known& known = known_.at(&leaf);
    const std::int32_t j = leaf.split_variable;
    if (known.foreseen || data_.cardinalities[j] > kMostForeseen) return;
    known.foreseen = Foreseen{j, divide(known.rows, j, children(*known.rows.counts, j))};
}

// Make the parts forget a split that was foreseen.
void CountedSplits::reunite(Known& known) {
    if (!known.foreseen) return;
    const auto& children = known.foreseen->children;
    known.rows.id = children.front().id;
    for (std::size_t z = 1; z < children.size(); ++z) {
        log(kMerge, known.rows.id, children[z].id);
        known.rows.id = next_++;
    }
    known.foreseen.reset();
}

Leaves CountedSplits::split(Leaf& leaf, std::int32_t j) {
    Known known = take(leaf);
    Leaves leaves = children(*known.rows.counts, j);
    if (!known.foreseen || known.foreseen->variable != j) {
        reunite(known);
        known.foreseen = Foreseen{j, divide(known.rows, j, leaves)};
    }
    for (std::size_t z = 0; z < leaves.size(); ++z)
        known_[leaves[z].get()].rows = std::move(known.foreseen->children[z]);
    return leaves;
}

std::unique_ptr<Leaf> CountedSplits::merge(Leaf& a, Leaf& b) {
    Known one = take(a), two = take(b);
    reunite(one);
    reunite(two);
    log(kMerge, one.rows.id, two.rows.id);
    auto merged = a.joined(b, xlogx_);
    Rows& rows = known_[merged.get()].rows;
    rows.id = next_++;
    if (b.count == 0) {
        rows.counts = std::move(one.rows.counts);
    } else if (a.count == 0) {
        rows.counts = std::move(two.rows.counts);
    } else if (one.rows.told() && two.rows.told()) {
        rows.counts = std::make_shared<Counts>(*one.rows.counts);  // others may share it
        for (std::size_t c = 0; c < rows.counts->size(); ++c)
            (*rows.counts)[c] += (*two.rows.counts)[c];
    }
    return merged;
}

std::vector<std::int64_t> CountedSplits::wanted() const {
    std::vector<std::int64_t> ids;
    for (const Rows& rows : wanted_) ids.push_back(rows.id);
    return ids;
}

void CountedSplits::tell(const std::int64_t* counts) {
    const std::size_t width = offsets_.back();
    for (const Rows& rows : wanted_) {
        rows.counts->assign(counts, counts + width);
        counts += width;
    }
    wanted_.clear();
    for (const Rest& rest : rests_) {
        *rest.counts = *rest.parent;
        for (const auto& sibling : rest.siblings)
            for (std::size_t c = 0; c < width; ++c) (*rest.counts)[c] -= (*sibling)[c];
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
