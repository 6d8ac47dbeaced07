#include "api/usage/usage_texts.h"

#include <cstdio>

namespace det::api {
namespace {

// With six digits, as %f of Go.
std::string six_digits(double number) {
  char text[64];
  std::snprintf(text, sizeof text, "%f", number);
  return text;
}

std::string quoted(const std::string& field) {
  const bool is_plain = field.find_first_of(",\"\r\n") == std::string::npos && !field.starts_with(' ');
  if (is_plain) return field;
  std::string text = "\"";
  for (const char c : field) text += c == '"' ? std::string("\"\"") : std::string(1, c);
  return text + "\"";
}

// Labels of one field, so that a comma in one of them is told from those between them.
std::string escaped_labels(const std::vector<std::string>& labels) {
  std::string text;
  for (const std::string& label : labels) {
    if (!text.empty()) text += ',';
    for (const char c : label) {
      if (c == '\\' || c == ',') text += '\\';
      text += c;
    }
  }
  return text;
}

std::string time_or_empty(const std::optional<WallTime>& time) {
  return time ? format_rfc3339_micros(*time) : std::string();
}

std::string pool_name(const std::string& pool, const model::MasterConfig& master) {
  return pool.empty() ? master.default_compute_pool : pool;
}

// One entry per run, where Determined's master has one per step of training: what they are called says so.
const char* const kRun = "allocation";

}  // namespace

std::string csv_line(const std::vector<std::string>& fields) {
  std::string line;
  for (std::size_t i = 0; i < fields.size(); ++i) line += (i == 0 ? "" : ",") + quoted(fields[i]);
  return line + "\n";
}

std::vector<std::string> raw_columns() {
  return {"experiment_id", "kind", "username", "labels", "slots", "start_time", "end_time", "seconds"};
}

std::string raw_line(const store::UsageRow& row) {
  return csv_line({row.experiment ? to_string(*row.experiment) : "0", kRun, row.username, escaped_labels(row.labels),
                   std::to_string(row.slots), format_rfc3339_micros(row.started), time_or_empty(row.ended),
                   six_digits(row.seconds)});
}

wire::Json raw_entry(const store::UsageRow& row) {
  return {{"kind", kRun},
          {"startTime", wire::time(row.started)},
          {"endTime", wire::time_or_null(row.ended)},
          {"experimentId", row.experiment ? row.experiment->value : 0},
          {"username", row.username},
          {"userId", row.owner.value},
          {"labels", row.labels},
          {"seconds", row.seconds},
          {"slots", row.slots}};
}

std::vector<std::string> allocation_columns() {
  return {"allocation_id", "task_type", "username",          "workspace_name", "experiment_id", "slots",
          "start_time",    "end_time",  "imagepulling_time", "slot_hours",     "resource_pool"};
}

std::string allocation_line(const store::UsageRow& row, const model::MasterConfig& master) {
  const double hours = row.seconds * row.slots / 3600;
  return csv_line({row.allocation_id, row.task_type, row.username, row.workspace,
                   row.experiment ? to_string(*row.experiment) : "", std::to_string(row.slots),
                   format_rfc3339_micros(row.started), time_or_empty(row.ended), "0.0",
                   hours == 0 ? "0.0" : six_digits(hours), pool_name(row.resource_pool, master)});
}

std::vector<UsageEntry> entries_of(const std::vector<store::UsageSum>& sums, store::UsagePeriod period,
                                   const model::MasterConfig& master) {
  std::vector<UsageEntry> entries;
  for (const store::UsageSum& sum : sums) {
    const std::string start = period == store::UsagePeriod::kMonth ? sum.period_start.substr(0, 7) : sum.period_start;
    if (entries.empty() || entries.back().period_start != start) entries.push_back({.period_start = start});
    UsageEntry& entry = entries.back();
    switch (sum.kind) {
      case store::UsageKind::kTotal:
        entry.seconds += sum.seconds;
        break;
      case store::UsageKind::kUsername:
        entry.by_username[sum.key] += sum.seconds;
        break;
      case store::UsageKind::kLabel:
        entry.by_label[sum.key] += sum.seconds;
        break;
      case store::UsageKind::kPool:
        entry.by_pool[pool_name(sum.key, master)] += sum.seconds;
        break;
    }
  }
  return entries;
}

wire::Json to_json(const UsageEntry& entry, store::UsagePeriod period) {
  return {{"periodStart", entry.period_start},
          {"period", period == store::UsagePeriod::kDay ? "RESOURCE_ALLOCATION_AGGREGATION_PERIOD_DAILY"
                                                        : "RESOURCE_ALLOCATION_AGGREGATION_PERIOD_MONTHLY"},
          {"seconds", entry.seconds},
          {"byUsername", entry.by_username},
          {"byExperimentLabel", entry.by_label},
          {"byResourcePool", entry.by_pool},
          {"byAgentLabel", wire::Json::object()}};  // clients want the key
}

std::string aggregated_csv(const std::vector<UsageEntry>& entries) {
  std::string text = csv_line({"aggregation_type", "aggregation_key", "date", "seconds"});
  for (const UsageEntry& entry : entries) {
    const auto add = [&](const char* type, const std::map<std::string, double>& sums) {
      for (const auto& [key, seconds] : sums) text += csv_line({type, key, entry.period_start, six_digits(seconds)});
    };
    add("experiment_label", entry.by_label);
    add("username", entry.by_username);
    add("resource_pool", entry.by_pool);
    add("total", {{"total", entry.seconds}});
  }
  return text;
}

}  // namespace det::api
