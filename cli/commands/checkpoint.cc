// det checkpoint.

#include "cli/login.h"
#include "cli/program.h"

namespace det::cli {
namespace {

struct NoOptions {};

Task<Result<int>> held(Invocation in, NoOptions) {
  auto session = co_await open_session(in);
  DET_CO_TRY(session);
  const auto answer = co_await session->client.get("/api/v1/held-checkpoints");
  DET_CO_TRY(answer);
  in.world.out << field(*answer, "experiments")
               << " experiments that ended before the checkpoint policies took effect keep "
               << field(*answer, "checkpoints") << " checkpoints, " << field(*answer, "bytes") << " bytes\n";
  co_return kDone;
}

Task<Result<int>> release_held(Invocation in, NoOptions) {
  auto session = co_await open_session(in);
  DET_CO_TRY(session);
  const auto answer = co_await session->client.send("POST", "/api/v1/held-checkpoints/release");
  DET_CO_TRY(answer);
  in.world.out << field(*answer, "experiments")
               << " experiments follow their checkpoint policies now: what those give up is being removed\n";
  co_return kDone;
}

}  // namespace

void add_checkpoint_commands(Program& program) {
  CLI::App* group = program.add_group(program.root(), "checkpoint", {"c"}, "manage checkpoints");
  const auto add = [&](const std::string& name, const std::string& help, Command<NoOptions> command) {
    program.runs(program.add_leaf(*group, name, {}, help), std::make_shared<NoOptions>(), command);
  };
  add("held", "what ended before the checkpoint policies took effect, and is kept whole", held);
  add("release-held", "make it follow its policies, as an administrator", release_held);
}

}  // namespace det::cli
