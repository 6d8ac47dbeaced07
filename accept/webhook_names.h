#pragma once

// Whether there are the webhooks that a configuration names. Belongs to the io thread.

#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "base/task.h"
#include "store/webhooks/webhook_store.h"

namespace det::accept {

// Warnings for what integrations.webhooks of `config` names without effect. One that is made later is told of all that
// happens from then on, so that nothing is refused.
Task<Result<std::vector<std::string>>> unknown_webhooks(store::WebhookStore& webhooks, model::WorkspaceId workspace,
                                                        const nlohmann::json& config);

}  // namespace det::accept
