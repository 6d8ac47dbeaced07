#include "api/cluster/cluster_notice.h"

namespace det::api {

namespace {

constexpr std::chrono::seconds kFresh{5};

}  // namespace

wire::Json cluster_message_json(const store::ClusterMessage& message) {
  return {{"message", message.text},
          {"startTime", wire::time(message.start)},
          {"endTime", message.end ? wire::Json(wire::time(*message.end)) : wire::Json()},
          {"createdTime", wire::time(message.created_at)}};
}

Task<std::optional<store::ClusterMessage>> ClusterNotice::shown() {
  const SteadyTime now = clock_.steady_now();
  if (!asked_at_ || now - *asked_at_ >= kFresh) {
    // Who comes meanwhile believes what was known.
    asked_at_ = now;
    auto found = co_await messages_.find();
    if (found) known_ = std::move(*found);
  }
  const WallTime wall = clock_.wall_now();
  if (!known_ || known_->start > wall || (known_->end && *known_->end <= wall)) co_return std::nullopt;
  co_return known_;
}

}  // namespace det::api
