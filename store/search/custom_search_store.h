#pragma once

// The queue between a custom search and its runner. The leader's steps put events into it (SearcherEventStore::append);
// an answer takes them out and becomes input of the search in the same transaction, so that nothing is lost or done
// twice whoever dies. Belongs to the io thread; Pool outlives it.

#include <cstdint>
#include <vector>

#include <nlohmann/json.hpp>

#include "model/ids.h"
#include "pg/pool.h"

namespace det::store {

// One event that the runner hears of; see searcher::Tell.
struct RunnerEvent {
  std::int64_t number = 0;
  nlohmann::json event;
};

class CustomSearchStore {
 public:
  explicit CustomSearchStore(pg::Pool& pool) : pool_(pool) {}

  // Those without an answer, by number.
  Task<Result<std::vector<RunnerEvent>>> waiting(model::ExperimentId experiment);
  // Answers every event up to `number`; `input` goes to the search's inbox. What was answered before is left as it is,
  // so that an answer told again has no effect. `ends`: with this the search is over, and nothing waits any more.
  // kInvalidArgument when there was no such event.
  Task<Status> answer(model::ExperimentId experiment, std::int64_t number, nlohmann::json input, bool ends);

 private:
  pg::Pool& pool_;
};

}  // namespace det::store
