#pragma once

// How the pods of a gang come to run together. One interface for all ways; the reconciler knows no other. Belongs to
// the io thread.

#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "k8sclient/client.h"

namespace det::op {

struct Gang {
  std::string ns;
  std::string name;  // of the run: "<trial object>-<run>"
  int size = 1;
  std::vector<nlohmann::json> pods;  // those that do not exist yet
};

class GangBackend {
 public:
  virtual ~GangBackend() = default;
  [[nodiscard]] virtual std::string name() const = 0;
  // Makes what is missing of the gang. Safe to call again after any failure. kInvalidArgument: the API server will
  // never take these pods.
  virtual Task<Status> create(Gang gang) = 0;
};

// Creates the pods and leaves each of them to kube-scheduler.
class KubeSchedulerBackend final : public GangBackend {
 public:
  explicit KubeSchedulerBackend(k8s::Client& client) : client_(client) {}
  [[nodiscard]] std::string name() const override { return "kube-scheduler"; }
  Task<Status> create(Gang gang) override;

 private:
  k8s::Client& client_;
};

// Creates `object`, or finds the one that an earlier try made: "already exists" is success only if the same owner made
// it, otherwise kAborted (an old object of that name still has to go). Returns the object as the server has it.
Task<Result<nlohmann::json>> create_owned(k8s::Client& client, k8s::Resource resource, std::string ns,
                                          nlohmann::json object);

}  // namespace det::op
