#include "api/runs/list_request.h"

namespace det::api {

Result<std::optional<store::ListFilter>> read_filter_text(wire::RequestFields& fields) {
  const auto text = fields.string("filter");
  DET_TRY(fields.status());
  if (!text) return std::nullopt;
  auto filter = store::parse_list_filter(*text);
  DET_TRY(filter);
  return std::move(*filter);
}

Result<store::ListSearch> read_list_request(wire::RequestFields& fields, store::ListPlace of,
                                            const Settings& settings) {
  store::ListSearch search;
  search.of = of;
  search.default_pool = settings.master.default_compute_pool;
  if (const auto project = fields.integer("projectId")) search.project = model::ProjectId{*project};
  search.offset = fields.integer("offset").value_or(0);
  search.limit = fields.integer("limit").value_or(0);
  const std::string sort = fields.string("sort").value_or("");
  DET_TRY(fields.status());
  if (search.limit < -2) {
    return fail(ErrorCode::kInvalidArgument,
                "limit: " + std::to_string(search.limit) +
                    " is neither a number of entries nor 0 (100 of them), -1 (all) or -2 (none)",
                "limit");
  }
  auto filter = read_filter_text(fields);
  DET_TRY(filter);
  search.filter = std::move(*filter);
  auto orders = store::parse_list_sort(of, sort);
  DET_TRY(orders);
  search.orders = std::move(*orders);
  return search;
}

namespace {

std::unexpected<Error> no_such_project(model::ProjectId id) {
  return fail(ErrorCode::kNotFound, "project '" + to_string(id) + "' not found");
}

}  // namespace

Task<Result<store::ProjectRow>> find_project(ApiServices& services, model::ProjectId id) {
  auto row = co_await services.stores.projects.find(id);
  DET_CO_TRY(row);
  if (!*row) co_return no_such_project(id);
  co_return std::move(**row);
}

Task<Status> check_project(ApiServices& services, model::ProjectId id) {
  const auto owners = co_await services.stores.projects.owners(id);
  DET_CO_TRY(owners);
  if (!*owners) co_return no_such_project(id);
  co_return Status();
}

wire::Pagination pagination_of(std::int64_t offset, std::int64_t limit, const store::ListedIds& found) {
  return {.offset = offset,
          .limit = limit,
          .start = found.start,
          .end = found.start + static_cast<std::int64_t>(found.ids.size()),
          .total = found.total};
}

}  // namespace det::api
