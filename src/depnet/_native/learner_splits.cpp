// One variable at a time, and what chooses between the two ways of counting.
#include "learner_splits.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <numeric>
#include <utility>

namespace depnet {
namespace {

// A mask of up to this many states becomes lists at little cost, should it not be counted.
constexpr std::int64_t kFewStates = 4;

// The first `rows` bits.
void set_all(std::uint64_t* mask, std::int64_t rows) {
    std::fill(mask, mask + rows / 64, ~std::uint64_t{0});
    if (rows % 64) mask[rows / 64] = (std::uint64_t{1} << (rows % 64)) - 1;
}

}  // namespace

Splits::Splits(const Data& data, const Bits& bits, const LearnerKernels& kernels,
               const Settings& settings, const XLogX& xlogx, const Costs& costs, bool keep_all,
               Watch& watch)
    : data_(data),
      kernels_(kernels),
      settings_(settings),
      xlogx_(xlogx),
      costs_(costs),
      keep_all_(keep_all),
      watch_(watch),
      states_(data.cardinalities[settings.target]),
      cardinalities_(cardinalities_of_inputs(data, settings)) {
    if (data.weights == nullptr && bits.planes > 0 && states_ >= 2 && states_ <= kMostStatesInBits)
        bits_ = &bits;
    place_inputs();
    place_ = bits_ ? bits.place[settings.target] : -1;
    if (place_ >= 0 && bits.columns && (states_ <= kFewStates || masks_pay(data.rows)))
        make_target_masks();
    // Else when rows are listed.
    if (place_ < 0 || !single_.empty()) read_target();
}

// Which inputs have planes, and what a split by them costs; the others are counted one at a time.
void Splits::place_inputs() {
    if (bits_) {
        stride_ = bits_->row_words * 64;
        input_.assign(bits_->variables.size(), -1);
        price_.assign(bits_->variables.size(), kInfinity);
    }
    for (std::size_t at = 0; at < settings_.inputs.size(); ++at) {
        const std::int32_t j = settings_.inputs[at];
        if (data_.cardinalities[j] == 1) continue;  // its split changes nothing
        const std::int32_t place = bits_ ? bits_->place[j] : -1;
        if (place < 0) {
            single_.push_back(at);
        } else {
            input_[place] = static_cast<std::int32_t>(at);
            price_[place] = static_cast<double>((data_.cardinalities[j] - 1) * (states_ - 1)) *
                            settings_.per_parameter;
        }
    }
}

void Splits::read_target() {
    target_.resize(data_.rows);
    data_.column(settings_.target,
                 [&](const auto* code) { std::copy(code, code + data_.rows, target_.begin()); });
}

// The rows of each state.
void Splits::make_target_masks() {
    const std::size_t words = bits_->column_words;
    target_masks_.assign(states_ * words, 0);
    set_all(target_masks_.data(), data_.rows);
    for (std::int64_t s = 1; s < states_; ++s) {
        const std::uint64_t* column =
            bits_->column(bits_->first_plane[place_] + static_cast<std::int32_t>(s) - 1);
        std::copy(column, column + words, target_masks_.data() + s * words);
        for (std::size_t w = 0; w < words; ++w) target_masks_[w] &= ~column[w];
    }
}

std::unique_ptr<Leaf> Splits::root() {
    auto leaf = std::make_unique<Leaf>();
    const bool from_pairs = place_ >= 0 && !bits_->pairs.empty();
    std::vector<std::int64_t> counts(states_, 0);
    if (from_pairs) {
        counts[0] = data_.rows;
        for (std::int64_t s = 1; s < states_; ++s) {
            counts[s] = bits_->totals[bits_->first_plane[place_] + s - 1];
            counts[0] -= counts[s];
        }
    } else if (!target_masks_.empty()) {
        const std::size_t words = bits_->column_words;
        for (std::int64_t s = 0; s < states_; ++s)
            for (std::size_t w = 0; w < words; ++w)
                counts[s] += std::popcount(target_masks_[s * words + w]);
    } else {
        if (target_.empty()) read_target();
        for (std::int64_t r = 0; r < data_.rows; ++r)
            counts[target_[r]] += data_.weight(static_cast<std::uint32_t>(r));
    }
    leaf->set_cells(counts.data(), states_, xlogx_);

    if (!target_masks_.empty()) {
        leaf->mask.assign(bits_->column_words, 0);
        set_all(leaf->mask.data(), data_.rows);
    } else {
        leaf->unlisted = true;
    }

    if (from_pairs) {  // the target's own planes against all the others
        const auto planes = static_cast<std::size_t>(bits_->planes);
        leaf->ones.assign(states_ * stride_, 0);
        std::copy(bits_->totals.begin(), bits_->totals.end(), leaf->ones.begin());
        for (std::int64_t s = 1; s < states_; ++s) {
            const std::uint32_t* both =
                bits_->pairs.data() + (bits_->first_plane[place_] + s - 1) * planes;
            for (std::size_t p = 0; p < planes; ++p) {
                leaf->ones[s * stride_ + p] = both[p];
                leaf->ones[p] -= both[p];
            }
        }
    }
    return leaf;
}

// A mask, or all rows of the table, becomes a list.
void Splits::as_list(Leaf& leaf) {
    if (!leaf.mask.empty()) return list_rows(leaf);
    if (!std::exchange(leaf.unlisted, false)) return;
    leaf.rows = RowList(data_.rows);
    std::uint32_t* rows = leaf.rows.data();
    if (!bits_) return std::iota(rows, rows + data_.rows, 0u);
    if (target_.empty()) read_target();
    std::vector<std::uint32_t> next(states_ + 1, 0);
    for (const Cell& cell : leaf.cells)
        next[cell.state + 1] = static_cast<std::uint32_t>(cell.count);
    std::partial_sum(next.begin(), next.end(), next.begin());
    leaf.starts = next;
    for (std::int64_t r = 0; r < data_.rows; ++r)
        rows[next[target_[r]]++] = static_cast<std::uint32_t>(r);
}

void Splits::fill_cells(Leaf& leaf) const {
    if (states_ <= 256 || leaf.rows.size() * 8 > static_cast<std::size_t>(states_)) {
        std::vector<std::int64_t> counts(states_, 0);
        for (const std::uint32_t r : leaf.rows) counts[target_[r]] += data_.weight(r);
        leaf.set_cells(counts.data(), states_, xlogx_);
        return;
    }
    std::vector<std::uint32_t> rows(leaf.rows.begin(), leaf.rows.end());
    std::sort(rows.begin(), rows.end(),
              [&](std::uint32_t a, std::uint32_t b) { return target_[a] < target_[b]; });
    leaf.cells.clear();
    for (const std::uint32_t r : rows) {
        if (data_.weight(r) == 0) continue;
        if (leaf.cells.empty() || leaf.cells.back().state != target_[r])
            leaf.cells.push_back({target_[r], 0});
        leaf.cells.back().count += data_.weight(r);
    }
    leaf.sum_up(xlogx_);
}

void Splits::evaluate(Leaf& leaf) {
    leaf.forget_splits(keep_all_ ? settings_.inputs.size() : 0);
    if (!costs_.may_pay(leaf, cardinalities_)) return;
    watch_.poll(leaf.count);
    if (bits_) evaluate_planes(leaf);
    for (const std::size_t at : single_) {
        const std::int32_t j = settings_.inputs[at];
        if (costs_.linear() && !costs_.may_pay(leaf, data_.cardinalities[j])) continue;
        watch_.poll(static_cast<std::int64_t>(leaf.rows.size()));
        as_list(leaf);
        propose(leaf, at, change(leaf, j));
    }
}

// The entropy change of Split(leaf, j), in nats * rows; infinite if a new leaf has too few rows.
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
        std::int64_t* const cells = counts_.data();
        data_.column(j, [&, states = states_, target = target_.data(),
                         weights = data_.weights](const auto* code) {
            if (weights)
                for (const std::uint32_t r : leaf.rows)
                    cells[code[r] * states + target[r]] += weights[r];
            else
                for (const std::uint32_t r : leaf.rows) ++cells[code[r] * states + target[r]];
        });
        const std::int64_t* count = cells;
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

Leaves Splits::split(Leaf& leaf, std::int32_t j) {
    Leaves children(data_.cardinalities[j]);
    for (auto& child : children) child = std::make_unique<Leaf>();
    if (bits_) {
        if (!leaf.mask.empty() && bits_->place[j] >= 0) {
            split_mask(leaf, bits_->place[j], children);
        } else {
            as_list(leaf);
            split_list(leaf, j, children);
        }
        count_children(leaf, children);
        return children;
    }
    as_list(leaf);
    data_.column(j, [&](const auto* code) {
        std::vector<std::size_t> sizes(children.size(), 0);
        for (const std::uint32_t r : leaf.rows) ++sizes[code[r]];
        std::vector<std::uint32_t*> next;
        for (std::size_t z = 0; z < children.size(); ++z) {
            children[z]->rows = RowList(sizes[z]);
            next.push_back(children[z]->rows.data());
        }
        for (const std::uint32_t r : leaf.rows) *next[code[r]]++ = r;
    });
    for (auto& child : children) fill_cells(*child);
    return children;
}

std::unique_ptr<Leaf> Splits::merge(Leaf& a, Leaf& b) {
    auto merged = a.joined(b, xlogx_);
    if (!a.mask.empty() || !b.mask.empty()) {
        Leaf& masked = a.mask.empty() ? b : a;
        Leaf& other = a.mask.empty() ? a : b;
        merged->mask = std::move(masked.mask);
        for (std::size_t w = 0; w < other.mask.size(); ++w) merged->mask[w] |= other.mask[w];
        for (const std::uint32_t r : other.rows)
            merged->mask[r / 64] |= std::uint64_t{1} << (r % 64);
    } else if (a.rows.empty() || b.rows.empty()) {
        Leaf& filled = a.rows.empty() ? b : a;
        merged->rows = std::move(filled.rows);
        merged->starts = std::move(filled.starts);
    } else {
        merged->rows = RowList(a.rows.size() + b.rows.size());
        std::uint32_t* out = merged->rows.data();
        merged->starts.push_back(0);
        for (std::size_t s = 0; s + 1 < a.starts.size() || s == 0; ++s) {
            for (const Leaf* from : {&a, &b})
                out = bits_ ? std::copy(from->rows.begin() + from->starts[s],
                                        from->rows.begin() + from->starts[s + 1], out)
                            : std::copy(from->rows.begin(), from->rows.end(), out);
            merged->starts.push_back(static_cast<std::uint32_t>(out - merged->rows.data()));
        }
    }
    if (b.count == 0) {
        merged->ones = std::move(a.ones);
    } else if (a.count == 0) {
        merged->ones = std::move(b.ones);
    } else if (!a.ones.empty() && !b.ones.empty()) {
        merged->ones = std::move(a.ones);
        for (std::size_t c = 0; c < merged->ones.size(); ++c) merged->ones[c] += b.ones[c];
    }
    drop_counts(a);
    drop_counts(b);
    return merged;
}

}  // namespace depnet
