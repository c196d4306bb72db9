// The leaves of many rows, for one instruction set.
//
// Rows go through a node 64 at a time, their codes column after column in a tile that the nearest
// cache holds. Graphs are walked by all of them together, a level at a time: the loads of one row
// then do not wait for those of another.
#pragma once

#include "network_view.hpp"

namespace depnet::network::DEPNET_ISA_NAMESPACE {

// Walk `count` rows, those of `active`, from their slots to leaves, or to a test of `until`; the
// slots that they come to are left in `at`.
template <typename Code>
inline void walk(const View& view, const Code* tile, std::int32_t until, std::int32_t* active,
                 std::size_t count, Slot* at) {
    const Slot* slots = view.slots;
    while (count > 0) {
        std::size_t going = 0;
        for (std::size_t k = 0; k < count; ++k) {
            const std::int32_t r = active[k];
            const Slot from = at[r];
            const Slot to =
                slots[from.next + tile[static_cast<std::size_t>(from.variable) * kRows + r]];
            at[r] = to;
            active[going] = r;
            going += (to.variable != kLeaf) & (to.variable != until);
        }
        count = going;
    }
}

// The leaves of the tile's first `rows` rows.
template <typename Code>
inline void leaves_of(const View& view, const Node& node, const Code* tile, std::size_t rows,
                      std::int32_t* leaf) {
    if (node.map >= 0) {
        std::int32_t index[kRows] = {};
        for (std::int64_t k = node.input_begin; k < node.input_end; ++k) {
            const Code* column = tile + static_cast<std::size_t>(view.inputs[k].variable) * kRows;
            const std::int32_t stride = view.inputs[k].stride;
            for (std::size_t r = 0; r < kRows; ++r) index[r] += stride * column[r];
        }
        const std::int32_t* map = view.leaf_map + node.map;
        for (std::size_t r = 0; r < rows; ++r) leaf[r] = map[index[r]];
        return;
    }
    if (node.root.variable == kLeaf) {
        for (std::size_t r = 0; r < rows; ++r) leaf[r] = node.root.next;
        return;
    }
    Slot at[kRows];
    std::int32_t active[kRows];
    for (std::size_t r = 0; r < rows; ++r) at[r] = node.root;
    for (std::size_t r = 0; r < rows; ++r) active[r] = static_cast<std::int32_t>(r);
    walk(view, tile, kLeaf, active, rows, at);
    for (std::size_t r = 0; r < rows; ++r) leaf[r] = at[r].next;
}

}  // namespace depnet::network::DEPNET_ISA_NAMESPACE
