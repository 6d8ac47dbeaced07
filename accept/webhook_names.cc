#include "accept/webhook_names.h"

#include <set>

#include "base/few_names.h"
#include "base/json_get.h"
#include "model/expconf/config_warnings.h"

namespace det::accept {
namespace {

using nlohmann::json;

// The list may be as long as the configuration.
constexpr std::size_t kMostNamed = 5;

// Those of `list` that are not among `known`, each once.
std::vector<std::string> missing(const json& list, const std::set<std::string>& known) {
  std::set<std::string> seen = known;
  std::vector<std::string> found;
  for (const json& one : list) {
    std::string text = one.is_string() ? one.get<std::string>() : one.dump();
    if (seen.insert(text).second) found.push_back(std::move(text));
  }
  return found;
}

void add_warning(const char* field, const std::vector<std::string>& unknown, std::vector<std::string>& warnings) {
  if (unknown.empty()) return;
  const std::string names = few_names(unknown, kMostNamed, model::shown_name);
  warnings.push_back(
      model::idle_sentence(std::string("integrations.webhooks.") + field + ": " + names,
                           "neither the workspace nor the cluster has such a webhook; once there is one, it is told"));
}

}  // namespace

Task<Result<std::vector<std::string>>> unknown_webhooks(store::WebhookStore& webhooks, model::WorkspaceId workspace,
                                                        const json& config) {
  std::vector<std::string> warnings;
  const json& wanted = get_object(get_object(config, "integrations"), "webhooks");
  const json& names = get_array(wanted, "webhook_name");
  const json& ids = get_array(wanted, "webhook_id");
  const json& excluded = get_any(wanted, "exclude");
  if ((names.empty() && ids.empty()) || excluded == json(true)) co_return warnings;
  const auto found = co_await webhooks.of_workspace(workspace);
  DET_CO_TRY(found);
  std::set<std::string> known_names;
  std::set<std::string> known_ids;
  for (const store::WebhookRow& webhook : *found) {
    known_names.insert(webhook.name);
    known_ids.insert(std::to_string(webhook.id));
  }
  add_warning("webhook_name", missing(names, known_names), warnings);
  add_warning("webhook_id", missing(ids, known_ids), warnings);
  co_return warnings;
}

}  // namespace det::accept
