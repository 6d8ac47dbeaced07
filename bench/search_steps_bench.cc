// search_steps_bench [METHOD [TRIALS]]: how many events a search takes in a second when every step is durable before
// the next one begins, as the operator does it: the events that are there, their decisions, the trials to create and
// those that are over are one transaction. Starts a private PostgreSQL (fsync as on this machine). One JSON line for
// each number of reports that a step finds.

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <deque>
#include <optional>
#include <string>
#include <vector>

#include <boost/asio/io_context.hpp>
#include <nlohmann/json.hpp>

#include "base/encoding.h"
#include "model/expconf/hyperparameters.h"
#include "searcher/event_json.h"
#include "searcher/make_search.h"
#include "store/cluster/cluster_store.h"
#include "store/experiments/experiment_store.h"
#include "store/search/searcher_event_store.h"
#include "tests/support/postgres.h"
#include "tests/support/run_task.h"

namespace {

using det::searcher::Create;
using det::searcher::Event;
using det::searcher::Search;
using det::searcher::Validated;
using nlohmann::json;
using SteadyClock = std::chrono::steady_clock;

constexpr std::int64_t kTop = 256;
constexpr std::int64_t kConcurrent = 1024;

struct Trial {
  det::searcher::RequestId id;
  double quality = 0;
  std::int64_t units = 1;
};

template <typename T>
T must(det::Result<T> result) {
  if (result) return std::move(*result);
  std::fprintf(stderr, "%s\n", result.error().message.c_str());
  std::exit(1);
}

// One search, its trials, and its log in the database.
class Run {
 public:
  Run(Search search, std::size_t reports, std::string url)
      : search_(std::move(search)), reports_(reports), pool_({.url = std::move(url), .connections = 2}) {}

  json measure() {
    epoch_ = must(wait(det::store::ClusterStore(pool_).load_or_create())).epoch;
    step_.experiment =
        must(wait(det::store::ExperimentStore(pool_).insert({.nonce = det::uuid_v4(),
                                                             .owner = {2},
                                                             .config = {{"searcher", {{"metric", "loss"}}}},
                                                             .original_config = {},
                                                             .config_hash = {},
                                                             .title = {}})))
            .id;
    const auto start = SteadyClock::now();
    take(det::searcher::Started{});
    commit();
    while (!live_.empty()) {
      for (std::size_t i = 0; i < reports_ && !live_.empty(); ++i) report();
      commit();
    }
    const double seconds = std::chrono::duration<double>(SteadyClock::now() - start).count();
    return {{"events", seq_},
            {"steps", steps_},
            {"seconds", seconds},
            {"events_per_second", static_cast<double>(seq_) / seconds}};
  }

 private:
  template <typename T>
  T wait(det::Task<T> task) {
    return det::test::run_task(io_, std::move(task));
  }

  // The longest waiting trial validates; it goes on unless it was stopped or is at the end.
  void report() {
    Trial trial = std::move(live_.front());
    live_.pop_front();
    stopped_ = false;
    take(Validated{
        .request_id = trial.id,
        .metrics = {{"loss", trial.quality + 1.0 / static_cast<double>(trial.units)}, {"batches", trial.units}}});
    if (!stopped_ && trial.units < kTop) {
      trial.units *= 4;
      live_.push_back(std::move(trial));
      return;
    }
    step_.closes.push_back(to_string(trial.id));
    take(det::searcher::Exited{trial.id});
  }

  void take(const Event& event) {
    const auto decisions = must(search_.take(event));
    step_.entries.push_back({.event = to_json(event), .decisions = to_json(decisions), .inbox_id = std::nullopt});
    for (const auto& decision : decisions) {
      if (std::holds_alternative<det::searcher::Stop>(decision.action)) stopped_ = true;
      const auto* create = std::get_if<Create>(&decision.action);
      if (create == nullptr) continue;
      live_.push_back({.id = create->request_id, .quality = create->hparams.at("lr").get<double>()});
      step_.creates.push_back({.experiment = step_.experiment,
                               .request_id = to_string(create->request_id),
                               .hparams = create->hparams.json(),
                               .seed = create->trial_seed});
      take(det::searcher::TrialCreated{create->request_id});
    }
  }

  void commit() {
    step_.first_seq = seq_ + 1;
    seq_ += std::ssize(step_.entries);
    ++steps_;
    const auto experiment = step_.experiment;
    must(wait(log_.append(epoch_, std::move(step_))));
    step_ = {.experiment = experiment};
  }

  Search search_;
  std::size_t reports_;
  boost::asio::io_context io_;
  det::pg::Pool pool_;
  det::store::SearcherEventStore log_{pool_};
  det::store::Epoch epoch_;
  det::store::SearcherStep step_;
  std::deque<Trial> live_;
  bool stopped_ = false;
  std::int64_t seq_ = 0;
  std::int64_t steps_ = 0;
};

}  // namespace

int main(int argc, char** argv) {
  const std::string method = argc > 1 ? argv[1] : "adaptive_asha";
  const std::int64_t trials = argc > 2 ? std::atoll(argv[2]) : 2000;
  json space = {{"lr", {{"type", "double"}, {"minval", 0.1}, {"maxval", 0.9}}}};
  det::model::normalise_hyperparameters(space);
  const det::model::SearcherConfig config{.name = method,
                                          .metric = "loss",
                                          .max_trials = trials,
                                          .max_concurrent_trials = kConcurrent,
                                          .time_metric = "batches",
                                          .max_time = kTop};
  for (const std::size_t reports : {std::size_t{1}, std::size_t{16}, std::size_t{256}}) {
    Run run(must(det::searcher::make_search(config, space, 42)), reports,
            det::test::shared_postgres().create_database(det::test::store_template()));
    json line = run.measure();
    line.update({{"method", method}, {"trials", trials}, {"reports_per_step", reports}});
    std::printf("%s\n", line.dump().c_str());
    std::fflush(stdout);
  }
  return 0;
}
