#pragma once

// Names of the NOTIFY channels the stores write to, inside the transaction that made the change (pg/listener.h reads
// them). The payload narrows down where to look; an empty one means "anywhere".

#include <string>
#include <vector>

namespace det::store {

// Space-separated experiment ids whose searcher has new events.
inline constexpr const char* kSearcherChannel = "det_searcher";
// One allocation id: resources, readiness or preemption changed.
inline constexpr const char* kAllocationChannel = "det_allocation";
// One allocation id: it ended, and its tokens are good no more.
inline constexpr const char* kAllocationEndChannel = "det_allocation_end";
// Space-separated task numbers that have new log lines.
inline constexpr const char* kLogChannel = "det_log";
// "e<experiment id>" or "t<trial id>": the row's state changed.
inline constexpr const char* kStateChannel = "det_state";
// One experiment id whose search has told its runner something.
inline constexpr const char* kRunnerChannel = "det_runner";
// One user id: the password was changed, the user was activated or deactivated, or a login of theirs has ended.
inline constexpr const char* kUserChannel = "det_user";
// One id of a task that people start one by one: its row or its run changed.
inline constexpr const char* kTaskChannel = "det_task";

// What is to be removed from storage changed. No payload.
inline constexpr const char* kRemovalChannel = "det_removal";
// One task id: what the proxy reaches of it changed.
inline constexpr const char* kProxyChannel = "det_proxy";

// "queue": something waits to be sent; "hooks": webhooks changed.
inline constexpr const char* kWebhookChannel = "det_webhook";

// Who has which role changed, or who is in which group. No payload.
inline constexpr const char* kAccessChannel = "det_access";

// Somebody gave a job another place in the queue. No payload.
inline constexpr const char* kQueueChannel = "det_queue";

// A word: the level that every replica is to log at.
inline constexpr const char* kLogLevelChannel = "det_log_level";

// What pages watch changed (store/schema/046_live.sql). Space-separated words: "e<experiment>",
// "t<trial>:<experiment>", "r<trial>:<experiment>" of a trial that reported metrics, "k<task id>" of those that people
// start one by one, "m" the model registry, "w" workspaces and projects.
inline constexpr const char* kLiveChannel = "det_live";

[[nodiscard]] inline std::vector<std::string> all_channels() {
  return {kSearcherChannel, kAllocationChannel, kAllocationEndChannel, kLogChannel,    kStateChannel,
          kRunnerChannel,   kUserChannel,       kTaskChannel,          kProxyChannel,  kRemovalChannel,
          kWebhookChannel,  kQueueChannel,      kLogLevelChannel,      kAccessChannel, kLiveChannel};
}

}  // namespace det::store
