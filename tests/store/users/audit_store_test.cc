#include "store/users/audit_store.h"

#include <gtest/gtest.h>

#include "base/clock.h"
#include "tests/store/fixture.h"

namespace det::store {
namespace {

AuditEvent event_at(WallTime at, std::string action) {
  AuditEvent event;
  event.at = at;
  event.action = std::move(action);
  event.user = std::string("a\0b\xff", 4);
  event.status = 403;
  return event;
}

struct AuditStoreTest : StoreTest {
  SystemClock clock;
  AuditStore store{pool, clock};
};

TEST_F(AuditStoreTest, WritesWhatWaitsOnce) {
  for (int i = 0; i < 1'200; ++i) store.add(event_at(clock.wall_now(), "denied"));
  must(store.flush());
  must(store.flush());
  EXPECT_EQ(sql("SELECT count(*)::text FROM audit_events WHERE action = 'denied' AND status = 403"), "1200");
  EXPECT_EQ(sql("SELECT DISTINCT username FROM audit_events"), "a b\xef\xbf\xbd")
      << "what no text can hold is replaced";
}

TEST_F(AuditStoreTest, RemovesWhatIsOlderThanItIsTold) {
  store.add(event_at(clock.wall_now() - std::chrono::days(31), "old"));
  store.add(event_at(clock.wall_now() - std::chrono::days(29), "young"));
  must(store.flush());
  EXPECT_EQ(must(store.remove_older(30)), 1);
  EXPECT_EQ(sql("SELECT string_agg(action, ',') FROM audit_events"), "young");
}

}  // namespace
}  // namespace det::store
