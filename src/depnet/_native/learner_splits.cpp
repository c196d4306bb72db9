#include "learner_splits.hpp"

#include <algorithm>
#include <cmath>

namespace depnet {

Splits::Splits(const Data& data, const Settings& settings, const XLogX& xlogx, const Costs& costs,
               bool keep_all, Watch& watch)
    : data_(data),
      settings_(settings),
      xlogx_(xlogx),
      costs_(costs),
      keep_all_(keep_all),
      watch_(watch),
      target_(data.rows, 0) {
    for (const std::int32_t i : settings.targets) {
        const std::int32_t k = data.cardinalities[i];
        states_ *= k;
        data.column(i, [&](const auto* code) {
            for (std::int64_t r = 0; r < data.rows; ++r)
                target_[r] = static_cast<std::uint16_t>(target_[r] * k + code[r]);
        });
    }
}

std::unique_ptr<Leaf> Splits::root() const {
    auto leaf = std::make_unique<Leaf>();
    leaf->rows.resize(data_.rows);
    for (std::int64_t r = 0; r < data_.rows; ++r) leaf->rows[r] = static_cast<std::uint32_t>(r);
    fill_cells(*leaf);
    return leaf;
}

void Splits::fill_cells(Leaf& leaf) const {
    leaf.cells.clear();
    if (states_ <= 256 || leaf.rows.size() * 8 > static_cast<std::size_t>(states_)) {
        std::vector<std::int64_t> counts(states_, 0);
        for (const std::uint32_t r : leaf.rows) counts[target_[r]] += data_.weight(r);
        for (std::int64_t x = 0; x < states_; ++x)
            if (counts[x] > 0) leaf.cells.push_back({static_cast<std::uint32_t>(x), counts[x]});
    } else {
        std::vector<std::uint32_t> rows(leaf.rows);
        std::sort(rows.begin(), rows.end(),
                  [&](std::uint32_t a, std::uint32_t b) { return target_[a] < target_[b]; });
        for (const std::uint32_t r : rows) {
            if (data_.weight(r) == 0) continue;
            if (leaf.cells.empty() || leaf.cells.back().state != target_[r])
                leaf.cells.push_back({target_[r], 0});
            leaf.cells.back().count += data_.weight(r);
        }
    }
    leaf.sum_up(xlogx_);
}

void Splits::evaluate(Leaf& leaf) {
    leaf.split_delta = kInfinity;
    leaf.split_variable = -1;
    if (keep_all_) leaf.split_changes.assign(settings_.inputs.size(), kInfinity);
    for (std::size_t at = 0; at < settings_.inputs.size(); ++at) {
        const std::int32_t j = settings_.inputs[at];
        const std::int32_t k = data_.cardinalities[j];
        if (costs_.linear() && !costs_.may_pay(leaf, k)) continue;
        watch_.poll();
        const double entropy_change = change(leaf, j);
        if (keep_all_) {
            leaf.split_changes[at] = entropy_change;
            continue;
        }
        const double delta = entropy_change / static_cast<double>(data_.total) +
                             static_cast<double>((k - 1) * (states_ - 1)) * settings_.per_parameter;
        if (delta < leaf.split_delta) {
            leaf.split_delta = delta;
            leaf.split_variable = j;
        }
    }
}

double Splits::change(const Leaf& leaf, std::int32_t j) {
    const std::int64_t k = data_.cardinalities[j];
    double entropy = 0.0, inside = 0.0;
    std::int64_t filled = 0;
    bool admissible = true;
    const auto close_leaf = [&] {
        if (filled == 0) return;
        admissible = admissible && filled >= settings_.min_leaf_rows;
        entropy += xlogx_(filled) - inside;
        filled = 0;
        inside = 0.0;
    };
    const auto rows = static_cast<std::int64_t>(leaf.rows.size());
    if (k * states_ <= 1024 + 8 * rows) {
        counts_.assign(k * states_, 0);
        data_.column(j, [&](const auto* code) {
            for (const std::uint32_t r : leaf.rows)
                counts_[code[r] * states_ + target_[r]] += data_.weight(r);
        });
        const std::int64_t* count = counts_.data();
        for (std::int64_t z = 0; z < k; ++z) {
            for (std::int64_t x = 0; x < states_; ++x, ++count) {
                filled += *count;
                inside += xlogx_(*count);
            }
            close_leaf();
        }
    } else {  // more cells than rows: sort the rows instead
        sorted_.clear();
        data_.column(j, [&](const auto* code) {
            for (const std::uint32_t r : leaf.rows)
                sorted_.emplace_back(static_cast<std::uint64_t>(code[r]) * states_ + target_[r],
                                     data_.weight(r));
        });
        std::sort(sorted_.begin(), sorted_.end());
        std::uint64_t state_of_leaf = 0;
        for (std::size_t at = 0; at < sorted_.size();) {
            const std::uint64_t key = sorted_[at].first;
            std::int64_t count = 0;
            for (; at < sorted_.size() && sorted_[at].first == key; ++at)
                count += sorted_[at].second;
            if (key / states_ != state_of_leaf) close_leaf();
            state_of_leaf = key / states_;
            filled += count;
            inside += xlogx_(count);
        }
        close_leaf();
    }
    return admissible ? entropy - leaf.entropy : kInfinity;
}

Leaves Splits::split(const Leaf& leaf, std::int32_t j) const {
    Leaves children(data_.cardinalities[j]);
    for (auto& child : children) child = std::make_unique<Leaf>();
    data_.column(j, [&](const auto* code) {
        for (const std::uint32_t r : leaf.rows) children[code[r]]->rows.push_back(r);
    });
    for (auto& child : children) fill_cells(*child);
    return children;
}

}  // namespace depnet
