#pragma once

// Lists whose stores read rows by offset and limit, answered page by page: entries have texts of up to a megabyte that
// people wrote, and a list of all of them would be held whole. Belongs to the io thread.

#include <algorithm>
#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "api/paged_answer.h"
#include "api/services.h"
#include "base/guarded_work.h"

namespace det::api {

template <typename Row>
struct RowList {
  std::string name;  // of the list in the answer
  std::function<Task<Result<store::Paged<Row>>>(store::Page page)> read;
  wire::Json (*to_json)(const Row& row) = nullptr;
  std::vector<Row> in_hand = {};  // read already
};

// What `list` finds for `filter`, whose page is chosen for each read.
template <typename Row, typename Filter, typename List>
RowList<Row> row_list(std::string name, Filter filter, List list, wire::Json (*to_json)(const Row& row)) {
  RowList<Row> made{.name = std::move(name), .read = {}, .to_json = to_json};
  made.read = [filter = std::move(filter), list](store::Page page) {
    Filter narrower = filter;
    narrower.page = page;
    return list(std::move(narrower));
  };
  return made;
}

inline constexpr std::int64_t kRowsAtOnce = 50;

template <typename Row>
Task<Result<std::string>> rows_text(ApiServices& services, std::shared_ptr<RowList<Row>> list,
                                    std::vector<std::int64_t> places) {
  std::vector<Row> rows = std::exchange(list->in_hand, {});
  if (rows.empty()) {
    auto page = co_await list->read({.offset = places.front(), .limit = std::ssize(places)});
    // Others have gone meanwhile, so that there are none at these places any more.
    if (!page && page.error().code == ErrorCode::kInvalidArgument) co_return std::string();
    DET_CO_TRY(page);
    rows = std::move(page->items);
  }
  auto write = [to_json = list->to_json, &rows] {
    std::vector<std::string> entries;
    for (const Row& row : rows) entries.push_back(wire::dump(to_json(row)));
    return joined(entries);
  };
  co_return co_await run_guarded(services.workers, std::move(write));
}

// Longer ones are read as a client would that asks for a page after the other: what is added meanwhile may move rows
// from one into the next.
template <typename Row>
Task<Result<http::Response>> answer_by_rows(ApiServices& services, RowList<Row> list, store::Page asked) {
  const std::int64_t at_once = asked.limit == 0 ? kRowsAtOnce : std::min(asked.limit, kRowsAtOnce);
  auto first = co_await list.read({.offset = asked.offset, .limit = at_once});
  DET_CO_TRY(first);
  const std::int64_t left = first->total - first->offset;
  ListAnswer answer{.name = list.name, .ids = {}, .pagination = pagination_of(asked, *first), .page = kRowsAtOnce};
  answer.ids.resize(static_cast<std::size_t>(asked.limit == 0 ? left : std::min(asked.limit, left)));
  for (std::size_t i = 0; i < answer.ids.size(); ++i) {
    answer.ids[i] = first->offset + static_cast<std::int64_t>(i);  // places, not ids
  }
  answer.pagination.end = first->offset + std::ssize(answer.ids);
  list.in_hand = std::move(first->items);
  const auto shared = std::make_shared<RowList<Row>>(std::move(list));
  PageText read = [&services, shared](std::vector<std::int64_t> places) {
    return rows_text(services, shared, std::move(places));
  };
  co_return co_await answer_by_pages(std::move(answer), std::move(read));
}

}  // namespace det::api
