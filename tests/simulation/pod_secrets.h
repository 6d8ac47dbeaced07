#pragma once

// What a kubelet reads of Secrets for a pod of the fake API server.

#include <map>
#include <string>

#include <nlohmann/json_fwd.hpp>

#include "tests/support/fake_api_server.h"

namespace det::simulation {

// Of the training's container: its variables, and as "file:NAME" what Secrets that are mounted hold.
[[nodiscard]] std::map<std::string, std::string> environment_of(const test::FakeApiServer& server,
                                                                const nlohmann::json& pod);

// Whether a Secret that it names is not there: no kubelet starts such a pod. One that a leader of before makes late may
// find its Secrets deleted.
[[nodiscard]] bool lacks_secrets(const test::FakeApiServer& server, const nlohmann::json& pod);

}  // namespace det::simulation
