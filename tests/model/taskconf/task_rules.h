#pragma once

// What holds of every configuration of a task, right or wrong. For the fuzzer and for the cases we have.

#include <string>

#include <nlohmann/json.hpp>

#include "model/taskconf/accept_task_config.h"

namespace det::model {

// Which rule accepting `user` on the template `base` breaks; empty when none.
inline std::string broken_task_rule(TaskType type, const nlohmann::json& user, const nlohmann::json& base) {
  const nlohmann::json cluster = {{"task_container_defaults", {{"work_dir", "/w"}, {"image", "i"}}}};
  const MasterConfig master;
  AcceptContext context;
  context.master = &master;
  context.ns = "n";
  context.template_config = base;
  const auto accepted = accept_task_config(type, user, cluster, context);
  if (!accepted) return accepted.error().empty() ? "refused without an error" : "";
  const auto read = read_task_config(accepted->document);
  if (!read || *read != accepted->config) return "the document reads back differently";
  if (accepted->hash != config_hash(accepted->document)) return "the hash is another document's";
  if (nlohmann::json::parse(accepted->document.dump()) != accepted->document) return "the document cannot be stored";
  context.template_config = nullptr;
  const auto again = accept_task_config(type, accepted->document, cluster, context);
  if (!again) return "what was accepted is refused: " + join_errors(again.error());
  if (again->document == accepted->document) return "";
  return "what was accepted changes: " + nlohmann::json::diff(accepted->document, again->document).dump();
}

}  // namespace det::model
