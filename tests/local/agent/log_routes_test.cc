#include "local/agent/log_routes.h"

#include <gtest/gtest.h>
#include <boost/asio/io_context.hpp>

#include "http/target.h"
#include "tests/local/scratch.h"
#include "tests/support/run_task.h"

namespace det::local {
namespace {

http::Params params(std::initializer_list<std::pair<std::string, std::string>> fields) {
  http::Params out;
  for (const auto& [name, value] : fields) out.add(name, value);
  return out;
}

TEST(ParseLogQuery, ReadsEverythingThatKubectlSends) {
  const WallTime now(std::chrono::seconds(1'700'000'000));
  const auto query = parse_log_query(params({{"follow", "true"},
                                             {"tailLines", "5"},
                                             {"limitBytes", "100"},
                                             {"sinceSeconds", "60"},
                                             {"timestamps", "true"},
                                             {"previous", "true"}}),
                                     now);
  ASSERT_TRUE(query);
  EXPECT_TRUE(query->follow && query->timestamps && query->previous);
  EXPECT_EQ(query->tail_lines, 5);
  EXPECT_EQ(query->limit_bytes, 100);
  EXPECT_EQ(query->since, now - std::chrono::seconds(60));
}

TEST(ParseLogQuery, NamesTheParameterThatIsWrong) {
  EXPECT_EQ(parse_log_query(params({{"tailLines", "-1"}}), {}).error().message,
            "tailLines=-1 is not a number; use 0 or more");
  EXPECT_EQ(parse_log_query(params({{"sinceTime", "today"}}), {}).error().field, "sinceTime");
}

struct LogServer : testing::Test {
  LogServer() {
    auto find = [this](const std::string&, const std::string&, const std::string& container, bool) {
      asked.push_back(container);
      return Result<std::string>(scratch.path());
    };
    add_log_routes(router, find, "secret", clock, pool);
  }
  ~LogServer() override { pool.join(); }

  int status(const std::string& target, const std::string& authorization) {
    auto parsed = http::parse_target(target);
    if (!parsed) return 400;  // the server's own answer
    http::Router::Match match = router.find("GET", parsed->segments);
    http::Request request;
    request.params = std::move(match.params);
    if (!authorization.empty()) request.headers.add("Authorization", authorization);
    return det::test::run_task(io, match.route->handler(request)).status;
  }

  asio::io_context io;
  asio::thread_pool pool{1};
  SystemClock clock;
  test::Scratch scratch;
  http::Router router;
  std::vector<std::string> asked;
};

TEST_F(LogServer, TellsNothingToThoseWithoutTheToken) {
  EXPECT_EQ(status("/containerLogs/ns/p/c", ""), 401);
  EXPECT_EQ(status("/containerLogs/ns/p/c", "Bearer secre"), 401);
  EXPECT_EQ(status("/containerLogs/ns/p/c", "Basic secret"), 401);
  EXPECT_TRUE(asked.empty());
  EXPECT_EQ(status("/containerLogs/ns/p/c", "Bearer secret"), 200);
}

TEST_F(LogServer, TakesNoPathForAName) {
  for (const char* name : {"..%2f..%2fother%2fcontainers%2fmain", "..", "%2e%2e", "a%00b"}) {
    EXPECT_GE(status(std::string("/containerLogs/ns/p/") + name, "Bearer secret"), 400) << name;
    EXPECT_GE(status(std::string("/containerLogs/ns/") + name + "/c", "Bearer secret"), 400) << name;
  }
  EXPECT_TRUE(asked.empty());
}

}  // namespace
}  // namespace det::local
