#include "tests/cli/fixture.h"

namespace det::cli {
namespace {

using testing::ElementsAre;

struct Resources : CliTest {
  Resources() { variables = {{"DET_USER", "ann"}, {"DET_USER_TOKEN", "T"}}; }  // no login in the way
};

TEST_F(Resources, ArePrintedAsTheyCome) {
  http.stream_chunks({"a,b\n", "1,2\n"}, test::StreamEnd::kEnds);
  EXPECT_EQ(det({"res", "raw", "2026-11-01T00:00:00Z", "2026-11-02T00:00:00Z"}).out, "a,b\n1,2\n");
  http.stream_chunks({"{}"}, test::StreamEnd::kEnds);
  EXPECT_EQ(det({"resources", "raw", "--json", "x", "y"}).out, "{}");
  http.stream_chunks({"a\n"}, test::StreamEnd::kEnds);
  det({"res", "alloc", "x", "y"});
  http.stream_chunks({"a\n"}, test::StreamEnd::kEnds);
  det({"res", "agg", "2026-10", "2026-11", "--monthly"});
  EXPECT_THAT(http.asked(),
              ElementsAre("GET /resources/allocation/raw?timestamp_after=2026-11-01T00%3A00%3A00Z&timestamp_before="
                          "2026-11-02T00%3A00%3A00Z",
                          "GET /api/v1/resources/allocation/raw?timestamp_after=x&timestamp_before=y",
                          "GET /resources/allocation/allocations-csv?timestamp_after=x&timestamp_before=y",
                          "GET /resources/allocation/aggregated?start_date=2026-10&end_date=2026-11&period="
                          "RESOURCE_ALLOCATION_AGGREGATION_PERIOD_MONTHLY"));
}

}  // namespace
}  // namespace det::cli
