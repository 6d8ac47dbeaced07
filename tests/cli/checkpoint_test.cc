#include "tests/cli/fixture.h"

namespace det::cli {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

struct Checkpoints : CliTest {
  Checkpoints() {
    variables = {{"DET_USER", "ann"}, {"DET_USER_TOKEN", "T"}};  // no login in the way
  }
};

TEST_F(Checkpoints, ThatAreHeldAreCountedAndReleased) {
  http.answer(200, {{"experiments", 3}, {"checkpoints", 40}, {"bytes", 5000}});
  EXPECT_THAT(det({"checkpoint", "held"}).out, HasSubstr("3 experiments"));
  http.answer(200, {{"experiments", 3}});
  EXPECT_THAT(det({"c", "release-held"}).out, HasSubstr("3 experiments follow their checkpoint policies now"));
  EXPECT_THAT(http.asked(), ElementsAre("GET /api/v1/held-checkpoints", "POST /api/v1/held-checkpoints/release"));
  http.answer(403, {{"message", "user does not have permission"}});
  EXPECT_THAT(det({"c", "release-held"}).err, HasSubstr("permission"));
}

}  // namespace
}  // namespace det::cli
