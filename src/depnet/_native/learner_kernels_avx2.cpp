// The learner's kernels on 256-bit vectors.

#include "learner_kernels.hpp"
#include "vectors.hpp"

namespace depnet {
namespace {

struct Vec {
    using Bits = __m256i;
    using Sums = __m256i;
    using Counts = __m128i;
    using Doubles = __m256d;
    static constexpr std::size_t kWords = 4, kDoubles = 4;

    static Bits zero() { return _mm256_setzero_si256(); }
    static Bits load(const std::uint64_t* from) {
        return _mm256_loadu_si256(reinterpret_cast<const __m256i*>(from));
    }
    static void store(std::uint64_t* to, Bits v) {
        _mm256_storeu_si256(reinterpret_cast<__m256i*>(to), v);
    }
    static Bits majority(Bits a, Bits b, Bits c) {
        return _mm256_or_si256(_mm256_and_si256(a, b), _mm256_and_si256(c, _mm256_xor_si256(a, b)));
    }
    static Bits odd(Bits a, Bits b, Bits c) { return _mm256_xor_si256(a, _mm256_xor_si256(b, c)); }
    template <std::size_t kRowWords>
    static Bits gather(const std::uint64_t* bits, const std::uint32_t* rows) {
        if constexpr (kRowWords == 1) {
            return _mm256_set_epi64x(
                static_cast<long long>(bits[rows[3]]), static_cast<long long>(bits[rows[2]]),
                static_cast<long long>(bits[rows[1]]), static_cast<long long>(bits[rows[0]]));
        } else {
            const auto* pairs = reinterpret_cast<const __m128i*>(bits);
            return _mm256_set_m128i(_mm_loadu_si128(pairs + rows[1]),
                                    _mm_loadu_si128(pairs + rows[0]));
        }
    }
    static void spread_digit(std::uint64_t word, int digit, std::uint32_t* counts) {
        const __m256i one = _mm256_set1_epi32(1);
        const __m256i places = _mm256_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7);
        for (int b = 0; b < 64; b += 8) {
            const __m256i byte = _mm256_set1_epi32(static_cast<int>((word >> b) & 255));
            const __m256i bit = _mm256_and_si256(_mm256_srlv_epi32(byte, places), one);
            auto* at = reinterpret_cast<__m256i*>(counts + b);
            _mm256_storeu_si256(
                at, _mm256_add_epi32(_mm256_loadu_si256(at), _mm256_slli_epi32(bit, digit)));
        }
    }

    static Sums no_sums() { return _mm256_setzero_si256(); }
    static Sums add_popcount(Sums sums, Bits a, Bits b) {
        const __m256i x = _mm256_and_si256(a, b);
        const __m256i low = _mm256_set1_epi8(15);
        const __m256i of_four = _mm256_setr_epi8(0, 1, 1, 2, 1, 2, 2, 3, 1, 2, 2, 3, 2, 3, 3, 4, 0,
                                                 1, 1, 2, 1, 2, 2, 3, 1, 2, 2, 3, 2, 3, 3, 4);
        const __m256i bytes = _mm256_add_epi8(
            _mm256_shuffle_epi8(of_four, _mm256_and_si256(x, low)),
            _mm256_shuffle_epi8(of_four, _mm256_and_si256(_mm256_srli_epi16(x, 4), low)));
        return _mm256_add_epi64(sums, _mm256_sad_epu8(bytes, _mm256_setzero_si256()));
    }
    static std::uint32_t total(Sums sums) {
        return static_cast<std::uint32_t>(
            _mm256_extract_epi64(sums, 0) + _mm256_extract_epi64(sums, 1) +
            _mm256_extract_epi64(sums, 2) + _mm256_extract_epi64(sums, 3));
    }

    static Counts same(std::uint32_t x) { return _mm_set1_epi32(static_cast<int>(x)); }
    static Counts counts(const std::uint32_t* from) {
        return _mm_loadu_si128(reinterpret_cast<const __m128i*>(from));
    }
    static Counts plus(Counts a, Counts b) { return _mm_add_epi32(a, b); }
    static Doubles doubles(double x) { return _mm256_set1_pd(x); }
    static void store(double* to, Doubles x) { _mm256_storeu_pd(to, x); }
    static Doubles look_up(const double* table, Counts x) {
        return _mm256_i32gather_pd(table, x, 8);
    }
    static Doubles to_doubles(Counts x) { return _mm256_cvtepi32_pd(x); }  // counts are below 2^31
    static unsigned above(Doubles a, Doubles b) {
        return static_cast<unsigned>(_mm256_movemask_pd(_mm256_cmp_pd(a, b, _CMP_GT_OQ)));
    }

    // Many variables of a small leaf at once (list_worth).
    static constexpr std::size_t kWide = 8;
    static unsigned worth(const std::uint32_t* a, const std::uint32_t* b, std::uint32_t all_a,
                          std::uint32_t all_b, float scale, float wanted) {
        const __m256i a1 = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(a));
        const __m256i b1 = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(b));
        const __m256i n1 = _mm256_add_epi32(a1, b1);
        const __m256i n0 = _mm256_sub_epi32(_mm256_set1_epi32(static_cast<int>(all_a + all_b)), n1);
        const __m256 excess = _mm256_cvtepi32_ps(
            _mm256_sub_epi32(_mm256_mullo_epi32(a1, _mm256_set1_epi32(static_cast<int>(all_b))),
                             _mm256_mullo_epi32(b1, _mm256_set1_epi32(static_cast<int>(all_a)))));
        const __m256 gain = _mm256_mul_ps(_mm256_mul_ps(excess, excess), _mm256_set1_ps(scale));
        const __m256 size = _mm256_mul_ps(_mm256_cvtepi32_ps(n1), _mm256_cvtepi32_ps(n0));
        return static_cast<unsigned>(_mm256_movemask_ps(
            _mm256_cmp_ps(gain, _mm256_mul_ps(size, _mm256_set1_ps(wanted)), _CMP_GT_OQ)));
    }
    // The places of the bits that are set, counted from `first`.
    static std::size_t list(unsigned bits, std::uint32_t first, std::uint32_t* out) {
        std::size_t found = 0;
        for (; bits; bits &= bits - 1)
            out[found++] = first + static_cast<std::uint32_t>(__builtin_ctz(bits));
        return found;
    }
};

#include "learner_kernels_body.hpp"

void pack_equal(const std::uint8_t* codes, std::size_t rows, std::uint8_t value,
                std::uint64_t* out) {
    const __m256i wanted = _mm256_set1_epi8(static_cast<char>(value));
    std::size_t r = 0;
    for (; r + 64 <= rows; r += 64) {
        const auto* at = reinterpret_cast<const __m256i*>(codes + r);
        const auto low = static_cast<std::uint32_t>(
            _mm256_movemask_epi8(_mm256_cmpeq_epi8(_mm256_loadu_si256(at), wanted)));
        const auto high = static_cast<std::uint32_t>(
            _mm256_movemask_epi8(_mm256_cmpeq_epi8(_mm256_loadu_si256(at + 1), wanted)));
        out[r / 64] = low | static_cast<std::uint64_t>(high) << 32;
    }
    if (r < rows) out[r / 64] = equal_bits(codes + r, rows - r, value);
}

}  // namespace

const LearnerKernels& learner_kernels_avx2() {
    static const LearnerKernels kernels = kernels_of(1.5, 0.8, 1);
    return kernels;
}

}  // namespace depnet
