// What a project's experiments or runs can be shown, filtered and sorted by, as Determined's pages ask for it.

#include <algorithm>
#include <array>

#include "api/arguments.h"
#include "api/runs/list_request.h"
#include "api/runs/routes.h"
#include "store/listing/list_columns.h"

namespace det::api::routes {

namespace {

using store::MetricNumber;

struct Shown {
  const char* column;
  const char* name;
  const char* type;
};

constexpr const char* kNumber = "COLUMN_TYPE_NUMBER";
constexpr const char* kText = "COLUMN_TYPE_TEXT";
constexpr const char* kDate = "COLUMN_TYPE_DATE";
constexpr const char* kUnspecified = "COLUMN_TYPE_UNSPECIFIED";

// Names and their order are Determined's.
constexpr auto kExperiments = std::to_array<Shown>({
    {"id", "ID", kNumber},
    {"name", "Name", kText},
    {"description", "Description", kText},
    {"tags", "Tags", kText},
    {"forkedFrom", "Forked", kNumber},
    {"startTime", "Start time", kDate},
    {"duration", "Duration", kNumber},
    {"numTrials", "Trial count", kNumber},
    {"state", "State", kText},
    {"searcherType", "Searcher", kText},
    {"resourcePool", "Resource pool", kText},
    {"progress", "Progress", kNumber},
    {"checkpointSize", "Checkpoint size", kNumber},
    {"checkpointCount", "Checkpoints", kNumber},
    {"user", "User", kText},
    {"searcherMetric", "Searcher Metric", kText},
    {"searcherMetricsVal", "Searcher Metric Value", kNumber},
    {"externalExperimentId", "External Experiment ID", kText},
    {"externalTrialId", "External Trial ID", kText},
    {"archived", "Archived", kUnspecified},
});

constexpr auto kRuns = std::to_array<Shown>({
    {"id", "Global Run ID", kNumber},
    {"experimentDescription", "Search Description", kText},
    {"tags", "Tags", kText},
    {"forkedFrom", "Forked", kNumber},
    {"startTime", "Start Time", kDate},
    {"endTime", "End Time", kDate},
    {"duration", "Duration", kNumber},
    {"state", "State", kText},
    {"searcherType", "Searcher", kText},
    {"resourcePool", "Resource Pool", kText},
    {"checkpointSize", "Checkpoint Size", kNumber},
    {"checkpointCount", "Checkpoints", kNumber},
    {"user", "User", kText},
    {"searcherMetric", "Searcher Metric", kText},
    {"searcherMetricsVal", "Searcher Metric Value", kNumber},
    {"externalExperimentId", "External Experiment ID", kText},
    {"projectId", "Project ID", kNumber},
    {"externalRunId", "External Run ID", kText},
    {"experimentProgress", "Search Progress", kNumber},
    {"experimentId", "Search ID", kNumber},
    {"experimentName", "Search Name", kText},
    {"isExpMultitrial", "Part of Search", kUnspecified},
    {"parentArchived", "Parent Archived", kUnspecified},
    {"localId", "Run ID", kText},
    {"archived", "Archived", kUnspecified},
});

const char* type_of(const std::string& word) {
  if (word == "string" || word == "boolean") return kText;
  if (word == "number") return kNumber;
  if (word == "date") return kDate;
  if (word == "array") return "COLUMN_TYPE_ARRAY";
  return kUnspecified;
}

class Columns {
 public:
  void add(std::span<const Shown> shown, const char* location) {
    for (const Shown& one : shown) add(one.column, location, one.type, one.name);
  }
  void add(const std::vector<std::pair<std::string, std::string>>& metrics) {
    for (const auto& [group, name] : metrics) {
      const char* location = group == "validation" ? "LOCATION_TYPE_VALIDATIONS"
                             : group == "training" ? "LOCATION_TYPE_TRAINING"
                                                   : "LOCATION_TYPE_CUSTOM_METRIC";
      for (const MetricNumber number :
           {MetricNumber::kLast, MetricNumber::kMax, MetricNumber::kMean, MetricNumber::kMin}) {
        add(group + "." + name + "." + std::string(to_string(number)), location, kNumber);
      }
    }
  }
  // One whose values are of several types has none.
  void add(const std::vector<store::NamedTypes>& named, const char* location) {
    for (const store::NamedTypes& one : named) {
      add("hp." + one.name, location, one.types.size() == 1 ? type_of(one.types[0]) : kUnspecified);
    }
  }
  // Of metadata, each type is a column.
  void add_metadata(const std::vector<store::NamedTypes>& named) {
    for (const store::NamedTypes& one : named) {
      for (const std::string& type : one.types) {
        add("metadata." + one.name, "LOCATION_TYPE_RUN_METADATA", type_of(type));
      }
    }
  }
  [[nodiscard]] http::Response answer() && { return ok({{"columns", std::move(list_)}}); }

 private:
  void add(const std::string& column, const char* location, const char* type, const char* name = "") {
    list_.push_back({{"column", column}, {"location", location}, {"type", type}, {"displayName", name}});
  }

  wire::Json list_ = wire::Json::array();
};

Task<Result<http::Response>> experiment_columns(ApiServices& services, model::ProjectId project) {
  Columns columns;
  columns.add(kExperiments, "LOCATION_TYPE_EXPERIMENT");
  const auto metrics = co_await services.stores.list_columns.metrics(project);
  DET_CO_TRY(metrics);
  columns.add(*metrics);
  const auto searched = co_await services.stores.list_columns.searched(project);
  DET_CO_TRY(searched);
  columns.add(*searched, "LOCATION_TYPE_HYPERPARAMETERS");
  co_return std::move(columns).answer();
}

Task<Result<http::Response>> run_columns(ApiServices& services, model::ProjectId project) {
  Columns columns;
  columns.add(kRuns, "LOCATION_TYPE_RUN");
  const auto metrics = co_await services.stores.list_columns.metrics(project);
  DET_CO_TRY(metrics);
  columns.add(*metrics);
  const auto hyperparameters = co_await services.stores.list_columns.run_hyperparameters(project);
  DET_CO_TRY(hyperparameters);
  columns.add(*hyperparameters, "LOCATION_TYPE_RUN_HYPERPARAMETERS");
  const auto metadata = co_await services.stores.list_columns.metadata(project);
  DET_CO_TRY(metadata);
  columns.add_metadata(*metadata);
  co_return std::move(columns).answer();
}

Task<Result<model::ProjectId>> path_project(ApiServices& services, Call call) {
  const auto id = path_id(call.request);
  DET_CO_TRY(id);
  DET_CO_TRY(co_await check_project(services, model::ProjectId{*id}));
  co_return model::ProjectId{*id};
}

}  // namespace

Task<Result<http::Response>> project_columns(ApiServices& services, Call call) {
  const auto project = co_await path_project(services, call);
  DET_CO_TRY(project);
  const std::string table = QueryArguments(call.request.query).text("tableType").value_or("");
  if (table == "TABLE_TYPE_RUN") co_return co_await run_columns(services, *project);
  if (table.empty() || table == "TABLE_TYPE_EXPERIMENT" || table == "TABLE_TYPE_UNSPECIFIED") {
    co_return co_await experiment_columns(services, *project);
  }
  co_return fail(ErrorCode::kInvalidArgument,
                 "tableType: '" + table + "' is neither TABLE_TYPE_EXPERIMENT nor TABLE_TYPE_RUN", "tableType");
}

Task<Result<http::Response>> metric_ranges(ApiServices& services, Call call) {
  const auto project = co_await path_project(services, call);
  DET_CO_TRY(project);
  const auto spans = co_await services.stores.list_columns.spans(*project);
  DET_CO_TRY(spans);
  wire::Json ranges = wire::Json::array();
  for (const store::MetricSpan& span : *spans) {
    const std::string name = span.name.empty() && span.group.empty()
                                 ? "searcherMetricsVal"
                                 : span.group + "." + span.name + "." + std::string(to_string(span.number));
    ranges.push_back({{"metricsName", name}, {"min", wire::number(span.min)}, {"max", wire::number(span.max)}});
  }
  co_return ok({{"ranges", std::move(ranges)}});
}

// The different texts that runs have there.
Task<Result<http::Response>> metadata_values(ApiServices& services, Call call) {
  const auto project = co_await path_project(services, call);
  DET_CO_TRY(project);
  const std::string key = path_text(call.request, "key");
  auto path = store::parse_list_path(key, "metadata.");
  if (!path || key.find('\0') != std::string::npos) {
    co_return fail(ErrorCode::kInvalidArgument, "key: '" + key + "' is not a name like a.b", "key");
  }
  const auto texts = co_await services.stores.list_columns.metadata_texts(*project, std::move(*path));
  DET_CO_TRY(texts);
  co_return ok({{"values", *texts}});
}

}  // namespace det::api::routes
