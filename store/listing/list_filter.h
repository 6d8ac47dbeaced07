#pragma once

// The filters and orders of lists of experiments and runs, as Determined's clients write them: a filter is JSON,
// {"filterGroup":{"kind":"group","conjunction":"and","children":[{"kind":"field","location":"LOCATION_TYPE_RUN",
// "columnName":"id","type":"COLUMN_TYPE_NUMBER","operator":">","value":3}]},"showArchived":false}, an order is
// "searcherMetricsVal=desc,id=asc". Read here into values that are typed and bounded. Pure.

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "base/wall_time.h"
#include "store/listing/list_columns.h"
#include "store/page.h"

namespace det::store {

inline constexpr std::size_t kLongestFilter = 64 << 10;  // bytes
inline constexpr int kDeepestFilter = 20;                // groups in groups
inline constexpr int kMostFilterParts = 200;             // groups and fields
inline constexpr std::size_t kLongestSort = 8 << 10;     // bytes
inline constexpr std::size_t kMostSortParts = 10;

enum class FilterOperator : std::uint8_t {
  kEqual,
  kNotEqual,
  kLess,
  kLessOrEqual,
  kGreater,
  kGreaterOrEqual,
  kContains,
  kNotContains,
  kIsEmpty,
  kNotEmpty,
};

// monostate only where the operator needs none.
using FilterValue = std::variant<std::monostate, std::int64_t, double, bool, std::string, WallTime>;

// What a condition or an order is about.
struct ListSubject {
  ListPlace place = ListPlace::kRun;
  const ListColumn* column = nullptr;  // of kExperiment and kRun
  MetricColumn metric;                 // of kMetric
  std::vector<std::string> path;       // of the others
  ListKind kind = ListKind::kText;     // of the value

  bool operator==(const ListSubject&) const = default;
};

struct FilterField {
  ListSubject subject;
  FilterOperator op = FilterOperator::kEqual;
  FilterValue value;
};

// A field, or a group of several.
struct FilterPart {
  std::optional<FilterField> field;
  bool is_any = false;               // one of the parts is enough; else all are needed
  std::vector<FilterPart> children;  // none: everything passes
};

struct ListFilter {
  FilterPart root;
  bool shows_archived = false;
};

struct ListOrder {
  ListSubject subject;
  Order order = Order::kAscending;
};

// kInvalidArgument names the part: "filter.filterGroup.children[0].operator: ...".
[[nodiscard]] Result<ListFilter> parse_list_filter(std::string_view text);
// `of`: kExperiment or kRun, whose columns have no prefix. Empty text: no order.
[[nodiscard]] Result<std::vector<ListOrder>> parse_list_sort(ListPlace of, std::string_view text);

}  // namespace det::store
