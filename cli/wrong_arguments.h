#pragma once

// What only the command itself finds wrong with its arguments: det ends with kUsage, as when they cannot be parsed.
// Pure.

#include <string>
#include <utility>

#include "base/result.h"

namespace det::cli {

// The field of such errors.
inline constexpr const char* kArgumentsField = "arguments";

[[nodiscard]] inline std::unexpected<Error> wrong_arguments(std::string message,
                                                            ErrorCode code = ErrorCode::kInvalidArgument) {
  return fail(code, std::move(message), kArgumentsField);
}

}  // namespace det::cli
