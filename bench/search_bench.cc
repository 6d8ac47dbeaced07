// search_bench [METHOD [TRIALS]]: how many events a search takes in a second, and the memory it needs. Every event that
// a trial causes is fed: created, progress, validation, exited; the clock (of CPU time) runs over all of it, the making
// of the events included. The best of a second's worth of runs counts. One JSON line per measurement.

#include <malloc.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <deque>
#include <fstream>
#include <string>
#include <utility>
#include <vector>

#include <nlohmann/json.hpp>

#include "model/expconf/hyperparameters.h"
#include "searcher/make_search.h"

namespace {

using det::searcher::Create;
using det::searcher::Decisions;
using det::searcher::Event;
using det::searcher::Progressed;
using det::searcher::Search;
using det::searcher::Validated;
using nlohmann::json;

constexpr std::int64_t kTop = 640;  // units of training of a whole trial
constexpr std::int64_t kConcurrent = 64;

struct Trial {
  det::searcher::RequestId id;
  double quality = 0;
  std::int64_t units = 0;
  bool is_stopped = false;
};

// Runs one search to its end, as fast as it goes.
class Run {
 public:
  Run(Search& search, std::int64_t step) : search_(search), step_(step) {
    json& metrics = std::get<Validated>(report_).metrics;
    metrics = {{"loss", 0.0}, {"batches", std::int64_t{0}}};
    loss_ = metrics["loss"].get_ptr<json::number_float_t*>();
    batches_ = metrics["batches"].get_ptr<json::number_integer_t*>();
  }

  std::int64_t finish() {
    carry_out(take(det::searcher::Started{}), nullptr);
    while (!live_.empty() && !is_over_) {
      Trial trial = std::move(live_.front());
      live_.pop_front();
      if (train(trial)) live_.push_back(std::move(trial));
    }
    return events_;
  }

 private:
  Decisions take(const Event& event) {
    ++events_;
    auto decisions = search_.take(event);
    if (decisions) return *std::move(decisions);
    std::fprintf(stderr, "%s\n", decisions.error().message.c_str());
    std::exit(1);
  }

  // One report; false when the trial is over.
  bool train(Trial& trial) {
    trial.units += step_;
    // The events are made once and changed in place, as by one who reads a stream.
    auto& progressed = std::get<Progressed>(progress_);
    progressed.request_id = trial.id;
    progressed.fraction = static_cast<double>(trial.units) / static_cast<double>(kTop);
    take(progress_);
    std::get<Validated>(report_).request_id = trial.id;
    *loss_ = trial.quality + 1.0 / (1.0 + static_cast<double>(trial.units));
    *batches_ = trial.units;
    carry_out(take(report_), &trial);
    if (!trial.is_stopped && trial.units < kTop) return true;
    carry_out(take(det::searcher::Exited{trial.id}), nullptr);
    return false;
  }

  void carry_out(const Decisions& decisions, Trial* reporting) {
    for (const auto& decision : decisions) {
      if (std::holds_alternative<det::searcher::Stop>(decision.action)) {
        if (reporting != nullptr) reporting->is_stopped = true;
      } else if (std::holds_alternative<det::searcher::Shutdown>(decision.action)) {
        is_over_ = true;
      } else if (const auto* create = std::get_if<Create>(&decision.action)) {
        take(det::searcher::TrialCreated{create->request_id});
        live_.push_back({.id = create->request_id, .quality = create->hparams.at("lr").get<double>()});
      }
    }
  }

  Search& search_;
  std::int64_t step_;
  std::deque<Trial> live_;
  Event report_ = Validated{};
  Event progress_ = Progressed{};
  json::number_float_t* loss_ = nullptr;
  json::number_integer_t* batches_ = nullptr;
  std::int64_t events_ = 0;
  bool is_over_ = false;
};

// The most memory this process ever had, in bytes.
std::int64_t peak_memory() {
  std::ifstream status("/proc/self/status");
  for (std::string line; std::getline(status, line);) {
    if (line.starts_with("VmHWM:")) return std::atoll(line.c_str() + 6) * 1024;
  }
  return 0;
}

void measure(const std::string& method, std::int64_t trials) {
  json space = {{"lr", {{"type", "log"}, {"base", 10}, {"minval", -4}, {"maxval", -1}}},
                {"batch", {{"type", "int"}, {"minval", 16}, {"maxval", 128}}},
                {"opt", {{"type", "categorical"}, {"vals", {"adam", "sgd", "rmsprop"}}}}};
  det::model::normalise_hyperparameters(space);
  det::model::SearcherConfig config{.name = method,
                                    .metric = "loss",
                                    .max_trials = trials,
                                    .max_concurrent_trials = kConcurrent,
                                    .time_metric = "batches",
                                    .max_time = kTop};
  double best = 0;
  std::int64_t events = 0;
  std::size_t held = 0;
  double spent = 0;
  // The best of a second's worth of runs: others use the machine too.
  while (spent < 1) {
    const std::size_t before = mallinfo2().uordblks;
    auto search = det::searcher::make_search(config, space, 42);
    if (!search) {
      std::fprintf(stderr, "%s\n", search.error().message.c_str());
      std::exit(1);
    }
    const std::clock_t start = std::clock();
    events = Run(*search, method == "random" ? kTop / 4 : kTop / 64).finish();
    const double took = static_cast<double>(std::clock() - start) / CLOCKS_PER_SEC;
    held = mallinfo2().uordblks - before;
    spent += took;
    best = std::max(best, static_cast<double>(events) / took);
  }
  const json line = {{"method", method},
                     {"trials", trials},
                     {"events", events},
                     {"events_per_second", std::round(best)},
                     {"held_mib", static_cast<double>(held) / (1 << 20)},
                     {"peak_mib", static_cast<double>(peak_memory()) / (1 << 20)}};
  std::printf("%s\n", line.dump().c_str());
  std::fflush(stdout);
}

}  // namespace

int main(int argc, char** argv) {
  const std::vector<std::string> methods =
      argc > 1 ? std::vector<std::string>{argv[1]} : std::vector<std::string>{"random", "adaptive_asha"};
  const std::vector<std::int64_t> sizes = argc > 2 ? std::vector<std::int64_t>{std::atoll(argv[2])}
                                                   : std::vector<std::int64_t>{1000, 10000, 100000, 1000000};
  for (const std::string& method : methods) {
    for (const std::int64_t trials : sizes) measure(method, trials);
  }
}
