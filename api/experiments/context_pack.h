#pragma once

// The files of an upload (v1File) packed as the harness wants them. Slow for large uploads: callers use a pool.

#include <cstdint>
#include <string>

#include "base/result.h"
#include "wire/forms.h"

namespace det::api {

inline constexpr std::uint64_t kMaxContextBytes = std::uint64_t{96} << 20;  // decoded, as upstream's server takes

// A gzipped tar of `model_definition` (a list, or null); empty for no files. Modes keep their permission bits, times
// are kept, owners are left to the pod. kInvalidArgument names the entry and what is wrong with it.
[[nodiscard]] Result<std::string> pack_model_definition(const wire::Json& model_definition);

}  // namespace det::api
