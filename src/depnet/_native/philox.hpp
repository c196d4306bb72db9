// Philox4x32-10 (Salmon, Moraes, Dror, Shaw: Parallel Random Numbers: As Easy as 1, 2, 3; 2011):
// a random function of (counter, key), so any kernel, thread or chunk makes the same words. For one
// instruction set: loops over lanes are vectorised.
#pragma once

#include <cstddef>
#include <cstdint>

namespace depnet::philox::DEPNET_ISA_NAMESPACE {

// Four words each, words[w][lane], of the counters (block, chain, stream); a block is 64 bits.
template <int lanes>
inline void words_of(std::uint64_t seed, std::uint32_t stream, const std::uint64_t* block,
                     const std::uint32_t* chain, std::uint32_t (*words)[lanes]) {
    auto k0 = static_cast<std::uint32_t>(seed), k1 = static_cast<std::uint32_t>(seed >> 32);
    std::uint32_t c0[lanes], c1[lanes], c2[lanes], c3[lanes];
    for (int i = 0; i < lanes; ++i) {
        c0[i] = static_cast<std::uint32_t>(block[i]);
        c1[i] = static_cast<std::uint32_t>(block[i] >> 32);
        c2[i] = chain[i];
        c3[i] = stream;
    }
    for (int r = 0; r < 10; ++r, k0 += 0x9E3779B9u, k1 += 0xBB67AE85u)
        for (int i = 0; i < lanes; ++i) {
            const std::uint64_t p0 = std::uint64_t{0xD2511F53u} * c0[i];
            const std::uint64_t p1 = std::uint64_t{0xCD9E8D57u} * c2[i];
            c0[i] = static_cast<std::uint32_t>(p1 >> 32) ^ c1[i] ^ k0;
            c1[i] = static_cast<std::uint32_t>(p1);
            c2[i] = static_cast<std::uint32_t>(p0 >> 32) ^ c3[i] ^ k1;
            c3[i] = static_cast<std::uint32_t>(p0);
        }
    for (int i = 0; i < lanes; ++i) {
        words[0][i] = c0[i];
        words[1][i] = c1[i];
        words[2][i] = c2[i];
        words[3][i] = c3[i];
    }
}

// The words of up to `kTile` neighbouring chains, row after row: row r holds word r of each chain.
constexpr std::int64_t kTile = 64;

class Rows {
  public:
    // `words`: the caller's buffer, `stride` chains wide, or null.
    Rows(std::uint64_t seed, std::uint32_t stream, std::int64_t first_chain,
         const std::uint32_t* words = nullptr, std::int64_t stride = 0)
        : seed_(seed), stream_(stream), words_(words), stride_(stride) {
        for (std::int64_t c = 0; c < kTile; ++c)
            chains_[c] = static_cast<std::uint32_t>(first_chain + c);
    }

    const std::uint32_t* row(std::uint64_t r) {
        if (words_) return words_ + r * stride_;
        if (r / 4 != block_) {
            block_ = r / 4;
            std::uint64_t blocks[kTile];
            for (std::int64_t c = 0; c < kTile; ++c) blocks[c] = block_;
            words_of<kTile>(seed_, stream_, blocks, chains_, made_);
        }
        return made_[r % 4];
    }

  private:
    std::uint64_t seed_, block_ = ~std::uint64_t{0};
    std::uint32_t stream_;
    const std::uint32_t* words_;
    std::int64_t stride_;
    std::uint32_t chains_[kTile];
    alignas(64) std::uint32_t made_[4][kTile];
};

}  // namespace depnet::philox::DEPNET_ISA_NAMESPACE
