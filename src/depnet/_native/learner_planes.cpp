// All planes at once: rows as lists counted by carry-save adders, or as masks counted by popcount.
#include <algorithm>
#include <bit>

#include "learner_splits.hpp"

namespace depnet {

// Masks cost the whole table for every plane, lists only the leaf's rows: masks pay for large
// leaves.
bool Splits::masks_pay(std::int64_t rows) const {
    if (target_masks_.empty()) return false;
    // Measured cycles: 1.5 for 512 rows of a plane, and some to add up its sum; 3.5 for a row of a
    // list (counted, then shared out), and some for each further word of it.
    const double mask = static_cast<double>(states_) * bits_->planes *
                        (0.003 * static_cast<double>(data_.rows) + 5.0);
    const double list = static_cast<double>(rows) *
                        (3.5 + 0.8 * std::max(0.0, static_cast<double>(bits_->row_words) - 2.0));
    return mask < list;
}

void Splits::count(Leaf& leaf) {
    if (leaf.ones.empty() && !spare_.empty()) {  // of the same size, and near
        leaf.ones = std::move(spare_.back());
        spare_.pop_back();
    }
    leaf.ones.resize(states_ * stride_);
    if (leaf.count == 0 || !leaf.mask.empty()) std::fill(leaf.ones.begin(), leaf.ones.end(), 0);
    if (leaf.count == 0) return;
    if (!leaf.mask.empty()) {
        const std::size_t words = bits_->column_words;
        masks_.resize(states_ * words);
        for (std::int64_t s = 0; s < states_; ++s)
            for (std::size_t w = 0; w < words; ++w)
                masks_[s * words + w] = leaf.mask[w] & target_masks_[s * words + w];
        // In blocks of words, so that the masks stay in the first cache.
        constexpr std::size_t kBlock = 512;
        for (std::size_t w = 0; w < words; w += kBlock)
            kernels_.popcount_product(masks_.data() + w, words, states_, bits_->columns.data() + w,
                                      words, bits_->planes, std::min(kBlock, words - w),
                                      leaf.ones.data(), stride_);
        return;
    }
    for (std::int64_t s = 0; s < states_; ++s) {
        const std::uint32_t begin = leaf.starts[s], end = leaf.starts[s + 1];
        if (begin == end)
            std::fill_n(leaf.ones.begin() + s * stride_, stride_, 0);
        else
            kernels_.positional_popcount(bits_->rows.data(), bits_->row_words,
                                         leaf.rows.data() + begin, end - begin,
                                         leaf.ones.data() + s * stride_);
    }
}

// The children that may be split again need their counts. Where it is less work, count all but the
// largest child and subtract.
void Splits::count_children(Leaf& leaf, Leaves& children) {
    std::int64_t direct = 0, others = 0;
    Leaf* largest = children.front().get();
    for (const auto& child : children) {
        if (costs_.may_pay(*child, cardinalities_)) direct += child->count;
        others += child->count;
        if (child->count > largest->count) largest = child.get();
    }
    others -= largest->count;
    const bool subtract =
        !leaf.ones.empty() && others < direct && costs_.may_pay(*largest, cardinalities_);
    for (const auto& child : children)
        if (subtract ? child.get() != largest && child->count > 0
                     : costs_.may_pay(*child, cardinalities_))
            count(*child);
    if (!subtract) return drop_counts(leaf);
    largest->ones = std::move(leaf.ones);
    for (const auto& child : children)
        if (child.get() != largest && child->count > 0)
            for (std::size_t c = 0; c < largest->ones.size(); ++c)
                largest->ones[c] -= child->ones[c];
}

void Splits::evaluate_planes(Leaf& leaf) {
    if (leaf.ones.empty()) count(leaf);
    small_.assign(states_, 0);
    for (const Cell& cell : leaf.cells) small_[cell.state] = static_cast<std::uint32_t>(cell.count);
    const auto variables = bits_->variables.size();
    const auto planes = static_cast<std::size_t>(bits_->planes);
    const bool in_table = leaf.count < xlogx_.size;
    if (bits_->binary && states_ == 2 && in_table && !keep_all_ && settings_.min_leaf_rows <= 1) {
        std::int32_t place = -1;
        double delta = 0.0;  // a split that does not lower the cost is none
        kernels_.best_binary_split(xlogx_.table, leaf.ones.data(), stride_, small_.data(),
                                   leaf.entropy, static_cast<double>(data_.total),
                                   settings_.per_parameter, price_.data(), variables, &delta,
                                   &place);
        if (place < 0) return;
        leaf.split_delta = delta;
        leaf.split_variable = bits_->variables[place];
        return;
    }

    zeros_.resize(states_ * variables);  // [s][variable]: what is left for state 0
    for (std::int64_t s = 0; s < states_; ++s) {
        const std::uint32_t* ones = leaf.ones.data() + s * stride_;
        for (std::size_t v = 0; v < variables; ++v) {
            std::uint32_t rest = small_[s];
            for (std::int32_t p = bits_->first_plane[v]; p < bits_->first_plane[v + 1]; ++p)
                rest -= ones[p];
            zeros_[s * variables + v] = rest;
        }
    }
    zero_entropies_.resize(variables);
    one_entropies_.resize(planes);
    const std::vector<std::uint32_t> nothing(states_, 0);
    if (in_table) {
        kernels_.entropies(xlogx_.table, zeros_.data(), variables, states_, nothing.data(),
                           variables, zero_entropies_.data());
        kernels_.entropies(xlogx_.table, leaf.ones.data(), stride_, states_, nothing.data(), planes,
                           one_entropies_.data());
    } else {
        const auto entropy = [&](const std::uint32_t* counts, std::size_t stride) {
            std::int64_t all = 0;
            double inside = 0.0;
            for (std::int64_t s = 0; s < states_; ++s) {
                all += counts[s * stride];
                inside += xlogx_(counts[s * stride]);
            }
            return xlogx_(all) - inside;
        };
        for (std::size_t v = 0; v < variables; ++v)
            zero_entropies_[v] = entropy(zeros_.data() + v, variables);
        for (std::size_t p = 0; p < planes; ++p)
            one_entropies_[p] = entropy(leaf.ones.data() + p, stride_);
    }
    const auto too_few = [&](const std::uint32_t* counts, std::size_t stride) {
        std::int64_t all = 0;
        for (std::int64_t s = 0; s < states_; ++s) all += counts[s * stride];
        return all > 0 && all < settings_.min_leaf_rows;
    };
    for (std::size_t v = 0; v < variables; ++v) {
        if (input_[v] < 0) continue;
        double entropy = zero_entropies_[v];
        bool admissible = true;
        for (std::int32_t p = bits_->first_plane[v]; p < bits_->first_plane[v + 1]; ++p)
            entropy += one_entropies_[p];
        if (settings_.min_leaf_rows > 1) {
            admissible = !too_few(zeros_.data() + v, variables);
            for (std::int32_t p = bits_->first_plane[v]; p < bits_->first_plane[v + 1]; ++p)
                admissible = admissible && !too_few(leaf.ones.data() + p, stride_);
        }
        propose(leaf, input_[v], admissible ? entropy - leaf.entropy : kInfinity);
    }
}

// A mask becomes a list.
void Splits::list_rows(Leaf& leaf) const {
    leaf.rows = RowList(leaf.count);
    leaf.starts.assign(1, 0);
    const std::size_t words = bits_->column_words;
    for (std::int64_t s = 0; s < states_; ++s)
        leaf.starts.push_back(leaf.starts.back() +
                              static_cast<std::uint32_t>(kernels_.list_bits(
                                  leaf.mask.data(), target_masks_.data() + s * words, words,
                                  leaf.rows.data() + leaf.starts.back())));
    leaf.mask = {};
}

void Splits::set_cells(Leaf& leaf, const std::uint32_t* counts) const {
    for (std::int64_t s = 0; s < states_; ++s)
        if (counts[s] > 0)
            leaf.cells.push_back(
                {static_cast<std::uint32_t>(s), static_cast<std::int64_t>(counts[s])});
    leaf.sum_up(xlogx_);
}

void Splits::split_mask(Leaf& leaf, std::int32_t place, Leaves& children) {
    if (leaf.ones.empty()) count(leaf);
    const std::int32_t first = bits_->first_plane[place];
    std::vector<std::uint64_t> rest(leaf.mask);
    std::vector<std::uint32_t> counts(states_), left(states_, 0);
    for (const Cell& cell : leaf.cells) left[cell.state] = static_cast<std::uint32_t>(cell.count);
    const auto finish = [&](Leaf& child, std::vector<std::uint64_t> mask) {
        child.mask = std::move(mask);
        // A leaf that will not be counted is best left as it is, unless its mask is nearly empty.
        const bool counted = costs_.may_pay(child, cardinalities_);
        if (counted ? !masks_pay(child.count) : child.count < data_.rows / 128) list_rows(child);
    };
    for (std::size_t z = 1; z < children.size(); ++z) {
        const std::int32_t plane = first + static_cast<std::int32_t>(z) - 1;
        for (std::int64_t s = 0; s < states_; ++s) {
            counts[s] = leaf.ones[s * stride_ + plane];
            left[s] -= counts[s];
        }
        set_cells(*children[z], counts.data());
        const std::uint64_t* column = bits_->column(plane);
        std::vector<std::uint64_t> mask(bits_->column_words);
        for (std::size_t w = 0; w < mask.size(); ++w) {
            mask[w] = leaf.mask[w] & column[w];
            rest[w] &= ~column[w];
        }
        finish(*children[z], std::move(mask));
    }
    set_cells(*children[0], left.data());
    finish(*children[0], std::move(rest));
}

void Splits::split_list(const Leaf& leaf, std::int32_t j, Leaves& children) {
    const std::size_t k = children.size();
    const std::int32_t place = bits_->place[j];
    std::vector<std::uint32_t> counts(k * states_, 0);
    const bool counted = place >= 0 && !leaf.ones.empty();
    if (counted) {
        for (const Cell& cell : leaf.cells)
            counts[cell.state] = static_cast<std::uint32_t>(cell.count);
        for (std::int64_t s = 0; s < states_; ++s)
            for (std::size_t z = 1; z < k; ++z) {
                const std::uint32_t ones =
                    leaf.ones[s * stride_ + bits_->first_plane[place] + z - 1];
                counts[z * states_ + s] = ones;
                counts[s] -= ones;
            }
    } else {
        data_.column(j, [&](const auto* code) {
            for (std::int64_t s = 0; s < states_; ++s)
                for (std::uint32_t i = leaf.starts[s]; i < leaf.starts[s + 1]; ++i)
                    ++counts[code[leaf.rows[i]] * states_ + s];
        });
    }
    std::vector<std::uint32_t*> next(k);
    for (std::size_t z = 0; z < k; ++z) {
        Leaf& child = *children[z];
        set_cells(child, counts.data() + z * states_);
        child.rows = RowList(child.count);
        child.starts.assign(1, 0);
        for (std::int64_t s = 0; s < states_; ++s)
            child.starts.push_back(child.starts.back() + counts[z * states_ + s]);
        next[z] = child.rows.data();
    }
    const std::uint64_t words = static_cast<std::uint64_t>(data_.rows) * bits_->row_words * 2;
    if (k == 2 && place >= 0 && (bits_->columns || words < (std::uint64_t{1} << 31))) {
        const std::int32_t plane = bits_->first_plane[place];
        const auto* from = reinterpret_cast<const std::uint32_t*>(
            bits_->columns ? bits_->column(plane) : bits_->rows.data());
        kernels_.partition(leaf.rows.data(), leaf.rows.size(), from,
                           static_cast<std::uint32_t>(bits_->row_words * 2),
                           static_cast<std::uint32_t>(plane / 32),
                           static_cast<std::uint32_t>(plane % 32),
                           static_cast<bool>(bits_->columns), next[0], next[1]);
        return;
    }
    data_.column(j, [&](const auto* code) {
        for (const std::uint32_t r : leaf.rows) *next[code[r]]++ = r;
    });
}

}  // namespace depnet
