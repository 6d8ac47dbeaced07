#include "tests/simulation/removing.h"

#include <utility>
#include <vector>

#include <nlohmann/json.hpp>

namespace det::simulation {
namespace {

using nlohmann::json;
using std::chrono::milliseconds;

constexpr milliseconds kRetry{1'000};
constexpr int kFailed = 3;

}  // namespace

Removing::Removing(test::FakeClock& clock, Draw& draw, Replica& replica, Record& record,
                   std::map<std::string, std::string> environment, bool fails_first)
    : clock_(clock),
      draw_(draw),
      replica_(replica),
      record_(record),
      environment_(std::move(environment)),
      fails_first_(fails_first) {}

Task<int> Removing::run() {
  const bool fails = fails_first_ && record_.removals++ == 0;
  const std::string& listed = environment_["file:checkpoints_to_delete.json"];
  if (listed.empty()) co_return 0;  // it was to take away other files
  const json uuids = json::parse(listed);
  if (environment_["file:checkpoints_globs.json"] != R"(["**/*"])") co_return kFailed;
  store::CheckpointPatches patches;
  for (const std::string uuid : uuids) {
    co_await clock_.sleep_for(draw_.between(milliseconds(20), milliseconds(300)));
    if (!record_.unneeded.contains(uuid)) record_.removed.insert(uuid);  // once more is no mistake: it is gone
    if (fails) co_return kFailed;
    patches[uuid] = json::object();
  }
  for (;;) {
    const Status told = co_await replica_.checkpoints.patch(patches);
    if (told) co_return 0;
    if (told.error().code != ErrorCode::kUnavailable) co_return kFailed;
    co_await clock_.sleep_for(kRetry);
  }
}

}  // namespace det::simulation
