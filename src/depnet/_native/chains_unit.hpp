// Pseudo-Gibbs chains, for one instruction set. Slow twins: tests/reference/sampling.py and
// tests/reference/inference.py.
#pragma once

#include "chains.hpp"
#include "network_draw.hpp"
#include "splitmix.hpp"
#include "stages_theta.hpp"

namespace depnet::chains::DEPNET_ISA_NAMESPACE {

using namespace network::DEPNET_ISA_NAMESPACE;

// The leaf of one row; the code of a variable is codes[variable * stride].
inline std::int64_t leaf_of(const View& view, const Node& node, const std::uint16_t* codes,
                            std::size_t stride) {
    if (node.map < 0) {
        Slot at = node.root;
        while (at.variable != kLeaf)
            at = view.slots[at.next + codes[static_cast<std::size_t>(at.variable) * stride]];
        return at.next;
    }
    std::int64_t index = node.map;
    for (std::int64_t k = node.input_begin; k < node.input_end; ++k) {
        const Input input = view.inputs[k];
        index +=
            std::int64_t{input.stride} * codes[static_cast<std::size_t>(input.variable) * stride];
    }
    return view.leaf_map[index];
}

// theta of a boosted node in one row, times the weights of its step; returned is its sum.
inline double boosted_theta(const View& view, const Step& step, const std::uint16_t* codes,
                            std::size_t stride, const Scratch& scratch) {
    const Node& node = view.nodes[step.place];
    const Boosted& boosted = view.boosted[node.boosted];
    const auto states = static_cast<std::size_t>(node.states);
    const std::int32_t* start =
        boosted.start + static_cast<std::size_t>(leaf_of(view, node, codes, stride)) * states;
    for (std::size_t x = 0; x < states; ++x) scratch.scores[x * kRows] = start[x];
    kernels::add_scores(boosted.stages, codes, stride, 1, scratch.masks, scratch.scores);
    for (std::size_t x = 0; x < states; ++x) scratch.read[x] = scratch.scores[x * kRows];
    stages::theta_of<1>(scratch.read, states, boosted.digits, scratch.theta);
    double total = 0.0;
    for (std::size_t x = 0; x < states; ++x) {
        if (step.weights != nullptr) scratch.theta[x] *= step.weights[x];
        total += scratch.theta[x];
    }
    return total;
}

// What an update of a row draws its variable by, and the state that a word draws; theta is null
// where what is known leaves nothing possible.
struct Update {
    const double* theta;
    std::uint32_t state;
};

inline Update update_of(const View& view, const Step& step, const std::uint16_t* codes,
                        std::size_t stride, const Scratch& scratch, std::uint32_t word) {
    const Node& node = view.nodes[step.place];
    if (node.boosted >= 0) {
        const double total = boosted_theta(view, step, codes, stride, scratch);
        if (!(total > 0.0)) return {nullptr, 0};
        const std::uint32_t state = state_of(scratch.theta, node.states, total, clipped(word));
        for (std::int32_t s = 0; step.weights != nullptr && s < node.states; ++s)
            scratch.theta[s] /= total;
        return {scratch.theta, state};
    }
    const std::int64_t leaf = leaf_of(view, node, codes, stride), marks = node.states - 1;
    if (step.logs != nullptr && step.logs[leaf * step.stride] == -HUGE_VAL) return {nullptr, 0};
    return {step.theta + leaf * node.states,
            state_of(step.marks + leaf * marks, marks, clipped(word))};
}

// Some chains of one row, stepped in turn, so that their latencies overlap. Under the sequential
// scan many of them draw a node's column together: their codes are then in a tile,
// [variable][kRows].
class Group {
  public:
    static constexpr std::int64_t kInTurn = 8;

    static bool in_columns(const Run& run, std::int64_t chains) {
        return !run.random && run.estimates.sums == nullptr && chains >= kInTurn;
    }

    // `tile` is null, or has room for all variables.
    Group(const Run& run, std::int64_t first, std::int64_t last, std::uint16_t* tile)
        : run_(run),
          row_begin_(run.begin[first / run.per_row]),
          places_(run.begin[first / run.per_row + 1] - row_begin_),
          first_(first),
          count_(last - first),
          origin_(static_cast<std::uint64_t>(run.task.first_sweep * places_)),
          codes_(run.codes + first * static_cast<std::int64_t>(run.view.variables)),
          tile_(tile) {}

    // The variable of a node that found no possible state, or -1.
    std::int64_t go() {
        if (tile_) copy([](std::uint16_t& tile, std::uint16_t& code) { tile = code; });
        std::int64_t done[kRows] = {};  // records of each chain
        std::uint64_t due[kRows], soonest = next(done, due);
        const std::uint64_t end = origin_ + updates();
        std::int64_t place = 0;  // of the scan
        for (std::uint64_t t = origin_;; ++t) {
            if (t == soonest) {
                for (std::int64_t c = 0; c < count_; ++c)
                    if (due[c] == t) record(c, done[c]++);
                soonest = next(done, due);
            }
            if (t == end) break;
            step(place, t);
            place = place + 1 == places_ ? 0 : place + 1;
        }
        if (tile_) copy([](std::uint16_t& tile, std::uint16_t& code) { code = tile; });
        return failed_;
    }

  private:
    static constexpr std::uint64_t kNever = ~std::uint64_t{0};

    std::uint64_t updates() const {
        const Task& task = run_.task;
        if (task.trace) return static_cast<std::uint64_t>(task.records);
        std::int64_t sweeps = task.lead;
        if (task.records > 0)
            sweeps += (task.records - 1) * (task.gap + !run_.random) + !run_.random;
        return static_cast<std::uint64_t>(sweeps * places_);
    }

    // The updates before which the chains record next; returned is the first of them.
    std::uint64_t next(const std::int64_t* done, std::uint64_t* due) const {
        const Task& task = run_.task;
        std::uint64_t soonest = kNever;
        for (std::int64_t c = 0; c < count_; ++c) {
            const std::int64_t r = done[c];
            std::int64_t t = task.trace ? r : (task.lead + r * (task.gap + !run_.random)) * places_;
            if (!task.trace && !run_.random && r < task.records) t += record_place(c, r);
            due[c] = r < task.records ? origin_ + static_cast<std::uint64_t>(t) : kNever;
            soonest = due[c] < soonest ? due[c] : soonest;
        }
        return soonest;
    }

    std::int64_t record_place(std::int64_t c, std::int64_t r) const {
        const std::uint32_t word =
            run_.place_words ? run_.place_words[r * run_.chains + first_ + c]
                             : static_cast<std::uint32_t>(splitmix(
                                   ~run_.keys[first_ + c],
                                   static_cast<std::uint64_t>(run_.task.first_record + r)));
        return static_cast<std::int64_t>(std::uint64_t{word} * places_ >> 32);
    }

    void record(std::int64_t c, std::int64_t r) const {
        const std::int64_t rows = run_.task.records * run_.chains;
        const std::size_t n = run_.view.variables, stride = tile_ ? kRows : 1;
        const std::uint16_t* own = tile_ ? tile_ + c : codes_ + c * static_cast<std::int64_t>(n);
        std::uint16_t* out = run_.out + r * run_.chains + first_ + c;
        for (std::size_t i = 0; i < n; ++i, out += rows) *out = own[i * stride];
    }

    template <typename Copy>
    void copy(Copy&& copied) const {
        const std::size_t n = run_.view.variables;
        for (std::int64_t c = 0; c < count_; ++c)
            for (std::size_t i = 0; i < n; ++i)
                copied(tile_[i * kRows + c], codes_[c * static_cast<std::int64_t>(n) + i]);
    }

    std::int64_t chosen(std::uint64_t word) const {
        if (run_.choice == nullptr) return static_cast<std::int64_t>(word * places_ >> 32);
        return state_of(run_.choice + row_begin_, places_ - 1,
                        clipped(static_cast<std::uint32_t>(word)));
    }

    // Update t of every chain, under the sequential scan of the node at place j.
    void step(std::int64_t j, std::uint64_t t) {
        std::uint64_t words[kRows];
        const std::uint64_t* keys = run_.keys + first_;
        if (run_.words == nullptr)
            for (std::int64_t c = 0; c < count_; ++c) words[c] = splitmix(keys[c], t);
        else
            for (std::int64_t c = 0; c < count_; ++c)
                words[c] = run_.words[(t - origin_) * run_.chains + first_ + c];
        if (tile_ == nullptr) {
            const View view = run_.view;
            std::int64_t places[kRows];
            for (std::int64_t c = 0; c < count_; ++c)
                places[c] = run_.random ? chosen(words[c] >> 32) : j;
            std::uint16_t* codes = codes_;
            for (std::int64_t c = 0; c < count_; ++c, codes += view.variables)
                update<1>(view, c, places[c], words[c], codes);
            return;
        }
        const Step& step = run_.steps[run_.node[row_begin_ + j]];
        if (step.logs != nullptr || step.weights != nullptr) {
            for (std::int64_t c = 0; c < count_; ++c)
                update<kRows>(run_.view, c, j, words[c], tile_ + c);
            return;
        }
        std::uint32_t low[kRows];
        for (std::size_t c = 0; c < kRows; ++c) low[c] = static_cast<std::uint32_t>(words[c]);
        draw_column(run_.view, step, tile_, low, static_cast<std::size_t>(count_), run_.scratch,
                    tile_ + kRows * run_.view.nodes[step.place].variable, nullptr);
    }

    // The code of a variable is codes[variable * stride].
    template <std::size_t stride>
    void update(const View& view, std::int64_t c, std::int64_t j, std::uint64_t word,
                std::uint16_t* codes) {
        const Step& step = run_.steps[run_.node[row_begin_ + j]];
        const Node& node = view.nodes[step.place];
        std::uint16_t& code = codes[static_cast<std::size_t>(node.variable) * stride];
        const Update made =
            update_of(view, step, codes, stride, run_.scratch, static_cast<std::uint32_t>(word));
        if (run_.estimates.sums != nullptr) {
            const double certain = 1.0;  // of the state that stays
            const bool stays = made.theta == nullptr;
            add(c, j, step.place, codes, stays ? &certain : made.theta, stays ? code : 0,
                stays ? 1 : node.states);
            if (stays) ++run_.impossible[first_ + c];
        }
        if (made.theta != nullptr)
            code = static_cast<std::uint16_t>(made.state);
        else  // the evidence leaves theta no mass here: the state stays
            failed_ = node.variable;
    }

    // What an update adds to each of its estimators: theta of `count` states, from `first` on.
    void add(std::int64_t c, std::int64_t j, std::int32_t place, const std::uint16_t* codes,
             const double* theta, std::int32_t first, std::int32_t count) const {
        const Estimates& to = run_.estimates;
        const double* shares =
            to.shares ? to.shares + to.share_begin[j] - to.begin[place] : nullptr;
        double* const sums = to.sums + (first_ + c) * to.cells;
        double* const weights = to.weights + (first_ + c) * to.count;
        for (std::int32_t q = to.begin[place]; q < to.begin[place + 1]; ++q) {
            const Pair& pair = to.pairs[q];
            const double weight = shares ? shares[q] : 1.0;
            double* cell = sums + pair.cell + first * pair.stride;
            for (std::int32_t o = pair.other_begin; o < pair.other_end; ++o)
                cell += codes[to.others[o].variable] * to.others[o].stride;
            for (std::int32_t s = 0; s < count; ++s, cell += pair.stride)
                *cell += weight * theta[s];
            weights[pair.estimator] += weight;
        }
    }

    const Run& run_;
    std::int64_t row_begin_, places_, first_, count_;
    std::uint64_t origin_;  // the first update
    std::uint16_t *codes_, *tile_;
    std::int64_t failed_ = -1;
};

std::int64_t run_chains(const Run& run, std::uint16_t* tile) {
    std::int64_t failed = -1;
    for (std::int64_t first = run.task.first, last; first < run.task.last; first = last) {
        const std::int64_t row_end = (first / run.per_row + 1) * run.per_row;
        const std::int64_t left = (run.task.last < row_end ? run.task.last : row_end) - first;
        const bool columns = Group::in_columns(run, left);
        const std::int64_t most = run.estimates.sums ? Group::kInTurn : std::int64_t{kRows};
        last = first + (left < most ? left : most);
        const std::int64_t found = Group(run, first, last, columns ? tile : nullptr).go();
        failed = found < 0 ? failed : found;
    }
    return failed;
}

}  // namespace depnet::chains::DEPNET_ISA_NAMESPACE
