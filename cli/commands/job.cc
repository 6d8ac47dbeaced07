// det job.

#include <cmath>
#include <cstdlib>

#include "cli/login.h"
#include "cli/output_options.h"
#include "cli/program.h"

namespace det::cli {
namespace {

struct ListOptions {
  std::string pool;
  bool reverse = false;
  bool as_csv = false;
  OutputOptions output;
  bool as_table = false;  // what it is anyway
  PageOptions page{.limit = 100};
};

struct UpdateOptions {
  std::string job;
  std::string priority;
  std::string weight;
  std::string pool;
  std::string ahead_of;
  std::string behind_of;
};

struct BatchOptions {
  std::vector<std::string> operations;
};

struct ExplainOptions {
  std::string job;
  bool as_json = false;
};

// A master that hides a part of a job from who asks sends `limited` instead.
Json without_wrapping(const Json& entries) {
  Json jobs = Json::array();
  for (const Json& entry : entries) {
    const Json full = field(entry, "full");
    jobs.push_back(full.is_null() ? field(entry, "limited") : full);
  }
  return jobs;
}

std::string name_cell(const Json& job) {
  const std::string name = text_field(job, "name");
  return field(job, "type") == "TYPE_EXPERIMENT" ? name + " (" + text_field(job, "entityId") + ")" : name;
}

// `ways` of having a say in the order are Priority and Weight.
Table job_table(const Json& jobs, const std::vector<std::string>& ways) {
  Table table{.headers = {"#", "ID", "Type", "Job Name"}, .rows = {}};
  table.headers.insert(table.headers.end(), ways.begin(), ways.end());
  for (const char* header : {"Submitted", "Slots (acquired/needed)", "State", "User"}) {
    table.headers.emplace_back(header);
  }
  for (const Json& job : jobs) {
    const Json summary = field(job, "summary");
    std::vector<Json> cells = {field(summary, "jobsAhead"), field(job, "jobId"), field(job, "type"), name_cell(job)};
    for (const std::string& way : ways) cells.push_back(field(job, way == "Weight" ? "weight" : "priority"));
    cells.push_back(time_cell(field(job, "submissionTime")));
    cells.push_back(std::to_string(integer_field(job, "allocatedSlots")) + "/" +
                    std::to_string(integer_field(job, "requestedSlots")));
    cells.push_back(field(summary, "state"));
    cells.push_back(field(job, "username"));
    table.rows.push_back(std::move(cells));
  }
  return table;
}

// The one way that the Python command line shows: what the scheduler of `name`, or of the default pool, goes by.
std::string way_of_pool(const Json& pools, const std::string& name) {
  for (const Json& pool : pools) {
    if (name.empty() ? field(pool, "defaultComputePool") != true : text_field(pool, "name") != name) continue;
    return field(pool, "schedulerType") == "SCHEDULER_TYPE_PRIORITY" ? "Priority" : "Weight";
  }
  return "Priority";
}

Task<Result<int>> list(Invocation in, ListOptions options) {
  auto session = co_await open_session(in);
  DET_CO_TRY(session);
  Query query = {{"orderBy", options.reverse ? "ORDER_BY_DESC" : "ORDER_BY_ASC"}};
  if (!options.pool.empty()) query.emplace_back("resourcePool", options.pool);
  const auto entries = co_await session->client.list("/api/v1/job-queues-v2", "jobs", std::move(query),
                                                     options.page.limit, options.page.offset, options.page.one_page());
  DET_CO_TRY(entries);
  const Json jobs = without_wrapping(*entries);
  if (options.output.is_for_programs()) {
    in.world.out << output_text({{"jobs", jobs}}, options.output);
    co_return kDone;
  }
  // Both for people; programs count on the columns that they know.
  std::vector<std::string> ways = {"Priority", "Weight"};
  if (options.as_csv) {
    const auto pools = co_await session->client.list("/api/v1/resource-pools", "resourcePools", {}, 0, 0, false);
    DET_CO_TRY(pools);
    ways = {way_of_pool(*pools, options.pool)};
  }
  print_table(in.world, job_table(jobs, ways), options.as_csv);
  co_return kDone;
}

Task<Result<int>> send_update(MasterClient client, Json change) {
  const auto done = co_await client.send("POST", "/api/v1/job-queues", Json{{"updates", Json::array({change})}});
  DET_CO_TRY(done);
  co_return kDone;
}

Task<Result<int>> update(Invocation in, UpdateOptions options) {
  Json change = {{"jobId", options.job}};
  if (!options.priority.empty()) change["priority"] = std::stoll(options.priority);
  if (!options.weight.empty()) change["weight"] = std::strtod(options.weight.c_str(), nullptr);
  if (!options.pool.empty()) change["resourcePool"] = options.pool;
  if (!options.ahead_of.empty()) change["aheadOf"] = options.ahead_of;
  if (!options.behind_of.empty()) change["behindOf"] = options.behind_of;
  if (change.size() == 1) {
    co_return fail(ErrorCode::kInvalidArgument,
                   "give --priority, --weight, --resource-pool, --ahead-of or --behind-of");
  }
  auto session = co_await open_session(in);
  DET_CO_TRY(session);
  co_return co_await send_update(session->client, std::move(change));
}

// "JOB.OPERATION=VALUE" as an update.
Result<Json> read_operation(const std::string& text) {
  const auto dot = text.find('.');
  const auto equals = text.find('=', dot == std::string::npos ? 0 : dot);
  if (dot == std::string::npos || equals == std::string::npos || dot == 0 || equals == dot + 1) {
    return fail(ErrorCode::kInvalidArgument, "'" + text + "': expected <jobID>.<operation>=<value>");
  }
  const std::string operation = text.substr(dot + 1, equals - dot - 1);
  const std::string value = text.substr(equals + 1);
  Json change = {{"jobId", text.substr(0, dot)}};
  if (operation == "priority" || operation == "weight") {
    char* end = nullptr;
    const double number = std::strtod(value.c_str(), &end);
    const bool is_whole = number == std::trunc(number) && std::abs(number) < 1e15;
    if (value.empty() || *end != '\0' || !std::isfinite(number) || (operation == "priority" && !is_whole)) {
      return fail(ErrorCode::kInvalidArgument, "'" + text + "': " + operation + " takes a number, got '" + value + "'");
    }
    change[operation] = operation == "priority" ? Json(static_cast<std::int64_t>(number)) : Json(number);
    return change;
  }
  constexpr std::pair<std::string_view, const char*> kTexts[] = {{"resource-pool", "resourcePool"},
                                                                 {"resource_pool", "resourcePool"},
                                                                 {"ahead-of", "aheadOf"},
                                                                 {"behind-of", "behindOf"}};
  for (const auto& [word, name] : kTexts) {
    if (operation != word) continue;
    change[name] = value;
    return change;
  }
  return fail(ErrorCode::kInvalidArgument, "'" + text + "': Invalid operation " + operation +
                                               "; there are priority, weight, resource-pool, ahead-of and behind-of");
}

Task<Result<int>> update_batch(Invocation in, BatchOptions options) {
  std::vector<Json> changes;
  for (const std::string& operation : options.operations) {
    auto change = read_operation(operation);
    DET_CO_TRY(change);
    changes.push_back(std::move(*change));
  }
  auto session = co_await open_session(in);
  DET_CO_TRY(session);
  for (Json& change : changes) {
    const auto done = co_await send_update(session->client, std::move(change));
    DET_CO_TRY(done);
  }
  co_return kDone;
}

Task<Result<int>> explain(Invocation in, ExplainOptions options) {
  auto session = co_await open_session(in);
  DET_CO_TRY(session);
  const auto answer = co_await session->client.get("/api/v1/job-queues/" + path_segment(options.job) + "/reason");
  DET_CO_TRY(answer);
  in.world.out << (options.as_json ? pretty_json(*answer) : text_field(*answer, "reason")) << "\n";
  co_return kDone;
}

}  // namespace

void add_job_commands(Program& program) {
  CLI::App* group = program.add_group(program.root(), "job", {"j"}, "manage jobs");

  CLI::App* leaf = program.add_leaf(*group, "list", {"ls"}, "list jobs");
  auto l = std::make_shared<ListOptions>();
  leaf->add_option("-p,--resource-pool", l->pool, "only jobs of this resource pool");
  leaf->add_flag("--reverse", l->reverse, "the last one first");
  auto* csv = leaf->add_flag("--csv", l->as_csv, "Output in CSV format");
  const OutputFlags flags = add_output(leaf, l->output);
  csv->excludes(flags.json)->excludes(flags.yaml);
  leaf->add_flag("--table", l->as_table, "Output in table format (default)")
      ->excludes(csv)
      ->excludes(flags.json)
      ->excludes(flags.yaml);
  add_page_options(leaf, l->page);
  program.runs(leaf, l, list);

  leaf = program.add_leaf(*group, "update", {"u"}, "update job");
  auto u = std::make_shared<UpdateOptions>();
  leaf->add_option("job_id", u->job, "job ID, or experiment ID")->required();
  auto* priority = leaf->add_option("-p,--priority", u->priority, "new priority, 1 to 99; a larger one goes first")
                       ->check(whole_number(1, 99));
  leaf->add_option("-w,--weight", u->weight, "new weight")->check(CLI::PositiveNumber)->excludes(priority);
  leaf->add_option("--resource-pool", u->pool, "the resource pool to move the job to");
  auto* ahead = leaf->add_option("--ahead-of", u->ahead_of, "goes first from now on, of these two");
  leaf->add_option("--behind-of", u->behind_of, "goes right behind this job from now on")->excludes(ahead);
  program.runs(leaf, u, update);

  leaf = program.add_leaf(*group, "update-batch", {}, "batch update jobs");
  auto b = std::make_shared<BatchOptions>();
  leaf->add_option("operation", b->operations,
                   "<jobID>.<operation>=<value>; operations are priority, weight, resource-pool, ahead-of, behind-of")
      ->required();
  program.runs(leaf, b, update_batch);

  leaf = program.add_leaf(*group, "explain", {}, "explain why a job waits");
  auto e = std::make_shared<ExplainOptions>();
  leaf->add_option("job_id", e->job, "job ID, or experiment ID")->required();
  leaf->add_flag("--json", e->as_json, "Output in JSON format");
  program.runs(leaf, e, explain);

  program.make_default(group, "list jobs", list);
}

}  // namespace det::cli
