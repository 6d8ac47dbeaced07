#pragma once

// The queue of what webhooks have to tell, and what became of it. Belongs to the io thread; Pool outlives it.

#include <chrono>
#include <vector>

#include "pg/pool.h"
#include "store/webhooks/webhook_rows.h"

namespace det::store {

class DeliveryStore {
 public:
  explicit DeliveryStore(pg::Pool& pool) : pool_(pool) {}

  // At most `most` that are due, one of each webhook, and none of a webhook of which one is under way: what waits for a
  // webhook delays no other. First those of webhooks that were not slow, and of these that whose last attempt is
  // longest ago. They are the caller's for `lease`: who dies with one leaves it to the next who asks after that.
  Task<Result<std::vector<DueDelivery>>> claim(int most, std::chrono::seconds lease, Receivers whose);
  Task<Status> finish(std::int64_t id, DeliveryOutcome outcome);
  // When the next one can be claimed; nothing when none waits.
  Task<Result<std::optional<WallTime>>> next_due(Receivers whose);
  // Of one webhook, the latest first.
  Task<Result<Paged<DeliveryRow>>> list(std::int64_t webhook, Page page);
  // Of what has arrived or been given up before `before`; says of how many.
  Task<Result<int>> forget_old(WallTime before);

 private:
  pg::Pool& pool_;
};

}  // namespace det::store
