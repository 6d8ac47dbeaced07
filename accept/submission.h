#pragma once

// What somebody wants to run, from wherever it comes, and what the gate says to it.

#include <cstdint>
#include <optional>
#include <string>
#include <variant>

#include <nlohmann/json.hpp>

#include "base/json_reader.h"
#include "model/expconf/accept_config.h"
#include "model/ids.h"
#include "store/experiments/experiment_rows.h"

namespace det::accept {

struct Submission {
  std::string ns;          // where its pods will be
  bool by_server = false;  // a namespace that its workspace is bound to comes before `ns`, and has to be enabled
  nlohmann::json config;   // as people wrote it
  // The complete configuration that an experiment goes on with; `config` is laid over it. Neither templates nor the
  // cluster's defaults, which may be others by now, have a say then.
  std::optional<nlohmann::json> frozen;
  std::string template_name;
  // Chosen beside the configuration; only without one does it count what the configuration names.
  std::optional<model::ProjectId> project;
  nlohmann::json context;                 // where the model code is: `spec.context` of an Experiment, or null
  std::optional<store::ContextRef> code;  // the model code, where it is kept already or will be; then not `context`
  std::uint64_t name_seed = 0;            // makes the name of an experiment that has none
  bool is_unmanaged = false;              // its trials run where people start them: there will be no pods
};

enum class RefusalReason : std::uint8_t {
  kTemplateNotFound,
  kProjectNotFound,
  kProjectArchived,  // or its workspace, or it is being deleted
  kWorkspaceNotFound,
  kNothingToShow,  // of a TensorBoard
  kResourcePoolNotFound,
  kInvalidConfig,
  kConfigPolicy,
  kInvalidContext,
  kContextNotFound,
  kContextNotSupported,
  kPodRejected,
};
// As conditions spell it: "InvalidConfig".
[[nodiscard]] std::string_view to_string(RefusalReason reason);

// Which part of a submission the fields of errors are paths in.
enum class Part : std::uint8_t { kConfig, kContext, kTemplate, kPod, kWorkspace, kTensorBoard };

// Why a submission cannot run, for the person who wrote it. An Error means instead that this could not be found out.
struct Objection {
  RefusalReason reason = RefusalReason::kInvalidConfig;
  Part part = Part::kConfig;
  FieldErrors errors;     // never empty
  std::string remedy;     // what would work, where the errors do not say it; no sentence of its own
  bool may_pass = false;  // what others do can make it right
};

struct Accepted {
  model::AcceptedConfig config;
  model::ProjectId project;
  std::string ns;  // where its pods will be
  store::ContextRef code;
  std::optional<Objection> pod_refused;  // for now: by a quota or a policy, which can change
};

using Verdict = std::variant<Accepted, Objection>;

}  // namespace det::accept
