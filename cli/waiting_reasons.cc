#include "cli/waiting_reasons.h"

#include "base/printable.h"
#include "cli/text.h"

namespace det::cli {
namespace {

constexpr int kMostAsked = 5;

}  // namespace

Task<void> tell_waiting_reasons(World& world, MasterClient client, Json experiments) {
  int asked = 0;
  for (const Json& experiment : experiments) {
    if (text_field(experiment, "state") != "STATE_QUEUED") continue;
    if (++asked > kMostAsked) break;
    const std::string id = field(experiment, "id").dump();
    const auto answer = co_await client.get("/api/v1/job-queues/" + path_segment(id) + "/reason");
    if (!answer) co_return;
    std::string reason = printable(text_field(*answer, "reason"));
    if (reason.starts_with('e')) reason[0] = 'E';
    if (!reason.empty()) world.err << reason << "\n";
  }
}

}  // namespace det::cli
