#include "operator/experiment/history_deletion.h"

#include <algorithm>
#include <utility>

#include <nlohmann/json.hpp>

#include "base/json_get.h"
#include "operator/namespace_life.h"
#include "pods/names.h"

namespace det::op {
namespace {

using nlohmann::json;

constexpr std::string_view kHistoryHeld = "HistoryHeld";
constexpr std::string_view kNamespaceTerminating = "NamespaceTerminating";

std::string remedy() {
  return "; or remove its finalizer " + std::string(pods::kFinalizer) +
         " by hand: what is left of its history then stays";
}

}  // namespace

Refusal history_held(std::string why) {
  return {.reason = std::string(kHistoryHeld), .message = std::move(why), .may_pass = true};
}

Task<Status> HistoryDeletion::follow_policy(ObservedExperiment object) {
  const bool wanted = object.deletes_history;
  if (object.has_finalizer == wanted || (object.deleting && wanted)) co_return Status{};
  co_return co_await set_finalizer(std::move(object), wanted);
}

Task<Result<bool>> HistoryDeletion::advance(ObservedExperiment object, std::optional<store::ExperimentRow> row) {
  if (!object.deletes_history || !row) {
    DET_CO_TRY(co_await set_finalizer(std::move(object), false));
    co_return true;
  }
  // What could not be removed is not tried for ever: somebody asks for it again, or changes the policy to Keep.
  if (row->state != model::ExperimentState::kDeleting && row->state != model::ExperimentState::kDeleteFailed) {
    DET_CO_TRY(co_await services_.stores.removals.begin_delete(row->id));
  }
  // Where the namespace is going, the operator's rights go before this object. Then its files and the object are
  // removed no more either, and nobody but the operator's log would know why. (Webhooks may refuse the question
  // itself.)
  const Status may = co_await set_finalizer(std::move(object), false, true);
  if (!may && may.error().code == ErrorCode::kPermissionDenied) co_return std::unexpected(may.error());
  co_return false;
}

void HistoryDeletion::tell_of_finalizer(const ObservedExperiment& object, const std::string& why) {
  services_.events.publish(
      services_.lease, k8s::EventType::kWarning, std::string(kHistoryHeld),
      "Experiment " + to_string(object.key) + " is to be deleted with its history, and " + why + remedy());
}

Task<std::optional<Refusal>> HistoryDeletion::tell_if_refused(ObservedExperiment object, Error error) {
  if (error.code != ErrorCode::kPermissionDenied) co_return std::nullopt;
  const std::string refused = "what the operator writes in namespace " + object.key.ns + " is refused";
  const std::string words = " (" + error.message + "): make the Role again";
  tell_of_finalizer(object, refused + ", as that is being deleted or lacks the operator's Role" + words);
  const auto life = co_await namespace_life(services_.client, object.key.ns);
  const bool is_going = life && *life != NamespaceLife::kThere;
  Refusal held = history_held(refused +
                              (is_going ? ", as that is being deleted, which takes the operator's Role away first"
                                        : ", as it lacks the operator's Role") +
                              words + remedy());
  if (is_going) held.reason = std::string(kNamespaceTerminating);
  co_return held;
}

// A list is replaced as a whole: nobody else's finalizer may get lost with it.
Task<Status> HistoryDeletion::set_finalizer(ObservedExperiment object, bool wanted, bool dry_run) {
  auto live = co_await services_.client.get(k8s::experiments(), object.key);
  if (!live && live.error().code == ErrorCode::kNotFound) co_return Status{};
  DET_CO_TRY(live);
  const json& metadata = get_object(*live, "metadata");
  if (get_string(metadata, "uid") != object.uid) co_return Status{};
  json finalizers = get_array(metadata, "finalizers");
  const json ours = std::string(pods::kFinalizer);
  const auto at = std::ranges::find(finalizers, ours);
  if ((at != finalizers.end()) == wanted) co_return Status{};
  if (wanted) {
    finalizers.push_back(ours);
  } else {
    finalizers.erase(at);
  }
  json patch = {
      {"metadata",
       {{"resourceVersion", get_string(metadata, "resourceVersion")}, {"finalizers", std::move(finalizers)}}}};
  k8s::PatchOptions options;
  options.write.dry_run = dry_run;
  auto patched = co_await services_.client.patch(k8s::experiments(), object.key, std::move(patch), options);
  if (!patched && patched.error().code != ErrorCode::kNotFound) {
    co_return std::unexpected(with_context(std::move(patched).error(), "set the finalizer of its history"));
  }
  co_return Status{};
}

}  // namespace det::op
