// det job.

#include "cli/login.h"
#include "cli/program.h"

namespace det::cli {
namespace {

struct ListOptions {
  std::string pool;
  bool reverse = false;
  bool as_csv = false;
  bool as_json = false;
  PageOptions page{.limit = 100};
};

struct UpdateOptions {
  std::string job;
  std::string priority;
  std::string weight;
};

struct ExplainOptions {
  std::string job;
  bool as_json = false;
};

// Both ways of having a say in the order; the Python command line shows one of them.
Table job_table(const Json& jobs) {
  Table table{.headers = {"#", "ID", "Type", "Job Name", "Priority", "Weight", "Submitted", "Slots (acquired/needed)",
                          "State", "User"},
              .rows = {}};
  for (const Json& entry : jobs) {
    const Json job = field(entry, "full");
    const Json summary = field(job, "summary");
    table.rows.push_back({field(summary, "jobsAhead"), field(job, "jobId"), field(job, "type"),
                          text_field(job, "name") + " (" + text_field(job, "entityId") + ")", field(job, "priority"),
                          field(job, "weight"), time_cell(field(job, "submissionTime")),
                          std::to_string(integer_field(job, "allocatedSlots")) + "/" +
                              std::to_string(integer_field(job, "requestedSlots")),
                          field(summary, "state"), field(job, "username")});
  }
  return table;
}

Task<Result<int>> list(Invocation in, ListOptions options) {
  auto session = co_await open_session(in);
  DET_CO_TRY(session);
  Query query = {{"orderBy", options.reverse ? "ORDER_BY_DESC" : "ORDER_BY_ASC"}};
  if (!options.pool.empty()) query.emplace_back("resourcePool", options.pool);
  const auto jobs = co_await session->client.list("/api/v1/job-queues-v2", "jobs", std::move(query), options.page.limit,
                                                  options.page.offset, options.page.one_page());
  DET_CO_TRY(jobs);
  if (options.as_json) {
    in.world.out << pretty_json({{"jobs", *jobs}}) << "\n";
    co_return kDone;
  }
  print_table(in.world, job_table(*jobs), options.as_csv);
  co_return kDone;
}

Task<Result<int>> update(Invocation in, UpdateOptions options) {
  Json change = {{"jobId", options.job}};
  if (!options.priority.empty()) change["priority"] = std::stoll(options.priority);
  if (!options.weight.empty()) change["weight"] = std::strtod(options.weight.c_str(), nullptr);
  if (change.size() == 1) co_return fail(ErrorCode::kInvalidArgument, "give --priority or --weight");
  auto session = co_await open_session(in);
  DET_CO_TRY(session);
  const auto done =
      co_await session->client.send("POST", "/api/v1/job-queues", Json{{"updates", Json::array({change})}});
  DET_CO_TRY(done);
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
  leaf->add_flag("--json", l->as_json, "Output in JSON format")->excludes(csv);
  add_page_options(leaf, l->page);
  program.runs(leaf, l, list);

  leaf = program.add_leaf(*group, "update", {"u"}, "update job");
  auto u = std::make_shared<UpdateOptions>();
  leaf->add_option("job_id", u->job, "job ID, or experiment ID")->required();
  auto* priority = leaf->add_option("-p,--priority", u->priority, "new priority, 1 to 99; a larger one goes first")
                       ->check(whole_number(1, 99));
  leaf->add_option("-w,--weight", u->weight, "new weight")->check(CLI::PositiveNumber)->excludes(priority);
  program.runs(leaf, u, update);

  leaf = program.add_leaf(*group, "explain", {}, "explain why a job waits");
  auto e = std::make_shared<ExplainOptions>();
  leaf->add_option("job_id", e->job, "job ID, or experiment ID")->required();
  leaf->add_flag("--json", e->as_json, "Output in JSON format");
  program.runs(leaf, e, explain);

  program.make_default(group, "list jobs", list);
}

}  // namespace det::cli
