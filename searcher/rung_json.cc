#include "searcher/rung_json.h"

#include <cmath>
#include <limits>

#include "base/json_reader.h"

namespace det::searcher {
namespace {

using nlohmann::json;

constexpr double kInfinity = std::numeric_limits<double>::infinity();

json metric_json(double metric) {
  if (std::isinf(metric)) return metric > 0 ? "Infinity" : "-Infinity";
  return metric;
}

std::optional<double> metric_from_json(const json& saved) {
  if (saved == "Infinity") return kInfinity;
  if (saved == "-Infinity") return -kInfinity;
  if (!saved.is_number() || std::isnan(saved.get<double>())) return std::nullopt;
  return saved.get<double>();
}

std::unexpected<Error> malformed() {
  return fail(ErrorCode::kDataLoss, "the search's snapshot is malformed: the results of a rung");
}

}  // namespace

json results_json(const TrialBooks& trials, const RankedList& results, bool with_promoted) {
  if (results.size() == 0) return nullptr;
  json list = json::array();
  results.for_each([&](const Ranked& entry) {
    json saved = {{"request_id", trials.name(entry.trial)}, {"metric", metric_json(entry.metric)}};
    if (with_promoted) saved["promoted"] = entry.is_promoted;
    list.push_back(std::move(saved));
  });
  return list;
}

Result<RankedList> results_from_json(TrialBooks& trials, const json& saved) {
  RankedList results;
  if (saved.is_null()) return results;
  if (!saved.is_array()) return malformed();
  for (const json& each : saved) {
    if (!each.is_object()) return malformed();
    const json name = each.value("request_id", json());
    const auto id = name.is_string() ? parse_request_id(name.get_ref<const std::string&>()) : std::nullopt;
    const auto metric = metric_from_json(each.value("metric", json()));
    const json promoted = each.value("promoted", json(false));
    if (!id || !metric || !promoted.is_boolean()) return malformed();
    results.append({.metric = *metric, .trial = trials.enter(*id), .is_promoted = promoted.get<bool>()});
  }
  return results;
}

std::optional<std::int64_t> count_at(const json& state, const char* name) {
  const auto found = state.find(name);
  if (found == state.end()) return std::nullopt;
  const auto number = whole_number(*found);
  return number && *number >= 0 ? number : std::nullopt;
}

}  // namespace det::searcher
