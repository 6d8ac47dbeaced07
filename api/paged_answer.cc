#include "api/paged_answer.h"

#include <algorithm>
#include <memory>
#include <stdexcept>

namespace det::api {

namespace {

std::string opening(const ListAnswer& list) {
  return "{" + list.before + "\"" + list.name + "\":[";
}

std::string closing(const ListAnswer& list) {
  return "],\"pagination\":" + wire::dump(wire::to_json(list.pagination)) + "}";
}

std::vector<std::int64_t> page_of(const ListAnswer& list, std::size_t at) {
  const auto first = list.ids.begin() + static_cast<std::ptrdiff_t>(at);
  return {first, first + static_cast<std::ptrdiff_t>(std::min(list.page, list.ids.size() - at))};
}

// The missing end of a broken chunked answer is how the client knows.
Task<void> write_pages(std::shared_ptr<const ListAnswer> list, PageText read, http::Writer& writer) {
  std::string text = opening(*list);
  bool is_first = true;
  for (std::size_t at = 0; at < list->ids.size(); at += list->page) {
    const auto page = co_await read(page_of(*list, at));
    if (!page) throw std::runtime_error("a list broke off: " + page.error().message);
    if (page->empty()) continue;
    text += (is_first ? "" : ",") + *page;
    is_first = false;
    if (!co_await writer.write(std::move(text))) co_return;
    text.clear();
  }
  co_await writer.write(text + closing(*list));
}

}  // namespace

Task<Result<http::Response>> answer_by_pages(ListAnswer list, PageText read) {
  if (list.ids.size() <= list.page) {
    std::string entries;
    if (!list.ids.empty()) {
      auto page = co_await read(list.ids);
      DET_CO_TRY(page);
      entries = std::move(*page);
    }
    co_return http::Response::json(opening(list) + entries + closing(list));
  }
  http::Response response;
  response.headers.add("Content-Type", "application/json");
  response.stream = [list = std::make_shared<const ListAnswer>(std::move(list)),
                     read = std::move(read)](http::Writer& writer) { return write_pages(list, read, writer); };
  co_return response;
}

std::string joined(const std::vector<wire::Json>& entries) {
  std::vector<std::string> texts;
  texts.reserve(entries.size());
  for (const wire::Json& entry : entries) texts.push_back(wire::dump(entry));
  return joined(texts);
}

std::string joined(const std::vector<std::string>& entries) {
  std::string text;
  for (const std::string& entry : entries) text.append(text.empty() ? "" : ",").append(entry);
  return text;
}

}  // namespace det::api
