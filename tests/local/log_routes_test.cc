#include "local/log_routes.h"

#include <gtest/gtest.h>

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

}  // namespace
}  // namespace det::local
