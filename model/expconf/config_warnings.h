#pragma once

// What people wrote and what does nothing here, or soon will not: one sentence for each field, which names it. Nothing
// of what they wrote stands in a sentence but the names of fields that the schema knows. Pure.

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <nlohmann/json_fwd.hpp>

#include "model/cluster/scheduler_config.h"

namespace det::model {

// A field that is accepted without effect.
struct IdleField {
  std::string_view path;           // "environment.add_capabilities"
  std::string_view why;            // and what to do instead; ends the sentence "PATH has no effect here: ..."
  std::string_view harmless = {};  // JSON of the value that asks for what happens anyway, such as the default
};
[[nodiscard]] std::span<const IdleField> idle_experiment_fields();  // of the configuration
[[nodiscard]] std::span<const IdleField> idle_object_fields();      // of an Experiment object, from "spec"

// Of a configuration that was accepted: `user` as it was written, `template_config` what it lies on (or null),
// `document` what came of it. What only the cluster says, or only a default, is nobody's to change and not told.
[[nodiscard]] std::vector<std::string> config_warnings(const nlohmann::json& user,
                                                       const nlohmann::json& template_config,
                                                       const nlohmann::json& document);
// Of words for `propagation` that mean nothing, in what anybody wrote.
void add_propagation_warnings(const nlohmann::json& user, std::vector<std::string>& warnings);
// Of the priority, of which only the operator's own scheduler knows; `auto` may come to mean that. Nothing: it may
// count.
[[nodiscard]] std::optional<std::string> idle_priority(GangBackendKind scheduler, const nlohmann::json& user,
                                                       const nlohmann::json& template_config);
// Of an Experiment object, beside its configuration.
[[nodiscard]] std::vector<std::string> object_warnings(const nlohmann::json& spec);

// "PATH has no effect here: WHY."
[[nodiscard]] std::string idle_sentence(std::string_view path, std::string_view why);
// Whether `user`, or the template where he says nothing, asks for something else than what happens anyway.
[[nodiscard]] bool asks_for(const IdleField& field, const nlohmann::json& user, const nlohmann::json& template_config);
// A name that people wrote, as logs and terminals may show it: cut, and made of letters, digits and "_-.".
[[nodiscard]] std::string shown_name(std::string name);

// As many whole sentences as `limit` bytes hold, one a line, and how many more there are.
[[nodiscard]] std::string joined_warnings(std::span<const std::string> warnings, std::size_t limit);

}  // namespace det::model
