#include "proxy/services.h"

#include <chrono>

namespace det::proxy {
namespace {

constexpr std::chrono::seconds kFresh{10};
constexpr std::chrono::seconds kFreshNothing{1};  // it may be published any moment
constexpr std::size_t kMaxId = 256;
constexpr std::chrono::seconds kPatience{5};
constexpr std::chrono::milliseconds kLook{50};

// One of those who wait, until its end however it comes.
class CountedWait {
 public:
  explicit CountedWait(int& waiting) : waiting_(waiting) { ++waiting_; }
  ~CountedWait() { --waiting_; }
  CountedWait(const CountedWait&) = delete;
  CountedWait& operator=(const CountedWait&) = delete;

 private:
  int& waiting_;
};

}  // namespace

Task<Result<store::FoundService>> Services::look_up(std::string id) {
  if (id.size() > kMaxId) co_return store::FoundService{};
  const SteadyTime now = clock_.steady_now();
  std::optional<store::FoundService> before;
  if (Known* known = known_.find(id)) {
    if (now - known->asked_at < (known->found.service ? kFresh : kFreshNothing)) co_return known->found;
    if (known->found.service) before = known->found;
    known->asked_at = now;  // one request asks, the others believe what was known
  }
  const std::uint64_t changes = changes_;
  auto found = co_await store_.find(id);
  if (!found && before) co_return *before;
  if (found && changes == changes_) known_.put(id, {.found = *found, .asked_at = now});
  co_return found;
}

Task<Result<std::optional<store::ProxyService>>> Services::find(std::string id) {
  auto found = co_await look_up(std::move(id));
  if (!found) co_return std::unexpected(found.error());
  co_return std::move(found->service);
}

Task<Result<std::optional<store::ProxyService>>> Services::find_soon(std::string id) {
  auto found = co_await look_up(id);
  if (waiting_ < kMaxWaiting) {
    const CountedWait wait(waiting_);
    const SteadyTime end = clock_.steady_now() + kPatience;
    while (found && !found->service && found->is_expected && clock_.steady_now() < end) {
      co_await clock_.sleep_for(kLook);
      found = co_await look_up(id);
    }
  }
  if (!found) co_return std::unexpected(found.error());
  co_return std::move(found->service);
}

void Services::forget_task(const std::string& task_id) {
  ++changes_;
  known_.erase_if([&](const std::string& id, const Known&) {
    return id.starts_with(task_id) && (id.size() == task_id.size() || id[task_id.size()] == ':');
  });
}

void Services::forget_allocation(const std::string& allocation_id) {
  ++changes_;
  known_.erase_if([&](const std::string&, const Known& known) {
    return known.found.service && known.found.service->allocation_id == allocation_id;
  });
}

void Services::forget_all() {
  ++changes_;
  known_.clear();
}

}  // namespace det::proxy
