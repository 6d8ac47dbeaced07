#pragma once

// What the operator keeps of an Experiment and of a Trial object. Made by the informers from JSON; plain values.

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "k8sclient/resource.h"

namespace det::op {

enum class StopRequest : std::uint8_t { kNone, kCancel, kKill };

struct ObservedExperiment {
  k8s::ObjectKey key;
  std::string uid;
  std::string resource_version;
  std::int64_t generation = 0;
  bool deleting = false;
  bool deletes_history = false;  // spec.deletionPolicy: Delete
  bool has_finalizer = false;    // ours (operator/experiment/history_deletion.h)
  std::string nonce;             // set by the REST server; names the row it made
  bool is_by_rest = false;       // the REST server itself wrote its config; only where managedFields were read
  std::string controller_class;  // empty: whoever is the default
  bool suspend = false;
  StopRequest stop = StopRequest::kNone;
  std::string template_name;
  std::vector<std::string> warnings;  // what of spec has no effect, beside config
  nlohmann::json config;
  nlohmann::json context;  // null: the code is in the image. A long `archive` is kept as it is until acceptance
  nlohmann::json status;
};

struct ObservedTrial {
  k8s::ObjectKey key;
  std::string uid;
  std::string owner_uid;  // the Experiment
  std::string owner_name;
  std::string managed_by;  // controller class
  std::int64_t generation = 0;
  bool deleting = false;
  std::string request_id;
  std::int64_t trial_id = 0;
  std::int64_t experiment_id = 0;
  int slots = 0;
  int pods = 0;  // of its gang; 0: made before objects said so
  StopRequest stop = StopRequest::kNone;
  nlohmann::json status;
};

// Whether the REST server wrote spec.config of the object with this metadata, by its managedFields: nobody can copy
// those. False where they were not read, and where the API server keeps none (det-operator's own).
[[nodiscard]] bool is_written_by_rest(const nlohmann::json& meta);
[[nodiscard]] ObservedExperiment view_experiment(const nlohmann::json& object);
[[nodiscard]] ObservedTrial view_trial(const nlohmann::json& object);

// How the informers keep JSON: equal values have the same text.
[[nodiscard]] std::string kept_text(const nlohmann::json& value);

// What the informers keep: trees of JSON cost ten times their text, and thousands of objects rest. The model code
// (`context`) is not kept: only acceptance needs it, and reads the object.
struct KeptExperiment {
  ObservedExperiment head;  // without config, context and status
  std::int64_t id = 0;      // of status; 0 before
  std::string state;        // of status; empty before
  bool is_over = false;
  std::string config;  // JSON
  std::string status;  // JSON

  [[nodiscard]] ObservedExperiment unpack() const;
};

struct KeptTrial {
  ObservedTrial head;                  // without status
  std::string state;                   // of status; empty before
  std::optional<std::string> stalled;  // what its condition Stalled says when it is true
  std::string waits_for;               // reason of its condition Running while it is queued or starts
  std::string message;                 // of status, in these states
  std::string status;                  // JSON

  [[nodiscard]] ObservedTrial unpack() const;
};

[[nodiscard]] KeptExperiment keep_experiment(const nlohmann::json& object);
[[nodiscard]] KeptTrial keep_trial(const nlohmann::json& object);

}  // namespace det::op
