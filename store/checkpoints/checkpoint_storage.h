#pragma once

// Where a checkpoint's files are. Pure.

#include <optional>

#include <nlohmann/json.hpp>

namespace det::store {

// A section checkpoint_storage without its policy: with a run's it says the same as without.
[[nodiscard]] nlohmann::json without_policy(nlohmann::json storage);

// Where a checkpoint's run said that its files are (null: nowhere), if that may be followed: what is mounted into a pod
// or read by the server was allowed to the experiment, and nothing else: another folder below the same host_path,
// another place in the same kind of object storage. Nothing: it may not.
[[nodiscard]] std::optional<nlohmann::json> checkpoint_storage_of(const nlohmann::json& said,
                                                                  const nlohmann::json& of_experiment);

}  // namespace det::store
