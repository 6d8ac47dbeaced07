#pragma once

// What the metadata of a run may be: the bounds that Determined has, so that what is taken here is taken there. Pure.

#include <cstddef>

#include "base/result.h"
#include "wire/forms.h"

namespace det::api {

inline constexpr std::size_t kLongestMetadataKey = 50;
inline constexpr std::size_t kLongestMetadataText = 5'000;
inline constexpr std::size_t kLongestMetadataList = 100;
inline constexpr int kDeepestMetadata = 10;
inline constexpr std::size_t kMostMetadataValues = 1'000;

// `metadata` is an object. kInvalidArgument names the first place that is out of bounds.
[[nodiscard]] Status check_run_metadata(const wire::Json& metadata);

}  // namespace det::api
