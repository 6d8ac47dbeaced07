#pragma once

// Webhooks. Belongs to the io thread; Pool outlives it.

#include <optional>
#include <string>
#include <vector>

#include "pg/pool.h"
#include "store/webhooks/webhook_rows.h"

namespace det::store {

// Whose webhooks: of all workspaces, of those with this owner, or only those that belong to none.
struct WebhookReader {
  std::optional<model::UserId> owner;  // nothing: of everybody
  // Where roles rule: of these, and those of all workspaces only where this is nothing.
  std::optional<std::vector<model::WorkspaceId>> visible = {};
};

class WebhookStore {
 public:
  // Of one workspace, and as many that are of all.
  static constexpr int kMost = 20;

  explicit WebhookStore(pg::Pool& pool) : pool_(pool) {}

  Task<Result<std::optional<WebhookRow>>> find(std::int64_t id);
  // By id: those of all workspaces, and those of the reader's.
  Task<Result<std::vector<WebhookRow>>> list(WebhookReader reader);
  // By id: those that are told of what runs in it, its own and those of all workspaces.
  Task<Result<std::vector<WebhookRow>>> of_workspace(model::WorkspaceId workspace);
  // Gives it with its ids. kNotFound for an unknown workspace, kFailedPrecondition when it has kMost already. Notifies
  // kWebhookChannel.
  Task<Result<WebhookRow>> create(WebhookRow webhook);
  // What waits goes to the new URL, too. kNotFound when there is none.
  Task<Status> set_url(std::int64_t id, std::string url);
  // With what it has to tell. kNotFound when there is none. Notifies kWebhookChannel.
  Task<Status> remove(std::int64_t id);

 private:
  pg::Pool& pool_;
};

}  // namespace det::store
