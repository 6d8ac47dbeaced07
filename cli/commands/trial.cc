// det trial.

#include "cli/checkpoint_download.h"
#include "cli/experiment_tables.h"
#include "cli/log_query.h"
#include "cli/login.h"
#include "cli/not_empty.h"
#include "cli/program.h"

namespace det::cli {
namespace {

struct DescribeOptions {
  std::int64_t id = 0;
  bool metrics = false;
  bool metrics_summary = false;
  bool as_csv = false;
  bool as_json = false;
  PageOptions page{.limit = 1000};
};

struct LogsOptions {
  std::int64_t id = 0;
  LogOptions log;
};

struct KillOptions {
  std::int64_t id = 0;
};

struct FetchOptions {
  std::int64_t id = 0;
  bool is_best = false;
  bool is_latest = false;
  std::string uuid;
  std::string metric;
  std::optional<bool> is_smaller_better;
  DownloadTarget target;
};

std::string path_of(std::int64_t id) {
  return "/api/v1/trials/" + std::to_string(id);
}

Task<Result<int>> describe(Invocation in, DescribeOptions options) {
  auto session = co_await open_session(in);
  DET_CO_TRY(session);
  auto answer = co_await session->client.get(path_of(options.id));
  DET_CO_TRY(answer);
  Query query = {{"includeBatchMetrics", options.metrics ? "true" : "false"}};
  auto workloads = co_await session->client.list(path_of(options.id) + "/workloads", "workloads", std::move(query),
                                                 options.page.limit, options.page.offset, options.page.one_page());
  DET_CO_TRY(workloads);
  World& world = in.world;
  if (options.as_json) {
    (*answer)["workloads"] = std::move(*workloads);
    world.out << pretty_json(*answer) << "\n";
    co_return kDone;
  }
  const Json trial = field(*answer, "trial");
  print_table(world, trial_summary(trial), options.as_csv);
  world.out << "\nWorkloads:\n";
  print_table(world, workload_list(*workloads, options.metrics), options.as_csv);
  if (options.metrics_summary) world.out << pretty_json(field(trial, "summaryMetrics")) << "\n";
  co_return kDone;
}

Task<Result<int>> logs(Invocation in, LogsOptions options) {
  auto session = co_await open_session(in);
  DET_CO_TRY(session);
  if (options.log.follow) {
    in.world.on_interrupt = "Trial " + std::to_string(options.id) + " goes on without this command.";
  }
  const Status done = co_await print_log(in.world, session->client, trial_log(options.id), options.log);
  in.world.on_interrupt.clear();
  DET_CO_TRY(done);
  co_return kDone;
}

Task<Result<int>> kill(Invocation in, KillOptions options) {
  auto session = co_await open_session(in);
  DET_CO_TRY(session);
  const auto done = co_await session->client.send("POST", path_of(options.id) + "/kill");
  DET_CO_TRY(done);
  in.world.out << "Killed trial " << options.id << "\n";
  co_return kDone;
}

// The first one that has files, of those in the order that is asked for.
Task<Result<std::string>> choose_checkpoint(MasterClient& client, FetchOptions options) {
  Query query = {{"states", "STATE_COMPLETED"}, {"states", "STATE_PARTIALLY_DELETED"}};
  if (options.is_latest) {
    query.emplace_back("sortByAttr", "SORT_BY_BATCH_NUMBER");
    query.emplace_back("orderBy", "ORDER_BY_DESC");
  } else if (options.metric.empty()) {
    query.emplace_back("sortByAttr", "SORT_BY_SEARCHER_METRIC");
  } else {
    query.emplace_back("sortByMetric", options.metric);
    query.emplace_back("orderBy", *options.is_smaller_better ? "ORDER_BY_ASC" : "ORDER_BY_DESC");
  }
  const auto found =
      co_await client.list(path_of(options.id) + "/checkpoints", "checkpoints", std::move(query), 1, 0, true);
  DET_CO_TRY(found);
  if (found->empty()) {
    co_return fail(ErrorCode::kNotFound, "No checkpoints found for trial " + std::to_string(options.id));
  }
  co_return text_field((*found)[0], "uuid");
}

Task<Result<int>> fetch(Invocation in, FetchOptions options) {
  if (options.metric.empty() != !options.is_smaller_better.has_value()) {
    co_return fail(ErrorCode::kInvalidArgument, "--sort-by and --smaller-is-better must be set together", "--sort-by");
  }
  if (!options.metric.empty() && !options.is_best) {
    co_return fail(ErrorCode::kInvalidArgument, "--sort-by and --smaller-is-better can only be used with --best",
                   "--sort-by");
  }
  auto session = co_await open_session(in);
  DET_CO_TRY(session);
  if (options.uuid.empty()) {
    auto chosen = co_await choose_checkpoint(session->client, options);
    DET_CO_TRY(chosen);
    options.uuid = std::move(*chosen);
  }
  DET_CO_TRY(co_await download_checkpoint(in.world, session->client, options.uuid, options.target));
  co_return kDone;
}

void add_download(Program& program, CLI::App* group) {
  CLI::App* leaf = program.add_leaf(*group, "download", {}, "download checkpoint for trial");
  auto f = std::make_shared<FetchOptions>();
  add_id(leaf, "trial_id", f->id, "trial ID");
  auto* which = leaf->add_option_group("which");
  which->add_flag("--best", f->is_best, "the checkpoint with the best validation metric");
  which->add_flag("--latest", f->is_latest, "the most recent checkpoint");
  which->add_option("--uuid", f->uuid, "the checkpoint with this UUID")->check(not_empty);
  which->require_option(1);
  leaf->add_option("--sort-by", f->metric, "with --best: a validation metric in place of the searcher's");
  leaf->add_option("--smaller-is-better", f->is_smaller_better, "with --sort-by: true or false");
  add_download_options(leaf, f->target);
  program.runs(leaf, f, fetch);
}

}  // namespace

void add_trial_commands(Program& program) {
  CLI::App* group = program.add_group(program.root(), "trial", {"t"}, "manage trials");

  CLI::App* leaf = program.add_leaf(*group, "describe", {}, "describe trial");
  auto d = std::make_shared<DescribeOptions>();
  add_id(leaf, "trial_id", d->id, "trial ID");
  leaf->add_flag("--metrics-summary", d->metrics_summary, "display summary of metrics");
  leaf->add_flag("--metrics", d->metrics, "display full metrics, such as batch metrics");
  auto* csv = leaf->add_flag("--csv", d->as_csv, "Output in CSV format");
  leaf->add_flag("--json", d->as_json, "Output in JSON format")->excludes(csv);
  add_page_options(leaf, d->page);
  program.runs(leaf, d, describe);

  leaf = program.add_leaf(*group, "logs", {}, "fetch trial logs");
  auto l = std::make_shared<LogsOptions>();
  add_id(leaf, "trial_id", l->id, "trial ID");
  add_log_options(leaf, l->log);
  program.runs(leaf, l, logs);

  add_download(program, group);
  add_support_bundle_command(program, group);

  leaf = program.add_leaf(*group, "kill", {}, "forcibly terminate a trial");
  auto k = std::make_shared<KillOptions>();
  add_id(leaf, "trial_id", k->id, "trial ID");
  program.runs(leaf, k, kill);

  add_log_retention(program, program.add_group(*group, "set", {}, "set trial attributes"), "trial");
}

}  // namespace det::cli
