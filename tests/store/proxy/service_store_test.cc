#include "store/proxy/service_store.h"

#include "tests/store/fixture.h"

namespace det::store {
namespace {

struct Services : StoreTest {
  Epoch epoch() { return must(cluster.load_or_create()).epoch; }
  std::string task_of(const TrialRow& trial) {
    return sql("SELECT k.id FROM tasks k JOIN allocations a ON a.task_number = k.number WHERE a.trial_id = " +
               to_string(trial.id));
  }
  std::string allocation_of(const std::string& task) { return task + ".1"; }
  static ProxyService service(const std::string& id, int port = 8888) {
    ProxyService made;
    made.id = id;
    made.address = "10.244.0.7";
    made.port = port;
    made.owner = {2};
    made.token_hash = sha256_hex("t");
    return made;
  }
  ServiceStore services{pool};
};

TEST_F(Services, AreFoundAsTheyWerePublished) {
  const std::string task = task_of(started_trial());
  ProxyService shell = service(task + ":22", 22);
  shell.is_tcp = shell.is_unauthenticated = shell.is_tls = shell.is_shared = true;
  must(services.publish(epoch(), allocation_of(task), {shell, service(task)}));
  shell.task_id = task;
  shell.allocation_id = allocation_of(task);
  EXPECT_EQ(must(services.find(task + ":22")).service, shell);
  EXPECT_EQ(must(services.find(task)).service.value().port, 8888);
  EXPECT_FALSE(must(services.find("other")).service);
}

TEST_F(Services, PublishedAgainAreWrittenOnlyWhenTheyDiffer) {
  const std::string task = task_of(started_trial());
  must(services.publish(epoch(), allocation_of(task), {service(task), service(task + ":1", 1)}));
  const std::string before = sql("SELECT string_agg(xmin::text, ',' ORDER BY id) FROM proxy_services");
  must(services.publish(epoch(), allocation_of(task), {service(task + ":1", 1), service(task)}));
  EXPECT_EQ(sql("SELECT string_agg(xmin::text, ',' ORDER BY id) FROM proxy_services"), before);
  must(services.publish(epoch(), allocation_of(task), {service(task, 9999)}));
  EXPECT_EQ(must(services.find(task)).service.value().port, 9999);
  EXPECT_FALSE(must(services.find(task + ":1")).service);
}

TEST_F(Services, OfRunsThatHaveNotEndedAreListed) {
  const std::string one = task_of(started_trial("01"));
  const std::string other = task_of(started_trial("02"));
  EXPECT_TRUE(must(services.open()).empty());
  must(services.publish(epoch(), allocation_of(one), {service(one + ":2", 2), service(one + ":1", 1)}));
  must(services.publish(epoch(), allocation_of(other), {service(other)}));
  auto open = must(services.open());
  EXPECT_EQ(open.size(), 2U);
  ASSERT_EQ(open[allocation_of(one)].size(), 2U);
  EXPECT_EQ(open[allocation_of(one)][0], must(services.find(one + ":1")).service);
  must(allocations.end(allocation_of(one), "ended", 0));
  open = must(services.open());
  EXPECT_EQ(open.size(), 1U);
  EXPECT_EQ(open[allocation_of(other)].size(), 1U);
}

TEST_F(Services, GoWithTheirAllocationAndWhenTheyAreWithdrawn) {
  const std::string task = task_of(started_trial());
  must(services.publish(epoch(), allocation_of(task), {service(task)}));
  must(services.withdraw(epoch(), task));
  EXPECT_FALSE(must(services.find(task)).service);
  must(services.withdraw(epoch(), task));
  must(services.publish(epoch(), allocation_of(task), {service(task)}));
  must(allocations.end(allocation_of(task), "ended", 0));
  EXPECT_FALSE(must(services.find(task)).service);
  must(services.publish(epoch(), allocation_of(task), {service(task)}));
  EXPECT_EQ(sql("SELECT count(*) FROM proxy_services"), "0") << "an ended allocation has none";
}

TEST_F(Services, OfAnotherTaskOrLeaderAreRefused) {
  const std::string task = task_of(started_trial());
  const auto foreign = run(services.publish(epoch(), allocation_of(task), {service("other")}));
  ASSERT_FALSE(foreign);
  EXPECT_EQ(foreign.error().code, ErrorCode::kInvalidArgument);
  const auto unknown = run(services.publish(epoch(), "no.1", {}));
  ASSERT_FALSE(unknown);
  EXPECT_EQ(unknown.error().code, ErrorCode::kNotFound);
  const Epoch before = epoch();
  must(cluster.raise_epoch());
  EXPECT_EQ(run(services.publish(before, allocation_of(task), {service(task)})).error().code,
            ErrorCode::kFailedPrecondition);
  EXPECT_EQ(run(services.withdraw(before, task)).error().code, ErrorCode::kFailedPrecondition);
}

TEST_F(Services, RememberTheLatestRequestThroughARepublish) {
  const std::string task = task_of(started_trial());
  must(services.publish(epoch(), allocation_of(task), {service(task), service(task + ":1", 1)}));
  const WallTime published = must(services.last_requests({task, "other"})).at(task);
  const WallTime later = published + std::chrono::seconds(10);
  must(services.note_requests({{task + ":1", later}, {task, published - std::chrono::hours(1)}, {"other", later}}));
  EXPECT_EQ(must(services.last_requests({task})).at(task), later);
  must(services.note_requests({{task + ":1", published}}));
  EXPECT_EQ(must(services.last_requests({task})).at(task), later) << "the latest counts";
  must(services.publish(epoch(), allocation_of(task), {service(task, 7)}));
  EXPECT_EQ(must(services.last_requests({task})).at(task), later);
  EXPECT_TRUE(must(services.last_requests({"other"})).empty());
}

TEST_F(Services, ShareOneKeyAndTakeATicketOnce) {
  const std::string key = must(services.signing_key());
  EXPECT_GE(key.size(), 40U);
  EXPECT_EQ(must(services.signing_key()), key);
  const WallTime soon = SystemClock().wall_now() + std::chrono::seconds(30);
  EXPECT_TRUE(must(services.use_ticket("n", soon)));
  EXPECT_FALSE(must(services.use_ticket("n", soon)));
  EXPECT_TRUE(must(services.use_ticket("old", soon - std::chrono::minutes(10))));
  EXPECT_TRUE(must(services.use_ticket("m", soon)));
  EXPECT_EQ(sql("SELECT count(*) FROM proxy_used_tickets"), "2") << "what has ended is forgotten";
}

}  // namespace
}  // namespace det::store
