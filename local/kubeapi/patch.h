#pragma once

// The three patches that people and controllers send, applied to an object. Pure; any thread.

#include <cstdint>
#include <string>
#include <string_view>

#include <nlohmann/json_fwd.hpp>

#include "local/kubeapi/api_error.h"

namespace det::local::kubeapi {

enum class PatchKind : std::uint8_t { kMerge, kJson, kStrategic };

// The whole text as JSON: no comments, no bytes that are not UTF-8, at most 200 levels (what we do with a value
// recurses over it). BadRequest otherwise.
[[nodiscard]] ApiResult<nlohmann::json> parse_json(std::string_view text);

// `object` after `patch`. BadRequest for a patch that is not one, Invalid for one that does not fit this object (a JSON
// patch's failed test, a path that is not there).
[[nodiscard]] ApiResult<nlohmann::json> apply_patch(PatchKind kind, const nlohmann::json& object,
                                                    const nlohmann::json& patch, const Subject& subject);

// RFC 7386 with the merge keys of the built-in types and the directives $patch, $retainKeys, $setElementOrder/LIST and
// $deleteFromPrimitiveList/LIST.
[[nodiscard]] ApiResult<nlohmann::json> strategic_merge(nlohmann::json object, const nlohmann::json& patch);

}  // namespace det::local::kubeapi
