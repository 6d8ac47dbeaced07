#pragma once

// Arguments of a request's path and query: ids, pages, orders, times, filters. Query names are taken in camelCase and
// in snake_case; unknown ones are ignored. Pure.

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/clock.h"
#include "base/result.h"
#include "http/message.h"
#include "store/page.h"
#include "wire/forms.h"

namespace det::api {

// The number that {id} of the route's pattern matched. kInvalidArgument when it is none.
[[nodiscard]] Result<std::int64_t> path_id(const http::Request& request, std::string_view name = "id");
// Any {name} as text.
[[nodiscard]] std::string path_text(const http::Request& request, std::string_view name);

// The words of an enum of the API, for QueryArguments::words.
template <typename T, std::size_t N>
using WordTable = std::pair<std::string_view, T>[N];

// Keeps the first error; ask status() when all is read.
class QueryArguments {
 public:
  explicit QueryArguments(const http::Params& query) : query_(query) {}

  [[nodiscard]] std::optional<std::string> text(std::string_view name) const;
  [[nodiscard]] std::vector<std::string> texts(std::string_view name) const;
  [[nodiscard]] std::optional<std::int64_t> integer(std::string_view name);
  [[nodiscard]] std::vector<std::int64_t> integers(std::string_view name);
  [[nodiscard]] std::optional<bool> boolean(std::string_view name);
  [[nodiscard]] std::optional<WallTime> time(std::string_view name);
  // offset and limit.
  [[nodiscard]] store::Page page();
  // orderBy: ORDER_BY_ASC or ORDER_BY_DESC.
  [[nodiscard]] std::optional<store::Order> order();
  // Each value of `name` through `parse`, a function from text to std::optional. `wanted`: what it takes, for the
  // error.
  template <typename Parse>
  auto words(std::string_view name, Parse parse, std::string_view wanted) {
    std::vector<typename decltype(parse(std::string_view()))::value_type> out;
    for (const std::string& word : texts(name)) {
      if (const auto value = parse(word)) {
        out.push_back(*value);
      } else {
        wrong(name, word, wanted);
      }
    }
    return out;
  }
  template <typename T, std::size_t N>
  std::vector<T> words(std::string_view name, const WordTable<T, N>& table) {
    std::string wanted;
    for (const auto& [word, value] : table) {
      if (!word.ends_with("_UNSPECIFIED")) wanted += (wanted.empty() ? "one of " : ", ") + std::string(word);
    }
    const auto parse = [&table](std::string_view word) -> std::optional<T> {
      for (const auto& [one, value] : table) {
        if (one == word) return value;
      }
      return std::nullopt;
    };
    return words(name, parse, wanted);
  }
  [[nodiscard]] const Status& status() const { return status_; }

 private:
  void wrong(std::string_view name, std::string_view value, std::string_view wanted);

  const http::Params& query_;
  Status status_;
};

// The "pagination" of an answer.
template <typename T>
[[nodiscard]] wire::Json pagination(const store::Page& asked, const store::Paged<T>& given) {
  return wire::to_json(wire::Pagination{.offset = given.offset,
                                        .limit = asked.limit,
                                        .start = given.offset,
                                        .end = given.offset + static_cast<std::int64_t>(given.items.size()),
                                        .total = given.total});
}

}  // namespace det::api
