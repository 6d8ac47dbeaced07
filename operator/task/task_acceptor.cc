#include "operator/task/task_acceptor.h"

#include <utility>

#include <nlohmann/json.hpp>

#include "accept/new_task.h"
#include "model/expconf/config_warnings.h"

namespace det::op {
namespace {

constexpr std::size_t kLongestEvent = 1'000;  // Kubernetes takes 1,024 bytes
constexpr std::size_t kLongestName = 63;      // it is a label of the task's pods

accept::TaskSubmission submission_of(const ObservedTask& object, const store::UserRow& owner) {
  return {.ns = object.key.ns,
          .type = *object.type,
          .config = object.config,
          .template_name = object.template_name,
          .workspace = object.workspace,
          .workspace_id = std::nullopt,
          .context = object.context,
          .code = std::nullopt,
          .shown = {.experiments = object.experiments, .trials = object.trials},
          .owner = owner.id,
          .owner_is_admin = owner.admin,
          // From the uid, so that a repeated acceptance chooses the same name.
          .name_seed = std::hash<std::string>()(object.uid)};
}

}  // namespace

Task<Result<std::variant<store::TaskRow, Refusal>>> TaskAcceptor::accept(ObservedTask object) {
  using Answer = std::variant<store::TaskRow, Refusal>;
  if (!object.nonce.empty()) {
    auto adopted = co_await services_.stores.tasks.adopt(object.nonce, object.uid, object.key.ns, object.key.name);
    if (adopted) co_return Answer(std::move(*adopted));
    // A copy of an object that REST made, applied by hand: its nonce means nothing here, the object is a new task.
    const auto code = adopted.error().code;
    if (code != ErrorCode::kNotFound && code != ErrorCode::kFailedPrecondition) {
      co_return std::unexpected(std::move(adopted).error());
    }
    if (code == ErrorCode::kNotFound && object.is_by_rest) co_return Answer(lost_submission());
  }
  if (!object.type || *object.type == model::TaskType::kCheckpointGc) {
    co_return Answer(Refusal{.reason = "InvalidType",
                             .message = "spec.type: must be Notebook, Shell, Command, TensorBoard or Generic",
                             .may_pass = false});
  }
  if (object.key.name.size() > kLongestName) {
    co_return Answer(Refusal{.reason = "InvalidName",
                             .message = "metadata.name: has " + std::to_string(object.key.name.size()) +
                                        " characters; up to 63 work, because its pods carry it as a label",
                             .may_pass = false});
  }
  auto found = co_await default_owner(services_.stores.users, default_owner_);
  DET_CO_TRY(found);
  if (auto* refused = std::get_if<Refusal>(&*found)) co_return Answer(std::move(*refused));
  const auto& owner = std::get<store::UserRow>(*found);
  auto verdict = co_await services_.gate.accept(services_.settings, submission_of(object, owner));
  DET_CO_TRY(verdict);
  if (const auto* refused = std::get_if<accept::Objection>(&*verdict)) co_return Answer(condition_of(*refused));
  auto& accepted = std::get<accept::AcceptedTask>(*verdict);
  if (accepted.pod_refused && !waits_for_quota(*accepted.pod_refused))
    co_return Answer(condition_of(*accepted.pod_refused));
  const std::vector<std::string> warnings = std::move(accepted.config.warnings);
  const k8s::EventSubject subject{.resource = k8s::tasks(), .key = object.key, .uid = object.uid};
  auto inserted = co_await insert(std::move(object), std::move(accepted), owner.id);
  DET_CO_TRY(inserted);
  if (!warnings.empty()) {
    services_.events.publish(subject, k8s::EventType::kWarning, "ConfigIgnored",
                             model::joined_warnings(warnings, kLongestEvent));
  }
  co_return Answer(std::move(*inserted));
}

Task<Result<store::TaskRow>> TaskAcceptor::insert(ObservedTask object, accept::AcceptedTask accepted,
                                                  model::UserId owner) {
  auto row =
      accept::new_task(*object.type, {.experiments = object.experiments, .trials = object.trials}, std::move(accepted));
  DET_CO_TRY(row);
  row->uid = object.uid;
  row->ns = object.key.ns;
  row->name = object.key.name;
  row->owner = owner;
  row->submitted = std::move(object.config);
  auto inserted = co_await services_.stores.tasks.insert(std::move(*row));
  if (!inserted) co_return std::unexpected(with_context(std::move(inserted).error(), "insert task"));
  co_return std::move(*inserted);
}

}  // namespace det::op
