#include "store/metrics/earlier_report.h"

#include <cmath>
#include <cstddef>
#include <cstdlib>
#include <optional>
#include <string_view>
#include <unordered_map>
#include <utility>

#include "base/json_get.h"

namespace det::store {
namespace {

using nlohmann::json;

bool is_same(const std::optional<double>& a, const std::optional<double>& b) {
  if (!a || !b) return !a && !b;
  return *a == *b || (std::isnan(*a) && std::isnan(*b));
}

const json& avg_of(const MetricValues& values, const std::string& name) {
  return get_any(get_any(values.extra, "avg"), name);
}

}  // namespace

MetricValues read_earlier(const std::string& names, const std::string& values, const std::string& avg) {
  MetricValues earlier;
  earlier.names = json::parse(names).get<std::vector<std::string>>();
  for (const json& value : json::parse(values)) {
    // strtod reads what PostgreSQL writes: NaN, Infinity, and numbers that come back as they were.
    earlier.values.push_back(value.is_string() ? std::optional(std::strtod(value.get<std::string>().c_str(), nullptr))
                                               : std::nullopt);
  }
  earlier.values.resize(earlier.names.size());
  if (!avg.empty()) earlier.extra["avg"] = json::parse(avg);
  return earlier;
}

Result<MetricValues> without_known(MetricValues report, const MetricValues& earlier) {
  std::unordered_map<std::string_view, std::size_t> places;  // both may have thousands, and all reports share a thread
  for (std::size_t i = 0; i < earlier.names.size(); ++i) places.emplace(earlier.names[i], i);
  MetricValues fresh;
  fresh.extra = std::move(report.extra);
  for (std::size_t i = 0; i < report.names.size(); ++i) {
    std::string& name = report.names[i];
    const auto found = places.find(name);
    if (found == places.end()) {
      fresh.names.push_back(std::move(name));
      fresh.values.push_back(report.values[i]);
      continue;
    }
    if (!is_same(report.values[i], earlier.values[found->second]) || avg_of(fresh, name) != avg_of(earlier, name)) {
      return fail(ErrorCode::kInvalidArgument,
                  "overwriting existing metric keys is not supported, conflicting key: " + name,
                  "metrics.metrics.avgMetrics." + name);
    }
    if (!fresh.extra.is_object() || !fresh.extra.contains("avg")) continue;
    fresh.extra["avg"].erase(name);
  }
  if (fresh.extra.is_object() && fresh.extra.contains("avg") && fresh.extra["avg"].empty()) fresh.extra.erase("avg");
  if (fresh.extra.is_object() && fresh.extra.empty()) fresh.extra = nullptr;
  return fresh;
}

}  // namespace det::store
