// Philox4x32-10 (Salmon, Moraes, Dror, Shaw: Parallel Random Numbers: As Easy as 1, 2, 3; 2011):
// a random function of (counter, key), so any kernel, thread or chunk makes the same words.
//
// Eight counters at a time sit in the low halves of eight 64-bit lanes: the 32x32 -> 64 bit product
// then needs no shuffling, and what is left in the high halves is never read.
#pragma once

#include <cstddef>
#include <cstdint>

#include "vectors.hpp"

namespace depnet::sampler::DEPNET_ISA_NAMESPACE {

#if defined(__AVX512F__)
struct V8 {
    __m512i v;
};
inline V8 broadcast(std::uint64_t a) { return {_mm512_set1_epi64(static_cast<long long>(a))}; }
inline V8 even_steps() { return {_mm512_set_epi64(14, 12, 10, 8, 6, 4, 2, 0)}; }
inline V8 add(V8 a, V8 b) { return {_mm512_add_epi64(a.v, b.v)}; }
inline V8 multiply(V8 a, V8 b) { return {_mm512_mul_epu32(a.v, b.v)}; }
inline V8 high(V8 a) { return {_mm512_shuffle_epi32(a.v, static_cast<_MM_PERM_ENUM>(0xF5))}; }
inline V8 xor3(V8 a, V8 b, V8 c) { return {_mm512_ternarylogic_epi64(a.v, b.v, c.v, 0x96)}; }
inline V8 interleave(V8 a, V8 b) {  // 32-bit lanes a0 b0 a1 b1 ...
    return {_mm512_mask_shuffle_epi32(a.v, 0xAAAA, b.v, static_cast<_MM_PERM_ENUM>(0xA0))};
}
inline void store(void* to, V8 a) { _mm512_storeu_si512(to, a.v); }
#elif defined(__AVX2__)
struct V8 {
    __m256i a, b;
};
inline V8 broadcast(std::uint64_t x) {
    const __m256i v = _mm256_set1_epi64x(static_cast<long long>(x));
    return {v, v};
}
inline V8 even_steps() { return {_mm256_set_epi64x(6, 4, 2, 0), _mm256_set_epi64x(14, 12, 10, 8)}; }
inline V8 add(V8 x, V8 y) { return {_mm256_add_epi64(x.a, y.a), _mm256_add_epi64(x.b, y.b)}; }
inline V8 multiply(V8 x, V8 y) { return {_mm256_mul_epu32(x.a, y.a), _mm256_mul_epu32(x.b, y.b)}; }
inline V8 high(V8 x) { return {_mm256_shuffle_epi32(x.a, 0xF5), _mm256_shuffle_epi32(x.b, 0xF5)}; }
inline V8 xor3(V8 x, V8 y, V8 z) {
    return {_mm256_xor_si256(_mm256_xor_si256(x.a, y.a), z.a),
            _mm256_xor_si256(_mm256_xor_si256(x.b, y.b), z.b)};
}
inline V8 interleave(V8 x, V8 y) {
    return {_mm256_blend_epi32(x.a, _mm256_slli_epi64(y.a, 32), 0xAA),
            _mm256_blend_epi32(x.b, _mm256_slli_epi64(y.b, 32), 0xAA)};
}
inline void store(void* to, V8 x) {
    auto* p = static_cast<__m256i*>(to);
    _mm256_storeu_si256(p, x.a);
    _mm256_storeu_si256(p + 1, x.b);
}
#else
struct V8 {
    std::uint64_t v[8];
};
template <typename F>
inline V8 each(F f) {
    V8 out;
    for (int i = 0; i < 8; ++i) out.v[i] = f(i);
    return out;
}
inline V8 broadcast(std::uint64_t a) {
    return each([&](int) { return a; });
}
inline V8 even_steps() {
    return each([&](int i) { return static_cast<std::uint64_t>(2 * i); });
}
inline V8 add(V8 a, V8 b) {
    return each([&](int i) { return a.v[i] + b.v[i]; });
}
inline V8 multiply(V8 a, V8 b) {
    return each([&](int i) { return (a.v[i] & 0xFFFFFFFFu) * (b.v[i] & 0xFFFFFFFFu); });
}
inline V8 high(V8 a) {
    return each([&](int i) { return a.v[i] >> 32; });
}
inline V8 xor3(V8 a, V8 b, V8 c) {
    return each([&](int i) { return a.v[i] ^ b.v[i] ^ c.v[i]; });
}
inline V8 interleave(V8 a, V8 b) {
    return each([&](int i) { return (a.v[i] & 0xFFFFFFFFu) | (b.v[i] << 32); });
}
inline void store(void* to, V8 a) {
    auto* p = static_cast<unsigned char*>(to);
    __builtin_memcpy(p, a.v, sizeof a.v);
}
#endif

constexpr std::uint64_t kM0 = 0xD2511F53u, kM1 = 0xCD9E8D57u;

struct RoundKeys {
    std::uint64_t k0[10], k1[10];
    explicit RoundKeys(std::uint64_t seed) {
        auto a = static_cast<std::uint32_t>(seed), b = static_cast<std::uint32_t>(seed >> 32);
        for (int r = 0; r < 10; ++r, a += 0x9E3779B9u, b += 0xBB67AE85u) k0[r] = a, k1[r] = b;
    }
};

// Four words for each of 16 counters, words[w] in the order of the counters. Counter 2i is
// (block[0], ...)[i], counter 2i + 1 is (block[1], ...)[i]; a block is 64 bits, (c0, c1).
inline void philox16(const RoundKeys& keys, const V8 block[2], const V8 chain[2], V8 stream,
                     V8 words[4]) {
    const V8 m0 = broadcast(kM0), m1 = broadcast(kM1);
    V8 c0[2], c1[2], c2[2], c3[2];
    for (int h = 0; h < 2; ++h) {
        c0[h] = block[h];
        c1[h] = high(block[h]);
        c2[h] = chain[h];
        c3[h] = stream;
    }
#pragma GCC unroll 10
    for (int r = 0; r < 10; ++r) {
        const V8 k0 = broadcast(keys.k0[r]), k1 = broadcast(keys.k1[r]);
        for (int h = 0; h < 2; ++h) {
            const V8 p0 = multiply(m0, c0[h]), p1 = multiply(m1, c2[h]);
            c0[h] = xor3(high(p1), c1[h], k0);
            c1[h] = p1;
            c2[h] = xor3(high(p0), c3[h], k1);
            c3[h] = p0;
        }
    }
    words[0] = interleave(c0[0], c0[1]);
    words[1] = interleave(c1[0], c1[1]);
    words[2] = interleave(c2[0], c2[1]);
    words[3] = interleave(c3[0], c3[1]);
}

// The words of 16 neighbouring chains in one block.
inline void words_of_chains(const RoundKeys& keys, std::uint32_t stream, std::uint64_t block,
                            std::uint64_t first_chain, V8 words[4]) {
    const V8 b = broadcast(block);
    const V8 blocks[2] = {b, b};
    const V8 even = add(broadcast(first_chain), even_steps());
    const V8 chains[2] = {even, add(even, broadcast(1))};
    philox16(keys, blocks, chains, broadcast(stream), words);
}

// The words of one chain in 16 neighbouring blocks.
inline void words_of_blocks(const RoundKeys& keys, std::uint32_t stream, std::uint64_t first_block,
                            std::uint64_t chain, V8 words[4]) {
    const V8 even = add(broadcast(first_block), even_steps());
    const V8 blocks[2] = {even, add(even, broadcast(1))};
    const V8 c = broadcast(chain);
    const V8 chains[2] = {c, c};
    philox16(keys, blocks, chains, broadcast(stream), words);
}

inline void philox_scalar(std::uint64_t seed, std::uint32_t stream, std::uint64_t block,
                          std::uint32_t chain, std::uint32_t out[4]) {
    auto c0 = static_cast<std::uint32_t>(block), c1 = static_cast<std::uint32_t>(block >> 32);
    std::uint32_t c2 = chain, c3 = stream;
    auto k0 = static_cast<std::uint32_t>(seed), k1 = static_cast<std::uint32_t>(seed >> 32);
    for (int r = 0; r < 10; ++r, k0 += 0x9E3779B9u, k1 += 0xBB67AE85u) {
        const std::uint64_t p0 = kM0 * c0, p1 = kM1 * c2;
        c0 = static_cast<std::uint32_t>(p1 >> 32) ^ c1 ^ k0;
        c1 = static_cast<std::uint32_t>(p1);
        c2 = static_cast<std::uint32_t>(p0 >> 32) ^ c3 ^ k1;
        c3 = static_cast<std::uint32_t>(p0);
    }
    out[0] = c0, out[1] = c1, out[2] = c2, out[3] = c3;
}

// The words of up to `kTile` neighbouring chains, row after row: row r holds word r of each chain.
constexpr std::int64_t kTile = 64;

class Rows {
  public:
    // `words`: the caller's buffer from word `origin` on, `stride` chains wide, or null.
    Rows(std::uint64_t seed, std::uint32_t stream, std::int64_t first_chain, std::int64_t chains,
         const std::uint32_t* words, std::int64_t stride, std::uint64_t origin)
        : keys_(seed),
          stream_(stream),
          first_chain_(first_chain),
          chains_(chains),
          words_(words),
          stride_(words ? stride : (chains < 16 ? chains : kTile)),
          origin_(origin),
          begin_(1),
          end_(0) {}

    const std::uint32_t* row(std::uint64_t r) {
        if (words_) return words_ + (r - origin_) * stride_;
        if (r >= end_ || r < begin_) fill(r / 4 * 4);
        return made_ + (r - begin_) * stride_;
    }

    // Row r and those behind it that are at hand: how many there are, `stride()` words apart.
    std::int64_t at_hand(std::uint64_t r, const std::uint32_t*& rows) {
        rows = row(r);
        return words_ ? kRows : static_cast<std::int64_t>(end_ - r);
    }
    std::int64_t stride() const { return stride_; }

  private:
    static constexpr std::int64_t kRows = 64;

    void fill(std::uint64_t first) {
        begin_ = first;
        end_ = first + kRows;
        V8 four[4];
        if (chains_ < 16) {
            alignas(64) std::uint32_t lanes[16];
            for (std::int64_t c = 0; c < chains_; ++c) {
                words_of_blocks(keys_, stream_, first / 4, first_chain_ + c, four);
                for (int w = 0; w < 4; ++w) {
                    store(lanes, four[w]);
                    for (int b = 0; b < 16; ++b) made_[(4 * b + w) * chains_ + c] = lanes[b];
                }
            }
            return;
        }
        for (std::int64_t b = 0; b < kRows / 4; ++b)
            for (std::int64_t c = 0; c < chains_; c += 16) {
                words_of_chains(keys_, stream_, first / 4 + b, first_chain_ + c, four);
                for (int w = 0; w < 4; ++w) store(made_ + (4 * b + w) * kTile + c, four[w]);
            }
    }

    RoundKeys keys_;
    std::uint32_t stream_;
    std::int64_t first_chain_, chains_;
    const std::uint32_t* words_;
    std::int64_t stride_;
    std::uint64_t origin_, begin_, end_;
    alignas(64) std::uint32_t made_[kRows * kTile];
};

// The place of a sweep, 0..places-1, at which a chain's row is recorded.
inline std::int64_t place_of(std::uint32_t word, std::int64_t places) {
    return static_cast<std::int64_t>((static_cast<std::uint64_t>(word) * places) >> 32);
}

}  // namespace depnet::sampler::DEPNET_ISA_NAMESPACE
