#pragma once

// The places of an experiment's configuration that hold secrets. What people read shows a mask there, as Determined
// does; pods get the configuration whole, by their Secret. Pure.

#include <string>
#include <string_view>
#include <vector>

#include <nlohmann/json.hpp>

namespace det::model {

inline constexpr std::string_view kHidden = "********";

// With the mask in place of each secret.
[[nodiscard]] nlohmann::json hide_secrets(nlohmann::json config);
// Without the secrets: programs that read the configuration then take the credentials of whoever runs them.
[[nodiscard]] nlohmann::json drop_secrets(nlohmann::json config);
// Without the masks that somebody copied from what they were shown.
[[nodiscard]] nlohmann::json drop_masks(nlohmann::json config);
// With the secrets that `whole` has at their places instead of masks.
[[nodiscard]] nlohmann::json fill_masks(nlohmann::json config, const nlohmann::json& whole);
// For each secret that drop_masks leaves out, a sentence that says so, with its path.
[[nodiscard]] std::vector<std::string> mask_warnings(const nlohmann::json& config);
// Whether `storage`, a checkpoint_storage, has credentials of its own; one that is empty is none.
[[nodiscard]] bool holds_credentials(const nlohmann::json& storage);
// Whether a configuration's text may have a secret in it; most have none, and need not be read.
[[nodiscard]] bool may_hold_secrets(std::string_view text);

}  // namespace det::model
