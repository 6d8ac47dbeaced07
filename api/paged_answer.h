#pragma once

// Lists that may be long: {"runs":[...],"pagination":{...}}, whose entries are read and written page by page, so that
// none of them holds more than a page, and a reader who is slow holds no connection. Belongs to the io thread.

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "api/call.h"
#include "http/message.h"
#include "store/page.h"
#include "wire/forms.h"

namespace det::api {

struct ListAnswer {
  std::string name;               // of the list
  std::string before = {};        // members beside it, as JSON with a comma behind each
  std::vector<std::int64_t> ids;  // of its entries, in order; or anything that tells them apart
  wire::Pagination pagination;
  std::size_t page = 100;  // entries read at once
};

// Of a page of a list, which was asked for and given.
template <typename T>
[[nodiscard]] wire::Pagination pagination_of(const store::Page& asked, const store::Paged<T>& given) {
  return {.offset = given.offset,
          .limit = asked.limit,
          .start = given.offset,
          .end = given.offset + static_cast<std::int64_t>(given.items.size()),
          .total = given.total};
}

// The entries of these ids as JSON, with commas between them. Ids that are gone meanwhile are left out.
using PageText = std::function<Task<Result<std::string>>(std::vector<std::int64_t> ids)>;

// One page at once; more as a stream, which breaks off where reading fails.
Task<Result<http::Response>> answer_by_pages(ListAnswer list, PageText read);

// Of the members of a JSON list.
[[nodiscard]] std::string joined(const std::vector<wire::Json>& entries);
[[nodiscard]] std::string joined(const std::vector<std::string>& entries);

}  // namespace det::api
