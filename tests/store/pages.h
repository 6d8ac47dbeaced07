#pragma once

// What a page must hold: the whole list in its order, cut. For tests of lists that find their page another way.

#include <algorithm>
#include <array>
#include <iterator>
#include <sstream>
#include <string>
#include <vector>

#include "store/page.h"

namespace det::store {

inline constexpr std::array kPages = {Page{.offset = 0, .limit = 0},   Page{.offset = 0, .limit = 7},
                                      Page{.offset = 5, .limit = 20},  Page{.offset = 25, .limit = 10},
                                      Page{.offset = 38, .limit = 50}, Page{.offset = -8, .limit = 4},
                                      Page{.offset = 31, .limit = 0}};

// Of words with blanks between them.
inline std::vector<std::string> split(const std::string& words) {
  std::istringstream in(words);
  return {std::istream_iterator<std::string>(in), {}};
}

// The words of `all` on this page, each with a blank behind it.
inline std::string cut(const std::vector<std::string>& all, const Page& page) {
  const auto total = static_cast<std::int64_t>(all.size());
  const std::int64_t begin = page.offset < 0 ? std::max<std::int64_t>(total + page.offset, 0) : page.offset;
  const std::int64_t end = page.limit == 0 ? total : std::min(total, begin + page.limit);
  std::string words;
  for (std::int64_t i = begin; i < end; ++i) words += all[static_cast<std::size_t>(i)] + " ";
  return words;
}

}  // namespace det::store
