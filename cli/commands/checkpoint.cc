// det checkpoint.

#include <string_view>

#include "base/uuid.h"
#include "cli/checkpoint_download.h"
#include "cli/confirm.h"
#include "cli/experiment_tables.h"
#include "cli/login.h"
#include "cli/program.h"

namespace det::cli {
namespace {

struct NoOptions {};

struct DescribeOptions {
  std::string uuid;
};

struct FetchOptions {
  std::string uuid;
  std::string mode = "auto";
  DownloadTarget target;
};

struct RemoveOptions {
  std::string uuids;  // with commas between them
  std::vector<std::string> globs;
  bool yes = false;
};

std::vector<std::string> parts_of(std::string_view list) {
  std::vector<std::string> parts;
  while (true) {
    const auto comma = list.find(',');
    parts.emplace_back(list.substr(0, comma));
    if (comma == std::string_view::npos) return parts;
    list.remove_prefix(comma + 1);
  }
}

// A check: one UUID, or where several may stand also more with commas between them.
CLI::Validator uuids(bool may_be_several) {
  const auto check = [may_be_several](std::string& text) -> std::string {
    for (const std::string& part : may_be_several ? parts_of(text) : std::vector{text}) {
      if (is_uuid(part)) continue;
      return "'" + part + "' is not a UUID" + (may_be_several ? " (several have commas between them, no spaces)" : "") +
             "; 'det experiment list-checkpoints ID' shows those of an experiment";
    }
    return "";
  };
  return {check, ""};
}

Task<Result<int>> describe(Invocation in, DescribeOptions options) {
  auto session = co_await open_session(in);
  DET_CO_TRY(session);
  const auto answer = co_await session->client.get("/api/v1/checkpoints/" + path_segment(options.uuid));
  DET_CO_TRY(answer);
  print_table(in.world, checkpoint_summary(field(*answer, "checkpoint")), false);
  co_return kDone;
}

Task<Result<int>> fetch(Invocation in, FetchOptions options) {
  if (options.mode == "direct") {
    co_return fail(ErrorCode::kInvalidArgument,
                   "--mode direct: this program does not read checkpoint storage itself; leave --mode out, or use the "
                   "Python command line of Determined",
                   "--mode");
  }
  auto session = co_await open_session(in);
  DET_CO_TRY(session);
  DET_CO_TRY(co_await download_checkpoint(in.world, session->client, options.uuid, options.target));
  co_return kDone;
}

Task<Result<int>> remove(Invocation in, RemoveOptions options) {
  if (!options.yes) {
    const auto is_meant =
        confirmed(in.world,
                  "All files of these checkpoints will be deleted from checkpoint storage, and nothing "
                  "brings\nthem back. Delete them?");
    DET_CO_TRY(is_meant);
    if (!*is_meant) {
      in.world.out << "Stopping deletion of checkpoints.\n";
      co_return kDone;
    }
  }
  auto session = co_await open_session(in);
  DET_CO_TRY(session);
  const Json body = {{"checkpointUuids", parts_of(options.uuids)}};
  const auto done = co_await session->client.send("DELETE", "/api/v1/checkpoints", body);
  DET_CO_TRY(done);
  in.world.out << "Deletion of checkpoints " << options.uuids << " is in progress\n";
  co_return kDone;
}

Task<Result<int>> remove_files(Invocation in, RemoveOptions options) {
  const bool only_reads = options.globs.empty();
  if (!only_reads && !options.yes) {
    const auto is_meant =
        confirmed(in.world,
                  "The files of these checkpoints that match will be deleted from checkpoint storage, "
                  "and nothing\nbrings them back. Delete them?");
    DET_CO_TRY(is_meant);
    if (!*is_meant) {
      in.world.out << "Stopping removal of files from checkpoints.\n";
      co_return kDone;
    }
  }
  auto session = co_await open_session(in);
  DET_CO_TRY(session);
  const Json body = {{"checkpointGlobs", options.globs}, {"checkpointUuids", parts_of(options.uuids)}};
  const auto done = co_await session->client.send("POST", "/api/v1/checkpoints/rm", body);
  DET_CO_TRY(done);
  if (only_reads) {
    in.world.out << "No glob patterns provided, refreshing resources of checkpoints " << options.uuids
                 << " is in progress.\n";
  } else {
    in.world.out << "Removal of files from checkpoints " << options.uuids << " is in progress.\n";
  }
  co_return kDone;
}

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

void add_removals(Program& program, CLI::App* group) {
  CLI::App* leaf = program.add_leaf(*group, "delete", {}, "delete checkpoints");
  auto d = std::make_shared<RemoveOptions>();
  leaf->add_option("checkpoints_uuids", d->uuids, "UUIDs of the checkpoints, with commas between them")
      ->required()
      ->check(uuids(true));
  leaf->add_flag("-y,--yes", d->yes, "delete them without asking");
  program.runs(leaf, d, remove);

  leaf = program.add_leaf(*group, "rm", {}, "remove files from checkpoints");
  auto r = std::make_shared<RemoveOptions>();
  leaf->add_option("checkpoints_uuids", r->uuids, "UUIDs of the checkpoints, with commas between them")
      ->required()
      ->check(uuids(true));
  add_repeated(leaf, "--glob", r->globs,
               "which files are removed, such as 'sub/*' (repeat for more); without it none is, and what is in storage "
               "is read anew");
  leaf->add_flag("-y,--yes", r->yes, "remove them without asking");
  program.runs(leaf, r, remove_files);
}

}  // namespace

void add_checkpoint_commands(Program& program) {
  CLI::App* group = program.add_group(program.root(), "checkpoint", {"c"}, "manage checkpoints");
  CLI::App* leaf = program.add_leaf(*group, "describe", {}, "describe checkpoint");
  auto d = std::make_shared<DescribeOptions>();
  leaf->add_option("uuid", d->uuid, "UUID of the checkpoint")->required()->check(uuids(false));
  program.runs(leaf, d, describe);
  leaf = program.add_leaf(*group, "download", {}, "download checkpoint from persistent storage");
  auto f = std::make_shared<FetchOptions>();
  leaf->add_option("uuid", f->uuid, "UUID of the checkpoint")->required()->check(uuids(false));
  add_download_options(leaf, f->target);
  leaf->add_option("--mode", f->mode, "auto and master: through the server")
      ->check(CLI::IsMember({"auto", "master", "direct"}));
  program.runs(leaf, f, fetch);
  add_removals(program, group);
  const auto add = [&](const std::string& name, const std::string& help, Command<NoOptions> command) {
    program.runs(program.add_leaf(*group, name, {}, help), std::make_shared<NoOptions>(), command);
  };
  add("held", "what ended before the checkpoint policies took effect, and is kept whole", held);
  add("release-held", "make it follow its policies, as an administrator", release_held);
}

}  // namespace det::cli
