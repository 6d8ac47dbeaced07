#pragma once

// The part of a shim that needs a mount namespace of its own: private overlays of host folders, and
// what a volume holds at this moment. Called once, before the
// shim has any thread or child; everything vanishes with the shim.

#include "base/result.h"
#include "local/agent/shim.h"

namespace det::local {

// Makes spec.overlays at <folder>/mnt/<name>/merged and spec.staged at <folder>/mnt/<name>. As an ordinary user a user
// namespace is entered first.
[[nodiscard]] Status make_mounts(const ShimSpec& spec);

}  // namespace det::local
