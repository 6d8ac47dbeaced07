#include "store/listing/list_filter.h"

#include <charconv>
#include <cmath>
#include <limits>

#include <nlohmann/json.hpp>

#include "base/json_depth.h"
#include "base/json_reader.h"
#include "model/states.h"

namespace det::store {
namespace {

using nlohmann::json;

constexpr std::pair<std::string_view, FilterOperator> kOperators[] = {
    {"=", FilterOperator::kEqual},
    {"!=", FilterOperator::kNotEqual},
    {"<", FilterOperator::kLess},
    {"<=", FilterOperator::kLessOrEqual},
    {">", FilterOperator::kGreater},
    {">=", FilterOperator::kGreaterOrEqual},
    {"contains", FilterOperator::kContains},
    {"notContains", FilterOperator::kNotContains},
    {"isEmpty", FilterOperator::kIsEmpty},
    {"notEmpty", FilterOperator::kNotEmpty},
};

constexpr std::pair<std::string_view, ListPlace> kPlaces[] = {
    {"LOCATION_TYPE_EXPERIMENT", ListPlace::kExperiment},
    {"LOCATION_TYPE_RUN", ListPlace::kRun},
    {"LOCATION_TYPE_VALIDATIONS", ListPlace::kMetric},
    {"LOCATION_TYPE_TRAINING", ListPlace::kMetric},
    {"LOCATION_TYPE_CUSTOM_METRIC", ListPlace::kMetric},
    {"LOCATION_TYPE_HYPERPARAMETERS", ListPlace::kHyperparameter},
    {"LOCATION_TYPE_RUN_HYPERPARAMETERS", ListPlace::kRunHyperparameter},
    {"LOCATION_TYPE_RUN_METADATA", ListPlace::kRunMetadata},
};

constexpr std::string_view kTypes[] = {"COLUMN_TYPE_UNSPECIFIED", "COLUMN_TYPE_TEXT", "COLUMN_TYPE_NUMBER",
                                       "COLUMN_TYPE_DATE", "COLUMN_TYPE_ARRAY"};

bool needs_value(FilterOperator op) {
  return op != FilterOperator::kIsEmpty && op != FilterOperator::kNotEmpty;
}

bool is_containment(FilterOperator op) {
  return op == FilterOperator::kContains || op == FilterOperator::kNotContains;
}

std::unexpected<Error> wrong(const std::string& at, const std::string& what) {
  return fail(ErrorCode::kInvalidArgument, at + ": " + what, at);
}

// Words of the REST protocol, of experiments and of trials, as the tables have them.
std::optional<std::string> state_word(std::string_view word) {
  if (word.starts_with("STATE_")) word.remove_prefix(6);
  if (word == "QUEUED" || word == "PULLING" || word == "STARTING" || word == "RUNNING") return "ACTIVE";
  if (!model::parse_experiment_state(word)) return std::nullopt;
  return std::string(word);
}

template <typename Number>
std::optional<Number> whole_text(const std::string& text) {
  Number number = 0;
  const auto [end, ec] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (ec != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return number;
}

// A whole number of 64 bits exactly: seeds and times in nanoseconds are no float8.
std::optional<std::int64_t> integer_in(const json& value) {
  if (value.is_string()) return whole_text<std::int64_t>(value.get_ref<const std::string&>());
  if (!value.is_number_integer()) return std::nullopt;
  constexpr auto kLargest = static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max());
  if (value.is_number_unsigned() && value.get<std::uint64_t>() > kLargest) return std::nullopt;
  return value.get<std::int64_t>();
}

std::optional<double> number_in(const json& value) {
  if (value.is_number()) return value.get<double>();
  if (!value.is_string()) return std::nullopt;
  const auto number = whole_text<double>(value.get_ref<const std::string&>());
  return number && std::isfinite(*number) ? number : std::nullopt;
}

std::optional<WallTime> time_in(const json& value) {
  if (!value.is_string()) return std::nullopt;
  const auto& text = value.get_ref<const std::string&>();
  return parse_rfc3339(text.size() == 10 ? text + "T00:00:00Z" : text);
}

std::string text_in(const json& value) {
  return value.is_string() ? value.get<std::string>() : value.dump();
}

// `text` cut for a message.
std::string shown(const json& value) {
  constexpr std::size_t kMost = 60;
  std::string text = value.dump(-1, ' ', false, json::error_handler_t::replace);
  return text.size() <= kMost ? text : text.substr(0, kMost) + "...";
}

class FilterParser {
 public:
  Result<FilterPart> part(const json& given, const std::string& at, int depth) {
    if (!given.is_object()) return wrong(at, "expected an object, got " + std::string(json_type_name(given)));
    if (depth > kDeepestFilter) return wrong(at, "groups in more than " + std::to_string(kDeepestFilter) + " groups");
    if (++parts_ > kMostFilterParts) {
      return wrong(at, "a filter of more than " + std::to_string(kMostFilterParts) + " groups and fields");
    }
    const auto kind = word(given, "kind", at);
    DET_TRY(kind);
    if (*kind == "group") return group(given, at, depth);
    if (*kind == "field") return field(given, at);
    return wrong(at + ".kind", "'" + *kind + "' is neither 'group' nor 'field'");
  }

 private:
  static Result<std::string> word(const json& given, const char* name, const std::string& at) {
    const auto found = given.find(name);
    if (found == given.end() || found->is_null()) return std::string();
    if (!found->is_string()) return wrong(at + "." + name, "expected a text, got " + shown(*found));
    return found->get<std::string>();
  }

  Result<FilterPart> group(const json& given, const std::string& at, int depth) {
    FilterPart made;
    const auto conjunction = word(given, "conjunction", at);
    DET_TRY(conjunction);
    if (*conjunction != "and" && *conjunction != "or") {
      return wrong(at + ".conjunction", "'" + *conjunction + "' is neither 'and' nor 'or'");
    }
    made.is_any = *conjunction == "or";
    const auto children = given.find("children");
    if (children == given.end() || children->is_null()) return made;
    if (!children->is_array()) return wrong(at + ".children", "expected a list");
    for (std::size_t i = 0; i < children->size(); ++i) {
      auto child = part((*children)[i], item_path(at + ".children", i), depth + 1);
      DET_TRY(child);
      made.children.push_back(std::move(*child));
    }
    return made;
  }

  // One whose value is null asks for nothing yet: people's pages send what is being filled in.
  static Result<FilterPart> field(const json& given, const std::string& at) {
    const auto op = read_operator(given, at);
    DET_TRY(op);
    auto subject = read_subject(given, at);
    DET_TRY(subject);
    const auto value = given.find("value");
    const bool has_value = value != given.end() && !value->is_null();
    if (!has_value && needs_value(*op)) return FilterPart();
    FilterField made{.subject = std::move(*subject), .op = *op, .value = {}};
    if (needs_value(*op)) {
      auto read = read_value(made, *value, at + ".value");
      DET_TRY(read);
      made.value = std::move(*read);
    }
    return FilterPart{.field = std::move(made), .is_any = false, .children = {}};
  }

  static Result<FilterOperator> read_operator(const json& given, const std::string& at) {
    const auto written = word(given, "operator", at);
    DET_TRY(written);
    std::string known;
    for (const auto& [name, op] : kOperators) {
      if (name == *written) return op;
      known += (known.empty() ? "" : ", ") + std::string(name);
    }
    return wrong(at + ".operator", "'" + *written + "' is not one of " + known);
  }

  static Result<ListSubject> read_subject(const json& given, const std::string& at) {
    ListSubject subject{.place = ListPlace::kExperiment, .column = nullptr, .metric = {}, .path = {}};
    const auto location = word(given, "location", at);
    DET_TRY(location);
    if (!location->empty()) {
      const auto* found = std::ranges::find(kPlaces, *location, [](const auto& one) { return one.first; });
      if (found == std::end(kPlaces)) {
        return wrong(at + ".location", "'" + *location + "' is no location of columns: LOCATION_TYPE_RUN is one");
      }
      subject.place = found->second;
    }
    const auto type = word(given, "type", at);
    DET_TRY(type);
    if (!type->empty() && std::ranges::find(kTypes, *type) == std::end(kTypes)) {
      return wrong(at + ".type", "'" + *type + "' is no type of columns: COLUMN_TYPE_NUMBER is one");
    }
    const auto name = word(given, "columnName", at);
    DET_TRY(name);
    DET_TRY(name_column(subject, *name, at + ".columnName"));
    if (subject.place != ListPlace::kExperiment && subject.place != ListPlace::kRun) {
      subject.kind = kind_of(given, *type, subject.place);
    }
    return subject;
  }

  static Status name_column(ListSubject& subject, const std::string& name, const std::string& at) {
    if (name.find('\0') != std::string::npos) return wrong(at, "has a NUL character");
    switch (subject.place) {
      case ListPlace::kExperiment:
      case ListPlace::kRun:
        subject.column = find_list_column(subject.place, name);
        if (subject.column == nullptr) {
          return wrong(at,
                       "'" + name + "' is no column of " + (subject.place == ListPlace::kRun ? "runs" : "experiments"));
        }
        subject.kind = subject.column->kind;
        return {};
      case ListPlace::kMetric:
        if (auto metric = parse_metric_column(name)) {
          subject.metric = std::move(*metric);
          return {};
        }
        return wrong(at, "'" + name + "' is not a valid metrics id: one is like validation.loss.min");
      case ListPlace::kHyperparameter:
      case ListPlace::kRunHyperparameter:
        return read_path(subject, name, "hp.", at);
      case ListPlace::kRunMetadata:
        return read_path(subject, name, "metadata.", at);
    }
    return {};
  }

  static Status read_path(ListSubject& subject, const std::string& name, std::string_view prefix,
                          const std::string& at) {
    auto path = parse_list_path(name, prefix);
    if (!path) return wrong(at, "'" + name + "' is not a name like " + std::string(prefix) + "a.b");
    subject.path = std::move(*path);
    return {};
  }

  // Of what is kept as JSON: as it is asked for, else as the value is.
  static ListKind kind_of(const json& given, const std::string& type, ListPlace place) {
    if (place == ListPlace::kMetric) return ListKind::kNumber;
    if (type == "COLUMN_TYPE_NUMBER") return ListKind::kNumber;
    if (type == "COLUMN_TYPE_DATE" && place == ListPlace::kRunMetadata) return ListKind::kDate;
    if (type == "COLUMN_TYPE_TEXT") return ListKind::kText;
    const auto value = given.find("value");
    if (value == given.end()) return ListKind::kText;
    return value->is_number() ? ListKind::kNumber : value->is_boolean() ? ListKind::kBoolean : ListKind::kText;
  }

  static Result<FilterValue> read_value(const FilterField& field, const json& value, const std::string& at) {
    if (value.is_structured()) return wrong(at, "expected one value, got " + shown(value));
    const ListKind kind = field.subject.kind;
    const bool is_json = !field.subject.path.empty();
    if (is_containment(field.op) && kind != ListKind::kText && kind != ListKind::kState && !is_json) {
      return wrong(at, "'contains' and 'notContains' look into texts, and the column holds none");
    }
    switch (kind) {
      case ListKind::kInteger:
      case ListKind::kNumber: {
        if (const auto whole = integer_in(value)) return *whole;
        const auto number = number_in(value);
        if (!number) return wrong(at, "expected a number, got " + shown(value));
        constexpr double kExact = 9007199254740992.0;  // 2^53
        if (std::trunc(*number) == *number && std::abs(*number) <= kExact) return static_cast<std::int64_t>(*number);
        return *number;
      }
      case ListKind::kDate: {
        const auto time = time_in(value);
        if (!time) return wrong(at, "expected a time like 2026-11-21T02:00:00Z, got " + shown(value));
        return *time;
      }
      case ListKind::kBoolean:
        if (value.is_boolean()) return value.get<bool>();
        if (value == "true" || value == "false") return value == "true";
        return wrong(at, "expected true or false, got " + shown(value));
      case ListKind::kState:
        if (!is_containment(field.op)) {
          auto state = state_word(text_in(value));
          if (!state) return wrong(at, shown(value) + " is no state: COMPLETED is one");
          return std::move(*state);
        }
        break;
      case ListKind::kText:
        break;
    }
    std::string text = text_in(value);
    if (text.find('\0') != std::string::npos) return wrong(at, "has a NUL character");
    return text;
  }

  int parts_ = 0;
};

Result<ListSubject> sort_subject(ListPlace of, const std::string& name) {
  ListSubject subject{.place = of, .column = nullptr, .metric = {}, .path = {}};
  const bool is_hp = name.starts_with("hp.");
  if (is_hp || (name.starts_with("metadata.") && of == ListPlace::kRun)) {
    subject.place = !is_hp                  ? ListPlace::kRunMetadata
                    : of == ListPlace::kRun ? ListPlace::kRunHyperparameter
                                            : ListPlace::kHyperparameter;
    auto path = parse_list_path(name, is_hp ? "hp." : "metadata.");
    if (!path) return wrong("sort", "'" + name + "' is not a name like hp.a.b");
    subject.path = std::move(*path);
    return subject;
  }
  if (name.find('.') != std::string::npos) {
    auto metric = parse_metric_column(name);
    if (!metric) return wrong("sort", "'" + name + "' is not a valid metrics id: one is like validation.loss.min");
    subject.place = ListPlace::kMetric;
    subject.metric = std::move(*metric);
    return subject;
  }
  subject.column = find_list_column(of, name);
  if (subject.column == nullptr) return wrong("sort", "invalid sort col: " + name);
  return subject;
}

}  // namespace

Result<ListFilter> parse_list_filter(std::string_view text) {
  const std::string at = "filter";
  if (text.size() > kLongestFilter) {
    return wrong(at, "longer than " + std::to_string(kLongestFilter) + " bytes");
  }
  if (is_nested_deeper(text, 3 * kDeepestFilter)) {
    return wrong(at, "groups in more than " + std::to_string(kDeepestFilter) + " groups");
  }
  const json given = json::parse(text, nullptr, false);
  if (!given.is_object()) return wrong(at, "expected JSON like {\"filterGroup\":{...},\"showArchived\":false}");
  ListFilter filter;
  if (const auto shows = given.find("showArchived"); shows != given.end() && !shows->is_null()) {
    if (!shows->is_boolean()) return wrong("filter.showArchived", "expected true or false, got " + shown(*shows));
    filter.shows_archived = shows->get<bool>();
  }
  const auto root = given.find("filterGroup");
  if (root == given.end() || root->is_null()) return filter;
  auto part = FilterParser().part(*root, "filter.filterGroup", 1);
  DET_TRY(part);
  filter.root = std::move(*part);
  return filter;
}

Result<std::vector<ListOrder>> parse_list_sort(ListPlace of, std::string_view text) {
  std::vector<ListOrder> orders;
  if (text.size() > kLongestSort) return wrong("sort", "longer than " + std::to_string(kLongestSort) + " bytes");
  if (text.find('\0') != std::string_view::npos) return wrong("sort", "has a NUL character");
  while (!text.empty()) {
    const auto comma = text.find(',');
    const std::string one(text.substr(0, comma));
    text.remove_prefix(comma == std::string_view::npos ? text.size() : comma + 1);
    const auto equals = one.find('=');
    if (equals == std::string::npos || one.find('=', equals + 1) != std::string::npos) {
      return wrong("sort", "invalid sort parameter: " + one);
    }
    const std::string way = one.substr(equals + 1);
    if (way != "asc" && way != "desc") return wrong("sort", "invalid sort direction: " + way);
    auto subject = sort_subject(of, one.substr(0, equals));
    DET_TRY(subject);
    if (orders.size() == kMostSortParts) {
      return wrong("sort", "by more than " + std::to_string(kMostSortParts) + " columns");
    }
    orders.push_back({.subject = std::move(*subject), .order = way == "asc" ? Order::kAscending : Order::kDescending});
  }
  return orders;
}

}  // namespace det::store
