#include "local/agent/status_reporter.h"

#include "k8sclient/api_error.h"

namespace det::local {

StatusReporter::StatusReporter(PodApi& api, Clock& clock, asio::any_io_executor executor, PodId pod)
    : api_(api),
      clock_(clock),
      pod_(std::move(pod)),
      log_(Logger("node-agent").with({"pod", pod_.ns + "/" + pod_.name})),
      changed_(executor),
      sent_(executor) {}

void StatusReporter::set(nlohmann::json status) {
  if (status == status_) return;
  status_ = std::move(status);
  ++set_version_;
  changed_.notify_all();
}

Task<void> StatusReporter::run() {
  for (;;) {
    const auto seen = changed_.version();
    if (sent_version_ == set_version_ || is_gone_) {
      co_await changed_.wait(seen, std::chrono::hours(1));
      continue;
    }
    const auto version = set_version_;
    nlohmann::json status = status_;
    const Status sent = co_await api_.patch_status(pod_, std::move(status));
    const bool is_gone = !sent && (sent.error().code == ErrorCode::kNotFound || k8s::is_of_another_uid(sent.error()));
    if (!sent && !is_gone) {
      log_.warn("pod status was not accepted", {{"error", sent.error().message}});
      co_await clock_.sleep_for(std::chrono::seconds(2));
      continue;
    }
    is_gone_ = is_gone;
    sent_version_ = version;
    sent_.notify_all();
  }
}

Task<void> StatusReporter::flush() {
  while (sent_version_ != set_version_ && !is_gone_) {
    const auto seen = sent_.version();
    co_await sent_.wait(seen, std::chrono::hours(1));
  }
}

}  // namespace det::local
