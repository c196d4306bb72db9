// The kernels of boost_kernels.hpp for one instruction set, whose translation unit includes this.
#pragma once

#include "boost_counts.hpp"
#include "boost_leaves.hpp"
#include "boost_shares.hpp"

namespace depnet::boost::DEPNET_ISA_NAMESPACE {

const Kernels& kernels() {
    static constexpr Kernels all{two_shares, shares,     curvatures, largest,    round_planes,
                                 within,     count,      gains,      count_both, divide,
                                 sum_leaves, add_leaves, log_score};
    return all;
}

}  // namespace depnet::boost::DEPNET_ISA_NAMESPACE
