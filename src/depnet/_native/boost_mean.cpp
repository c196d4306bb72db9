#include "boost_mean.hpp"

#include <algorithm>
#include <cmath>

namespace depnet::boost {
namespace {

constexpr std::size_t kSquares = 1024;  // of residuals below 2^26, summed without rounding
constexpr double kMostStep = 0x1p+25;
constexpr double kEnough = 1e-6;  // of the first loss: a better one lies so far below

bool passes(const Test& test, std::uint16_t code) { return code >= test.low && code <= test.high; }

}  // namespace

double MeanRows::loss() const {
    double total = 0.0;
    for (std::size_t first = 0; first < rows; first += kSquares) {
        std::int64_t some = 0;
        for (std::size_t r = first; r < std::min(first + kSquares, rows); ++r)
            some += static_cast<std::int64_t>(residuals[r]) * residuals[r];
        total += static_cast<double>(some);
    }
    return total;
}

MeanBooster::MeanBooster(const MeanSettings& settings, std::vector<MeanInput> inputs)
    : settings_(settings), inputs_(std::move(inputs)), begin_(inputs_.size()) {}

// A share of the variables, and where the cells of each begin.
void MeanBooster::draw(std::uint64_t key) {
    drawn_.clear();
    for (std::size_t j = 0; j < inputs_.size(); ++j)
        if (inputs_[j].states() > 1) drawn_.push_back(static_cast<std::int32_t>(j));
    drawn_ = drawn_share(std::move(drawn_), settings_.share, key);
    cells_ = 0;
    for (const std::int32_t j : drawn_) {
        begin_[static_cast<std::size_t>(j)] = cells_;
        cells_ += inputs_[static_cast<std::size_t>(j)].states();
    }
}

void MeanBooster::count(const MeanRows& rows, Leaf& leaf) const {
    leaf.cells.assign(cells_, {});
    for (const std::int32_t j : drawn_) {
        const std::uint16_t* column = rows.column(static_cast<std::size_t>(j));
        Cell* own = leaf.cells.data() + begin_[static_cast<std::size_t>(j)];
        for (const std::uint32_t r : leaf.rows) {
            Cell& cell = own[column[r]];
            cell.sum += rows.residuals[r];
            ++cell.rows;
        }
    }
}

void MeanBooster::consider(Leaf& leaf, const Cell& inside, Test test) const {
    const std::int64_t outside = leaf.total.rows - inside.rows;
    if (inside.rows < settings_.least_rows || outside < settings_.least_rows) return;
    const auto share = [&](std::int64_t sum, std::int64_t rows) {
        const auto g = static_cast<double>(sum);
        return g * g / (static_cast<double>(rows) + settings_.lambda);
    };
    const double gain = share(inside.sum, inside.rows) +
                        share(leaf.total.sum - inside.sum, outside) -
                        share(leaf.total.sum, leaf.total.rows);
    if (gain > leaf.gain) {
        leaf.gain = gain;
        leaf.test = test;
    }
}

void MeanBooster::find_best(Leaf& leaf) const {
    leaf.gain = 0.0;
    leaf.test = {-1, 0, 0};
    for (const std::int32_t j : drawn_) {
        const MeanInput& input = inputs_[static_cast<std::size_t>(j)];
        const Cell* cells = leaf.cells.data() + begin_[static_cast<std::size_t>(j)];
        const auto last = static_cast<std::uint16_t>(input.present - 1);
        const Cell gone = input.missing ? cells[input.present] : Cell{};
        if (input.missing) {
            const auto at = static_cast<std::uint16_t>(input.present);
            consider(leaf, gone, {j, at, at});
        }
        Cell above;
        for (std::size_t x = input.present; x-- > 1;) {
            const auto low = static_cast<std::uint16_t>(x);
            above.sum += cells[x].sum;
            above.rows += cells[x].rows;
            consider(leaf, above, {j, low, last});
            if (gone.rows > 0)
                consider(leaf, {above.sum + gone.sum, above.rows + gone.rows},
                         {j, low, static_cast<std::uint16_t>(last + 1)});
        }
    }
}

bool MeanBooster::grow_stage(MeanRows& rows, std::uint64_t key, Watch& watch) {
    draw(splitmix(key, 1));
    const std::size_t first = grown_.splits.size();
    leaves_.assign(1, {});
    leaves_[0].rows.resize(rows.rows);
    for (std::size_t r = 0; r < rows.rows; ++r) {
        leaves_[0].rows[r] = static_cast<std::uint32_t>(r);
        leaves_[0].total.sum += rows.residuals[r];
    }
    leaves_[0].total.rows = static_cast<std::int64_t>(rows.rows);
    count(rows, leaves_[0]);
    find_best(leaves_[0]);
    while (leaves_.size() < settings_.leaves) {
        std::size_t at = 0;
        for (std::size_t y = 1; y < leaves_.size(); ++y)
            if (leaves_[y].gain > leaves_[at].gain) at = y;
        Leaf& parent = leaves_[at];
        if (parent.test.variable < 0) break;
        watch.poll(static_cast<std::int64_t>(parent.rows.size() * drawn_.size()));
        const Test test = parent.test;
        const std::uint16_t* column = rows.column(static_cast<std::size_t>(test.variable));
        Leaf inside, outside;
        for (const std::uint32_t r : parent.rows) {
            Leaf& side = passes(test, column[r]) ? inside : outside;
            side.rows.push_back(r);
            side.total.sum += rows.residuals[r];
        }
        inside.total.rows = static_cast<std::int64_t>(inside.rows.size());
        outside.total.rows = static_cast<std::int64_t>(outside.rows.size());
        if (leaves_.size() + 1 < settings_.leaves) {  // else nothing more is split
            const bool within_less = inside.rows.size() <= outside.rows.size();
            Leaf& smaller = within_less ? inside : outside;
            Leaf& larger = within_less ? outside : inside;
            count(rows, smaller);
            larger.cells = std::move(parent.cells);
            for (std::size_t c = 0; c < cells_; ++c) {
                larger.cells[c].sum -= smaller.cells[c].sum;
                larger.cells[c].rows -= smaller.cells[c].rows;
            }
            find_best(inside);
            find_best(outside);
        }
        grown_.splits.push_back({static_cast<std::uint16_t>(at), test});
        leaves_[at] = std::move(outside);
        leaves_.push_back(std::move(inside));
    }
    if (grown_.splits.size() == first) return false;
    grown_.begin.push_back(static_cast<std::int32_t>(grown_.splits.size()));
    return true;
}

// The value of every leaf, taken from the residuals of its rows.
void MeanBooster::step(MeanRows& rows) {
    for (const Leaf& leaf : leaves_) {
        const double wanted = settings_.rate * static_cast<double>(leaf.total.sum) /
                              (static_cast<double>(leaf.total.rows) + settings_.lambda);
        const auto value =
            static_cast<std::int32_t>(std::nearbyint(std::clamp(wanted, -kMostStep, kMostStep)));
        grown_.values.push_back(value);
        for (const std::uint32_t r : leaf.rows) rows.residuals[r] -= value;
    }
}

// The last stage's values, taken from the residuals of rows held out.
void MeanBooster::add_held(MeanRows& held) const {
    const std::size_t stage = grown_.begin.size() - 2;
    const auto first = static_cast<std::size_t>(grown_.begin[stage]);
    const std::size_t splits = grown_.splits.size() - first;
    const std::int32_t* values = grown_.values.data() + first + stage;
    std::vector<std::uint16_t> leaf(held.rows, 0);
    for (std::size_t t = 0; t < splits; ++t) {
        const MeanSplit& split = grown_.splits[first + t];
        const std::uint16_t* column = held.column(static_cast<std::size_t>(split.test.variable));
        const auto next = static_cast<std::uint16_t>(t + 1);
        for (std::size_t r = 0; r < held.rows; ++r)
            if (leaf[r] == split.leaf && passes(split.test, column[r])) leaf[r] = next;
    }
    for (std::size_t r = 0; r < held.rows; ++r) held.residuals[r] -= values[leaf[r]];
}

void MeanBooster::run(MeanRows& rows, MeanRows* held, Watch& watch) {
    if (held) grown_.held_losses.push_back(held->loss());
    std::size_t best = 0;
    for (std::size_t stage = 0; stage < settings_.stages; ++stage) {
        if (!grow_stage(rows, splitmix(settings_.seed, stage), watch)) break;
        step(rows);
        if (!held) continue;
        add_held(*held);
        grown_.held_losses.push_back(held->loss());
        const std::size_t now = grown_.held_losses.size() - 1;
        const double enough = kEnough * grown_.held_losses[0];
        if (grown_.held_losses[now] < grown_.held_losses[best] - enough)
            best = now;
        else if (now - best >= settings_.patience)
            break;
    }
}

}  // namespace depnet::boost
