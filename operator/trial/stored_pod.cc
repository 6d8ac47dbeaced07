#include "operator/trial/stored_pod.h"

#include <nlohmann/json.hpp>

#include "base/json_get.h"
#include "base/yaml.h"

namespace det::op {
namespace {

using nlohmann::json;

std::optional<json> written_by_people(const store::ExperimentRow& row, bool has_template) {
  if (has_template) return std::nullopt;
  auto parsed = parse_yaml(row.original_config);
  if (!parsed || !parsed->is_object()) return std::nullopt;
  return std::move(*parsed);
}

}  // namespace

std::optional<GangWait> wait_for_policy(const pods::PodSettings& settings, const store::ExperimentRow& row,
                                        const std::string& pool, const json& source, bool has_template) {
  return wait_for_policy(settings, {.whose = "trial",
                                    .ns = row.ns,
                                    .slots = get_integer(get_any(row.config, "resources"), "slots_per_trial"),
                                    .pool = pool,
                                    .config = row.config,
                                    .written = written_by_people(row, has_template),
                                    .source = source});
}

}  // namespace det::op
