#pragma once

// Model code that a pod fetches itself, with the pod's rights: from a git repository or from a volume (spec.context.git
// and .pvc). harness/fetch_code.py does it. Pure, but for loading.

#include <optional>
#include <string>

#include <nlohmann/json.hpp>

#include "store/context_store.h"
#include "store/experiment_rows.h"

namespace det::op {

// spec.context names a source of this kind.
[[nodiscard]] bool is_code_source(const nlohmann::json& context);
// What is wrong with it: a sentence that begins with the field's path.
[[nodiscard]] std::optional<std::string> code_source_error(const nlohmann::json& context);

// How a source is kept: as text beside uploaded code, under its digest, so that it stays as it was accepted.
[[nodiscard]] store::ContextRef code_source_ref(const nlohmann::json& context);
// null for an experiment whose code comes from elsewhere.
Task<Result<nlohmann::json>> load_code_source(store::ContextStore& contexts, store::ContextRef ref);

// Gives the pod what it needs to fetch the code: the source itself, the Secret or the claim. null adds nothing.
void add_code_source(nlohmann::json& pod, const nlohmann::json& source);

}  // namespace det::op
