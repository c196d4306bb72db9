// The stages of one node, kept for `stages_row.hpp`.
#pragma once

#include <vector>

#include "arrays.hpp"
#include "stages_row.hpp"

namespace depnet::stages {

class Kept {
  public:
    Kept(In1<std::int32_t> variable, In1<std::uint16_t> low, In1<std::uint16_t> high,
         In1<std::int32_t> begin, In1<std::uint16_t> leaf, In1<std::int32_t> test,
         In2<std::int32_t> scores)
        : begin_(copied(begin)),
          scores_(scores.data(), scores.data() + scores.size()),
          states_(scores.shape(1)) {
        for (std::size_t t = 0; t < leaf.size(); ++t) {
            const std::int32_t d = test(t);
            splits_.push_back(
                {variable(d), leaf(t), low(d), static_cast<std::uint16_t>(high(d) - low(d))});
        }
    }

    RowView view() const {
        return {splits_.data(), begin_.size() - 1, begin_.data(), scores_.data(), states_};
    }

  private:
    std::vector<Split> splits_;
    std::vector<std::int32_t> begin_, scores_;
    std::size_t states_;
};

}  // namespace depnet::stages
