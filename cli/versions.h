#pragma once

// What this command line says about itself.

namespace det::cli {

inline constexpr const char* kClientVersion = "0.1.0";
// Of Determined's protocol that it speaks.
inline constexpr const char* kProtocolVersion = "0.38.1";

}  // namespace det::cli
