#pragma once

// Decides once whether an Experiment object can run, and freezes what it will run: configuration, model code, owner.
// After that the row is the truth and the object's later edits are only wishes. Belongs to the io thread.

#include <optional>
#include <string>
#include <variant>

#include "base/log.h"
#include "operator/experiment_status.h"
#include "operator/services.h"

namespace det::op {

class Acceptor {
 public:
  // `default_owner`: whose experiments those are that people make with kubectl.
  Acceptor(Services& services, std::string default_owner)
      : services_(services), default_owner_(std::move(default_owner)) {}

  // The row of the object, made now if need be. An Objection is for the person who wrote the object; an Error means
  // that this could not be found out now. Safe to repeat.
  Task<Result<std::variant<store::ExperimentRow, Objection>>> accept(ExperimentView object, Logger log);

 private:
  using Verdict = std::variant<store::ContextRef, Objection>;
  Task<Result<Verdict>> take_context(ExperimentView object);
  Task<Result<Verdict>> take_code_source(nlohmann::json context);
  Task<Result<Verdict>> take_config_map(std::string ns, nlohmann::json source);
  Task<Result<Verdict>> take_archive(std::string base64);
  Task<Result<Verdict>> keep(std::string bytes, std::string kind);
  // Asks the API server whether it would take the trial's pod.
  Task<Result<std::optional<Objection>>> try_pod(ExperimentView object, nlohmann::json config);
  Task<Result<model::UserId>> owner();

  Services& services_;
  std::string default_owner_;
};

}  // namespace det::op
