// The learner's kernels on 512-bit vectors, with the popcount and ternary logic of AVX-512.

#include "learner_kernels.hpp"
#include "vectors.hpp"

namespace depnet {
namespace {

struct Vec {
    using Bits = __m512i;
    using Sums = __m512i;
    using Counts = __m256i;
    using Doubles = __m512d;
    static constexpr std::size_t kWords = 8, kDoubles = 8;

    static Bits zero() { return _mm512_setzero_si512(); }
    static Bits load(const std::uint64_t* from) { return _mm512_loadu_si512(from); }
    static void store(std::uint64_t* to, Bits v) { _mm512_storeu_si512(to, v); }
    static Bits majority(Bits a, Bits b, Bits c) {
        return _mm512_ternarylogic_epi64(a, b, c, 0xe8);
    }
    static Bits odd(Bits a, Bits b, Bits c) { return _mm512_ternarylogic_epi64(a, b, c, 0x96); }
    template <std::size_t kRowWords>
    static Bits gather(const std::uint64_t* bits, const std::uint32_t* rows) {
        if constexpr (kRowWords == 1) {
            const __m256i at = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(rows));
            return _mm512_i32gather_epi64(at, bits, 8);
        } else if constexpr (kRowWords == 2) {
            const auto* pairs = reinterpret_cast<const __m128i*>(bits);
            __m512i v = _mm512_castsi128_si512(_mm_loadu_si128(pairs + rows[0]));
            v = _mm512_inserti64x2(v, _mm_loadu_si128(pairs + rows[1]), 1);
            v = _mm512_inserti64x2(v, _mm_loadu_si128(pairs + rows[2]), 2);
            return _mm512_inserti64x2(v, _mm_loadu_si128(pairs + rows[3]), 3);
        } else {
            const auto* fours = reinterpret_cast<const __m256i*>(bits);
            return _mm512_inserti64x4(_mm512_castsi256_si512(_mm256_loadu_si256(fours + rows[0])),
                                      _mm256_loadu_si256(fours + rows[1]), 1);
        }
    }
    // Some digits of 64 counters are the bytes of a vector: as many as leave room for the sum of
    // all words.
    static void spread_digits(const std::uint64_t* words, std::size_t fold, int digits,
                              std::uint32_t* counts) {
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
    }

    static Sums no_sums() { return _mm512_setzero_si512(); }
    static Sums add_popcount(Sums sums, Bits a, Bits b) {
        return _mm512_add_epi64(sums, _mm512_popcnt_epi64(_mm512_and_si512(a, b)));
    }
    static std::uint32_t total(Sums sums) {
        return static_cast<std::uint32_t>(_mm512_reduce_add_epi64(sums));
    }

    static Counts same(std::uint32_t x) { return _mm256_set1_epi32(static_cast<int>(x)); }
    static Counts counts(const std::uint32_t* from) {
        return _mm256_loadu_si256(reinterpret_cast<const __m256i*>(from));
    }
    static Counts plus(Counts a, Counts b) { return _mm256_add_epi32(a, b); }
    static Doubles doubles(double x) { return _mm512_set1_pd(x); }
    static void store(double* to, Doubles x) { _mm512_storeu_pd(to, x); }
    static Doubles look_up(const double* table, Counts x) {
        return _mm512_i32gather_pd(x, table, 8);
    }
    static Doubles to_doubles(Counts x) { return _mm512_cvtepu32_pd(x); }
    static unsigned above(Doubles a, Doubles b) { return _mm512_cmp_pd_mask(a, b, _CMP_GT_OQ); }

    // Many variables of a small leaf at once (list_worth).
    static constexpr std::size_t kWide = 16;
    static unsigned worth(const std::uint32_t* a, const std::uint32_t* b, std::uint32_t all_a,
                          std::uint32_t all_b, float scale, float wanted) {
        const __m512i a1 = _mm512_loadu_si512(a), b1 = _mm512_loadu_si512(b);
        const __m512i n1 = _mm512_add_epi32(a1, b1);
        const __m512i n0 = _mm512_sub_epi32(_mm512_set1_epi32(static_cast<int>(all_a + all_b)), n1);
        const __m512 excess = _mm512_cvtepi32_ps(
            _mm512_sub_epi32(_mm512_mullo_epi32(a1, _mm512_set1_epi32(static_cast<int>(all_b))),
                             _mm512_mullo_epi32(b1, _mm512_set1_epi32(static_cast<int>(all_a)))));
        const __m512 gain = _mm512_mul_ps(_mm512_mul_ps(excess, excess), _mm512_set1_ps(scale));
        const __m512 size = _mm512_mul_ps(_mm512_cvtepi32_ps(n1), _mm512_cvtepi32_ps(n0));
        return _mm512_cmp_ps_mask(gain, _mm512_mul_ps(size, _mm512_set1_ps(wanted)), _CMP_GT_OQ);
    }
    // The places of the bits that are set, counted from `first`. Writes 16 numbers.
    static std::size_t list(unsigned bits, std::uint32_t first, std::uint32_t* out) {
        const __m512i places = _mm512_add_epi32(
            _mm512_set1_epi32(static_cast<int>(first)),
            _mm512_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15));
        _mm512_storeu_si512(out, _mm512_maskz_compress_epi32(static_cast<__mmask16>(bits), places));
        return static_cast<std::size_t>(__builtin_popcount(bits));
    }
};

#include "learner_kernels_body.hpp"

void pack_equal(const std::uint8_t* codes, std::size_t rows, std::uint8_t value,
                std::uint64_t* out) {
    const __m512i wanted = _mm512_set1_epi8(static_cast<char>(value));
    std::size_t r = 0;
    for (; r + 64 <= rows; r += 64)
        out[r / 64] = _mm512_cmpeq_epi8_mask(_mm512_loadu_si512(codes + r), wanted);
    if (r == rows) return;
    const __mmask64 rest = ~std::uint64_t{0} >> (64 - (rows - r));
    out[r / 64] =
        _mm512_mask_cmpeq_epi8_mask(rest, _mm512_maskz_loadu_epi8(rest, codes + r), wanted);
}

// Writes the chosen ones of 16 numbers, and nothing behind them.
inline std::uint32_t* write_some(std::uint32_t* out, __mmask16 chosen, __m512i numbers) {
    const auto count = static_cast<unsigned>(__builtin_popcount(chosen));
    _mm512_mask_storeu_epi32(out, static_cast<__mmask16>((1u << count) - 1),
                             _mm512_maskz_compress_epi32(chosen, numbers));
    return out + count;
}

std::size_t list_bits(const std::uint64_t* a, const std::uint64_t* b, std::size_t words,
                      std::uint32_t* out) {
    const std::uint32_t* begin = out;
    const __m512i places = _mm512_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15);
    for (std::size_t block = 0; block < words; block += 8) {
        const __mmask8 any =
            _mm512_test_epi64_mask(_mm512_loadu_si512(a + block), _mm512_loadu_si512(b + block));
        for (unsigned left = any; left; left &= left - 1) {
            const std::size_t w = block + static_cast<unsigned>(__builtin_ctz(left));
            const std::uint64_t word = a[w] & b[w];
            if (__builtin_popcountll(word) <= 6) {
                out += list_bits_of(word, static_cast<std::uint32_t>(w * 64), out);
                continue;
            }
            for (int i = 0; i < 64; i += 16)
                out = write_some(
                    out, static_cast<__mmask16>(word >> i),
                    _mm512_add_epi32(places, _mm512_set1_epi32(static_cast<int>(w * 64) + i)));
        }
    }
    return static_cast<std::size_t>(out - begin);
}

void partition(const std::uint32_t* rows, std::size_t chosen, const std::uint32_t* words,
               std::uint32_t step, std::uint32_t offset, std::uint32_t shift, bool one_bit_a_row,
               std::uint32_t* zeros, std::uint32_t* ones) {
    std::size_t i = 0;
    const __m512i one = _mm512_set1_epi32(1);
    for (; i + 16 <= chosen; i += 16) {
        const __m512i row = _mm512_loadu_si512(rows + i);
        __m512i at, bit;
        if (one_bit_a_row) {
            at = _mm512_srli_epi32(row, 5);
            bit = _mm512_sllv_epi32(one, _mm512_and_si512(row, _mm512_set1_epi32(31)));
        } else {
            at =
                _mm512_add_epi32(_mm512_mullo_epi32(row, _mm512_set1_epi32(static_cast<int>(step))),
                                 _mm512_set1_epi32(static_cast<int>(offset)));
            bit = _mm512_sllv_epi32(one, _mm512_set1_epi32(static_cast<int>(shift)));
        }
        const __mmask16 set = _mm512_test_epi32_mask(_mm512_i32gather_epi32(at, words, 4), bit);
        ones = write_some(ones, set, row);
        zeros = write_some(zeros, static_cast<__mmask16>(~set), row);
    }
    partition_some(rows + i, chosen - i, words, step, offset, shift, one_bit_a_row, zeros, ones);
}

}  // namespace

const LearnerKernels& learner_kernels_avx512() {
    static const LearnerKernels kernels = kernels_of(0.2, 0.3, 3);
    return kernels;
}

}  // namespace depnet
