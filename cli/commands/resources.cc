// det resources: who held slots.

#include "cli/login.h"
#include "cli/program.h"

namespace det::cli {
namespace {

struct RangeOptions {
  std::string after;
  std::string before;
  bool as_json = false;
};

struct SumOptions {
  std::string first;
  std::string last;
  bool monthly = false;
  bool as_json = false;
};

// As it comes: years of it fit no memory.
Task<Result<int>> print_body(Invocation in, std::string path, Query query) {
  auto session = co_await open_session(in);
  DET_CO_TRY(session);
  auto take = [&out = in.world.out](std::string_view part) -> Status {
    out << part;
    if (!out) return fail(ErrorCode::kCanceled, "cannot write the output");
    return {};
  };
  DET_CO_TRY(co_await session->client.download(path + query_text(query), "*/*", take));
  co_return kDone;
}

Query range_of(const RangeOptions& options) {
  return {{"timestamp_after", options.after}, {"timestamp_before", options.before}};
}

Task<Result<int>> allocations(Invocation in, RangeOptions options) {
  return print_body(std::move(in), "/resources/allocation/allocations-csv", range_of(options));
}

Task<Result<int>> raw(Invocation in, RangeOptions options) {
  const char* const path = options.as_json ? "/api/v1/resources/allocation/raw" : "/resources/allocation/raw";
  return print_body(std::move(in), path, range_of(options));
}

Task<Result<int>> aggregated(Invocation in, SumOptions options) {
  const char* const path =
      options.as_json ? "/api/v1/resources/allocation/aggregated" : "/resources/allocation/aggregated";
  return print_body(std::move(in), path,
                    {{"start_date", options.first},
                     {"end_date", options.last},
                     {"period", options.monthly ? "RESOURCE_ALLOCATION_AGGREGATION_PERIOD_MONTHLY"
                                                : "RESOURCE_ALLOCATION_AGGREGATION_PERIOD_DAILY"}});
}

}  // namespace

void add_resource_commands(Program& program) {
  CLI::App* group = program.add_group(program.root(), "resources", {"res"}, "query historical resource allocation");
  const auto add_range = [&](CLI::App* leaf) {
    auto o = std::make_shared<RangeOptions>();
    leaf->add_option("timestamp_after", o->after, "from then on, like 2026-11-01T00:00:00Z")->required();
    leaf->add_option("timestamp_before", o->before, "until then")->required();
    return o;
  };
  CLI::App* leaf = program.add_leaf(*group, "allocations", {"alloc"}, "get a csv of the allocations of slots");
  program.runs(leaf, add_range(leaf), allocations);

  leaf = program.add_leaf(*group, "raw", {}, "get raw allocation information");
  auto r = add_range(leaf);
  leaf->add_flag("--json", r->as_json, "Output in JSON format");
  program.runs(leaf, r, raw);

  leaf = program.add_leaf(*group, "aggregated", {"agg"}, "get aggregated allocation information");
  auto a = std::make_shared<SumOptions>();
  leaf->add_option("start_date", a->first, "first date to include: 2026-11-01, with --monthly 2026-11")->required();
  leaf->add_option("end_date", a->last, "last date to include")->required();
  leaf->add_flag("--monthly", a->monthly, "aggregate by month rather than by day");
  leaf->add_flag("--json", a->as_json, "Output in JSON format");
  program.runs(leaf, a, aggregated);
}

}  // namespace det::cli
