#include "boost_grower.hpp"

#include <algorithm>
#include <cmath>

namespace depnet::boost {
namespace {

constexpr double kMostStep = 4.0;  // nats that one stage may add to a score
constexpr double kEnough = 1e-5;   // nats a row held out that count as better

}  // namespace

std::vector<std::int32_t> drawn_share(std::vector<std::int32_t> variables, double share,
                                      std::uint64_t key) {
    const auto wanted =
        static_cast<std::size_t>(std::ceil(share * static_cast<double>(variables.size())));
    for (std::size_t k = 0; k < wanted; ++k)
        std::swap(variables[k], variables[k + splitmix(key, k) % (variables.size() - k)]);
    variables.resize(wanted);
    std::sort(variables.begin(), variables.end());
    return variables;
}

void Booster::draw_tests(std::uint64_t key) {
    stage_tests_.clear();
    for (const std::int32_t j : drawn_share(readable_, settings_.share, key))
        for (const std::int32_t d : own_tests_[static_cast<std::size_t>(j)])
            stage_tests_.push_back(d);
}

void Booster::make_root(const NodeRows& rows, std::uint64_t key) {
    const std::size_t words = rows.bits.words, padded = rows.padded();
    const std::uint32_t* p = rows.p.data() + (states_ == 2 ? 0 : state_ * padded);
    bent_.resize(padded);
    kernels_.curvatures(p, padded, bent_.data());
    const std::uint32_t top = kernels_.largest(p, rows.bits.rows);
    const std::uint32_t most_bent = kernels_.largest(bent_.data(), rows.bits.rows);
    const Rounding rounding{key, kTopProbability / static_cast<float>(top),
                            kTopCurvature / static_cast<float>(most_bent)};
    probability_unit_ = static_cast<double>(top) / kTopProbability * 0x1p-24;
    curvature_unit_ = static_cast<double>(most_bent) / kTopCurvature * 0x1p-24;
    planes_.assign(kPlanes * words, 0);
    leaf_planes_.resize(kPlanes * words);
    std::copy_n(having_.begin() + static_cast<std::ptrdiff_t>(state_ * words), words,
                planes_.begin());
    kernels_.round_planes(p, bent_.data(), words, rounding, planes_.data());
    leaves_.resize(1);
    OpenLeaf& root = leaves_[0];
    root.rows = all_;
    root.size = static_cast<std::int64_t>(rows.bits.rows);
    root.hits = root.probability = root.curvature = 0;
    const std::int32_t every_row = 0;
    kernels_.count(all_.data(), 0, &every_row, 1, planes_.data(), words,
                   {&root.hits, &root.probability, &root.curvature});
    count_leaf(rows, root);
    find_best(root);
}

void Booster::find_best(OpenLeaf& leaf) {
    const Gains own{
        static_cast<double>(leaf.hits) - static_cast<double>(leaf.probability) * probability_unit_,
        static_cast<double>(leaf.curvature) * curvature_unit_,
        probability_unit_,
        curvature_unit_,
        settings_.lambda,
        settings_.least_curvature};
    gain_.resize(stage_tests_.size());
    kernels_.gains(own, leaf.sums.view(), stage_tests_.size(), gain_.data());
    leaf.gain = 0.0;
    leaf.best = -1;
    for (std::size_t k = 0; k < gain_.size(); ++k)
        if (gain_[k] > leaf.gain) {
            leaf.gain = gain_[k];
            leaf.best = static_cast<std::int32_t>(k);
        }
}

void Booster::count_leaf(const NodeRows& rows, OpenLeaf& leaf) {
    const std::size_t words = rows.bits.words;
    leaf.sums.clear(stage_tests_.size());
    kernels_.within(leaf.rows.data(), planes_.data(), words, leaf_planes_.data());
    kernels_.count(rows.bits.columns.data(), words, stage_tests_.data(), stage_tests_.size(),
                   leaf_planes_.data(), words, leaf.sums.view());
}

bool Booster::grow_stage(NodeRows& rows, std::uint64_t key, Watch& watch) {
    draw_tests(splitmix(key, 1));
    if (stage_tests_.empty()) return false;
    make_root(rows, splitmix(key, 2));
    const std::size_t words = rows.bits.words;
    const std::size_t first = grown_.splits.size();
    while (leaves_.size() < settings_.leaves) {
        watch.poll(static_cast<std::int64_t>(words * stage_tests_.size() / 8));
        std::size_t at = leaves_.size();
        for (std::size_t y = 0; y < leaves_.size(); ++y)
            if (leaves_[y].best >= 0 &&
                (at == leaves_.size() || leaves_[y].gain > leaves_[at].gain))
                at = y;
        if (at == leaves_.size()) break;
        const auto best = static_cast<std::size_t>(leaves_[at].best);
        const std::int32_t test = stage_tests_[best];
        const Word* column = rows.bits.columns.data() + static_cast<std::size_t>(test) * words;
        OpenLeaf inside, outside;
        inside.rows.resize(words);
        outside.rows.resize(words);
        kernels_.divide(column, leaves_[at].rows.data(), words, inside.rows.data(),
                        outside.rows.data());
        const OpenLeaf& parent = leaves_[at];
        inside.hits = parent.sums.hits[best];
        inside.probability = parent.sums.probability[best];
        inside.curvature = parent.sums.curvature[best];
        outside.hits = parent.hits - inside.hits;
        outside.probability = parent.probability - inside.probability;
        outside.curvature = parent.curvature - inside.curvature;
        if (leaves_.size() + 1 < settings_.leaves) {  // else nothing more is split
            inside.size = kernels_.count_both(inside.rows.data(), inside.rows.data(), words);
            outside.size = parent.size - inside.size;
            const bool within_less = inside.size <= outside.size;
            OpenLeaf& smaller = within_less ? inside : outside;
            OpenLeaf& larger = within_less ? outside : inside;
            count_leaf(rows, smaller);
            larger.sums = std::move(leaves_[at].sums);
            larger.sums.subtract(smaller.sums);
            find_best(inside);
            find_best(outside);
        }
        grown_.splits.push_back({static_cast<std::uint16_t>(at), test, leaves_[at].gain});
        leaves_[at] = std::move(outside);
        leaves_.push_back(std::move(inside));
    }
    if (grown_.splits.size() == first) return false;
    grown_.begin.push_back(static_cast<std::int32_t>(grown_.splits.size()));
    const double rate = settings_.rate, part = rate - rate * rate / 2;
    for (std::size_t t = first; t < grown_.splits.size(); ++t) {  // of whole stages only
        const Split& split = grown_.splits[t];
        const Test& test = tests_[static_cast<std::size_t>(split.test)];
        grown_.gains[static_cast<std::size_t>(test.variable)] += split.gain * part;
    }
    return true;
}

// The Newton step of every leaf, from sums that are not rounded; and the rows' scores with it.
void Booster::score_leaves(NodeRows& rows) {
    const std::size_t words = rows.bits.words, padded = rows.padded(), leaves = leaves_.size();
    const auto k = static_cast<double>(states_);
    const double stretch = k / (k - 1.0);
    std::vector<const Word*> masks;
    for (const OpenLeaf& leaf : leaves_) masks.push_back(leaf.rows.data());
    std::vector<double> steps(leaves * states_, 0.0);
    std::vector<std::int64_t> sums(leaves * 2);
    for (std::size_t x = states_ == 2 ? 1 : 0; x < states_; ++x) {
        const std::uint32_t* p = rows.p.data() + (states_ == 2 ? 0 : x * padded);
        if (states_ != 2) kernels_.curvatures(p, padded, bent_.data());
        sums.assign(leaves * 2, 0);
        kernels_.sum_leaves(masks.data(), leaves, words, p, bent_.data(), sums.data());
        for (std::size_t y = 0; y < leaves; ++y) {
            const std::int64_t hits =
                kernels_.count_both(masks[y], having_.data() + x * words, words);
            const double g = static_cast<double>(hits) - static_cast<double>(sums[2 * y]) * 0x1p-24;
            const double h = static_cast<double>(sums[2 * y + 1]) * 0x1p-24;
            const double wanted = settings_.rate * g / (stretch * h + settings_.lambda);
            steps[y * states_ + x] = std::clamp(wanted, -kMostStep, kMostStep);
        }
    }
    for (std::size_t y = 0; y < leaves; ++y) {
        double* step = steps.data() + y * states_;
        if (states_ == 2) step[0] = -step[1];  // the second's mirror
        double mean = 0.0;
        for (std::size_t x = 0; x < states_; ++x) mean += step[x];
        mean /= k;
        for (std::size_t x = 0; x < states_; ++x)
            grown_.scores.push_back(
                static_cast<std::int32_t>(std::nearbyint((step[x] - mean) * 0x1p+20)));
    }
    add_scores(rows, masks);
}

// The last stage's scores, added to those of rows whose leaves have these masks.
void Booster::add_scores(NodeRows& rows, const std::vector<const Word*>& masks) const {
    const std::size_t leaves = masks.size(), kept = states_ == 2 ? 1 : states_;
    const std::int32_t* scores = grown_.scores.data() + grown_.scores.size() - leaves * states_;
    std::vector<std::int32_t> values(kept * leaves);
    for (std::size_t x = 0; x < kept; ++x)
        for (std::size_t y = 0; y < leaves; ++y)
            values[x * leaves + y] =
                states_ == 2 ? scores[2 * y + 1] - scores[2 * y] : scores[y * states_ + x];
    kernels_.add_leaves(masks.data(), leaves, rows.bits.words, values.data(), kept,
                        rows.scores.data());
}

// The same for the rows held out.
void Booster::add_held(NodeRows& held) {
    const std::size_t words = held.bits.words;
    const auto first = static_cast<std::size_t>(grown_.begin[grown_.begin.size() - 2]);
    const std::size_t splits = grown_.splits.size() - first;
    std::vector<Word> rows((splits + 1) * words, 0);
    std::fill_n(rows.begin(), words, ~Word{0});
    std::vector<const Word*> masks{rows.data()};
    for (std::size_t t = 0; t < splits; ++t) {
        const Split split = grown_.splits[first + t];
        const Word* column =
            held.bits.columns.data() + static_cast<std::size_t>(split.test) * words;
        Word* from = rows.data() + split.leaf * words;
        Word* to = rows.data() + (t + 1) * words;
        kernels_.divide(column, from, words, to, from);
        masks.push_back(to);
    }
    add_scores(held, masks);
}

void Booster::update(NodeRows& rows) const {
    if (states_ == 2)
        kernels_.two_shares(rows.scores.data(), rows.padded(), rows.p.data());
    else
        kernels_.shares(rows.scores.data(), states_, rows.padded(), rows.p.data());
}

double Booster::score_of(const NodeRows& rows) const {
    return kernels_.log_score(rows.p.data(), states_, rows.padded(), rows.own.data(),
                              rows.bits.rows);
}

void Booster::run(NodeRows& rows, NodeRows* held, Watch& watch) {
    const std::size_t words = rows.bits.words;
    having_.assign(states_ * words, 0);
    all_.assign(words, 0);
    for (std::size_t r = 0; r < rows.bits.rows; ++r) {
        having_[rows.own[r] * words + r / kRows] |= Word{1} << (r % kRows);
        all_[r / kRows] |= Word{1} << (r % kRows);
    }
    update(rows);
    if (held) {
        update(*held);
        grown_.held_scores.push_back(score_of(*held));
    }
    const double enough = held ? kEnough * static_cast<double>(held->bits.rows) : 0.0;
    std::size_t best = 0, idle = 0;
    for (std::size_t stage = 0; stage < settings_.stages; ++stage) {
        state_ = states_ == 2 ? 1 : stage % states_;
        if (!grow_stage(rows, splitmix(settings_.seed, stage), watch)) {
            // Of many states each is looked at in turn before nothing is left to split.
            if (++idle >= states_) break;
            continue;
        }
        idle = 0;
        score_leaves(rows);
        update(rows);
        if (!held) continue;
        add_held(*held);
        update(*held);
        grown_.held_scores.push_back(score_of(*held));
        const std::size_t now = grown_.held_scores.size() - 1;
        if (grown_.held_scores[now] > grown_.held_scores[best] + enough)
            best = now;
        else if (now - best >= settings_.patience)
            break;
    }
}

}  // namespace depnet::boost
