// The fixed point of a scan on a small free domain whose tables are positive: `depnet.exact.solve`
// in C++, for many rows. A map G has the law as its fixed point, and GMRES solves x = G x.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <span>
#include <vector>

#include "network.hpp"

namespace depnet::exact {

using Index = std::int64_t;

// One node's update: the domain is seen as [before, states, behind], row-major.
struct Update {
    Index states, behind;
    std::vector<double> theta;  // of every joint state
};

struct Chain {
    Index size;
    std::vector<Update> updates;
};

// Gauss-Seidel on the random scan with self-loops divided out: x(s) = outflow(s) pi(s) is the law
// of its jumps. States of one sum of codes, modulo the largest cardinality, do not see each other:
// a sweep goes colour by colour, and the first colour is a function of the others, the unknown.
class Jumps {
  public:
    Jumps(const Chain& chain, const double* weights) : size_(chain.size), states_(chain.size) {
        for (const Update& u : chain.updates) colours_ = std::max(colours_, u.states);
        each_ = size_ / colours_;
        std::vector<std::int32_t> place(size_);
        std::vector<Index> next(colours_);
        for (Index c = 0; c < colours_; ++c) next[c] = c * each_;
        for (Index s = 0; s < size_; ++s) {
            Index sum = 0;
            for (const Update& u : chain.updates) sum += s / u.behind % u.states;
            place[s] = static_cast<std::int32_t>(next[sum % colours_]);
            states_[next[sum % colours_]++] = s;
        }
        outflow_.assign(size_, 0.0);
        for (std::size_t i = 0; i < chain.updates.size(); ++i) {
            const Update& u = chain.updates[i];
            for (Index turn = 1; turn < u.states; ++turn) {
                Neighbours& from = neighbours_.emplace_back();
                for (const Index s : states_) {
                    const Index code = s / u.behind % u.states;
                    const Index t = s + ((code + turn) % u.states - code) * u.behind;
                    from.places.push_back(place[t]);
                    from.rates.push_back(weights[i] * u.theta[s]);
                    outflow_[place[s]] += weights[i] * u.theta[t];
                }
            }
        }
        for (const double outflow : outflow_) times_.push_back(1.0 / outflow);
        law_.resize(size_);
    }

    Index dimension() const { return size_ - each_; }

    void start(const std::vector<double>& p, std::vector<double>& x) const {
        for (Index i = 0; i < dimension(); ++i) x[i] = p[states_[each_ + i]] * outflow_[each_ + i];
    }

    void apply(const double* x, double* out) {
        for (Index i = 0; i < dimension(); ++i) law_[each_ + i] = x[i] * times_[each_ + i];
        flow_.resize(each_);
        for (Index begin = 0; begin < size_; begin += each_) {
            double* flow = begin == 0 ? flow_.data() : out + begin - each_;
            std::fill(flow, flow + each_, 0.0);
            for (const Neighbours& from : neighbours_) {
                const std::int32_t* places = from.places.data() + begin;
                const double* rates = from.rates.data() + begin;
                for (Index m = 0; m < each_; ++m) flow[m] += rates[m] * law_[places[m]];
            }
            for (Index m = 0; m < each_; ++m) law_[begin + m] = flow[m] * times_[begin + m];
        }
    }

    void law(const std::vector<double>& x, std::vector<double>& p) {
        std::vector<double> swept(x.size());
        apply(x.data(), swept.data());
        for (Index i = 0; i < size_; ++i) p[states_[i]] = law_[i];
    }

  private:
    // Of each state, in the order of colours: one neighbour, and how much of its law flows here.
    struct Neighbours {
        std::vector<std::int32_t> places;
        std::vector<double> rates;
    };

    Index size_, colours_ = 1, each_ = 1;
    std::vector<Index> states_;  // colour by colour
    std::vector<Neighbours> neighbours_;
    std::vector<double> outflow_, times_, law_, flow_;
};

// A sweep of a sequential scan, in the order of the updates.
class Sweep {
  public:
    explicit Sweep(const Chain& chain) : chain_(chain) {}

    Index dimension() const { return chain_.size; }
    void start(const std::vector<double>& p, std::vector<double>& x) const { x = p; }
    void law(const std::vector<double>& x, std::vector<double>& p) { apply(x.data(), p.data()); }

    void apply(const double* x, double* out) {
        std::copy(x, x + chain_.size, out);
        for (const Update& u : chain_.updates)
            for (Index first = 0; first < chain_.size; first += u.states * u.behind)
                for (Index s = first; s < first + u.behind; ++s) {
                    const Index end = s + u.states * u.behind;
                    double total = 0;
                    for (Index t = s; t < end; t += u.behind) total += out[t];
                    for (Index t = s; t < end; t += u.behind) out[t] = u.theta[t] * total;
                }
    }

  private:
    const Chain& chain_;
};

inline double dot(const double* a, const double* b, Index n) {
    double lane[8] = {};  // a fixed number of partial sums: one answer on any machine
    Index i = 0;
    for (; i + 8 <= n; i += 8)
        for (Index l = 0; l < 8; ++l) lane[l] += a[i + l] * b[i + l];
    double total = 0;
    for (; i < n; ++i) total += a[i] * b[i];
    for (const double part : lane) total += part;
    return total;
}

// One cycle of GMRES from x with the residual r = G x - x: x moves to the least residual over a
// basis of at most `most` vectors (fewer, once the residual's 2-norm is under `target`) and is made
// non-negative. Returns how often G was applied.
template <typename Map>
Index cycle(Map& G, std::vector<double>& x, const std::vector<double>& r, Index most,
            double target) {
    const auto n = static_cast<Index>(x.size());
    const auto add = [n](double a, const std::vector<double>& v, std::vector<double>& w) {
        for (Index i = 0; i < n; ++i) w[i] += a * v[i];
    };
    const double start = std::sqrt(dot(r.data(), r.data(), n));
    std::vector<std::vector<double>> V{r}, R;  // the basis, and the triangle of I - G in it
    for (double& v : V[0]) v /= start;
    std::vector<double> cosine, sine, g{start};  // g is the rotated right side
    while (static_cast<Index>(R.size()) < most && std::abs(g.back()) > target) {
        const std::size_t j = R.size();
        std::vector<double> w(n), h(j + 2, 0.0);
        G.apply(V[j].data(), w.data());
        for (Index i = 0; i < n; ++i) w[i] = V[j][i] - w[i];
        const double before = dot(w.data(), w.data(), n);
        double square = 0;
        for (int again = 0; again < 2 && square < 1e-4 * before; ++again) {
            for (std::size_t i = 0; i <= j; ++i) {
                const double inside = dot(V[i].data(), w.data(), n);
                h[i] += inside;
                add(-inside, V[i], w);
            }
            square = dot(w.data(), w.data(), n);
        }
        const double norm = h[j + 1] = std::sqrt(square);
        for (std::size_t i = 0; i < j; ++i) {
            const double a = cosine[i] * h[i] + sine[i] * h[i + 1];
            h[i + 1] = cosine[i] * h[i + 1] - sine[i] * h[i];
            h[i] = a;
        }
        const double length = std::hypot(h[j], h[j + 1]);
        if (!(length > 0)) break;  // the basis holds nothing more that I - G sees
        cosine.push_back(h[j] / length);
        sine.push_back(h[j + 1] / length);
        h[j] = length;
        g.push_back(-sine[j] * g[j]);
        g[j] *= cosine[j];
        R.push_back(std::move(h));
        if (norm <= 1e-15 * std::sqrt(before)) break;
        for (double& v : w) v /= norm;
        V.push_back(std::move(w));
    }
    for (std::size_t i = R.size(); i-- > 0;) {
        for (std::size_t j = i + 1; j < R.size(); ++j) g[i] -= R[j][i] * g[j];
        g[i] /= R[i][i];
        add(g[i], V[i], x);
    }
    for (double& value : x) value = std::max(value, 0.0);
    return static_cast<Index>(R.size());
}

// Nodes of one variable each, one node a variable. Scratch memory is kept from row to row.
class RowSolver {
  public:
    RowSolver(const network::Network& network, const network::View& view,
              const network::Steps& steps)
        : cards_(network.cardinalities()), view_(view), steps_(steps), buffers_(network) {}

    // Adds the marginal of every free variable v to the sums from first_cell[v] on. Returns how
    // often the map was applied, 0 if it did not converge.
    std::int64_t solve(std::span<const std::int32_t> free, const double* weights, bool sequential,
                       double goal, std::int64_t most, const std::uint16_t* codes,
                       const std::vector<std::int32_t>& first_cell, double* sums) {
        variables_.clear();
        for (const std::int32_t number : free) variables_.push_back(view_.nodes[number].variable);
        std::sort(variables_.begin(), variables_.end());
        codes_.assign(codes, codes + cards_.size());
        Chain chain{1, {}};
        for (const std::int32_t v : variables_) chain.size *= cards_[v];
        for (const std::int32_t number : free) add(chain, steps_[number]);
        std::int64_t applied = 0;
        if (chain.size == 1) {  // variables with one state only
            law_.assign(1, 1.0);
            applied = 1;
        } else if (sequential) {
            Sweep sweep(chain);
            applied = fixed_point(sweep, chain.size, goal, most);
        } else {
            Jumps jumps(chain, weights);
            applied = fixed_point(jumps, chain.size, goal, most);
        }
        if (applied > 0) marginals(chain, first_cell, sums);
        return applied;
    }

  private:
    // The node's theta at every joint state.
    void add(Chain& chain, const network::Step& step) {
        const network::Node& node = view_.nodes[step.place];
        others_.clear();
        Update update{node.states, 1, std::vector<double>(chain.size)};
        for (const std::int32_t v : variables_) {
            codes_[v] = 0;
            if (v != node.variable) others_.push_back(v);
            if (v > node.variable) update.behind *= cards_[v];
        }
        const network::Scratch scratch = buffers_.scratch();
        for (Index c = 0; c < chain.size / node.states; ++c) {
            const double* theta = scratch.theta;
            double total = 1.0;
            if (node.boosted < 0)
                theta = step.theta + network::leaf_of(view_, node, codes_.data(), 1) * node.states;
            else if (const double sum =
                         network::boosted_theta(view_, step, codes_.data(), 1, scratch);
                     step.weights != nullptr)
                total = sum;
            double* out = update.theta.data() + c / update.behind * update.behind * node.states +
                          c % update.behind;
            for (std::int32_t s = 0; s < node.states; ++s)
                out[s * update.behind] = theta[s] / total;
            for (std::size_t a = others_.size(); a-- > 0;) {
                if (++codes_[others_[a]] < cards_[others_[a]]) break;
                codes_[others_[a]] = 0;
            }
        }
        chain.updates.push_back(std::move(update));
    }

    template <typename Map>
    std::int64_t fixed_point(Map& map, Index size, double goal, std::int64_t most) {
        law_.assign(size, 1.0 / static_cast<double>(size));
        const Index n = map.dimension();
        x_.resize(n);
        r_.resize(n);
        map.start(law_, x_);
        for (std::int64_t applied = 0; applied < most;) {
            map.apply(x_.data(), r_.data());
            ++applied;
            double distance = 0, flow = 0;
            for (Index i = 0; i < n; ++i) {
                r_[i] -= x_[i];
                distance += std::abs(r_[i]);
                flow += x_[i];
            }
            if (distance <= goal * flow) {
                map.law(x_, law_);
                return applied;
            }
            const double target =
                0.5 * goal * flow * std::sqrt(dot(r_.data(), r_.data(), n)) / distance;
            applied += cycle(map, x_, r_, kBasis, target);
        }
        return 0;
    }

    void marginals(const Chain& chain, const std::vector<std::int32_t>& first_cell,
                   double* sums) const {
        double total = 0;
        for (Index s = 0; s < chain.size; ++s) total += law_[s];
        Index stride = chain.size;
        for (const std::int32_t v : variables_) {
            const Index k = cards_[v];
            stride /= k;
            double* cell = sums + first_cell[v];
            for (Index begin = 0; begin < chain.size; begin += stride)
                for (Index s = begin; s < begin + stride; ++s) cell[begin / stride % k] += law_[s];
            for (Index x = 0; x < k; ++x) cell[x] /= total;
        }
    }

    static constexpr Index kBasis = 30;
    const std::vector<std::int32_t>& cards_;
    const network::View& view_;
    const network::Steps& steps_;  // of all places
    network::Buffers buffers_;
    std::vector<std::int32_t> variables_, others_;
    std::vector<std::uint16_t> codes_;
    std::vector<double> law_, x_, r_;
};

}  // namespace depnet::exact
