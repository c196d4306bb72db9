// The leaves of sixty-four rows in a stage, a byte each, and what a table says of each leaf: for
// one instruction set. A part of stages_unit.hpp.
#pragma once

#include <bit>

#include "stages_kernels.hpp"
#include "vectors.hpp"

namespace depnet::stages::DEPNET_ISA_NAMESPACE {

#if defined(__AVX512BW__)

class Leaves {
  public:
    // Rows whose bit is set are in this leaf.
    void put(std::uint64_t mask, std::size_t leaf) {
        bytes_ = _mm512_mask_mov_epi8(bytes_, mask, _mm512_set1_epi8(static_cast<char>(leaf)));
    }
    // No more rows are put anywhere; tables have `size` entries.
    void end(std::size_t size) {
        size_ = size;
        wide_[0] = _mm512_cvtepu8_epi32(_mm512_extracti32x4_epi32(bytes_, 0));
        wide_[1] = _mm512_cvtepu8_epi32(_mm512_extracti32x4_epi32(bytes_, 1));
        wide_[2] = _mm512_cvtepu8_epi32(_mm512_extracti32x4_epi32(bytes_, 2));
        wide_[3] = _mm512_cvtepu8_epi32(_mm512_extracti32x4_epi32(bytes_, 3));
    }
    // Add table[leaf] to the sum of each row.
    void add(const std::int32_t* table, std::int32_t* sums) const {
        if (size_ <= 16) {
            const __m512i all = _mm512_maskz_loadu_epi32(first_of(size_), table);
            for (int k = 0; k < 4; ++k)
                add_to(sums + 16 * k, _mm512_permutexvar_epi32(wide_[k], all));
        } else if (size_ <= 32) {
            const __m512i low = _mm512_loadu_si512(table);
            const __m512i high = _mm512_maskz_loadu_epi32(first_of(size_ - 16), table + 16);
            for (int k = 0; k < 4; ++k)
                add_to(sums + 16 * k, _mm512_permutex2var_epi32(low, wide_[k], high));
        } else {
            for (int k = 0; k < 4; ++k)
                add_to(sums + 16 * k, _mm512_i32gather_epi32(wide_[k], table, 4));
        }
    }

  private:
    static __mmask16 first_of(std::size_t count) {
        return static_cast<__mmask16>((std::uint32_t{1} << count) - 1);
    }
    static void add_to(std::int32_t* sums, __m512i values) {
        _mm512_storeu_si512(sums, _mm512_add_epi32(_mm512_loadu_si512(sums), values));
    }
    std::size_t size_ = 0;
    __m512i bytes_ = _mm512_setzero_si512(), wide_[4];
};

#elif defined(__AVX2__)

class Leaves {
  public:
    void put(std::uint64_t mask, std::size_t leaf) {
        const __m256i value = _mm256_set1_epi8(static_cast<char>(leaf));
        for (int half = 0; half < 2; ++half)
            bytes_[half] = _mm256_blendv_epi8(
                bytes_[half], value, spread(static_cast<std::uint32_t>(mask >> (32 * half))));
    }
    void end(std::size_t size) {
        size_ = size;
        alignas(32) std::uint8_t leaf[kRows];
        _mm256_store_si256(reinterpret_cast<__m256i*>(leaf), bytes_[0]);
        _mm256_store_si256(reinterpret_cast<__m256i*>(leaf + 32), bytes_[1]);
        for (int k = 0; k < 8; ++k)
            wide_[k] = _mm256_cvtepu8_epi32(
                _mm_loadl_epi64(reinterpret_cast<const __m128i*>(leaf + 8 * k)));
    }
    void add(const std::int32_t* table, std::int32_t* sums) const {
        if (size_ <= 8) {
            const __m256i all = _mm256_maskload_epi32(table, first_of(size_));
            for (int k = 0; k < 8; ++k)
                add_to(sums + 8 * k, _mm256_permutevar8x32_epi32(all, wide_[k]));
        } else if (size_ <= 16) {
            const __m256i low = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(table));
            const __m256i high = _mm256_maskload_epi32(table + 8, first_of(size_ - 8));
            for (int k = 0; k < 8; ++k) {
                const __m256i above = _mm256_cmpgt_epi32(wide_[k], _mm256_set1_epi32(7));
                add_to(sums + 8 * k,
                       _mm256_blendv_epi8(_mm256_permutevar8x32_epi32(low, wide_[k]),
                                          _mm256_permutevar8x32_epi32(high, wide_[k]), above));
            }
        } else {
            for (int k = 0; k < 8; ++k)
                add_to(sums + 8 * k, _mm256_i32gather_epi32(table, wide_[k], 4));
        }
    }

  private:
    // A byte of ones for each bit that is set.
    static __m256i spread(std::uint32_t bits) {
        const __m256i which = _mm256_set_epi64x(0x0303030303030303, 0x0202020202020202,
                                                0x0101010101010101, 0x0000000000000000);
        const __m256i bit = _mm256_set1_epi64x(static_cast<long long>(0x8040201008040201));
        const __m256i own = _mm256_shuffle_epi8(_mm256_set1_epi32(static_cast<int>(bits)), which);
        return _mm256_cmpeq_epi8(_mm256_and_si256(own, bit), bit);
    }
    static __m256i first_of(std::size_t count) {
        return _mm256_cmpgt_epi32(_mm256_set1_epi32(static_cast<int>(count)),
                                  _mm256_set_epi32(7, 6, 5, 4, 3, 2, 1, 0));
    }
    static void add_to(std::int32_t* sums, __m256i values) {
        auto* at = reinterpret_cast<__m256i*>(sums);
        _mm256_storeu_si256(at, _mm256_add_epi32(_mm256_loadu_si256(at), values));
    }
    std::size_t size_ = 0;
    __m256i bytes_[2] = {_mm256_setzero_si256(), _mm256_setzero_si256()}, wide_[8];
};

#else

class Leaves {
  public:
    void put(std::uint64_t mask, std::size_t leaf) {
        for (; mask != 0; mask &= mask - 1)
            bytes_[std::countr_zero(mask)] = static_cast<std::uint8_t>(leaf);
    }
    void end(std::size_t) {}
    void add(const std::int32_t* table, std::int32_t* sums) const {
        for (std::size_t r = 0; r < kRows; ++r) sums[r] += table[bytes_[r]];
    }

  private:
    std::uint8_t bytes_[kRows] = {};
};

#endif

}  // namespace depnet::stages::DEPNET_ISA_NAMESPACE
