// Moves of an ordered law, for one instruction set: X_i from its conditional under Q.
//
// Each boosted node keeps its sums for a tile: where X_i changes, only the stages that read it are
// taken out and put in again, which whole numbers allow.
#pragma once

#include "law_kernels.hpp"
#include "network_draw.hpp"
#include "philox.hpp"

namespace depnet::law::DEPNET_ISA_NAMESPACE {

namespace kernels = stages::DEPNET_ISA_NAMESPACE;
namespace philox = depnet::philox::DEPNET_ISA_NAMESPACE;
using namespace network::DEPNET_ISA_NAMESPACE;

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
        kernels::probabilities(sums(node), states, view.boosted[node.boosted].digits,
                               task.scratch.theta);
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
        clear(read, reader);
        add_read(reader, reading, read);
        for (std::size_t c = 0; c < cells; ++c) rest[c] -= read[c];
        double chosen[kRows], logs[kRows];
        for (std::int64_t s = 0; s < states; ++s) {
            if (!same(stages, reading, s)) {
                read_state(reader, reading, variable, s, read);
                for (std::size_t c = 0; c < cells; ++c) scores[c] = rest[c] + read[c];
                kernels::probabilities(scores, static_cast<std::size_t>(reader.states),
                                       view.boosted[reader.boosted].digits, task.scratch.theta);
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
        add_read(reader, reading, sums(reader));
    }
};

// Updates of the rows of one tile: X_i from its conditional under Q, given all others.
struct Mover {
    const View& view;
    const MoveTask& task;
    BoostedMover boosted{view, task};

    // Add the logs of a reader's probabilities to those of the states of `variable`, for the
    // `count` rows of `active`.
    void add_reader(const Node& reader, const Reading& reading, std::int32_t variable,
                    std::int64_t states, const std::int32_t* active, std::size_t count) const {
        if (reader.boosted >= 0)
            boosted.add_reader(reader, reading, variable, states, active, count);
        else if (reader.map >= 0)
            add_table(reader, variable, states, active, count);
        else
            add_graph(reader, variable, states, active, count);
    }

    const std::uint16_t* column(std::int32_t variable) const {
        return task.tile + static_cast<std::size_t>(variable) * kRows;
    }

    void add_table(const Node& reader, std::int32_t variable, std::int64_t states,
                   const std::int32_t* active, std::size_t count) const {
        const double* log_theta = view.log_theta + reader.cells;
        const std::uint16_t* own = column(reader.variable);
        std::int32_t index[kRows] = {}, step = 0;
        for (std::int64_t k = reader.input_begin; k < reader.input_end; ++k) {
            const Input input = view.inputs[k];
            if (input.variable == variable) {
                step = input.stride;
                continue;
            }
            const std::uint16_t* code = column(input.variable);
            for (std::size_t r = 0; r < kRows; ++r) index[r] += input.stride * code[r];
        }
        const std::int32_t* map = view.leaf_map + reader.map;
        for (std::int64_t s = 0; s < states; ++s)
            for (std::size_t k = 0; k < count; ++k) {
                const std::int32_t r = active[k];
                const std::int64_t leaf = map[index[r] + s * step];
                task.logs[s * kRows + r] += log_theta[leaf * reader.states + own[r]];
            }
    }

    // All rows walk together until they come to a test of `variable`, and from there once for each
    // of its states.
    void add_graph(const Node& reader, std::int32_t variable, std::int64_t states,
                   const std::int32_t* active, std::size_t count) const {
        const double* log_theta = view.log_theta + reader.cells;
        const std::uint16_t* own = column(reader.variable);
        Slot at[kRows], hit[kRows];
        std::int32_t going[kRows], tested[kRows];
        for (std::size_t k = 0; k < count; ++k) at[active[k]] = reader.root;
        if (reader.root.variable != variable) {
            for (std::size_t k = 0; k < count; ++k) going[k] = active[k];
            walk(view, task.tile, variable, going, count, at);
        }
        if (reader.zeros) rule_out(reader, states, active, count, at);
        std::size_t hits = 0;
        for (std::size_t k = 0; k < count; ++k) {
            const std::int32_t r = active[k];
            tested[hits] = r;
            hits += at[r].variable != kLeaf;
        }
        if (hits == 0) return;
        std::uint16_t* code = task.tile + static_cast<std::size_t>(variable) * kRows;
        std::uint16_t was[kRows];
        __builtin_memcpy(was, code, sizeof was);
        for (std::size_t k = 0; k < hits; ++k) hit[k] = at[tested[k]];
        for (std::int64_t s = 0; s < states; ++s) {
            std::size_t open = 0;
            for (std::size_t k = 0; k < hits; ++k) {
                const std::int32_t r = tested[k];
                code[r] = static_cast<std::uint16_t>(s);
                const Slot slot = view.slots[hit[k].next + s];
                at[r] = slot;
                going[open] = r;
                open += slot.variable != kLeaf;
            }
            walk(view, task.tile, kLeaf, going, open, at);
            for (std::size_t k = 0; k < hits; ++k) {
                const std::int32_t r = tested[k];
                task.logs[s * kRows + r] +=
                    log_theta[std::int64_t{at[r].next} * reader.states + own[r]];
            }
        }
        __builtin_memcpy(code, was, sizeof was);
    }

    // Rows that came to a leaf without a test of X_i: what does not depend on X_i says only whether
    // nothing is possible.
    void rule_out(const Node& reader, std::int64_t states, const std::int32_t* active,
                  std::size_t count, const Slot* at) const {
        const double* log_theta = view.log_theta + reader.cells;
        const std::uint16_t* own = column(reader.variable);
        for (std::size_t k = 0; k < count; ++k) {
            const std::int32_t r = active[k];
            if (at[r].variable != kLeaf) continue;
            const double log = log_theta[std::int64_t{at[r].next} * reader.states + own[r]];
            if (log == -HUGE_VAL)
                for (std::int64_t s = 0; s < states; ++s) task.logs[s * kRows + r] = log;
        }
    }

    // The logs of theta of a node that has a table.
    void own_logs(const Node& node, const std::int32_t* active, std::size_t count,
                  std::size_t rows) const {
        std::int32_t leaf[kRows];
        leaves_of(view, node, task.tile, rows, leaf);
        const std::int64_t states = node.states;
        const double* log_theta = view.log_theta + node.cells;
        for (std::int64_t s = 0; s < states; ++s)
            for (std::size_t k = 0; k < count; ++k) {
                const std::int32_t r = active[k];
                task.logs[s * kRows + r] = log_theta[leaf[r] * states + s];
            }
    }

    // The logs of the conditional of a node's variable, not normalised.
    void conditional(const Node& node, const std::int32_t* active, std::size_t count,
                     std::size_t rows) const {
        const std::int64_t states = node.states;
        if (node.boosted >= 0)
            boosted.log_theta(node, task.logs);
        else
            own_logs(node, active, count, rows);
        const std::int32_t known = task.known[node.variable];
        for (std::int64_t s = 0; known >= 0 && s < states; ++s)
            for (std::size_t k = 0; k < count; ++k)
                task.logs[s * kRows + active[k]] += task.log_known[known + s];
        for (std::int64_t k = view.reader_begin[node.variable];
             k < view.reader_begin[node.variable + 1]; ++k)
            if (task.active[view.readers[k]])
                add_reader(view.nodes[view.readers[k]], view.readings[k], node.variable, states,
                           active, count);
    }

    // After a variable was drawn: its boosted readers have its new codes in their sums.
    void settle(std::int32_t variable) const {
        for (std::int64_t k = view.reader_begin[variable]; k < view.reader_begin[variable + 1]; ++k)
            if (const Node& reader = view.nodes[view.readers[k]];
                task.active[view.readers[k]] && reader.boosted >= 0)
                boosted.settle(reader, view.readings[k], variable);
    }

    // Draw row r's state of the node's variable; false where nothing is possible.
    bool draw(const Node& node, std::size_t r, std::uint32_t word, double* sum) const {
        const std::int64_t states = node.states;
        double* row = task.logs + r;
        double top = -HUGE_VAL;
        for (std::int64_t s = 0; s < states; ++s) top = row[s * kRows] > top ? row[s * kRows] : top;
        if (top == -HUGE_VAL) return false;
        double total = 0.0;
        for (std::int64_t s = 0; s < states; ++s) {
            const double log = row[s * kRows] - top;
            total += row[s * kRows] = log == 0.0 ? 1.0 : std::exp(log);
        }
        const double until = static_cast<double>(word) * 0x1p-32 * total;
        double below = 0.0;
        std::int64_t drawn = -1, last = 0;
        for (std::int64_t s = 0; s < states; ++s) {
            if (row[s * kRows] > 0.0) last = s;
            below += row[s * kRows];
            if (drawn < 0 && until < below) drawn = s;
        }
        if (drawn < 0) drawn = last;
        task.tile[static_cast<std::size_t>(node.variable) * kRows + r] =
            static_cast<std::uint16_t>(drawn);
        if (sum != nullptr)
            for (std::int64_t s = 0; s < states; ++s) sum[s] += row[s * kRows] / total;
        return true;
    }

    // All sweeps of the rows from `begin` on.
    void run(std::size_t begin, std::size_t rows) const {
        const std::size_t n = view.variables;
        std::uint64_t next[kRows], block[kRows];
        std::uint32_t four[kRows][4][1];
        for (std::size_t r = 0; r < rows; ++r) {
            const std::uint8_t* hidden = task.hidden + (task.alike ? 0 : (begin + r) * n);
            std::uint64_t updates = 0;
            for (std::size_t place = 0; place < n; ++place)
                updates += task.active[place] && hidden[view.nodes[place].variable];
            next[r] = static_cast<std::uint64_t>(task.first_sweep) * updates;
            block[r] = ~std::uint64_t{0};
            for (std::size_t i = 0; i < n; ++i)
                task.tile[i * kRows + r] = task.codes[(begin + r) * n + i];
        }
        boosted.begin();
        for (std::int64_t sweep = 0; sweep < task.sweeps; ++sweep)
            for (std::size_t place = 0; place < n; ++place) {
                if (!task.active[place]) continue;
                const Node& node = view.nodes[place];
                std::int32_t active[kRows];
                std::size_t count = 0;
                for (std::size_t r = 0; r < rows; ++r) {
                    active[count] = static_cast<std::int32_t>(r);
                    count += task.hidden[(task.alike ? 0 : (begin + r) * n) +
                                         static_cast<std::size_t>(node.variable)] != 0;
                }
                if (count == 0) continue;
                conditional(node, active, count, rows);
                for (std::size_t k = 0; k < count; ++k) {
                    const auto r = static_cast<std::size_t>(active[k]);
                    const std::uint64_t at = next[r]++;
                    if (at / 4 != block[r]) {
                        block[r] = at / 4;
                        const auto row = static_cast<std::uint32_t>(
                            static_cast<std::uint64_t>(task.first_row) + begin + r);
                        philox::words_of<1>(task.seed, kMoveStream, block + r, &row, four[r]);
                    }
                    double* sum = task.columns ? task.sums + (begin + r) * task.columns +
                                                     task.cells[node.variable]
                                               : nullptr;
                    task.impossible[begin + r] += !draw(node, r, four[r][at % 4][0], sum);
                }
                settle(node.variable);
            }
        for (std::size_t r = 0; r < rows; ++r)
            for (std::size_t i = 0; i < n; ++i)
                task.codes[(begin + r) * n + i] = task.tile[i * kRows + r];
    }
};

}  // namespace depnet::law::DEPNET_ISA_NAMESPACE
