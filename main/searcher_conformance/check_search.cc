// Recorded searches, of both generations.

#include <cstddef>
#include <string>

#include <nlohmann/json.hpp>

#include "main/searcher_conformance/checks.h"
#include "model/expconf/experiment_config.h"
#include "searcher/event_json.h"
#include "searcher/make_search.h"
#include "searcher/prng.h"

namespace det::conformance {
namespace {

using nlohmann::json;
using searcher::Generation;
using searcher::Search;

// The old generation trains lengths, and its trials are "closed".
Generation generation_of(const json& record) {
  const json& config = record.at("searcher");
  if (config.contains("max_time") || config.contains("time_metric")) return Generation::kCurrent;
  for (const json& event : record.at("events")) {
    if (event.at("in") == "closed" || event.contains("length")) return Generation::kOperations;
    if (event.at("in") == "exited" || event.contains("metrics")) return Generation::kCurrent;
  }
  return config.contains("max_length") ? Generation::kOperations : Generation::kCurrent;
}

json without_reasons(const searcher::Decisions& decisions) {
  json out = json::array();
  for (const auto& decision : decisions) {
    json each = searcher::to_json(decision);
    each.erase("why");
    out.push_back(std::move(each));
  }
  return out;
}

Result<Search> search_of(const json& record) {
  auto config = model::read_searcher_config(record.at("searcher"));
  DET_TRY(config);
  return searcher::make_search(*config, normalised(record.at("hyperparameters")),
                               record.at("experiment_seed").get<std::uint32_t>(), generation_of(record));
}

struct Seen {
  std::int64_t trials = 0;
  bool shutdown = false;
};

void check_event(Search& search, const json& event, const std::string& what, Seen& seen, Report& report) {
  const auto parsed = searcher::event_from_json(event);
  if (!parsed) return report.fail(what, parsed.error().message);
  const auto decisions = search.take(*parsed);
  const bool may_fail = event.contains("error") && !event.at("error").is_null();
  report.expect(what + " is an error", may_fail, !decisions.has_value());
  if (decisions) {
    report.expect(what + " decisions", event.value("out", json::array()), without_reasons(*decisions));
    for (const auto& decision : *decisions) {
      seen.trials += std::holds_alternative<searcher::Create>(decision.action) ? 1 : 0;
      seen.shutdown = seen.shutdown || std::holds_alternative<searcher::Shutdown>(decision.action);
      report.expect_true(what + " has a reason", !decision.reason.text().empty(), searcher::to_json(decision));
    }
  }
  if (event.contains("progress") && event.at("in") != "progress") {
    report.expect_near(what + " progress", event.at("progress").get<double>(), search.progress());
  }
}

// The events from index `from` on, compared; `from` 0 compares also what the whole search amounts to.
void replay(Search& search, const json& record, std::size_t from, const std::string& name, Report& report) {
  const json& events = record.at("events");
  const json& snapshots = list(record, "snapshots");
  Seen seen;
  for (std::size_t i = from; i < events.size(); ++i) {
    const std::string what = name + ", event " + std::to_string(i + 1) + " (" + events[i].value("in", "?") + ")";
    check_event(search, events[i], what, seen, report);
    if (from > 0) continue;
    for (const json& recorded : snapshots) {
      if (recorded.at("after_events") != i + 1) continue;
      report.expect(what + " snapshot", recorded.at("snapshot"), search.snapshot().at("searcher_state"));
    }
  }
  if (record.contains("next_bits32")) {
    auto prng = searcher::Prng::from_json(search.snapshot().at("searcher_state").at("rand"));
    report.expect(name + ", next_bits32", record.at("next_bits32"), prng ? json(prng->bits32()) : json());
  }
  if (from > 0) return;
  if (record.contains("trials")) report.expect(name + ", trials", record.at("trials"), seen.trials);
  if (record.contains("shutdown")) report.expect(name + ", shutdown", record.at("shutdown"), seen.shutdown);
}

}  // namespace

void check_search(const json& record, Report& report) {
  const std::string name = record.value("name", "search");
  auto search = search_of(record);
  if (!search) return report.fail(name, search.error().message);
  replay(*search, record, 0, name, report);
  for (const json& recorded : list(record, "snapshots")) {
    const auto after = recorded.at("after_events").get<std::size_t>();
    const std::string what = name + ", restored after " + std::to_string(after);
    auto restored = search_of(record);
    if (!restored) return report.fail(what, restored.error().message);
    const int version = searcher::snapshot_version(generation_of(record));
    const Status back = restored->restore({{"version", version}, {"searcher_state", recorded.at("snapshot")}});
    if (!back) {
      report.fail(what, back.error().message);
      continue;
    }
    replay(*restored, record, after, what, report);
  }
}

}  // namespace det::conformance
