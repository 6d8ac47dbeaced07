#pragma once

// Makes an experiment from an upload: checks everything first, then row, then object; when the object cannot be made,
// the row goes again. Unmanaged ones have none. Nothing stays half done. Belongs to the io thread.

#include <optional>
#include <string>
#include <vector>

#include "api/call.h"
#include "api/experiments/context_pack.h"
#include "model/ids.h"
#include "wire/forms.h"

namespace det::api {

struct CreateRequest {
  std::string config_yaml;
  PackedFiles context;
  bool activate = true;
  bool validate_only = false;
  std::string template_name;
  std::optional<model::ProjectId> project;
  std::optional<model::ExperimentId> parent;  // its model code is used when there is none of one's own
  bool is_unmanaged = false;                  // its trials run where people start them: it gets no object
  // Of an unmanaged one: the experiment that has it already gets the configuration. Empty: it is a new one.
  std::string external_id;
};

struct CreatedExperiment {
  std::optional<model::ExperimentId> id;  // nothing for validate_only
  wire::Json config;                      // complete
  std::vector<std::string> warnings;      // one sentence each
};

// Reads the body of POST /api/v1/experiments, files packed. Slow for large uploads: callers use a pool.
[[nodiscard]] Result<CreateRequest> read_create_request(std::string_view body);

// kInvalidArgument for a wrong configuration (all errors, with their paths), kNotFound for an unknown template, project
// or parent, kUnavailable when Kubernetes or the database is away.
Task<Result<CreatedExperiment>> create_experiment(ApiServices& services, CreateRequest request, Identity caller);

}  // namespace det::api
