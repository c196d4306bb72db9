// Passes and moves of boosted nodes, for one instruction set: a part of law_unit.hpp.
//
// theta of 64 rows is made together from summed scores. In moves each boosted node keeps its sums
// for a tile: where X_i changes, only the stages that read it are taken out and put in again, which
// whole numbers allow.
#pragma once

#include <cmath>
#include <limits>

#include "fixed_math.hpp"
#include "law_leaves.hpp"
#include "law_thresholds.hpp"

namespace depnet::law::DEPNET_ISA_NAMESPACE {

namespace kernels = stages::DEPNET_ISA_NAMESPACE;

// log of each of kRows numbers that are not negative.
inline void logs_of(const double* values, double* logs) {
    bool normal = true;
    for (std::size_t r = 0; r < kRows; ++r) {
        normal &= values[r] >= std::numeric_limits<double>::min();
        logs[r] = fixed::log(values[r]);
    }
    if (normal) return;
    for (std::size_t r = 0; r < kRows; ++r)
        if (!(values[r] >= std::numeric_limits<double>::min())) logs[r] = std::log(values[r]);
}

// Add the scores of the first source, whose leaves are those of a tile's codes.
template <typename Code>
inline void add_start(const View& view, const Node& node, const Code* tile, std::int32_t* scores) {
    const auto states = static_cast<std::size_t>(node.states);
    const std::int32_t* start = view.boosted[node.boosted].start;
    if (node.map < 0 && node.root.variable == kLeaf) {
        start += static_cast<std::size_t>(node.root.next) * states;
        for (std::size_t s = 0; s < states; ++s)
            for (std::size_t r = 0; r < kRows; ++r) scores[s * kRows + r] += start[s];
        return;
    }
    std::int32_t leaf[kRows];
    leaves_of(view, node, tile, kRows, leaf);
    for (std::size_t s = 0; s < states; ++s)
        for (std::size_t r = 0; r < kRows; ++r)
            scores[s * kRows + r] += start[static_cast<std::size_t>(leaf[r]) * states + s];
}

inline void clear(std::int32_t* scores, const Node& node) {
    __builtin_memset(scores, 0, static_cast<std::size_t>(node.states) * kRows * sizeof *scores);
}

// Draw a boosted node's variable in the tile's first `rows` rows, of which `words` are the words.
template <typename Code>
inline void draw_boosted(const View& view, const Node& node, const Step& step, const Code* tile,
                         const std::uint32_t* words, std::size_t rows, const Scratch& scratch,
                         Code* column, double* log_weights) {
    const Boosted& boosted = view.boosted[node.boosted];
    const auto states = static_cast<std::size_t>(node.states);
    double* theta = scratch.theta;
    clear(scratch.scores, node);
    add_start(view, node, tile, scratch.scores);
    kernels::add_scores(boosted.stages, tile, kRows, kRows, scratch.masks, scratch.scores);
    kernels::probabilities(scratch.scores, states, theta);
    double total[kRows] = {}, sum[kRows] = {}, logs[kRows];
    if (step.code >= 0) {
        logs_of(theta + static_cast<std::size_t>(step.code) * kRows, logs);
        for (std::size_t r = 0; r < rows; ++r) log_weights[r] += logs[r];
        for (std::size_t r = 0; r < rows; ++r) column[r] = static_cast<Code>(step.code);
        return;
    }
    if (step.weights != nullptr)
        for (std::size_t s = 0; s < states; ++s)
            for (std::size_t r = 0; r < kRows; ++r) theta[s * kRows + r] *= step.weights[s];
    for (std::size_t s = 0; s < states; ++s)
        for (std::size_t r = 0; r < kRows; ++r) total[r] += theta[s * kRows + r];
    std::uint32_t word[kRows] = {}, state[kRows] = {};
    for (std::size_t r = 0; r < rows; ++r) word[r] = words[r] < kAlways ? words[r] : kAlways - 1;
    for (std::size_t s = 0; s + 1 < states; ++s)
        for (std::size_t r = 0; r < kRows; ++r) {
            sum[r] += theta[s * kRows + r];
            state[r] += threshold(sum[r], total[r]) <= word[r];
        }
    if (step.weights != nullptr) {
        logs_of(total, logs);
        for (std::size_t r = 0; r < rows; ++r) log_weights[r] += logs[r];
        std::uint32_t allowed = 0;
        while (!(step.weights[allowed] > 0.0)) ++allowed;
        for (std::size_t r = 0; r < rows; ++r)
            if (!(total[r] > 0.0)) state[r] = allowed;
    }
    for (std::size_t r = 0; r < rows; ++r) column[r] = static_cast<Code>(state[r]);
}

// The boosted nodes of a tile of moves.
struct BoostedMover {
    const View& view;
    const MoveTask& task;

    std::int32_t* sums(const Node& node) const {
        return task.totals + view.boosted[node.boosted].sums;
    }
    std::uint64_t* masks(const Node& node) const {
        return task.scratch.masks + view.boosted[node.boosted].masks;
    }

    // The sums and outcomes of all active nodes for the codes of the tile.
    void begin() const {
        for (std::size_t place = 0; place < view.variables; ++place) {
            const Node& node = view.nodes[place];
            if (!task.active[place] || node.boosted < 0) continue;
            clear(sums(node), node);
            add_start(view, node, task.tile, sums(node));
            kernels::add_scores(view.boosted[node.boosted].stages, task.tile, kRows, kRows,
                                masks(node), sums(node));
        }
    }

    // logs[state][kRows] of theta of a node.
    void log_theta(const Node& node, double* logs) const {
        const auto states = static_cast<std::size_t>(node.states);
        kernels::probabilities(sums(node), states, task.scratch.theta);
        for (std::size_t s = 0; s < states; ++s)
            logs_of(task.scratch.theta + s * kRows, logs + s * kRows);
    }

    // What reads a variable, for the codes of the tile, added to scores.
    void add_read(const Node& reader, const Reading& reading, std::int32_t* scores) const {
        if (reading.start) add_start(view, reader, task.tile, scores);
        kernels::add_stages(view.boosted[reader.boosted].stages, reading.stages,
                            reading.stage_count, masks(reader), scores);
    }

    // Do all that read a variable say the same of state s as of the state before?
    static bool same(const stages::View& stages, const Reading& reading, std::int64_t s) {
        if (s == 0 || reading.start) return false;
        for (std::size_t k = 0; k < reading.test_count; ++k) {
            const std::int32_t t = reading.tests[k];
            if (s == stages.low[t] || s - 1 == stages.high[t]) return false;
        }
        return true;
    }

    // What reads a variable, were it in state s in all rows; its codes and outcomes are then that.
    void read_state(const Node& reader, const Reading& reading, std::int32_t variable,
                    std::int64_t s, std::int32_t* scores) const {
        const stages::View& stages = view.boosted[reader.boosted].stages;
        std::uint16_t* codes = task.tile + static_cast<std::size_t>(variable) * kRows;
        for (std::size_t r = 0; r < kRows; ++r) codes[r] = static_cast<std::uint16_t>(s);
        for (std::size_t k = 0; k < reading.test_count; ++k) {
            const std::int32_t t = reading.tests[k];
            masks(reader)[t] = stages.low[t] <= s && s <= stages.high[t] ? ~std::uint64_t{0} : 0;
        }
        clear(scores, reader);
        add_read(reader, reading, scores);
    }

    // Add, or take away, what was kept for the state that the variable has in each row.
    template <int sign>
    void add_kept(const Node& reader, const Reading& reading, const std::uint16_t* codes) const {
        const auto states = static_cast<std::size_t>(reader.states);
        const std::int32_t* kept = task.scratch.kept + reading.kept;
        std::int32_t* total = sums(reader);
        for (std::size_t x = 0; x < states; ++x)
            for (std::size_t r = 0; r < kRows; ++r)
                total[x * kRows + r] += sign * kept[(codes[r] * states + x) * kRows + r];
    }

    // Add the logs of a reader's probabilities to those of the states of `variable`, for the
    // `count` rows of `active`. What reads the variable is out of the reader's sums then, until
    // `settle`.
    void add_reader(const Node& reader, const Reading& reading, std::int32_t variable,
                    std::int64_t states, const std::int32_t* active, std::size_t count) const {
        const stages::View& stages = view.boosted[reader.boosted].stages;
        const std::size_t cells = static_cast<std::size_t>(reader.states) * kRows;
        const std::uint16_t* own = task.tile + static_cast<std::size_t>(reader.variable) * kRows;
        std::uint16_t* codes = task.tile + static_cast<std::size_t>(variable) * kRows;
        std::int32_t *rest = sums(reader), *scores = task.scratch.scores;
        std::int32_t* read = task.scratch.read;
        std::uint16_t was[kRows];
        __builtin_memcpy(was, codes, sizeof was);
        const bool keeping = reading.kept != kNotKept;
        if (keeping) {
            std::int32_t* kept = task.scratch.kept + reading.kept;
            for (std::int64_t s = 0; s < states; ++s, kept += cells)
                if (same(stages, reading, s))
                    __builtin_memcpy(kept, kept - cells, cells * sizeof *kept);
                else
                    read_state(reader, reading, variable, s, kept);
            add_kept<-1>(reader, reading, was);
        } else {
            clear(read, reader);
            add_read(reader, reading, read);
            for (std::size_t c = 0; c < cells; ++c) rest[c] -= read[c];
        }
        double chosen[kRows], logs[kRows];
        for (std::int64_t s = 0; s < states; ++s) {
            if (!same(stages, reading, s)) {
                if (keeping)
                    read = task.scratch.kept + reading.kept + static_cast<std::size_t>(s) * cells;
                else
                    read_state(reader, reading, variable, s, read);
                for (std::size_t c = 0; c < cells; ++c) scores[c] = rest[c] + read[c];
                kernels::probabilities(scores, static_cast<std::size_t>(reader.states),
                                       task.scratch.theta);
                for (std::size_t r = 0; r < kRows; ++r)
                    chosen[r] = task.scratch.theta[own[r] * kRows + r];
                logs_of(chosen, logs);
            }
            for (std::size_t k = 0; k < count; ++k)
                task.logs[static_cast<std::size_t>(s) * kRows + active[k]] += logs[active[k]];
        }
        __builtin_memcpy(codes, was, sizeof was);
    }

    // What reads a variable, for its codes as they are now, back into the sums of a reader.
    void settle(const Node& reader, const Reading& reading, std::int32_t variable) const {
        const std::uint16_t* codes = task.tile + static_cast<std::size_t>(variable) * kRows;
        for (std::size_t k = 0; k < reading.test_count; ++k) {
            const auto t = static_cast<std::size_t>(reading.tests[k]);
            masks(reader)[t] = kernels::test_mask(view.boosted[reader.boosted].stages, t, codes);
        }
        if (reading.kept != kNotKept)
            add_kept<1>(reader, reading, codes);
        else
            add_read(reader, reading, sums(reader));
    }
};

}  // namespace depnet::law::DEPNET_ISA_NAMESPACE
