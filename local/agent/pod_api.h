#pragma once

// What running pods need of an API server, as an interface so that tests answer for it. Belongs to the io thread.

#include <cstdint>
#include <map>
#include <string>

#include <nlohmann/json_fwd.hpp>

#include "base/result.h"
#include "base/task.h"
#include "k8sclient/client.h"
#include "k8sclient/event_recorder.h"
#include "local/agent/pod_spec_view.h"

namespace det::local {

using KeyValues = std::map<std::string, std::string>;

// Which pod is meant: a name may be used again by another one.
struct PodId {
  std::string ns;
  std::string name;
  std::string uid;
};
[[nodiscard]] inline PodId pod_id(const PodView& pod) {
  return {pod.ns, pod.name, pod.uid};
}

// What a claim is bound to, where that is a folder of this machine.
struct ClaimedFolder {
  std::string path;
  std::string type;  // as of a hostPath
};

class PodApi {
 public:
  virtual ~PodApi() = default;
  // Content with binary data decoded. kNotFound when there is no such object.
  virtual Task<Result<KeyValues>> config_map(std::string ns, std::string name) = 0;
  virtual Task<Result<KeyValues>> secret(std::string ns, std::string name) = 0;
  // kNotFound: no such claim, or volume. kFailedPrecondition: it is not bound yet, or to another kind of volume.
  virtual Task<Result<ClaimedFolder>> claimed_folder(std::string ns, std::string claim) = 0;
  // A token of `account` that is bound to the pod. An empty audience is the API server's own.
  virtual Task<Result<std::string>> account_token(PodId pod, std::string account, std::string audience,
                                                  std::int64_t seconds) = 0;
  // Replaces what `status` has of the pod's status. kNotFound and kAborted: that pod is gone.
  virtual Task<Status> patch_status(PodId pod, nlohmann::json status) = 0;
  // Removes the object now; success when it is gone already.
  virtual Task<Status> remove(PodId pod) = 0;
  // Shown by `kubectl describe pod`. Never holds a secret.
  virtual void publish_event(PodId pod, bool is_warning, std::string reason, std::string message) = 0;
};

class KubernetesPodApi final : public PodApi {
 public:
  KubernetesPodApi(k8s::Client& client, k8s::EventRecorder& events) : client_(client), events_(events) {}

  Task<Result<KeyValues>> config_map(std::string ns, std::string name) override;
  Task<Result<KeyValues>> secret(std::string ns, std::string name) override;
  Task<Result<ClaimedFolder>> claimed_folder(std::string ns, std::string claim) override;
  Task<Result<std::string>> account_token(PodId pod, std::string account, std::string audience,
                                          std::int64_t seconds) override;
  Task<Status> patch_status(PodId pod, nlohmann::json status) override;
  Task<Status> remove(PodId pod) override;
  void publish_event(PodId pod, bool is_warning, std::string reason, std::string message) override;

 private:
  k8s::Client& client_;
  k8s::EventRecorder& events_;
};

}  // namespace det::local
