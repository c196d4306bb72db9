#include "xlogx.hpp"

#include <algorithm>
#include <cmath>
#include <memory>
#include <mutex>
#include <vector>

namespace depnet {

double compute_xlogx(std::int64_t x) {
    return x <= 1 ? 0.0 : static_cast<double>(x) * std::log(static_cast<double>(x));
}

XLogX shared_xlogx(std::int64_t largest) {
    static std::mutex mutex;
    static std::vector<std::unique_ptr<std::vector<double>>> tables;  // the last one is the longest
    const std::int64_t wanted = std::min(largest, kCachedXLogX) + 1;
    const std::lock_guard lock(mutex);
    if (tables.empty() || static_cast<std::int64_t>(tables.back()->size()) < wanted) {
        // At least twice as long as the last, so that all tables together stay small.
        const std::int64_t before =
            tables.empty() ? 0 : static_cast<std::int64_t>(tables.back()->size());
        const std::int64_t size = std::min(std::max(wanted, 2 * before), kCachedXLogX + 1);
        auto table = std::make_unique<std::vector<double>>(size);
        if (before > 0) std::copy(tables.back()->begin(), tables.back()->end(), table->begin());
        for (std::int64_t x = before; x < size; ++x) (*table)[x] = compute_xlogx(x);
        tables.push_back(std::move(table));
    }
    return {tables.back()->data(), static_cast<std::int64_t>(tables.back()->size())};
}

}  // namespace depnet
