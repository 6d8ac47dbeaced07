#pragma once

// The one writer: takes all mutations that wait, applies them in order to a staged copy, commits the whole batch in one
// transaction, publishes it and only then answers. So what a client was told is durable, and the order of versions is
// the order of commits. The commit in progress is the window in which the next batch gathers. Belongs to the io thread;
// the transaction runs on a thread of the writer's own.

#include <chrono>
#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <optional>
#include <string>

#include <boost/asio/steady_timer.hpp>
#include <boost/asio/thread_pool.hpp>

#include "base/async.h"
#include "base/clock.h"
#include "base/log.h"
#include "local/kubeapi/api_error.h"
#include "local/kubeapi/object_table.h"
#include "local/kubeapi/staging.h"

namespace det::local::kubeapi {

// What a write answers with.
struct Written {
  ObjectRef object;
  int code = 200;
};
using Outcome = ApiResult<Written>;
// Checks, then changes the staging; a refusal has changed nothing.
using Mutation = std::function<Outcome(Staging&)>;

struct WriterStats {
  std::uint64_t mutations = 0;
  std::uint64_t commits = 0;
};

class ObjectWriter {
 public:
  ObjectWriter(asio::any_io_executor executor, Clock& clock, ObjectStore& store, std::string database_url);
  ~ObjectWriter();
  ObjectWriter(const ObjectWriter&) = delete;
  ObjectWriter& operator=(const ObjectWriter&) = delete;

  // Opens the tables and fills the store.
  Task<Status> open();
  // Returns after the commit. ServiceUnavailable when PostgreSQL does not confirm within 30 s: the change may still be
  // made later.
  Task<Outcome> submit(Mutation mutation);
  // The loop; ends by cancellation, after the batch that is being committed.
  Task<void> run();

  [[nodiscard]] const WriterStats& stats() const { return stats_; }

 private:
  struct Entry;
  Task<void> commit(std::deque<std::shared_ptr<Entry>> batch);
  Outcome perform(const Mutation& mutation, Staging& staging);
  Task<Status> write(const Staging& staging, std::uint64_t from);

  asio::any_io_executor executor_;
  Clock& clock_;
  ObjectStore& store_;
  ObjectTable table_;
  asio::thread_pool thread_{1};
  Signal queued_;
  std::deque<std::shared_ptr<Entry>> queue_;
  WriterStats stats_;
  Logger log_{"kube-api.writer"};
};

}  // namespace det::local::kubeapi
