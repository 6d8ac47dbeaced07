#pragma once

// How far each trial is, as its harness says with every report. Only the latest counts and the next comes soon, so
// nobody waits for the database: what was said of all trials is written together, a few times a second. Belongs to the
// io thread.

#include <memory>

#include "base/async.h"
#include "base/clock.h"
#include "model/ids.h"
#include "pg/pool.h"

namespace det::store {

class ProgressWriter {
 public:
  ProgressWriter(asio::any_io_executor executor, pg::Pool& pool, Clock& clock);
  ~ProgressWriter();  // what was not written yet is given up
  ProgressWriter(const ProgressWriter&) = delete;
  ProgressWriter& operator=(const ProgressWriter&) = delete;

  // `fraction`: 0..1. In the database at once, or kBetweenWrites after what was written last. While the database is
  // away, or somebody else is changing the trial's row, it waits, and later ones take its place. A trial that is not in
  // the database is passed over.
  void note(model::TrialId trial, double fraction);

  static constexpr std::chrono::milliseconds kBetweenWrites{250};

 private:
  struct State;
  static Task<void> write_noted(std::shared_ptr<State> state);

  asio::any_io_executor executor_;
  std::shared_ptr<State> state_;
};

}  // namespace det::store
