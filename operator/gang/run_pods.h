#pragma once

// What every run needs beside its pods, and how pods go: the harness' ConfigMap, the Secret with the tokens, the pods
// of runs that are over. Every call may be repeated after a crash at any point. Belongs to the io thread.

#include <string>
#include <unordered_map>

#include "base/audit_log.h"
#include "base/bounded_map.h"
#include "base/clock.h"
#include "base/log.h"
#include "base/result.h"
#include "base/task.h"
#include "k8sclient/client.h"
#include "k8sclient/informer.h"
#include "operator/gang/gang_state.h"
#include "operator/gang/workload_key.h"
#include "pods/pod_builder.h"

namespace det::op {

class RunPods {
 public:
  RunPods(k8s::Client& client, Clock& clock, k8s::Informer<PodFacts>& pods, const pods::PodSettings& settings)
      : client_(client), clock_(clock), pods_(pods), settings_(settings) {}

  struct Tokens {
    std::string session;
    std::string user;
  };
  // The tokens of the run's Secret. It is made first: the database only ever sees the hash of a token that some Secret
  // holds, so that a crash between the two finds the same token again. The Secrets of the run before go: a trial that
  // starts over again and again would leave hundreds.
  Task<Result<Tokens>> ensure_secret(pods::TaskRequest request);
  // The Secrets beside that one: with what the image is pulled, and the task's files. Those of a run that waits for its
  // place are not asked for at each look.
  Task<Status> ensure_more_secrets(const pods::TaskRequest& request);
  // The ConfigMap with the harness in a namespace of tasks.
  Task<Status> ensure_bundle(std::string ns);

  // Those of the gang that are alive.
  Task<Status> remove(const GangState& gang, std::string reason, Logger log);
  // Pods of runs before `run` have nothing more to say; those of the last one stay for `kubectl logs`.
  Task<Status> remove_old(WorkloadKey owner, int run, bool run_is_open);

 private:
  Task<void> remove_secrets(pods::TaskRequest request);

  k8s::Client& client_;
  Clock& clock_;
  k8s::Informer<PodFacts>& pods_;
  const pods::PodSettings& settings_;
  BoundedMap<std::string, SteadyTime> more_secrets_{10'000};  // allocation -> when its Secrets were seen to be there
  std::unordered_map<std::string, SteadyTime> bundles_;  // when a namespace was seen to have the harness' ConfigMap
};

// For the audit log, where there is one: the run's tokens were made.
void note_tokens(AuditLog* audit, const pods::TaskRequest& request);

}  // namespace det::op
