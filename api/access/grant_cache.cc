#include "api/access/grant_cache.h"

#include <utility>

namespace det::api {
namespace {

// Should a notification be lost with its connection.
constexpr std::chrono::seconds kFreshFor{10};
constexpr std::chrono::minutes kStaleFor{60};

}  // namespace

Task<Result<std::shared_ptr<const model::Grants>>> GrantCache::of(model::UserId user) {
  const SteadyTime now = clock_.steady_now();
  std::shared_ptr<const model::Grants> before;
  if (const Known* known = known_.find(user)) {
    const bool is_current = known->epoch == epoch_;
    if (is_current && now - known->read_at < kFreshFor) co_return known->grants;
    if (is_current && now - known->read_at < kStaleFor) before = known->grants;
  }
  const std::int64_t epoch = epoch_;
  auto read = co_await store_.grants_of(user);
  if (!read) {
    const ErrorCode code = read.error().code;
    const bool is_away = code == ErrorCode::kUnavailable || code == ErrorCode::kDeadlineExceeded;
    if (is_away && before) co_return before;
    co_return std::unexpected(std::move(read).error());
  }
  auto grants = std::make_shared<const model::Grants>(std::move(*read));
  known_.put(user, Known{.grants = grants, .read_at = now, .epoch = epoch});
  co_return grants;
}

void GrantCache::forget_all() {
  ++epoch_;
}

}  // namespace det::api
