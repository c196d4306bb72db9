// The body of one translation unit: passes and moves, for one instruction set.
#pragma once

#include "law_moves.hpp"

namespace depnet::law::DEPNET_ISA_NAMESPACE {

static_assert(kRows == philox::kTile);

template <typename Code>
void run_pass(const View& view, const PassTask& task, Code* codes) {
    Code* tile = static_cast<Code*>(task.tile);
    for (std::size_t begin = 0; begin < task.rows; begin += kRows) {
        const std::size_t rows = task.rows - begin < kRows ? task.rows - begin : kRows;
        philox::Rows made(task.seed, kPassStream, task.first + static_cast<std::int64_t>(begin),
                          task.words ? task.words + begin : nullptr, task.stride);
        for (std::size_t k = 0; k < task.other_count; ++k) {
            const auto i = static_cast<std::size_t>(task.others[k]);
            __builtin_memcpy(tile + i * kRows, codes + i * task.rows + begin, rows * sizeof(Code));
        }
        for (std::size_t k = 0; k < task.count; ++k) {
            const Step& step = task.steps[k];
            const auto i = static_cast<std::size_t>(view.nodes[step.place].variable);
            Code* column = tile + i * kRows;
            draw_column(view, step, tile, made.row(static_cast<std::uint64_t>(step.place)), rows,
                        task.scratch, column, task.log_weights + begin);
            __builtin_memcpy(codes + i * task.rows + begin, column, rows * sizeof(Code));
        }
    }
}

void pass_rows(const View& view, const RowPassTask& task) {
    const std::size_t n = view.variables;
    for (std::size_t begin = 0; begin < task.rows; begin += kRows) {
        const std::size_t rows = task.rows - begin < kRows ? task.rows - begin : kRows;
        philox::Rows made(task.seed, kPassStream, task.first + static_cast<std::int64_t>(begin));
        for (std::size_t r = 0; r < rows; ++r)
            for (std::size_t i = 0; i < n; ++i)
                task.tile[i * kRows + r] = task.codes[(begin + r) * n + i];
        for (std::size_t place = 0; place < n; ++place) {
            const Node& node = view.nodes[place];
            std::uint8_t role[kRows], any = 0;
            for (std::size_t r = 0; r < rows; ++r)
                any |= role[r] = task.roles[(begin + r) / task.each * n +
                                            static_cast<std::size_t>(node.variable)];
            if (any & kDraw) {
                std::uint16_t drawn[kRows],
                    *column = task.tile + static_cast<std::size_t>(node.variable) * kRows;
                draw_column(view, task.steps[place], task.tile, made.row(place), rows, task.scratch,
                            drawn, static_cast<double*>(nullptr));
                for (std::size_t r = 0; r < rows; ++r)
                    if (role[r] == kDraw) column[r] = drawn[r];
            }
            if (any & kWeigh) {
                double logs[kRows];
                own_logs(view, node, task.tile, rows, task.scratch, logs);
                for (std::size_t r = 0; r < rows; ++r)
                    if (role[r] == kWeigh) task.log_weights[begin + r] += logs[r];
            }
        }
        for (std::size_t r = 0; r < rows; ++r)
            for (std::size_t i = 0; i < n; ++i)
                task.codes[(begin + r) * n + i] = task.tile[i * kRows + r];
    }
}

void pass(const View& view, const PassTask& task, std::uint8_t* codes) {
    run_pass(view, task, codes);
}
void pass(const View& view, const PassTask& task, std::uint16_t* codes) {
    run_pass(view, task, codes);
}
void move(const View& view, const MoveTask& task) {
    const Mover mover{view, task};
    for (std::size_t begin = 0; begin < task.rows; begin += kRows)
        mover.run(begin, task.rows - begin < kRows ? task.rows - begin : kRows);
}

void words(std::uint64_t seed, std::uint32_t stream, std::uint64_t first, std::int64_t first_chain,
           std::int64_t chains, std::int64_t rows, std::uint32_t* out) {
    for (std::int64_t c = 0; c < chains; c += philox::kTile) {
        const std::int64_t n = chains - c < philox::kTile ? chains - c : philox::kTile;
        philox::Rows made(seed, stream, first_chain + c);
        for (std::int64_t r = 0; r < rows; ++r)
            __builtin_memcpy(out + r * chains + c, made.row(first + r), n * sizeof(std::uint32_t));
    }
}

}  // namespace depnet::law::DEPNET_ISA_NAMESPACE
