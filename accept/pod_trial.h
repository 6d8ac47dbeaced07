#pragma once

// Asks the API server whether it would take a pod, without making it: schema, quotas, Pod Security and every other
// admission of the cluster. What was taken lately is not asked again, so that a hundred alike experiments cost one
// question. Belongs to the io thread.

#include <optional>
#include <string>

#include <nlohmann/json.hpp>

#include "accept/submission.h"
#include "base/bounded_map.h"
#include "base/clock.h"
#include "base/result.h"
#include "base/task.h"
#include "k8sclient/client.h"

namespace det::accept {

class PodTrial {
 public:
  PodTrial(k8s::Client& kubernetes, Clock& clock) : kubernetes_(kubernetes), clock_(clock) {}

  // Nothing when it would be taken. An Error when the API server could not say.
  Task<Result<std::optional<Objection>>> run(std::string ns, nlohmann::json pod);

 private:
  k8s::Client& kubernetes_;
  Clock& clock_;
  BoundedMap<std::string, SteadyTime> taken_{1000};  // digest of namespace and pod: until when it holds
};

}  // namespace det::accept
