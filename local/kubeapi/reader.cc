#include "local/kubeapi/reader.h"

#include <algorithm>
#include <charconv>
#include <utility>

#include "base/encoding.h"
#include "base/json_get.h"
#include "local/kubeapi/responses.h"

namespace det::local::kubeapi {
namespace {

using nlohmann::json;

constexpr std::size_t kMaxPages = 64;
constexpr std::chrono::minutes kPagesLive{5};

ApiError page_expired() {
  return expired(
      "The provided continue parameter is too old to display a consistent list result. You must start a new list "
      "without "
      "the continue parameter.");
}

}  // namespace

Reader::Reader(Clock& clock, ObjectStore& store, ReaderOptions options)
    : clock_(clock), store_(store), options_(options) {}

http::Response Reader::get(const ApiRequest& request, const http::Request& http) const {
  const ObjectRef object = store_.find(request.place());
  if (object == nullptr) return refuse(not_found(request.type->subject(request.name)));
  const AnswerForm form = parse_form(http);
  if (!form.is_table) return answer(object->text);
  json meta = {{"resourceVersion", std::to_string(object->version)}};
  return answer(dump(render_table(*request.type, {object}, std::move(meta), form.row_object, true, clock_.wall_now())));
}

Task<bool> Reader::reach(std::uint64_t version) {
  constexpr std::chrono::milliseconds kStep{50};
  for (auto waited = kStep; store_.version() < version; waited += kStep) {
    if (waited > options_.version_patience) co_return false;
    co_await clock_.sleep_for(kStep);
  }
  co_return true;
}

Task<http::Response> Reader::list(ApiRequest request, const http::Request& http) {
  const auto limit = parse_number(http, "limit");
  if (!limit) co_return refuse(limit.error());
  const auto token = http.query.get("continue");
  ApiResult<Page> page;
  if (!token.empty()) {
    page = next_page(token, limit->value_or(0));
  } else {
    const auto version = parse_number(http, "resourceVersion");
    if (!version) co_return refuse(version.error());
    const std::uint64_t asked = version->value_or(0);
    const bool reached = co_await reach(asked);
    if (!reached) co_return refuse(too_large_version(asked, store_.version()));
    const bool is_exact = http.query.get("resourceVersionMatch") == "Exact";
    if (is_exact && asked != store_.version()) co_return refuse(too_old(asked, store_.version()));
    page = first_page(request, http, limit->value_or(0));
  }
  if (!page) co_return refuse(page.error());
  co_return answer(render(request, http, *page));
}

ApiResult<Reader::Page> Reader::first_page(const ApiRequest& request, const http::Request& http, std::uint64_t limit) {
  const auto selection = parse_selection(http, *request.type);
  DET_TRY(selection);
  auto objects = store_.list(request.type->collection(), request.ns);
  if (!selection->empty()) {
    std::erase_if(objects, [&](const ObjectRef& object) { return !selection->matches(object->value); });
  }
  const std::uint64_t version = store_.version();
  if (limit == 0 || objects.size() <= limit) return cut("", objects, 0, version, limit);
  std::erase_if(pages_, [&](const Pages& old) { return clock_.steady_now() - old.made > kPagesLive; });
  if (pages_.size() >= kMaxPages) pages_.pop_front();
  pages_.push_back(
      {.id = random_token(9), .objects = std::move(objects), .version = version, .made = clock_.steady_now()});
  return cut(pages_.back().id, pages_.back().objects, 0, version, limit);
}

// A token is "<id of the list>.<objects served>".
ApiResult<Reader::Page> Reader::next_page(std::string_view token, std::uint64_t limit) {
  const auto dot = token.rfind('.');
  if (dot == std::string_view::npos) return std::unexpected(bad_request("continue key is not valid"));
  std::size_t from = 0;
  const std::string_view number = token.substr(dot + 1);
  const auto read = std::from_chars(number.data(), number.data() + number.size(), from);
  if (read.ec != std::errc()) return std::unexpected(bad_request("continue key is not valid"));
  const auto found = std::ranges::find(pages_, token.substr(0, dot), &Pages::id);
  if (found == pages_.end() || clock_.steady_now() - found->made > kPagesLive) return std::unexpected(page_expired());
  return cut(found->id, found->objects, from, found->version, limit);
}

Reader::Page Reader::cut(const std::string& id, const std::vector<ObjectRef>& objects, std::size_t from,
                         std::uint64_t version, std::uint64_t limit) const {
  from = std::min(from, objects.size());
  const std::size_t count = limit == 0 ? objects.size() - from : std::min<std::size_t>(limit, objects.size() - from);
  const auto begin = objects.begin() + static_cast<std::ptrdiff_t>(from);
  Page page{.objects = {begin, begin + static_cast<std::ptrdiff_t>(count)},
            .meta = {{"resourceVersion", std::to_string(version)}}};
  const std::size_t next = from + count;
  if (next < objects.size()) {
    page.meta["continue"] = id + "." + std::to_string(next);
    page.meta["remainingItemCount"] = objects.size() - next;
  }
  return page;
}

std::string Reader::render(const ApiRequest& request, const http::Request& http, const Page& page) const {
  const ResourceType& type = *request.type;
  const AnswerForm form = parse_form(http);
  if (form.is_table) {
    return dump(render_table(type, page.objects, page.meta, form.row_object, true, clock_.wall_now()));
  }
  std::string text = R"({"kind":")" + type.list_kind + R"(","apiVersion":")" + type.api_version() + R"(","metadata":)" +
                     dump(page.meta) + R"(,"items":[)";
  for (const ObjectRef& object : page.objects) {
    if (text.back() != '[') text += ',';
    text += object->text;
  }
  return text + "]}";
}

}  // namespace det::local::kubeapi
