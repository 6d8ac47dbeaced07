#pragma once

// Projects, models and their versions for those who follow what becomes of them (api/live/record_stream.cc), as the
// JSON objects of Determined's stream. Belongs to the io thread; Pool outlives it.

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "model/ids.h"
#include "pg/pool.h"

namespace det::store {

enum class RecordKind : std::uint8_t { kProject, kModel, kModelVersion };

// Those that one of the lists names, within `visible`.
struct RecordFilter {
  std::vector<std::int64_t> ids;
  std::vector<std::int64_t> workspaces;                    // of projects and models
  std::vector<std::int64_t> models;                        // of versions
  std::vector<std::int64_t> users;                         // of models and versions: whose they are
  std::optional<std::vector<model::WorkspaceId>> visible;  // nothing: everywhere

  bool operator==(const RecordFilter&) const = default;
};

// Which state of a record it is: another number after each change of its row.
struct RecordState {
  std::int64_t id = 0;
  std::int64_t version = 0;

  bool operator==(const RecordState&) const = default;
};

struct Record {
  std::int64_t id = 0;
  std::string content;  // a JSON object with an id
};

class RecordStore {
 public:
  explicit RecordStore(pg::Pool& pool) : pool_(pool) {}

  // By id. kResourceExhausted when they are more than kMost.
  Task<Result<std::vector<RecordState>>> states(RecordKind kind, RecordFilter filter);
  static constexpr std::size_t kMost = 10'000;
  // Of those with `ids` that fit the filter still, the first by id that make kMostBytes together, but at least one.
  static constexpr std::int64_t kMostBytes = std::int64_t{1} << 20;
  Task<Result<std::vector<Record>>> read(RecordKind kind, RecordFilter filter, std::vector<std::int64_t> ids);

 private:
  pg::Pool& pool_;
};

}  // namespace det::store
