#pragma once

// The model code that `spec.context` names: packed and kept under its digest, or, where the pod fetches it itself,
// where from. Belongs to the io thread.

#include <string>
#include <variant>

#include <nlohmann/json.hpp>

#include "accept/submission.h"
#include "base/result.h"
#include "base/task.h"
#include "k8sclient/client.h"
#include "store/experiments/context_store.h"
#include "store/experiments/experiment_rows.h"

namespace det::accept {

struct CodeFound {
  store::ContextRef ref;
  nlohmann::json source;  // as pods/code_source.h reads it; null for code that the operator keeps
};

// What a pod needs to fetch the code; null for an experiment whose code comes from elsewhere.
Task<Result<nlohmann::json>> load_code_source(store::ContextStore& contexts, store::ContextRef ref);

class ModelCode {
 public:
  using Found = std::variant<CodeFound, Objection>;

  ModelCode(k8s::Client& kubernetes, store::ContextStore& contexts, std::string ns)
      : kubernetes_(kubernetes), contexts_(contexts), ns_(std::move(ns)) {}

  Task<Result<Found>> find(nlohmann::json context);

 private:
  Task<Result<Found>> fetched_by_pods(nlohmann::json context);
  Task<Result<Found>> of_config_map(nlohmann::json source);
  Task<Result<Found>> of_archive(std::string base64);
  Task<Result<Found>> uploaded(std::string sha256);
  Task<Result<Found>> keep(std::string bytes, std::string kind);

  k8s::Client& kubernetes_;
  store::ContextStore& contexts_;
  std::string ns_;
};

}  // namespace det::accept
