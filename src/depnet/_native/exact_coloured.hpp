// Gauss-Seidel on the jumps of a random scan, colour by colour.
//
// An update of one variable jumps between states whose sums of codes differ modulo the largest
// cardinality: with that sum as colour, states of one colour do not see each other, and a
// Gauss-Seidel sweep goes colour by colour. The first colour is a function of the others, which are
// the unknown: half of the states of a binary domain.
#pragma once

#include "exact_jumps.hpp"
#include "exact_krylov.hpp"

namespace depnet::exact {

// The chain of jumps, colour by colour.
class Coloured {
  public:
    Coloured(const Chain& chain, const double* weights) : size_(chain.size) {
        for (const Index k : chain.shape) colours_ = std::max(colours_, k);
        pivot_ = static_cast<Index>(std::find(chain.shape.begin(), chain.shape.end(), colours_) -
                                    chain.shape.begin());
        per_colour_ = size_ / colours_;
        find_places(chain);
        law_.assign(size_, 0.0);
        flow_.assign(per_colour_, 0.0);
        per_outflow_.assign(size_, 0.0);
        for (std::size_t i = 0; i < chain.updates.size(); ++i)
            if (chain.updates[i].states() > 1) add(chain, chain.updates[i], weights[i]);
        for (double& flow : per_outflow_) flow = flow > 0 ? 1.0 / flow : 0.0;
    }

    Index dimension() const { return size_ - per_colour_; }

    // x is u of all colours but the first. The sweep: first colour, then the others in turn.
    void apply(const double* x, double* out) {
        for (Index i = 0; i < dimension(); ++i)
            law_[per_colour_ + i] = x[i] * per_outflow_[per_colour_ + i];
        for (Index colour = 0; colour < colours_; ++colour) {
            gather_flow(colour);
            double* law = law_.data() + colour * per_colour_;
            const double* per_outflow = per_outflow_.data() + colour * per_colour_;
            for (Index m = 0; m < per_colour_; ++m) law[m] = flow_[m] * per_outflow[m];
            if (colour > 0) std::copy(flow_.begin(), flow_.end(), out + (colour - 1) * per_colour_);
        }
    }

    void start(const double* p, double* x) const {
        for (Index s = 0; s < size_; ++s) {
            const Index at = static_cast<Index>(place_[s]) - per_colour_;
            if (at < 0) continue;
            const double per_outflow = per_outflow_[per_colour_ + at];
            x[at] = per_outflow > 0 ? p[s] / per_outflow : 0.0;
        }
    }

    // pi after one more sweep, not normalised.
    void law(const double* x, double* p) {
        std::vector<double> swept(dimension());
        apply(x, swept.data());
        for (Index s = 0; s < size_; ++s) p[s] = law_[place_[s]];
    }

  private:
    struct Jumps {
        Index cardinality;
        Index stride;  // among the states of a colour; 0: the axis that the colour decides
        Leaves cells;  // [colour, m]: leaf * cardinality + state, of each state
        std::vector<double> theta;
    };

    // A state's place: its colour, then its joint state without the pivot axis, which the colour
    // decides.
    void find_places(const Chain& chain) {
        place_.resize(size_);
        const Index n = static_cast<Index>(chain.shape.size());
        std::vector<Index> code(n, 0);
        inner_ = 1;
        for (Index a = pivot_ + 1; a < n; ++a) inner_ *= chain.shape[a];
        Index sum = 0;
        for (Index s = 0; s < size_; ++s) {
            const Index rest = s / (inner_ * colours_) * inner_ + s % inner_;
            place_[s] = static_cast<std::uint32_t>(sum % colours_ * per_colour_ + rest);
            for (Index a = n; a-- > 0;) {
                ++sum;
                if (++code[a] < chain.shape[a]) break;
                sum -= code[a];
                code[a] = 0;
            }
        }
    }

    void add(const Chain& chain, const Update& u, double c) {
        Jumps jumps{u.states(), 0, {}, scaled(u, c)};
        const Index axis = u.axis;
        if (axis != pivot_) {
            jumps.stride = 1;
            for (std::size_t a = axis + 1; a < chain.shape.size(); ++a)
                if (static_cast<Index>(a) != pivot_) jumps.stride *= chain.shape[a];
        }
        const std::vector<double> out = leaving(u, c);
        const auto fill = [&](auto cells) {
            cells.resize(size_);
            std::visit(
                [&](const auto& leaves) {
                    for_contexts(u, leaves, [&](Index base, Index leaf) {
                        for (Index s = 0; s < jumps.cardinality; ++s) {
                            const Index cell = leaf * jumps.cardinality + s;
                            const std::uint32_t place = place_[base + u.offsets[s]];
                            cells[place] = static_cast<typename decltype(cells)::value_type>(cell);
                            per_outflow_[place] += out[cell];
                        }
                    });
                },
                u.leaves);
            jumps.cells = std::move(cells);
        };
        if (u.theta.size() <= 1u << 8)
            fill(std::vector<std::uint8_t>{});
        else if (u.theta.size() <= 1u << 16)
            fill(std::vector<std::uint16_t>{});
        else
            fill(std::vector<std::uint32_t>{});
        jumps_.push_back(std::move(jumps));
    }

    // flow[m] = sum over nodes of c theta(x) times the law of the states that the node may come
    // from.
    void gather_flow(Index colour) {
        if (colours_ == 2) {
            for (Index begin = 0; begin < per_colour_; begin += kBlock)
                gather_binary(colour, begin);
            return;
        }
        std::fill(flow_.begin(), flow_.end(), 0.0);
        for (const Jumps& jumps : jumps_)
            std::visit(
                [&](const auto& cells) {
                    const auto* cell = cells.data() + colour * per_colour_;
                    if (jumps.stride == 0)
                        gather_pivot(jumps, cell, colour);
                    else
                        gather_axis(jumps, cell, colour);
                },
                jumps.cells);
    }

    template <typename Cell>
    static void accumulate(double* flow, const double* theta, const Cell* cell, const double* from,
                           Index n) {
        for (Index i = 0; i < n; ++i) flow[i] += theta[cell[i]] * from[i];
    }

    template <typename Cell>
    static void accumulate_crossed(double* flow, const double* theta, const Cell* cell,
                                   const double* from, Index n, Index stride) {
        for (Index i = 0; i < n; ++i) flow[i] += theta[cell[i]] * from[i ^ stride];
    }

    // A block of the states of one colour of a binary domain: flipping a bit of m leads to the
    // other.
    void gather_binary(Index colour, Index begin) {
        const Index n = std::min(kBlock, per_colour_ - begin);
        double* flow = flow_.data() + begin;
        std::fill(flow, flow + n, 0.0);
        const double* other = law_.data() + (1 - colour) * per_colour_;
        for (const Jumps& jumps : jumps_)
            std::visit(
                [&](const auto& cells) {
                    const auto* cell = cells.data() + colour * per_colour_ + begin;
                    const double* theta = jumps.theta.data();
                    const Index stride = jumps.stride;
                    if (stride == 0 || stride >= n)
                        accumulate(flow, theta, cell, other + (begin ^ stride), n);
                    else if (stride < kLanes)
                        accumulate_crossed(flow, theta, cell, other + begin, n, stride);
                    else
                        for (Index i = 0; i < n; i += stride)
                            accumulate(flow + i, theta, cell + i, other + begin + (i ^ stride),
                                       stride);
                },
                jumps.cells);
    }

    // The axis that the colour decides: a state's neighbours are the same m in the other colours.
    template <typename Cell>
    void gather_pivot(const Jumps& jumps, const Cell* cell, Index colour) {
        double from[kBlock];
        for (Index begin = 0; begin < per_colour_; begin += kBlock) {
            const Index n = std::min(kBlock, per_colour_ - begin);
            std::fill(from, from + n, 0.0);
            for (Index c = 0; c < colours_; ++c) {
                if (c == colour) continue;
                const double* law = law_.data() + c * per_colour_ + begin;
                for (Index i = 0; i < n; ++i) from[i] += law[i];
            }
            accumulate(flow_.data() + begin, jumps.theta.data(), cell + begin, from, n);
        }
    }

    // Another axis: neighbours differ in m and in colour, by a displacement that depends on (s, t).
    template <typename Cell>
    void gather_axis(const Jumps& jumps, const Cell* cell, Index colour) {
        switch (jumps.cardinality) {
            case 2:
                return gather_neighbours<1>(jumps, cell, colour);
            case 3:
                return gather_neighbours<2>(jumps, cell, colour);
            case 4:
                return gather_neighbours<3>(jumps, cell, colour);
            case 5:
                return gather_neighbours<4>(jumps, cell, colour);
            default:
                return gather_neighbours<0>(jumps, cell, colour);
        }
    }

    template <Index Neighbours, typename Cell>  // 0: any number
    void gather_neighbours(const Jumps& jumps, const Cell* cell, Index colour) {
        const Index k = jumps.cardinality, stride = jumps.stride;
        const Index neighbours = Neighbours > 0 ? Neighbours : k - 1;
        std::vector<Index> displacement;  // [s, neighbour]
        for (Index s = 0; s < k; ++s)
            for (Index t = 0; t < k; ++t)
                if (t != s)
                    displacement.push_back(((colour + t - s + colours_) % colours_ - colour) *
                                               per_colour_ +
                                           (t - s) * stride);
        const double* law = law_.data() + colour * per_colour_;
        const double* theta = jumps.theta.data();
        double* flow = flow_.data();
        for (Index m = 0; m < per_colour_;)
            for (Index s = 0; s < k; ++s) {
                const Index* to = displacement.data() + s * neighbours;
                const Index end = m + stride;
                for (; m < end; ++m) {
                    double from = law[m + to[0]];
                    for (Index t = 1; t < neighbours; ++t) from += law[m + to[t]];
                    flow[m] += theta[cell[m]] * from;
                }
            }
    }

    Index size_;
    Index colours_ = 1;
    Index pivot_ = 0;
    Index inner_ = 1;
    Index per_colour_ = 1;
    std::vector<std::uint32_t> place_;
    std::vector<Jumps> jumps_;
    std::vector<double> law_;  // [colour, m]
    std::vector<double> flow_;
    std::vector<double> per_outflow_;  // 1 / outflow; 0 where nothing flows out
};

}  // namespace depnet::exact
