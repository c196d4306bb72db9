// Lists of rows one by one, for the instruction sets that cannot compress a vector. Included like
// learner_kernels_body.hpp, after it.

std::size_t list_bits(const std::uint64_t* a, const std::uint64_t* b, std::size_t words,
                      std::uint32_t* out) {
    std::size_t found = 0;
    for (std::size_t w = 0; w < words; ++w)
        found += list_bits_of(a[w] & b[w], static_cast<std::uint32_t>(w * 64), out + found);
    return found;
}

void partition(const std::uint32_t* rows, std::size_t chosen, const std::uint32_t* words,
               std::uint32_t step, std::uint32_t offset, std::uint32_t shift, bool one_bit_a_row,
               std::uint32_t* zeros, std::uint32_t* ones) {
    partition_some(rows, chosen, words, step, offset, shift, one_bit_a_row, zeros, ones);
}
