// Counting every bit position of a stream of rows by carry-save adders, for one instruction set;
// and the vectors, by the compilers' own extension, of all kernels of the learner. A part of
// learner_kernels_unit.hpp.
#pragma once

#include <cstring>
#include <utility>

#include "learner_kernels.hpp"
#include "vectors.hpp"

namespace depnet::DEPNET_ISA_NAMESPACE {

#if defined(__AVX512F__)
constexpr std::size_t kWords = 8;
#elif defined(__AVX2__)
constexpr std::size_t kWords = 4;
#else
constexpr std::size_t kWords = 2;  // any processor of 64 bits has vectors of 128
#endif
constexpr std::size_t kWide = 2 * kWords;

using Bits = std::uint64_t __attribute__((vector_size(8 * kWords)));
using Counts = std::uint32_t __attribute__((vector_size(4 * kWords)));
using Doubles = double __attribute__((vector_size(8 * kWords)));
using WideCounts = std::uint32_t __attribute__((vector_size(8 * kWords)));
using WideInts = std::int32_t __attribute__((vector_size(8 * kWords)));
using Floats = float __attribute__((vector_size(8 * kWords)));
using Eight = std::uint32_t __attribute__((vector_size(32)));

template <typename Vector, typename T>
inline Vector load(const T* from) {
    Vector v;
    std::memcpy(&v, from, sizeof v);
    return v;
}

template <typename Vector, typename T>
inline void store(T* to, const Vector& v) {
    std::memcpy(to, &v, sizeof v);
}

// A vector of rows of `kRowWords` words each.
template <std::size_t kRowWords, std::size_t... kPlace>
inline Bits gather_words(const std::uint64_t* bits, const std::uint32_t* rows,
                         std::index_sequence<kPlace...>) {
    return Bits{bits[std::size_t{rows[kPlace / kRowWords]} * kRowWords + kPlace % kRowWords]...};
}

template <std::size_t kRowWords>
inline Bits gather(const std::uint64_t* bits, const std::uint32_t* rows) {
#if defined(__AVX512F__)
    if constexpr (kRowWords == 4) {
        const auto* halves = reinterpret_cast<const __m256i*>(bits);
        return (Bits)_mm512_inserti64x4(
            _mm512_castsi256_si512(_mm256_loadu_si256(halves + rows[0])),
            _mm256_loadu_si256(halves + rows[1]), 1);
    }
#endif
    return gather_words<kRowWords>(bits, rows, std::make_index_sequence<kWords>{});
}

// A full adder of bit strings: `sum` keeps the ones, the carry is returned.
inline Bits add(Bits& sum, Bits a, Bits b) {
    const Bits odd = sum ^ a, carry = (sum & a) | (b & odd);
    sum = odd ^ b;
    return carry;
}

// Counts every bit position of a stream of vectors: a counter is a column of bits, one vector a
// binary digit. Digit d takes carries two at a time; the odd one waits.
struct Positions {
    // Adds the digits of 64 counters; those of words `fold` apart are of the same counters.
    static void spread(const std::uint64_t* words, std::size_t fold, int digits,
                       std::uint32_t* counts) {
#if defined(__AVX512F__)
        // Some digits are the bytes of a vector: as many as leave room for the sum of all words.
        const int together = 8 - (fold == 1 ? 3 : fold == 2 ? 2 : fold == 4 ? 1 : 0);
        for (int first = 0; first < digits; first += together) {
            const int last = first + together < digits ? first + together : digits;
            __m512i bytes = _mm512_setzero_si512();
            for (int d = first; d < last; ++d) {
                const __m512i one = _mm512_set1_epi8(static_cast<char>(1 << (d - first)));
                for (std::size_t w = 0; w < kWords; w += fold)
                    bytes = _mm512_mask_add_epi8(bytes, words[d * kWords + w], bytes, one);
            }
            alignas(64) std::uint8_t low[64];
            _mm512_store_si512(low, bytes);
            for (int b = 0; b < 64; b += 16) {
                const __m512i more =
                    _mm512_cvtepu8_epi32(_mm_load_si128(reinterpret_cast<const __m128i*>(low + b)));
                const __m512i sum =
                    _mm512_add_epi32(_mm512_loadu_si512(counts + b),
                                     _mm512_slli_epi32(more, static_cast<unsigned>(first)));
                _mm512_storeu_si512(counts + b, sum);
            }
        }
#else
        for (std::size_t w = 0; w < kWords; w += fold)
            for (int d = 0; d < digits; ++d)
                if (const std::uint64_t word = words[d * kWords + w])
                    for (int b = 0; b < 64; b += 8) {
                        constexpr Eight kPlaces{1, 2, 4, 8, 16, 32, 64, 128};
                        const auto byte = static_cast<std::uint32_t>((word >> b) & 255);
                        Eight
                            at;  // not by `load`: portable functions do not return so wide a vector
                        std::memcpy(&at, counts + b, sizeof at);
                        at -= (Eight)(((Eight{} + byte) & kPlaces) != 0) << d;  // -1 or 0
                        std::memcpy(counts + b, &at, sizeof at);
                    }
#endif
    }

    static constexpr int kDigits = 36;
    Bits digit[kDigits];
    Bits waiting[kDigits];
    bool waits[kDigits];
    int used = 3;

    Positions() {
        for (int d = 0; d < 3; ++d) digit[d] = Bits{};
        for (int d = 0; d < kDigits; ++d) waits[d] = false;
    }

    void add_eight(const Bits* v) {
        const Bits twos_a = add(digit[0], v[0], v[1]);
        const Bits twos_b = add(digit[0], v[2], v[3]);
        const Bits fours_a = add(digit[1], twos_a, twos_b);
        const Bits twos_c = add(digit[0], v[4], v[5]);
        const Bits twos_d = add(digit[0], v[6], v[7]);
        const Bits fours_b = add(digit[1], twos_c, twos_d);
        Bits carry = add(digit[2], fours_a, fours_b);
        int d = 3;
        for (; d < used && waits[d]; ++d) {
            waits[d] = false;
            carry = add(digit[d], waiting[d], carry);
        }
        if (d == used) {
            digit[d] = Bits{};
            ++used;
        }
        waits[d] = true;
        waiting[d] = carry;
    }

    // Adds the counters to `counts`; the words of a vector are `fold` words repeated.
    void finish(std::uint32_t* counts, std::size_t fold) {
        // The carries that wait are added first, so that each digit is spread once.
        Bits carry = Bits{};
        for (int d = 3; d < used; ++d) {
            if (!waits[d]) waiting[d] = Bits{};
            carry = add(digit[d], waiting[d], carry);
        }
        digit[used++] = carry;
        std::uint64_t words[kDigits * kWords];
        for (int d = 0; d < used; ++d) store(words + d * kWords, digit[d]);
        for (std::size_t w = 0; w < fold; ++w) spread(words + w, fold, used, counts + w * 64);
    }
};

template <typename Fetch>
inline void count_vectors(Positions& positions, std::size_t vectors, Fetch&& fetch) {
    Bits v[8];
    std::size_t at = 0;
    for (; at + 8 <= vectors; at += 8) {
        for (int i = 0; i < 8; ++i) v[i] = fetch(at + i);
        positions.add_eight(v);
    }
    if (at == vectors) return;
    for (int i = 0; i < 8; ++i) v[i] = at + i < vectors ? fetch(at + i) : Bits{};
    positions.add_eight(v);
}

// Rows narrower than a vector, several in one.
template <std::size_t kRowWords>
void count_narrow(const std::uint64_t* bits, const std::uint32_t* rows, std::size_t chosen,
                  std::uint32_t* counts) {
    constexpr std::size_t kTogether = kWords / kRowWords;
    Positions positions;
    const std::size_t whole = chosen / kTogether;
    const auto row = [=](std::size_t i) { return bits + rows[i] * kRowWords; };
    std::uint64_t rest[kWords] = {};  // what does not fill a vector
    for (std::size_t i = whole * kTogether, w = 0; i < chosen; ++i, w += kRowWords)
        for (std::size_t k = 0; k < kRowWords; ++k) rest[w + k] = row(i)[k];
    const std::size_t vectors = whole + (whole * kTogether < chosen ? 1 : 0);
    count_vectors(positions, vectors, [=, &rest](std::size_t at) {
        return at < whole ? gather<kRowWords>(bits, rows + at * kTogether) : load<Bits>(rest);
    });
    positions.finish(counts, kRowWords);
}

// Rows of one or more whole vectors.
inline void count_wide(const std::uint64_t* bits, std::size_t words, const std::uint32_t* rows,
                       std::size_t chosen, std::uint32_t* counts) {
    for (std::size_t block = 0; block < words; block += kWords) {
        Positions positions;
        const std::uint64_t* from = bits + block;
        count_vectors(positions, chosen, [=](std::size_t at) {
            if (at + 24 < chosen) __builtin_prefetch(from + rows[at + 24] * words);
            return load<Bits>(from + rows[at] * words);
        });
        positions.finish(counts + block * 64, kWords);
    }
}

void positional_popcount(const std::uint64_t* bits, std::size_t words, const std::uint32_t* rows,
                         std::size_t chosen, std::uint32_t* counts) {
    for (std::size_t b = 0; b < words * 64; ++b) counts[b] = 0;
    if (words >= kWords) return count_wide(bits, words, rows, chosen, counts);
    if constexpr (kWords > 1)
        if (words == 1) return count_narrow<1>(bits, rows, chosen, counts);
    if constexpr (kWords > 2)
        if (words == 2) return count_narrow<2>(bits, rows, chosen, counts);
    if constexpr (kWords > 4)
        if (words == 4) return count_narrow<4>(bits, rows, chosen, counts);
}

}  // namespace depnet::DEPNET_ISA_NAMESPACE
