#include "proxy/services.h"

#include <boost/asio/co_spawn.hpp>

#include "tests/store/fixture.h"

namespace det::proxy {
namespace {

using Found = Result<std::optional<store::ProxyService>>;

struct ServicesSoon : store::StoreTest {
  // Whose allocation is `task`.1, and which has published nothing.
  std::string started_task() {
    return sql("SELECT k.id FROM tasks k JOIN allocations a ON a.task_number = k.number WHERE a.trial_id = " +
               to_string(started_trial().id));
  }
  void publish(const std::string& task) {
    store::ProxyService made;
    made.id = task + ":6000";
    made.address = "10.244.0.7";
    made.port = 6000;
    made.owner = {2};
    must(store_.publish(must(cluster.load_or_create()).epoch, task + ".1", {made}));
    services.forget_task(task);  // as the notice of kProxyChannel does
  }
  SystemClock clock;
  store::ServiceStore store_{pool};
  Services services{clock, store_};
};

TEST_F(ServicesSoon, WaitForATaskThatHasJustStarted) {
  const std::string task = started_task();
  std::optional<Found> found;
  asio::co_spawn(io, services.find_soon(task + ":6000"),
                 [&](const std::exception_ptr&, Found result) { found = std::move(result); });
  // Whoever asks without patience hears that there is none yet, while the other waits.
  EXPECT_FALSE(must(services.find(task + ":6000")));
  EXPECT_FALSE(found);
  publish(task);
  test::run_until(io, [&] { return found.has_value(); });
  ASSERT_TRUE(found->has_value());
  ASSERT_TRUE(**found);
  EXPECT_EQ((**found)->port, 6000);
}

TEST_F(ServicesSoon, DoNotWaitForWhatNobodyStarted) {
  const std::string task = started_task();
  publish(task);
  struct NobodyMaySleep final : Clock {
    [[nodiscard]] SteadyTime steady_now() const override { return {}; }
    [[nodiscard]] WallTime wall_now() const override { return {}; }
    Task<void> sleep_for(std::chrono::nanoseconds) override {
      ADD_FAILURE() << "waits";
      co_return;
    }
  } now;
  Services answered_now{now, store_};
  // Neither a task that is not there, nor a port that a task does not have beside those it published.
  for (const std::string& id : {std::string("nobody:1"), task + ":1", task, std::string(300, 'x')}) {
    EXPECT_FALSE(must(answered_now.find_soon(id)));
  }
  EXPECT_FALSE(must(store_.find(task)).is_expected);
  EXPECT_FALSE(must(store_.find(task + ":1")).is_expected);
  must(allocations.end(task + ".1", "ended", 0));
  EXPECT_FALSE(must(store_.find(task)).is_expected);
}

}  // namespace
}  // namespace det::proxy
