#include "store/listing/list_columns.h"

#include <algorithm>
#include <array>
#include <span>
#include <utility>

#include "store/sql.h"

namespace det::store {
namespace {

using enum ListKind;

constexpr std::string_view kSearcherName = "e.config #>> '{searcher,name}'";
constexpr std::string_view kResourcePool =
    "coalesce(nullif(coalesce(e.live ->> 'resource_pool', e.config #>> '{resources,resource_pool}'), ''), {pool})";
// As shown_state() has it (trials/trial_reader.h).
constexpr std::string_view kRunState =
    "(CASE WHEN r.state = 'ACTIVE' AND e.state = 'PAUSED' THEN 'PAUSED' ELSE r.state END)";
constexpr std::string_view kProgress = "round(coalesce(e.progress, 0)::numeric * 100)::bigint";

constexpr auto kExperimentColumns = std::to_array<ListColumn>({
    {"id", kInteger, "e.id", ""},
    {"name", kText, "e.name", ""},
    {"description", kText, "e.description", ""},
    {"tags", kText, "e.labels::text", ""},
    {"searcherType", kText, kSearcherName, ""},
    {"searcherMetric", kText, "e.searcher_metric", ""},
    {"startTime", kDate, "e.start_time", ""},
    {"endTime", kDate, "e.end_time", ""},
    {"duration", kNumber, "extract(epoch FROM coalesce(e.end_time, now()) - e.start_time)", ""},
    {"state", kState, "e.state", ""},
    {"numTrials", kInteger, "(SELECT count(*) FROM trials n WHERE n.experiment_id = e.id)", ""},
    {"progress", kInteger, kProgress, "coalesce(e.progress, 0)"},
    {"user", kInteger, "e.owner_id", "coalesce(nullif(u.display_name, ''), u.username)"},
    {"forkedFrom", kInteger, "e.parent_id", ""},
    {"resourcePool", kText, kResourcePool, ""},
    {"projectId", kInteger, "e.project_id", ""},
    {"checkpointSize", kInteger,
     "(SELECT least(coalesce(sum(c.size), 0), 9223372036854775807)::bigint FROM trials n JOIN checkpoints c ON "
     "c.trial_id = n.id "
     "WHERE n.experiment_id = e.id AND c.state <> 'DELETED')",
     ""},
    {"checkpointCount", kInteger,
     "(SELECT count(*) FROM trials n JOIN checkpoints c ON c.trial_id = n.id WHERE n.experiment_id = e.id "
     "AND c.state <> 'DELETED')",
     ""},
    {"searcherMetricsVal", kNumber,
     "(SELECT n.best_metric FROM trials n WHERE n.experiment_id = e.id AND n.best_rank IS NOT NULL "
     "ORDER BY n.best_rank LIMIT 1)",
     "(SELECT nullif(n.best_metric, 'NaN') FROM trials n WHERE n.experiment_id = e.id AND n.best_rank IS NOT NULL "
     "ORDER BY n.best_rank LIMIT 1)"},
    {"externalExperimentId", kText, "e.external_id", ""},
    {"externalTrialId", kText,
     "(SELECT n.external_id FROM trials n WHERE n.experiment_id = e.id AND n.best_rank IS NOT NULL "
     "ORDER BY n.best_rank LIMIT 1)",
     ""},
    {"archived", kBoolean, "e.archived", ""},
});

constexpr auto kRunColumns = std::to_array<ListColumn>({
    {"id", kInteger, "r.id", ""},
    {"experimentDescription", kText, "e.description", ""},
    {"experimentName", kText, "e.name", ""},
    {"tags", kText, "e.labels::text", ""},
    {"searcherType", kText, kSearcherName, ""},
    {"searcherMetric", kText, "e.searcher_metric", ""},
    {"startTime", kDate, "r.start_time", ""},
    {"endTime", kDate, "r.end_time", ""},
    {"duration", kNumber, "extract(epoch FROM coalesce(r.end_time, now()) - r.start_time)", ""},
    {"state", kState, kRunState, ""},
    {"experimentProgress", kInteger, kProgress, "coalesce(e.progress, 0)"},
    {"user", kInteger, "e.owner_id", "coalesce(nullif(u.display_name, ''), u.username)"},
    {"forkedFrom", kInteger, "e.parent_id", ""},
    {"resourcePool", kText, kResourcePool, ""},
    {"projectId", kInteger, "e.project_id", ""},
    {"checkpointSize", kInteger,
     "(SELECT least(coalesce(sum(c.size), 0), 9223372036854775807)::bigint FROM checkpoints c WHERE c.trial_id = r.id "
     "AND c.state <> 'DELETED')",
     ""},
    {"checkpointCount", kInteger,
     "(SELECT count(*) FROM checkpoints c WHERE c.trial_id = r.id AND c.state <> 'DELETED')", ""},
    {"searcherMetricsVal", kNumber, "r.best_metric", "nullif(r.best_metric, 'NaN')"},
    {"externalExperimentId", kText, "e.external_id", ""},
    {"externalRunId", kText, "r.external_id", ""},
    {"experimentId", kInteger, "e.id", ""},
    {"localId", kText, "(p.key || '-' || r.id)", "r.id"},
    {"isExpMultitrial", kBoolean, "(e.config #>> '{searcher,name}' <> 'single')", ""},
    {"parentArchived", kBoolean, "(w.archived OR p.archived)", ""},
    {"archived", kBoolean, "(r.archived OR e.archived)", ""},
});

constexpr std::pair<std::string_view, MetricNumber> kNumbers[] = {{"last", MetricNumber::kLast},
                                                                  {"min", MetricNumber::kMin},
                                                                  {"max", MetricNumber::kMax},
                                                                  {"mean", MetricNumber::kMean}};

// In summaries these two groups have names of their own.
std::string_view group_of(std::string_view written) {
  if (written == "avg_metrics") return "training";
  if (written == "validation_metrics") return "validation";
  return written;
}

}  // namespace

const ListColumn* find_list_column(ListPlace place, std::string_view name) {
  const std::span<const ListColumn> columns =
      place == ListPlace::kRun ? std::span<const ListColumn>(kRunColumns) : kExperimentColumns;
  const auto found = std::ranges::find(columns, name, &ListColumn::name);
  return found == columns.end() ? nullptr : &*found;
}

std::string_view to_string(MetricNumber number) {
  for (const auto& [word, value] : kNumbers) {
    if (value == number) return word;
  }
  return "last";
}

std::optional<MetricColumn> parse_metric_column(std::string_view text) {
  const auto first = text.find('.');
  const auto last = text.rfind('.');
  if (first == 0 || first == std::string_view::npos || last <= first + 1) return std::nullopt;
  for (const auto& [word, number] : kNumbers) {
    if (word != text.substr(last + 1)) continue;
    return MetricColumn{.group = std::string(group_of(text.substr(0, first))),
                        .name = std::string(text.substr(first + 1, last - first - 1)),
                        .number = number};
  }
  return std::nullopt;
}

std::optional<std::vector<std::string>> parse_list_path(std::string_view text, std::string_view prefix) {
  constexpr std::size_t kDeepest = 20;
  if (text.starts_with(prefix)) text.remove_prefix(prefix.size());
  std::vector<std::string> path;
  for (;;) {
    const auto dot = text.find('.');
    if (dot == 0 || text.empty() || path.size() == kDeepest) return std::nullopt;
    path.emplace_back(text.substr(0, dot));
    if (dot == std::string_view::npos) return path;
    text.remove_prefix(dot + 1);
  }
}

std::string json_path(const std::vector<std::string>& path) {
  std::string text = "lax $";
  for (const std::string& name : path) text += "." + json_text(name);
  return text + "[*]";
}

}  // namespace det::store
