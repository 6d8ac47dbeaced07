#pragma once

// What the experiments and runs of a project can be filtered and sorted by beyond their own columns: labels, and
// hyperparameters, metrics and metadata that some of the newest 10,000 of them have. Every answer is bounded, and one
// is read at a time. Belongs to the io thread; Pool outlives it.

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "model/ids.h"
#include "pg/pool.h"
#include "store/listing/list_columns.h"
#include "store/listing/run_sum_store.h"

namespace det::store {

// From the least to the largest of one metric, or of the searchers' metrics where it has no name.
struct MetricSpan {
  std::string group;
  std::string name;
  MetricNumber number = MetricNumber::kLast;
  double min = 0;
  double max = 0;
};

struct NamedTypes {
  std::string name;                // with dots between the names of a path
  std::vector<std::string> types;  // string, number, boolean, date, array, mixed or null: those that its values have
};

class ListColumnStore {
 public:
  // Of each answer. Names and labels of more than 1,000 bytes are left out.
  static constexpr int kMost = 5'000;

  ListColumnStore(pg::Pool& pool, RunSumStore& sums) : pool_(pool), sums_(sums) {}

  // Of the newest runs, also those that are not the best of their experiment; sorted by group and name.
  Task<Result<std::vector<std::pair<std::string, std::string>>>> metrics(model::ProjectId project);
  // Of the best runs of experiments.
  Task<Result<std::vector<MetricSpan>>> spans(model::ProjectId project);
  // Of experiments' configurations: what is in a range is a number, what is one of several values is mixed.
  Task<Result<std::vector<NamedTypes>>> searched(model::ProjectId project);
  Task<Result<std::vector<NamedTypes>>> run_hyperparameters(model::ProjectId project);
  Task<Result<std::vector<NamedTypes>>> metadata(model::ProjectId project);
  // Labels of experiments in `visible` workspaces (nothing: in all), of one project if it is given: those that most
  // have first, then by name.
  Task<Result<std::vector<std::string>>> labels(std::optional<std::vector<model::WorkspaceId>> visible,
                                                std::optional<model::ProjectId> project);
  // The different texts that runs have under this path, sorted.
  Task<Result<std::vector<std::string>>> metadata_texts(model::ProjectId project, std::vector<std::string> path);

 private:
  Task<Result<std::vector<NamedTypes>>> named(std::string name, const char* statement, model::ProjectId project);

  pg::Pool& pool_;
  RunSumStore& sums_;
  Turns reads_{1};  // by project
};

}  // namespace det::store
