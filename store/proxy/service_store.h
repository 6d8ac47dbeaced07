#pragma once

// The ports of tasks that the proxy reaches, and when somebody last asked for them. The leader publishes, every replica
// reads. Belongs to the io thread; Pool outlives it. What an ended allocation published does not exist. Publishing and
// withdrawing notify kProxyChannel.

#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/wall_time.h"
#include "model/ids.h"
#include "pg/pool.h"
#include "store/cluster/epoch.h"

namespace det::store {

struct ProxyService {
  std::string id;  // "<task id>" or "<task id>:<port>"
  std::string task_id;
  std::string allocation_id;
  std::string address;  // IP of the pod
  int port = 0;
  bool is_tcp = false;              // raw TCP over websocket
  bool is_unauthenticated = false;  // the program behind it checks who comes (sshd with keys)
  bool is_tls = false;              // the program speaks TLS with a certificate of its own (not verified)
  bool is_shared = false;           // everybody who is logged in may (TensorBoards); else owner and admins
  model::UserId owner;
  std::string token_hash;  // SHA-256 hex of the notebook's token; empty: none

  bool operator==(const ProxyService&) const = default;
};

struct FoundService {
  std::optional<ProxyService> service;
  bool is_expected = false;  // there is none, but a task runs that it would be of, and which has published nothing yet
};

class ServiceStore {
 public:
  explicit ServiceStore(pg::Pool& pool) : pool_(pool) {}

  // In place of what the allocation's task had; writes nothing when that is the same. `last_request` of a task goes on
  // where it had services, and starts now where it had none. kNotFound for an unknown allocation, kInvalidArgument for
  // a service of another task; one that has ended has no services.
  Task<Status> publish(Epoch epoch, std::string allocation_id, std::vector<ProxyService> services);
  // All of the task's; success when there are none.
  Task<Status> withdraw(Epoch epoch, std::string task_id);

  // Of all allocations that have not ended, by the allocation's id, in the order of their ids.
  Task<Result<std::map<std::string, std::vector<ProxyService>>>> open();

  // Without its token where the owner was switched off.
  Task<Result<FoundService>> find(std::string id);

  // When somebody asked for services; the latest of a service counts. Ids that are unknown are passed over.
  Task<Status> note_requests(std::vector<std::pair<std::string, WallTime>> requests);
  // By task id; tasks without services are left out.
  Task<Result<std::map<std::string, WallTime>>> last_requests(std::vector<std::string> task_ids);

  // What tickets and cookies are signed with: made by the first call ever, the same from then on.
  Task<Result<std::string>> signing_key();
  // True the first time. Forgets those that are no good any more.
  Task<Result<bool>> use_ticket(std::string nonce, WallTime expires_at);

 private:
  pg::Pool& pool_;
};

}  // namespace det::store
