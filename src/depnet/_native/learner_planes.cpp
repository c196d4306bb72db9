// All planes at once: rows as lists counted by carry-save adders, or as masks counted by popcount.
#include <algorithm>
#include <cmath>

#include "learner_splits.hpp"

namespace depnet {

// Masks cost the whole table for every plane, lists only the leaf's rows: masks pay for large
// leaves.
bool Splits::masks_pay(std::int64_t rows) const {
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
    as_list(leaf);
    for (std::int64_t s = 0; s < states_; ++s) {
        const std::uint32_t begin = leaf.starts[s], end = leaf.starts[s + 1];
        if (begin == end)
            std::fill_n(leaf.ones.begin() + s * stride_, stride_, 0);
        else
            for (const RowBits& part : bits_->rows)
                kernels_.positional_popcount(part.bits.data(), part.words, leaf.rows.data() + begin,
                                             end - begin,
                                             leaf.ones.data() + s * stride_ + part.first);
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

    find_worth(leaf);
    const std::vector<std::uint32_t> nothing(states_, 0);
    const auto entropies = [&](const std::uint32_t* counts, std::size_t stride, std::size_t columns,
                               double* out) {
        if (in_table)
            return kernels_.entropies(xlogx_.table, counts, stride, states_, nothing.data(),
                                      columns, out);
        for (std::size_t c = 0; c < columns; ++c) {
            std::int64_t all = 0;
            double inside = 0.0;
            for (std::int64_t s = 0; s < states_; ++s) {
                all += counts[s * stride + c];
                inside += xlogx_(counts[s * stride + c]);
            }
            out[c] = xlogx_(all) - inside;
        }
    };
    const auto too_few = [&](const std::uint32_t* counts, std::size_t stride) {
        std::int64_t all = 0;
        for (std::int64_t s = 0; s < states_; ++s) all += counts[s * stride];
        return all > 0 && all < settings_.min_leaf_rows;
    };
    entropies_.resize(bits_->planes + 1);
    for (const std::size_t v : worth_) {
        const std::int32_t first = bits_->first_plane[v], last = bits_->first_plane[v + 1];
        const std::uint32_t* zeros = zeros_.data() + v * states_;
        entropies(zeros, 1, 1, entropies_.data());
        entropies(leaf.ones.data() + first, stride_, last - first, entropies_.data() + 1);
        double entropy = entropies_[0];
        bool admissible = true;
        for (std::int32_t p = first; p < last; ++p) entropy += entropies_[p - first + 1];
        if (settings_.min_leaf_rows > 1) {
            admissible = !too_few(zeros, 1);
            for (std::int32_t p = first; p < last; ++p)
                admissible = admissible && !too_few(leaf.ones.data() + p, stride_);
        }
        propose(leaf, input_[v], admissible ? entropy - leaf.entropy : kInfinity);
    }
}

// The variables whose split may lower the cost, by their places, and their counts of state 0. With
// S the sum of n_zx^2 / (n_z n_x) over the states z of a variable and x of the target, a split
// takes away at most n log S nats, by Jensen's inequality, and S needs no logarithm of a count.
// What state 0 adds to S is at most 1: most variables are turned away without it.
void Splits::find_worth(const Leaf& leaf) {
    const auto variables = bits_->variables.size();
    zeros_.resize(states_ * variables);  // [variable][s]
    const auto fill_zeros = [&](std::size_t v) {
        for (std::int64_t s = 0; s < states_; ++s) {
            const std::uint32_t* ones = leaf.ones.data() + s * stride_;
            std::uint32_t rest = small_[s];
            for (std::int32_t p = bits_->first_plane[v]; p < bits_->first_plane[v + 1]; ++p)
                rest -= ones[p];
            zeros_[v * states_ + s] = rest;
        }
    };
    worth_.clear();
    if (!keep_all_) {
        weights_.assign(states_, 0.0);
        for (const Cell& cell : leaf.cells)
            weights_[cell.state] = 1.0 / static_cast<double>(cell.count);
        terms_.resize(bits_->planes);
        kernels_.chi_terms(leaf.ones.data(), stride_, states_, weights_.data(), bits_->planes,
                           terms_.data());
    }
    constexpr double kSlack = 1e-9;  // far above all rounding
    const double rows = static_cast<double>(leaf.count), total = static_cast<double>(data_.total);
    double price = -1.0, enough = 0.0;  // variables of as many states have the same
    for (std::size_t v = 0; v < variables; ++v) {
        if (input_[v] < 0) continue;
        if (!keep_all_) {
            if (price_[v] != price) {
                price = price_[v];
                enough = std::exp(price * total / rows) * (1.0 - kSlack);
            }
            double sum = kSlack;
            for (std::int32_t p = bits_->first_plane[v]; p < bits_->first_plane[v + 1]; ++p)
                sum += terms_[p];
            if (sum + 1.0 < enough) continue;
            fill_zeros(v);
            double zero_term;
            kernels_.chi_terms(zeros_.data() + v * states_, 1, states_, weights_.data(), 1,
                               &zero_term);
            if (sum + zero_term < enough) continue;
        } else {
            fill_zeros(v);
        }
        worth_.push_back(v);
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
        children[z]->set_cells(counts.data(), states_, xlogx_);
        const std::uint64_t* column = bits_->column(plane);
        std::vector<std::uint64_t> mask(bits_->column_words);
        for (std::size_t w = 0; w < mask.size(); ++w) {
            mask[w] = leaf.mask[w] & column[w];
            rest[w] &= ~column[w];
        }
        finish(*children[z], std::move(mask));
    }
    children[0]->set_cells(left.data(), states_, xlogx_);
    finish(*children[0], std::move(rest));
}

// Shares rows out by a plane; false if it lies too far for 32 bits.
bool Splits::partition(const std::uint32_t* rows, std::size_t chosen, std::int32_t plane,
                       std::uint32_t* zeros, std::uint32_t* ones) const {
    const RowBits& part = bits_->part(plane);
    const auto words = static_cast<std::uint64_t>(data_.rows) * part.words * 2;  // of 32 bits
    if (!bits_->columns && words >= (std::uint64_t{1} << 31)) return false;
    const auto* from = reinterpret_cast<const std::uint32_t*>(bits_->columns ? bits_->column(plane)
                                                                             : part.bits.data());
    kernels_.partition(rows, chosen, from, static_cast<std::uint32_t>(part.words * 2),
                       static_cast<std::uint32_t>((plane - part.first) / 32),
                       static_cast<std::uint32_t>((plane - part.first) % 32),
                       static_cast<bool>(bits_->columns), zeros, ones);
    return true;
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
        child.set_cells(counts.data() + z * states_, states_, xlogx_);
        child.rows = RowList(child.count);
        child.starts.assign(1, 0);
        for (std::int64_t s = 0; s < states_; ++s)
            child.starts.push_back(child.starts.back() + counts[z * states_ + s]);
        next[z] = child.rows.data();
    }
    if (place >= 0 && k <= kernels_.partitions + 1) {
        // State by state: those of state z are taken out, and of what is left the next ones.
        const std::uint32_t* rest = leaf.rows.data();
        std::size_t left = leaf.rows.size();
        bool done = true;
        for (std::size_t z = 1; z < k && done; ++z) {
            std::uint32_t* zeros = next[0];
            if (z + 1 < k) {
                left_.resize(std::max(left_.size(), left));
                zeros = left_.data();
            }
            done =
                partition(rest, left, bits_->first_plane[place] + static_cast<std::int32_t>(z) - 1,
                          zeros, next[z]);
            rest = zeros;
            left -= children[z]->rows.size();
        }
        if (done) return;
    }
    data_.column(j, [&](const auto* code) {
        for (const std::uint32_t r : leaf.rows) *next[code[r]]++ = r;
    });
}

}  // namespace depnet
