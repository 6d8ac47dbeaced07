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

namespace det::api {

struct ListAnswer {
  std::string name;               // of the list
  std::vector<std::int64_t> ids;  // of its entries, in order
  wire::Pagination pagination;
  std::size_t page = 100;  // entries read at once
};

// The entries of these ids as JSON, with commas between them. Ids that are gone meanwhile are left out.
using PageText = std::function<Task<Result<std::string>>(std::vector<std::int64_t> ids)>;

// One page at once; more as a stream, which breaks off where reading fails.
Task<Result<http::Response>> answer_by_pages(ListAnswer list, PageText read);

// Of the members of a JSON list.
[[nodiscard]] std::string joined(const std::vector<wire::Json>& entries);

}  // namespace det::api
