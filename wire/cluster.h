#pragma once

// What a server says about itself. Pure.

#include <string>
#include <string_view>
#include <vector>

#include "wire/forms.h"

namespace det::wire {

// The release whose protocol we speak; another one makes every command print a warning.
inline constexpr std::string_view kDeterminedVersion = "0.38.1";

// Somebody else who says who people are.
struct SignInProvider {
  std::string name;
  std::string url;   // where signing in begins
  std::string type;  // "OIDC"
  bool always_redirect = false;
};

struct MasterInfo {
  std::string cluster_id;
  std::string cluster_name;
  std::string master_id;          // of this process
  bool shows_roles = false;       // whether clients offer commands about roles
  bool strict_job_queue = false;  // whether the queue takes a permission of its own
  std::vector<SignInProvider> sign_in_providers;
  std::vector<std::string> feature_switches;  // as master.yaml has them
};

// GET /info: snake_case, before any login.
[[nodiscard]] Json info(const MasterInfo& cluster);
// GET /api/v1/master.
[[nodiscard]] Json master(const MasterInfo& cluster);

}  // namespace det::wire
