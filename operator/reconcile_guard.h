#pragma once

// What a reconcile throws is a fault of this program's own. It costs that object a back-off and is told on it; all
// others go on.

#include <functional>
#include <optional>
#include <string>
#include <utility>

#include <nlohmann/json.hpp>

#include "base/clock.h"
#include "base/log.h"
#include "base/result.h"
#include "base/task.h"
#include "k8sclient/client.h"
#include "k8sclient/controller.h"
#include "k8sclient/event_recorder.h"
#include "k8sclient/informer.h"

namespace det::op {

// An object that is reconciled, as our copy has it.
struct Reconciled {
  k8s::EventSubject subject;
  std::int64_t generation = 0;
  nlohmann::json status;
};

// Nothing where it is gone, or going.
template <typename Kept>
std::optional<Reconciled> reconciled(const k8s::Informer<Kept>& informer, const k8s::Resource& resource,
                                     const std::string& key) {
  const Kept* kept = informer.find(k8s::parse_object_key(key));
  if (kept == nullptr || kept->head.deleting) return std::nullopt;
  auto view = kept->unpack();
  return Reconciled{.subject = {.resource = resource, .key = view.key, .uid = view.uid},
                    .generation = view.generation,
                    .status = std::move(view.status)};
}

class ReconcileGuard {
 public:
  ReconcileGuard(k8s::Client& client, k8s::EventRecorder& events, Clock& clock)
      : client_(client), events_(events), clock_(clock) {}

  // As `reconcile`. When that throws, the object (nothing where it is gone) says Stalled=True, InternalError, until a
  // reconcile succeeds; an event says so too, and the answer is kInternal, so that it is tried again. Belongs to the io
  // thread.
  Task<Result<k8s::Outcome>> run(Task<Result<k8s::Outcome>> reconcile,
                                 std::function<std::optional<Reconciled>()> object, Logger log);

 private:
  Task<void> tell(Reconciled object, std::string what, Logger log);

  k8s::Client& client_;
  k8s::EventRecorder& events_;
  Clock& clock_;
};

}  // namespace det::op
