// The learner's kernels on 512-bit vectors, with the popcount and ternary logic of AVX-512.

#include <immintrin.h>

#include "learner_kernels.hpp"

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
    static void spread(std::uint64_t word, int digit, std::uint32_t* counts) {
        const __m512i weight = _mm512_set1_epi32(1 << digit);
        for (int b = 0; b < 64; b += 16) {
            const __m512i old = _mm512_loadu_si512(counts + b);
            const auto mask = static_cast<__mmask16>(word >> b);
            _mm512_storeu_si512(counts + b, _mm512_mask_add_epi32(old, mask, old, weight));
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
    static Counts minus(Counts a, Counts b) { return _mm256_sub_epi32(a, b); }
    static Doubles doubles(double x) { return _mm512_set1_pd(x); }
    static Doubles load_doubles(const double* from) { return _mm512_loadu_pd(from); }
    static void store(double* to, Doubles x) { _mm512_storeu_pd(to, x); }
    static Doubles plus(Doubles a, Doubles b) { return _mm512_add_pd(a, b); }
    static Doubles minus(Doubles a, Doubles b) { return _mm512_sub_pd(a, b); }
    static Doubles divide(Doubles a, Doubles b) { return _mm512_div_pd(a, b); }
    static Doubles look_up(const double* table, Counts x) {
        return _mm512_i32gather_pd(x, table, 8);
    }
    static bool any_below(Doubles a, double b) {
        return _mm512_cmp_pd_mask(a, _mm512_set1_pd(b), _CMP_LT_OQ) != 0;
    }
};

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

#include "learner_kernels_body.hpp"

}  // namespace

const LearnerKernels& learner_kernels_avx512() {
    static const LearnerKernels kernels{pack_equal, popcount_product, positional_popcount,
                                        entropies, best_binary_split};
    return kernels;
}

}  // namespace depnet
