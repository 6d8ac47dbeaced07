// det experiment: what there is.

#include <chrono>
#include <fstream>

#include "base/encoding.h"
#include "cli/experiment_tables.h"
#include "cli/log_query.h"
#include "cli/login.h"
#include "cli/program.h"
#include "cli/report_file.h"
#include "cli/waiting_reasons.h"
#include "cli/yaml_text.h"

namespace det::cli {
namespace {

struct ListOptions {
  bool all = false;
  bool show_project = false;
  bool as_csv = false;
  bool as_json = false;
  PageOptions page;
};

struct IdOptions {
  std::int64_t id = 0;
};

struct DescribeOptions {
  std::string ids;
  bool metrics = false;
  bool as_csv = false;
  bool as_json = false;
  std::string folder;
};

struct TrialListOptions {
  std::int64_t id = 0;
  bool as_csv = false;
  bool as_json = false;
  PageOptions page;
};

struct CheckpointListOptions {
  std::int64_t id = 0;
  std::int64_t best = 0;
  bool as_csv = false;
  bool as_json = false;
};

struct LogsOptions {
  std::int64_t id = 0;
  LogOptions log;
};

struct WaitOptions {
  std::int64_t id = 0;
  std::int64_t interval = 5;
};

struct DownloadOptions {
  std::int64_t id = 0;
  std::string folder = ".";
};

std::string path_of(std::int64_t id) {
  return "/api/v1/experiments/" + std::to_string(id);
}

Task<Result<int>> list(Invocation in, ListOptions options) {
  auto session = co_await open_session(in);
  DET_CO_TRY(session);
  Query query;
  if (!options.all) query = {{"archived", "false"}, {"users", session->username}};
  const auto found = co_await session->client.list("/api/v1/experiments", "experiments", std::move(query),
                                                   options.page.limit, options.page.offset, options.page.one_page());
  DET_CO_TRY(found);
  if (options.as_json) {
    in.world.out << pretty_json(*found) << "\n";
  } else {
    const ListColumns columns{.project = options.show_project, .archived = options.all, .best = !options.as_csv};
    print_table(in.world, experiment_list(*found, columns), options.as_csv);
    if (!options.as_csv) co_await tell_waiting_reasons(in.world, session->client, *found);
  }
  co_return kDone;
}

Result<std::vector<std::int64_t>> read_ids(const std::string& text) {
  std::vector<std::int64_t> ids;
  std::size_t start = 0;
  while (true) {
    const auto comma = text.find(',', start);
    const std::string word = text.substr(start, comma == std::string::npos ? comma : comma - start);
    char* end = nullptr;
    ids.push_back(std::strtoll(word.c_str(), &end, 10));
    if (word.empty() || *end != '\0') {
      return fail(ErrorCode::kInvalidArgument, "experiment_ids: '" + word + "' is no number; write ids as 1 or 1,2,3");
    }
    if (comma == std::string::npos) return ids;
    start = comma + 1;
  }
}

// Prints the table, or writes it as CSV into the folder.
Status show(World& world, const DescribeOptions& options, const std::string& title, const std::string& file,
            const Table& table) {
  if (options.folder.empty()) {
    world.out << title << "\n";
    print_table(world, table, options.as_csv);
    return {};
  }
  const auto place = std::filesystem::path(options.folder) / file;
  std::ofstream out(place);
  out << render_csv(table);
  out.close();
  if (!out) return fail(ErrorCode::kInvalidArgument, "--outdir: cannot write " + place.string());
  return {};
}

Task<Result<int>> describe(Invocation in, DescribeOptions options) {
  const auto ids = read_ids(options.ids);
  DET_CO_TRY(ids);
  auto session = co_await open_session(in);
  DET_CO_TRY(session);
  MasterClient& client = session->client;
  Json answers = Json::array();
  Json experiments = Json::array();
  for (const std::int64_t id : *ids) {
    auto answer = co_await client.get(path_of(id));
    DET_CO_TRY(answer);
    experiments.push_back(field(*answer, "experiment"));
    answers.push_back(std::move(*answer));
  }
  if (options.as_json) {
    in.world.out << pretty_json(answers) << "\n";
    co_return kDone;
  }
  Json trials = Json::array();
  for (const std::int64_t id : *ids) {
    const auto found = co_await client.list(path_of(id) + "/trials", "trials", {}, 0, 0, false);
    DET_CO_TRY(found);
    for (const Json& trial : *found) trials.push_back(trial);
  }
  std::vector<TrialWorkloads> workloads;
  for (const Json& trial : trials) {
    const std::int64_t id = integer_field(trial, "id");
    auto found =
        co_await client.list("/api/v1/trials/" + std::to_string(id) + "/workloads", "workloads", {}, 500, 0, false);
    DET_CO_TRY(found);
    workloads.push_back({.trial = id, .workloads = std::move(*found)});
  }
  const bool is_for_people = !options.as_csv && options.folder.empty();
  Status shown =
      show(in.world, options, "Experiment:", "experiments.csv", experiment_overview(experiments, is_for_people));
  if (shown) shown = show(in.world, options, "\nTrials:", "trials.csv", trial_overview(trials));
  if (shown)
    shown = show(in.world, options, "\nWorkloads:", "workloads.csv", workload_steps(workloads, options.metrics));
  DET_CO_TRY(shown);
  co_return kDone;
}

Task<Result<int>> list_trials(Invocation in, TrialListOptions options) {
  auto session = co_await open_session(in);
  DET_CO_TRY(session);
  const auto found = co_await session->client.list(path_of(options.id) + "/trials", "trials", {}, options.page.limit,
                                                   options.page.offset, options.page.one_page());
  DET_CO_TRY(found);
  if (options.as_json) {
    in.world.out << pretty_json(*found) << "\n";
    co_return kDone;
  }
  std::string metric;
  if (!options.as_csv) {
    const auto answer = co_await session->client.get(path_of(options.id));
    DET_CO_TRY(answer);
    metric = text_field(field(*answer, "experiment"), "searcherMetric");
  }
  print_table(in.world, trial_list(*found, metric), options.as_csv);
  co_return kDone;
}

Task<Result<int>> list_checkpoints(Invocation in, CheckpointListOptions options) {
  auto session = co_await open_session(in);
  DET_CO_TRY(session);
  Query query;
  if (options.best > 0) query.emplace_back("limit", std::to_string(options.best));
  query.emplace_back("sortByAttr", options.best > 0 ? "SORT_BY_SEARCHER_METRIC" : "SORT_BY_END_TIME");
  const auto answer = co_await session->client.get(path_of(options.id) + "/checkpoints", std::move(query));
  DET_CO_TRY(answer);
  const Json checkpoints = field(*answer, "checkpoints");
  if (options.as_json) {
    in.world.out << pretty_json(checkpoints) << "\n";
  } else {
    print_table(in.world, checkpoint_list(checkpoints), options.as_csv);
  }
  co_return kDone;
}

Task<Result<int>> logs(Invocation in, LogsOptions options) {
  auto session = co_await open_session(in);
  DET_CO_TRY(session);
  const auto answer = co_await session->client.get(path_of(options.id) + "/trials");
  DET_CO_TRY(answer);
  std::optional<std::int64_t> first;
  const Json trials = field(*answer, "trials");
  for (const Json& trial : trials)
    first = std::min(first.value_or(integer_field(trial, "id")), integer_field(trial, "id"));
  if (!first) {
    co_return fail(ErrorCode::kNotFound, "experiment '" + std::to_string(options.id) + "' has no trial yet");
  }
  const std::string id = std::to_string(options.id);
  if (options.log.follow) in.world.on_interrupt = "Experiment " + id + " goes on without this command.";
  const Status done = co_await print_log(in.world, session->client, trial_log(*first), options.log);
  in.world.on_interrupt.clear();
  DET_CO_TRY(done);
  co_return kDone;
}

Task<Result<int>> config(Invocation in, IdOptions options) {
  auto session = co_await open_session(in);
  DET_CO_TRY(session);
  const auto answer = co_await session->client.get(path_of(options.id));
  DET_CO_TRY(answer);
  in.world.out << yaml_text(field(field(*answer, "experiment"), "config"));
  co_return kDone;
}

Task<Result<int>> wait(Invocation in, WaitOptions options) {
  auto session = co_await open_session(in);
  DET_CO_TRY(session);
  const std::string id = std::to_string(options.id);
  in.world.on_interrupt = "Experiment " + id + " goes on without this command.";
  std::int64_t waited = 0;
  while (true) {
    const auto answer = co_await session->client.get(path_of(options.id));
    DET_CO_TRY(answer);
    const std::string state = state_text(field(field(*answer, "experiment"), "state"));
    if (state == "COMPLETED") co_return kDone;
    if (state == "CANCELED" || state == "ERROR" || state == "DELETED" || state == "DELETE_FAILED") {
      in.world.err << "Experiment " << id << " ended as " << state << "\n";
      co_return kFailed;
    }
    if (state == "PAUSED") {
      co_return fail(ErrorCode::kFailedPrecondition,
                     "Experiment " + id +
                         " is in paused state. Make sure the experiment is active (det experiment "
                         "activate " +
                         id + ")");
    }
    co_await in.world.clock.sleep_for(std::chrono::seconds(options.interval));
    waited += options.interval;
    if (waited % 60 == 0) {
      in.world.err << "Waiting for Experiment " << id << " to complete. Elapsed " << waited / 60 << ".0 minutes"
                   << std::endl;
    }
  }
}

Task<Result<int>> download_model_def(Invocation in, DownloadOptions options) {
  auto session = co_await open_session(in);
  DET_CO_TRY(session);
  const auto answer = co_await session->client.get_large(path_of(options.id) + "/model_def");
  DET_CO_TRY(answer);
  const auto bytes = base64_decode(text_field(*answer, "b64Tgz"));
  if (!bytes) co_return std::unexpected(with_context(bytes.error(), "the answer of the server"));
  const auto place =
      std::filesystem::path(options.folder) / ("experiment_" + std::to_string(options.id) + "_model_def.tgz");
  std::ofstream out(place, std::ios::binary);
  out << *bytes;
  out.close();
  if (!out) co_return fail(ErrorCode::kInvalidArgument, "--output-dir: cannot write " + place.string());
  // The Python command line says nothing here; where the file went is worth a line that no pipe reads.
  in.world.err << "Wrote " << place.string() << "\n";
  co_return kDone;
}

}  // namespace

void add_experiment_commands(Program& program) {
  CLI::App* group = program.add_group(program.root(), "experiment", {"e"}, "manage experiments");
  program.make_default<ListOptions>(group, "list experiments", list);

  CLI::App* leaf = program.add_leaf(*group, "list", {"ls"}, "list experiments");
  auto l = std::make_shared<ListOptions>();
  leaf->add_flag("-a,--all", l->all, "show all experiments (including archived and other users')");
  leaf->add_flag("--show_project", l->show_project, "include columns for workspace name and project name");
  add_page_options(leaf, l->page);
  auto* csv = leaf->add_flag("--csv", l->as_csv, "print as CSV");
  leaf->add_flag("--json", l->as_json, "Output in JSON format")->excludes(csv);
  program.runs(leaf, l, list);

  leaf = program.add_leaf(*group, "config", {}, "display experiment config");
  auto c = std::make_shared<IdOptions>();
  add_id(leaf, "experiment_id", c->id, "experiment ID");
  program.runs(leaf, c, config);

  leaf = program.add_leaf(*group, "describe", {}, "describe experiment");
  auto d = std::make_shared<DescribeOptions>();
  leaf->add_option("experiment_ids", d->ids, "comma-separated list of experiment IDs to describe")->required();
  leaf->add_flag("--metrics", d->metrics, "display full metrics");
  csv = leaf->add_flag("--csv", d->as_csv, "Output in CSV format");
  auto* json = leaf->add_flag("--json", d->as_json, "Output in JSON format")->excludes(csv);
  leaf->add_option("--outdir", d->folder, "directory to save output")->excludes(csv)->excludes(json);
  program.runs(leaf, d, describe);

  leaf = program.add_leaf(*group, "logs", {}, "fetch logs of the first trial of an experiment");
  auto g = std::make_shared<LogsOptions>();
  add_id(leaf, "experiment_id", g->id, "experiment ID");
  add_log_options(leaf, g->log);
  program.runs(leaf, g, logs);

  leaf = program.add_leaf(*group, "download-model-def", {}, "download model definition");
  auto m = std::make_shared<DownloadOptions>();
  add_id(leaf, "experiment_id", m->id, "experiment ID");
  leaf->add_option("--output-dir", m->folder, "output directory");
  program.runs(leaf, m, download_model_def);

  add_experiment_download_command(program, group);

  leaf = program.add_leaf(*group, "list-trials", {"lt"}, "list trials of experiment");
  auto t = std::make_shared<TrialListOptions>();
  add_id(leaf, "experiment_id", t->id, "experiment ID");
  add_page_options(leaf, t->page);
  csv = leaf->add_flag("--csv", t->as_csv, "print as CSV");
  leaf->add_flag("--json", t->as_json, "Output in JSON format")->excludes(csv);
  program.runs(leaf, t, list_trials);

  leaf = program.add_leaf(*group, "list-checkpoints", {"lc"}, "list checkpoints of experiment");
  auto k = std::make_shared<CheckpointListOptions>();
  add_id(leaf, "experiment_id", k->id, "experiment ID");
  leaf->add_option("--best", k->best, "only the best N checkpoints that have a validation metric")
      ->check(whole_number(1));
  csv = leaf->add_flag("--csv", k->as_csv, "print as CSV");
  leaf->add_flag("--json", k->as_json, "Output in JSON format")->excludes(csv);
  program.runs(leaf, k, list_checkpoints);

  add_experiment_create_command(program, group);
  add_experiment_continue_command(program, group);

  leaf = program.add_leaf(*group, "wait", {}, "wait for experiment to reach terminal state");
  auto w = std::make_shared<WaitOptions>();
  add_id(leaf, "experiment_id", w->id, "experiment ID");
  leaf->add_option("--polling-interval", w->interval, "the interval (in seconds) to poll for updated state")
      ->check(whole_number(1));
  program.runs(leaf, w, wait);

  add_experiment_replay_command(program, group);
  add_experiment_report_command(program, group);
  add_experiment_edit_commands(program, group);
}

}  // namespace det::cli
