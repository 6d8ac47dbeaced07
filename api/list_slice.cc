#include "api/list_slice.h"

#include <algorithm>

namespace det::api {

Result<ListSlice> slice_of(const store::Page& page, std::size_t total) {
  const auto size = static_cast<std::int64_t>(total);
  const std::int64_t start = page.offset < 0 ? std::max<std::int64_t>(0, size + page.offset) : page.offset;
  if (start > size) return fail(ErrorCode::kInvalidArgument, "offset out of bounds", "offset");
  const std::int64_t end = page.limit == 0 ? size : start + std::min(page.limit, size - start);
  const wire::Pagination pagination{.offset = start, .limit = page.limit, .start = start, .end = end, .total = size};
  return ListSlice{.first = static_cast<std::size_t>(start),
                   .last = static_cast<std::size_t>(end),
                   .pagination = wire::to_json(pagination)};
}

}  // namespace det::api
