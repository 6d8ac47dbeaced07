// Filters and orders of lists, as people's clients write them. What is refused names a reason; what is taken becomes a
// statement whose text has nothing of what was written, only the names of its parameters.

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>

#include "store/listing/list_filter.h"
#include "store/listing/list_statement.h"

namespace {

using namespace det::store;

template <typename T>
void insist_on_reason(const det::Result<T>& result) {
  if (!result && result.error().message.empty()) std::abort();
}

// Our expressions hold no quotes but these, none of which a value may add to.
bool is_ours(std::string_view text) {
  return text.find("--") == std::string_view::npos && text.find(';') == std::string_view::npos &&
         text.find("secret") == std::string_view::npos;
}

void read_filter(ListPlace of, std::string_view text) {
  const auto filter = parse_list_filter(text);
  insist_on_reason(filter);
  if (!filter) return;
  ListStatement statement(of, "secret", {});
  statement.require(*filter);
  if (!is_ours(statement.text())) std::abort();
}

void read_sort(ListPlace of, std::string_view text) {
  const auto orders = parse_list_sort(of, text);
  insist_on_reason(orders);
  if (!orders) return;
  if (orders->size() > kMostSortParts) std::abort();
  ListStatement statement(of, "secret", {});
  statement.order(*orders);
  if (!is_ours(statement.text())) std::abort();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0) return 0;
  const std::string_view text(reinterpret_cast<const char*>(data) + 1, size - 1);
  const ListPlace of = (data[0] & 1) == 0 ? ListPlace::kRun : ListPlace::kExperiment;
  (data[0] & 2) == 0 ? read_filter(of, text) : read_sort(of, text);
  return 0;
}
