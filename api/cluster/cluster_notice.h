#pragma once

// What administrators tell everybody, as GET master shows it: strangers ask for that, so the database is asked once in
// a while only. Belongs to the io thread; the store and the clock outlive it.

#include <optional>

#include "base/clock.h"
#include "store/cluster/cluster_message_store.h"
#include "wire/forms.h"

namespace det::api {

// v1ClusterMessage.
[[nodiscard]] wire::Json cluster_message_json(const store::ClusterMessage& message);

class ClusterNotice {
 public:
  ClusterNotice(Clock& clock, store::ClusterMessageStore& messages) : clock_(clock), messages_(messages) {}

  // What is to be shown now; nothing also while the database is away.
  Task<std::optional<store::ClusterMessage>> shown();
  // It was changed here.
  void forget() { asked_at_.reset(); }

 private:
  Clock& clock_;
  store::ClusterMessageStore& messages_;
  std::optional<store::ClusterMessage> known_;
  std::optional<SteadyTime> asked_at_;
};

}  // namespace det::api
