#pragma once

// The part of a list in memory that a request asks for. Pure.

#include <cstddef>

#include "base/result.h"
#include "store/page.h"
#include "wire/forms.h"

namespace det::api {

struct ListSlice {
  std::size_t first = 0;
  std::size_t last = 0;  // behind the last one
  wire::Json pagination;
};

// kInvalidArgument "offset out of bounds" for an offset behind the end. A negative one counts from the end.
[[nodiscard]] Result<ListSlice> slice_of(const store::Page& page, std::size_t total);

}  // namespace det::api
