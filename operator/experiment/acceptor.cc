#include "operator/experiment/acceptor.h"

#include <nlohmann/json.hpp>

#include "base/json_get.h"
#include "model/expconf/config_warnings.h"

namespace det::op {
namespace {

using nlohmann::json;

constexpr std::size_t kLongestEvent = 1'000;  // Kubernetes takes 1,024 bytes

}  // namespace

Acceptor::Acceptor(OperatorServices& services, std::string default_owner)
    : services_(services), default_owner_(std::move(default_owner)) {}

Task<Result<std::variant<store::ExperimentRow, Refusal>>> Acceptor::accept(ObservedExperiment object) {
  using Answer = std::variant<store::ExperimentRow, Refusal>;
  if (!object.nonce.empty()) {
    auto adopted =
        co_await services_.stores.experiments.adopt(object.nonce, object.uid, object.key.ns, object.key.name);
    if (adopted) co_return Answer(std::move(*adopted));
    // A copy of an object that REST made, applied by hand: its nonce means nothing here, the object is a new
    // experiment.
    const auto code = adopted.error().code;
    if (code != ErrorCode::kNotFound && code != ErrorCode::kFailedPrecondition) {
      co_return std::unexpected(std::move(adopted).error());
    }
    if (code == ErrorCode::kNotFound && object.is_by_rest) co_return Answer(lost_submission());
  }
  auto owner = co_await default_owner(services_.stores.users, default_owner_);
  DET_CO_TRY(owner);
  if (auto* refused = std::get_if<Refusal>(&*owner)) co_return Answer(std::move(*refused));
  accept::Submission submission{.ns = object.key.ns,
                                .config = object.config,
                                .template_name = object.template_name,
                                .context = object.context,
                                // From the uid, so that a repeated acceptance chooses the same name.
                                .name_seed = std::hash<std::string>()(object.uid)};
  auto verdict = co_await services_.gate.accept(services_.settings, std::move(submission));
  DET_CO_TRY(verdict);
  if (const auto* refused = std::get_if<accept::Objection>(&*verdict)) co_return Answer(condition_of(*refused));
  auto& accepted = std::get<accept::Accepted>(*verdict);
  if (accepted.pod_refused && !waits_for_quota(*accepted.pod_refused))
    co_return Answer(condition_of(*accepted.pod_refused));
  std::vector<std::string> warnings = std::move(accepted.config.warnings);
  warnings.insert(warnings.end(), object.warnings.begin(), object.warnings.end());
  auto inserted = co_await insert(object, std::move(accepted), std::get<store::UserRow>(*owner).id);
  DET_CO_TRY(inserted);
  if (!warnings.empty()) {
    services_.events.publish({.resource = k8s::experiments(), .key = object.key, .uid = object.uid},
                             k8s::EventType::kWarning, "ConfigIgnored",
                             model::joined_warnings(warnings, kLongestEvent));
  }
  co_return Answer(std::move(*inserted));
}

Task<Result<store::ExperimentRow>> Acceptor::insert(ObservedExperiment object, accept::Accepted accepted,
                                                    model::UserId owner) {
  store::NewExperiment row;
  row.uid = object.uid;
  row.ns = object.key.ns;
  row.name = object.key.name;
  row.owner = owner;
  row.project = accepted.project;
  row.state = object.suspend ? model::ExperimentState::kPaused : model::ExperimentState::kActive;
  row.config_hash = accepted.config.hash;
  row.title = accepted.config.config.name;
  row.description = accepted.config.config.description;
  row.labels = accepted.config.config.labels;
  row.config = std::move(accepted.config.document);
  row.original_config = object.config.dump();
  row.context = std::move(accepted.code);
  auto inserted = co_await services_.stores.experiments.insert(std::move(row));
  if (!inserted) co_return std::unexpected(with_context(std::move(inserted).error(), "insert experiment"));
  co_return std::move(*inserted);
}

}  // namespace det::op
