#pragma once

// Which fields of master.yaml do something here, and what is said about the others: a field in neither list is answered
// with a warning as well. Pure.

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <nlohmann/json_fwd.hpp>

#include "model/expconf/config_warnings.h"

namespace det::model {

// Dotted paths; what is below one of them is checked where it is read. "resource_pools[].x" is field x of a pool; its
// task_container_defaults and pod_policy have the fields that the cluster's have.
[[nodiscard]] std::span<const std::string_view> used_master_fields();
// Those without effect about which there is more to say.
[[nodiscard]] std::span<const IdleField> idle_master_fields();

// A field of a file that is not used and not empty. Names are cut, and made of letters, digits and "_-.[]".
struct UnusedField {
  std::string path;      // "resource_pools[0].slot_typ"
  std::string sentence;  // `"X" has no effect in this version`, and why, or what was probably meant; without values
  std::string meant;     // the field that was probably meant; empty when none is near, or when X is one of upstream's
  std::string value;     // of a number, a word or a text that is no secret; else empty
  std::optional<int> line;  // where the file is known
};
struct UnusedFields {
  std::vector<UnusedField> fields;  // at most 100
  std::size_t more = 0;             // those besides
};
// `text`: the file that `yaml` was read from, for the lines; may be empty.
[[nodiscard]] UnusedFields unused_master_fields(const nlohmann::json& yaml, std::string_view text = {});
// All of that as sentences, for the log.
[[nodiscard]] std::vector<std::string> unused_sentences(const UnusedFields& unused);
// The same of a pool's task_container_defaults, which stand at `path`.
[[nodiscard]] std::vector<std::string> task_defaults_warnings(const nlohmann::json& task, std::string_view path);

}  // namespace det::model
