#include "cli/place_deletion.h"

#include <chrono>
#include <utility>

#include "cli/confirm.h"

namespace det::cli {
namespace {

constexpr std::chrono::seconds kBetweenLooks{2};

std::string capitalized(std::string word) {
  word[0] = static_cast<char>(word[0] - 'a' + 'A');
  return word;
}

Task<Result<int>> wait_until_gone(Invocation in, MasterClient client, PlaceDeletion deletion) {
  for (;;) {
    co_await in.world.clock.sleep_for(kBetweenLooks);
    const auto answer = co_await client.get(deletion.path);
    if (!answer && answer.error().code == ErrorCode::kNotFound) break;
    DET_CO_TRY(answer);
    const Json place = field(*answer, deletion.kind);
    const std::string state = text_field(place, "state");
    if (state == "WORKSPACE_STATE_DELETE_FAILED") {
      co_return fail(ErrorCode::kFailedPrecondition, text_field(place, "errorMessage"));
    }
    if (state == "WORKSPACE_STATE_DELETING") {
      in.world.out << "Remaining " << deletion.contents << " count: " << integer_field(place, deletion.count)
                   << std::endl;
    }
  }
  in.world.out << capitalized(deletion.kind) << " deleted successfully.\n";
  co_return kDone;
}

}  // namespace

Task<Result<int>> delete_place(Invocation in, MasterClient client, PlaceDeletion deletion) {
  if (!deletion.question.empty()) {
    const auto sure = confirmed(in.world, deletion.question);
    DET_CO_TRY(sure);
    if (!*sure) {
      in.world.out << "Aborting " << deletion.kind << " deletion.\n";
      co_return kDone;
    }
  }
  const auto answer = co_await client.send("DELETE", deletion.path);
  DET_CO_TRY(answer);
  if (field(*answer, "completed") == true) {
    in.world.out << "Successfully deleted " << deletion.kind << " " << deletion.name << ".\n";
    co_return kDone;
  }
  in.world.out << "Started deletion of " << deletion.kind << " " << deletion.name << "..." << std::endl;
  co_return co_await wait_until_gone(in, std::move(client), std::move(deletion));
}

}  // namespace det::cli
