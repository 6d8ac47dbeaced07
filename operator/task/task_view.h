#pragma once

// What the operator keeps of a Task object. Made by the informer from JSON; plain values.

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "k8sclient/resource.h"
#include "model/taskconf/task_config.h"
#include "operator/views.h"

namespace det::op {

struct ObservedTask {
  k8s::ObjectKey key;
  std::string uid;
  std::int64_t generation = 0;
  bool deleting = false;
  std::string nonce;             // set by the REST server; names the row it made
  bool is_by_rest = false;       // the REST server itself wrote its config; only where managedFields were read
  std::string controller_class;  // empty: whoever is the default
  std::optional<model::TaskType> type;
  bool suspend = false;
  StopRequest stop = StopRequest::kNone;
  std::string template_name;
  std::string workspace;
  std::vector<std::int64_t> experiments;  // what a TensorBoard shows
  std::vector<std::int64_t> trials;
  nlohmann::json config;
  nlohmann::json context;  // null: no files. A long `archive` is kept as it is until acceptance
  nlohmann::json status;
};

[[nodiscard]] ObservedTask view_task(const nlohmann::json& object);

// What the informer keeps; as operator/views.h has it of Experiments.
struct KeptTask {
  ObservedTask head;   // without config, context and status
  std::string id;      // of status; empty before
  std::string state;   // of status; empty before
  std::string config;  // JSON
  std::string status;  // JSON

  [[nodiscard]] ObservedTask unpack() const;
};

[[nodiscard]] KeptTask keep_task(const nlohmann::json& object);

}  // namespace det::op
