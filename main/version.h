#pragma once

// The version of this release, and the one of Determined's protocol that clients are told (they warn when it differs
// from theirs).

namespace det::main {

inline constexpr const char* kVersion = "0.1.0";

}  // namespace det::main
