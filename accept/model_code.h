#pragma once

// The model code that `spec.context` names: packed and kept under its digest, or, where the pod fetches it itself,
// where from. Belongs to the io thread.

#include <cstdint>
#include <optional>
#include <string>
#include <variant>

#include <nlohmann/json.hpp>

#include "accept/submission.h"
#include "base/async.h"
#include "base/result.h"
#include "base/task.h"
#include "k8sclient/client.h"
#include "model/cluster/master_config.h"
#include "store/experiments/context_store.h"
#include "store/experiments/experiment_rows.h"

namespace det::accept {

struct CodeFound {
  store::ContextRef ref;
  nlohmann::json source;  // as pods/code_source.h reads it; null for code that the operator keeps
};

// What a pod needs to fetch the code; null for an experiment whose code comes from elsewhere.
Task<Result<nlohmann::json>> load_code_source(store::ContextStore& contexts, store::ContextRef ref);

// A child's, that brings none: the same bytes as its parent's, or from the same place.
[[nodiscard]] store::ContextRef inherited_code(store::ContextRef parent);

struct CodeRequest {
  std::string ns;
  nlohmann::json context;                 // `spec.context`, or null
  std::optional<store::ContextRef> code;  // where it is kept already or will be; then not `context`
  std::int64_t slots = 0;                 // with `pool`, as the configuration names it: whose pods may use what
  std::string pool;
  bool is_checked = true;  // whether pods may use the Secret, the claim or the ConfigMap that it comes with
};

class ModelCode {
 public:
  using Found = std::variant<CodeFound, Objection>;

  // `workers`: where code is packed and unpacked; nullptr: here.
  ModelCode(k8s::Client& kubernetes, store::ContextStore& contexts, std::string ns, asio::thread_pool* workers)
      : kubernetes_(kubernetes), contexts_(contexts), ns_(std::move(ns)), workers_(workers) {}

  // Where `wanted` says that it is. Code of which it is known where it is kept is not looked for again, but is held
  // against what the pool's pods may use.
  Task<Result<Found>> take(const model::MasterConfig& master, CodeRequest wanted);

 private:
  Task<Result<Found>> find(nlohmann::json context);
  Task<Result<Found>> fetched_by_pods(nlohmann::json context);
  Task<Result<Found>> of_config_map(nlohmann::json source);
  Task<Result<Found>> of_archive(std::string base64);
  Task<Result<Found>> uploaded(std::string sha256);
  Task<Result<Found>> keep(std::string bytes, std::string kind);

  k8s::Client& kubernetes_;
  store::ContextStore& contexts_;
  std::string ns_;
  asio::thread_pool* workers_;
};

}  // namespace det::accept
