// det experiment report: an experiment as one HTML file.

#include <filesystem>
#include <fstream>

#include "cli/login.h"
#include "cli/report_file.h"

namespace det::cli {
namespace {

constexpr std::int64_t kTrials = 500;  // that are listed, the best ones
constexpr std::int64_t kCurves = 100;  // that are drawn
constexpr const char* kPoints = "200";
constexpr std::size_t kLargest = std::size_t{16} << 20;  // of the page that the server gives

struct ReportOptions {
  std::int64_t id = 0;
  std::string file;
};

// Of a part that the report can do without: what is wrong is said in it.
Json or_reason(Result<Json> part) {
  return part ? std::move(*part) : Json{{"failed", part.error().message}};
}

Task<Result<Json>> curves(MasterClient client, const Json& trials, std::string metric) {
  Query query = {{"metricIds", "validation." + metric}, {"maxDatapoints", kPoints}};
  std::int64_t count = 0;
  for (const Json& trial : trials) {
    if (count++ < kCurves) query.emplace_back("trialIds", field(trial, "id").dump());
  }
  if (count == 0 || metric.empty()) co_return Json{{"trials", Json::array()}};
  co_return co_await client.get("/api/v1/trials/time-series", std::move(query));
}

// The last message of the replay: where the search stands.
Task<Result<Json>> search_summary(MasterClient client, std::string experiment) {
  Json summary;
  const auto take = [&summary](const Json& item) {
    if (item.contains("summary")) summary = field(item, "summary");
  };
  DET_CO_TRY(co_await client.follow(experiment + "/searcher/replay", {{"after", "2147483648"}, {"limit", "1"}}, take));
  co_return summary;
}

Task<Result<Json>> report_data(World& world, MasterClient client, std::int64_t id) {
  const std::string path = "/api/v1/experiments/" + std::to_string(id);
  const auto found = co_await client.get(path);
  DET_CO_TRY(found);
  const Json experiment = field(*found, "experiment");
  const Json config = field(experiment, "config");
  const bool is_smaller_better = field(field(config, "searcher"), "smaller_is_better") != Json(false);
  const auto trials =
      co_await client.get(path + "/trials", {{"limit", std::to_string(kTrials)},
                                             {"sortBy", "SORT_BY_BEST_VALIDATION_METRIC"},
                                             {"orderBy", is_smaller_better ? "ORDER_BY_ASC" : "ORDER_BY_DESC"}});
  DET_CO_TRY(trials);
  const std::string metric = text_field(field(config, "searcher"), "metric");
  Json data = {{"made", format_rfc3339_seconds(world.clock.wall_now())},
               {"experiment", experiment},
               {"trials", field(*trials, "trials")},
               {"trialCount", integer_field(field(*trials, "pagination"), "total")},
               {"metric", metric}};
  data["curves"] = or_reason(co_await curves(client, data["trials"], metric));
  data["importance"] = or_reason(co_await client.get(path + "/hyperparameter-importance"));
  data["search"] = or_reason(co_await search_summary(client, path));
  co_return data;
}

Task<Result<std::string>> report_page(MasterClient client) {
  std::string page;
  const auto take = [&page](std::string_view part) -> Status {
    if (page.size() + part.size() > kLargest) return fail(ErrorCode::kDataLoss, "the server's page is too large");
    page += part;
    return {};
  };
  const Status done = co_await client.download("/ui/report.html", "text/html", take);
  if (!done) {
    co_return std::unexpected(with_context(done.error(), "the page for reports cannot be had from the server"));
  }
  co_return page;
}

Task<Result<int>> report(Invocation in, ReportOptions options) {
  auto session = co_await open_session(in);
  DET_CO_TRY(session);
  const auto data = co_await report_data(in.world, session->client, options.id);
  DET_CO_TRY(data);
  const auto page = co_await report_page(session->client);
  DET_CO_TRY(page);
  const auto text = fill_report(*page, *data);
  DET_CO_TRY(text);
  const std::filesystem::path file =
      options.file.empty() ? "experiment-" + std::to_string(options.id) + ".html" : options.file;
  std::ofstream out(file, std::ios::binary | std::ios::trunc);
  out << *text;
  out.close();
  if (!out) co_return fail(ErrorCode::kInvalidArgument, "--output: cannot write " + file.string());
  in.world.out << "Wrote " << file.string() << "\n";
  co_return kDone;
}

}  // namespace

void add_experiment_report_command(Program& program, CLI::App* group) {
  CLI::App* leaf = program.add_leaf(*group, "report", {}, "write an experiment into one HTML file");
  leaf->footer(
      "The file needs no server and no network: it has the configuration, the best 500 trials, the curves of the best "
      "100, what the hyperparameters did, and where the search stands.");
  auto options = std::make_shared<ReportOptions>();
  add_id(leaf, "experiment_id", options->id, "experiment ID");
  leaf->add_option("-o,--output", options->file, "the file (default: experiment-ID.html)");
  program.runs(leaf, options, report);
}

}  // namespace det::cli
