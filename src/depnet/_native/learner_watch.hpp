// What may end a fit early: a deadline, another thread's word, or Ctrl-C.
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <functional>

namespace depnet {

struct Cancelled {};        // thrown: nothing is returned
struct DeadlineReached {};  // thrown: what was grown so far is returned

class Watch {
  public:
    using Clock = std::chrono::steady_clock;

    // `seconds` < 0: no deadline. `signals` is called every 50 ms or so; it may throw.
    Watch(double seconds, const std::atomic<bool>& cancelled, std::function<void()> signals)
        : cancelled_(cancelled), signals_(std::move(signals)), asked_(Clock::now()) {
        limited_ = seconds >= 0;
        if (limited_)
            deadline_ = asked_ + std::chrono::duration_cast<Clock::duration>(
                                     std::chrono::duration<double>(seconds));
    }

    // `work` is about how many rows or pairs of leaves are gone through until the next call:
    // reading the clock takes as long as some hundred of them.
    void poll(std::int64_t work) {
        if (cancelled_.load(std::memory_order_relaxed)) throw Cancelled{};
        waited_ += work + 1000;
        if (waited_ < kWork) return;
        waited_ = 0;
        const auto now = Clock::now();
        if (limited_ && now >= deadline_) {
            waited_ = kWork;  // for the nodes after this one
            throw DeadlineReached{};
        }
        if (now - asked_ > std::chrono::milliseconds(50)) {
            asked_ = now;
            signals_();
        }
    }

  private:
    static constexpr std::int64_t kWork = 50'000;  // far below a millisecond

    const std::atomic<bool>& cancelled_;
    std::function<void()> signals_;
    Clock::time_point asked_, deadline_;
    std::int64_t waited_ = kWork;  // the first call looks
    bool limited_ = false;
};

}  // namespace depnet
