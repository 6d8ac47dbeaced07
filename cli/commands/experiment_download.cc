// det experiment download: the best checkpoints of an experiment.

#include "cli/checkpoint_download.h"
#include "cli/login.h"
#include "cli/program.h"

namespace det::cli {
namespace {

struct FetchOptions {
  std::int64_t id = 0;
  std::string folder = "checkpoints";
  std::int64_t count = 1;
  std::string metric;
  std::optional<bool> is_smaller_better;
  bool is_quiet = false;
};

// Their UUIDs, the best one first.
Task<Result<std::vector<std::string>>> best_checkpoints(MasterClient client, FetchOptions options) {
  Query query = {{"states", "STATE_COMPLETED"}};
  if (options.metric.empty()) {
    query.emplace_back("sortByAttr", "SORT_BY_SEARCHER_METRIC");
  } else {
    query.emplace_back("sortByMetric", options.metric);
    query.emplace_back("orderBy", *options.is_smaller_better ? "ORDER_BY_ASC" : "ORDER_BY_DESC");
  }
  const std::string path = "/api/v1/experiments/" + std::to_string(options.id) + "/checkpoints";
  const auto found = co_await client.list(path, "checkpoints", std::move(query), options.count, 0, true);
  DET_CO_TRY(found);
  std::vector<std::string> uuids;
  for (const Json& checkpoint : *found) uuids.push_back(text_field(checkpoint, "uuid"));
  co_return uuids;
}

Task<Result<int>> fetch(Invocation in, FetchOptions options) {
  if (options.metric.empty() != !options.is_smaller_better.has_value()) {
    co_return fail(ErrorCode::kInvalidArgument, "--sort-by and --smaller-is-better must be set together", "--sort-by");
  }
  auto session = co_await open_session(in);
  DET_CO_TRY(session);
  const auto uuids = co_await best_checkpoints(session->client, options);
  DET_CO_TRY(uuids);
  World& world = in.world;
  if (uuids->empty()) {
    // Success, as the Python command line has it; it says nothing at all.
    world.err << "Experiment " << options.id << " has no checkpoint that was validated: nothing was downloaded\n";
  }
  for (const std::string& uuid : *uuids) {
    DET_CO_TRY(co_await download_checkpoint(
        world, session->client, uuid,
        {.folder = (std::filesystem::path(options.folder) / uuid).string(), .is_quiet = options.is_quiet}));
    if (!options.is_quiet) world.out << "\n";
  }
  co_return kDone;
}

}  // namespace

void add_experiment_download_command(Program& program, CLI::App* group) {
  CLI::App* leaf = program.add_leaf(*group, "download", {}, "download checkpoints for an experiment");
  auto f = std::make_shared<FetchOptions>();
  add_id(leaf, "experiment_id", f->id, "experiment ID");
  leaf->add_option("-o,--output-dir", f->folder,
                   "folder for a folder per checkpoint, named by its UUID (default: checkpoints)");
  leaf->add_option("--top-n", f->count, "how many: the best ones by their validation metric (default: 1)")
      ->check(whole_number(1));
  leaf->add_option("--sort-by", f->metric, "a validation metric in place of the searcher's");
  leaf->add_option("--smaller-is-better", f->is_smaller_better, "with --sort-by: true or false");
  leaf->add_flag("-q,--quiet", f->is_quiet, "only print the paths to the checkpoints");
  program.runs(leaf, f, fetch);
}

}  // namespace det::cli
