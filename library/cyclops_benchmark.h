// A column of cycles for google/benchmark (libbenchmark-dev), without counters and without root:
//
//     #include <benchmark/benchmark.h>
//     #include <cyclops_benchmark.h>
//
//     static void sum(benchmark::State &state) {
//         for (auto _ : cyclops::cycles(state))
//             benchmark::DoNotOptimize(work());
//     }
//     BENCHMARK(sum);
//
// Adds two counters: "cycles" of one iteration, and "cycles_pm", the half width of its interval. A value that is not to
// be trusted is marked by the benchmark's label, with the reason. Iterations are timed in chunks of about 20 µs by
// cyclops_region.h, which says how; what that takes between chunks is not in the benchmark's own times.
#ifndef CYCLOPS_BENCHMARK_H
#define CYCLOPS_BENCHMARK_H

#include "cyclops_region.h"

#include <benchmark/benchmark.h>

#include <chrono>
#include <memory>
#include <string>

namespace cyclops {

class cycles {
  public:
    explicit cycles(benchmark::State &state) : state_(state), region_(new cyclops_region()) {
    }
    cycles(const cycles &) = delete;
    cycles &operator=(const cycles &) = delete;

    ~cycles() {
        struct cyclops_region_value value = cyclops_region_get(region_.get());
        state_.counters["cycles"] = value.cycles / double(chunk_);
        state_.counters["cycles_pm"] = (value.high - value.low) / 2 / double(chunk_);
        if (value.why != nullptr)
            state_.SetLabel(std::string("cycles unstable: ") + value.why);
    }

    struct __attribute__((unused)) iteration {};

    class iterator {
      public:
        explicit iterator(cycles *owner) : owner_(owner) {
        }
        iteration operator*() const {
            return iteration();
        }
        iterator &operator++() {
            return *this;
        }
        bool operator!=(const iterator &) {
            if (__builtin_expect(left_ != 0, 1)) {
                left_--;
                return true;
            }
            return owner_->next(&left_);
        }

      private:
        cycles *owner_;
        benchmark::IterationCount left_ = 0; // iterations of this chunk behind the current one
    };

    iterator begin() {
        return iterator(this);
    }
    iterator end() {
        return iterator(nullptr);
    }

  private:
    // Ends a chunk and begins the next one, of the same length once that is long enough.
    bool next(benchmark::IterationCount *left) {
        if (is_open_) {
            cyclops_region_stop(region_.get());
            auto now = std::chrono::steady_clock::now();
            bool is_short = now - began_ < std::chrono::microseconds(20);
            state_.PauseTiming();
            cyclops_region_pay(region_.get());
            if (is_short && chunk_ < most_) {
                chunk_ *= 2;
                *region_ = cyclops_region();
            }
            state_.ResumeTiming();
        }
        is_open_ = state_.KeepRunningBatch(chunk_);
        if (!is_open_)
            return false;
        *left = chunk_ - 1;
        began_ = std::chrono::steady_clock::now();
        cyclops_region_begin(region_.get());
        return true;
    }

    static constexpr benchmark::IterationCount most_ = 1 << 20;
    benchmark::State &state_;
    std::unique_ptr<cyclops_region> region_; // too large for a stack of a thread
    benchmark::IterationCount chunk_ = 1;
    bool is_open_ = false;
    std::chrono::steady_clock::time_point began_;
};

} // namespace cyclops

#endif
