#include "searcher/grid_points.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>
#include <optional>
#include <utility>

#include "base/check.h"
#include "base/json_reader.h"
#include "model/expconf/hyperparameters.h"
#include "searcher/go_math.h"
#include "searcher/sample.h"

namespace det::searcher {
namespace {

using model::HyperparameterKind;
using nlohmann::json;

std::unexpected<Error> too_many() {
  return fail(ErrorCode::kInvalidArgument,
              "the grid has more than " + std::to_string(kMaxGridPoints) +
                  " points: give fewer values per hyperparameter (`count`), or use the `random` searcher",
              "hyperparameters");
}

// One whole number, rounded half away from zero.
json grid_int(const json& range, std::int64_t index, std::int64_t count) {
  const auto low = static_cast<double>(whole_number(range.at("minval")).value_or(0));
  const auto high = static_cast<double>(whole_number(range.at("maxval")).value_or(0));
  const double value =
      count == 1 ? (low + high) / 2 : low + static_cast<double>(index) * (high - low) / static_cast<double>(count - 1);
  return static_cast<std::int64_t>(std::round(value));
}

double grid_double(const json& range, std::int64_t index, std::int64_t count) {
  const auto low = range.at("minval").get<double>();
  const auto high = range.at("maxval").get<double>();
  if (count == 1) return (low + high) / 2;
  return low + static_cast<double>(index) * (high - low) / static_cast<double>(count - 1);
}

// How many values an int range can have at most; saturated.
std::int64_t span_of(const json& range) {
  const std::int64_t low = whole_number(range.at("minval")).value_or(0);
  const std::int64_t high = whole_number(range.at("maxval")).value_or(0);
  const std::uint64_t span = static_cast<std::uint64_t>(high) - static_cast<std::uint64_t>(low);
  constexpr auto kMost = static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max());
  return static_cast<std::int64_t>(std::min(span, kMost - 1)) + 1;
}

// The values of an int, double or log range, at most `limit` of them.
Result<std::vector<json>> values_of_range(const json& range, const std::string& path, std::int64_t limit) {
  const auto wanted = whole_number(range.value("count", json()));
  if (!wanted || *wanted < 1) {
    return fail(ErrorCode::kInvalidArgument, "grid search is in use but count was not provided", path);
  }
  const HyperparameterKind kind = model::kind_of_hyperparameter(range);
  const std::int64_t count = kind == HyperparameterKind::kInt ? std::min(*wanted, span_of(range)) : *wanted;
  if (count > limit) return too_many();
  std::vector<json> values;
  for (std::int64_t i = 0; i < count; ++i) {
    if (kind == HyperparameterKind::kInt) {
      values.push_back(grid_int(range, i, count));
    } else if (kind == HyperparameterKind::kDouble) {
      values.push_back(sampled_number(grid_double(range, i, count)));
    } else {
      values.push_back(sampled_number(go_pow(range.at("base").get<double>(), grid_double(range, i, count))));
    }
  }
  return values;
}

}  // namespace

Result<GridPoints> GridPoints::of(const json& space) {
  GridPoints grid;
  if (space.empty()) return grid;
  grid.size_ = 1;
  if (Status added = add_axes(space, {}, "hyperparameters", grid); !added) {
    return std::unexpected(added.error());
  }
  return grid;
}

Status GridPoints::add_axes(const json& space, const Names& place, const std::string& path, GridPoints& grid) {
  for (const auto& [name, parameter] : space.items()) {
    Names inner = place;
    inner.push_back(name);
    if (Status added = add_axis(parameter, std::move(inner), child_path(path, name), grid); !added) return added;
  }
  return {};
}

Status GridPoints::add_axis(const json& parameter, Names place, const std::string& path, GridPoints& grid) {
  const HyperparameterKind kind = model::kind_of_hyperparameter(parameter);
  if (kind == HyperparameterKind::kNested && !parameter.empty()) return add_axes(parameter, place, path, grid);
  Axis axis{.place = std::move(place), .values = {}};
  if (kind == HyperparameterKind::kNested) {
    axis.values = {json::object()};
  } else if (kind == HyperparameterKind::kConst) {
    axis.values.push_back(parameter.at("val"));
  } else if (kind == HyperparameterKind::kCategorical) {
    axis.values = parameter.at("vals").get<std::vector<json>>();
  } else {
    auto values = values_of_range(parameter, path, kMaxGridPoints / grid.size_);
    DET_TRY(values);
    axis.values = *std::move(values);
  }
  if (axis.values.empty()) {
    return fail(ErrorCode::kInvalidArgument, "must have at least one value to choose from", path);
  }
  const auto count = static_cast<std::int64_t>(axis.values.size());
  if (count > kMaxGridPoints / grid.size_) return too_many();
  grid.size_ *= count;
  grid.axes_.push_back(std::move(axis));
  return {};
}

json GridPoints::at(std::int64_t index) const {
  DET_CHECK(index >= 0 && index < size_, "the grid has no such point");
  json point = json::object();
  for (auto axis = axes_.rbegin(); axis != axes_.rend(); ++axis) {
    const auto count = static_cast<std::int64_t>(axis->values.size());
    json* place = &point;
    for (const std::string& name : axis->place) place = &(*place)[name];
    *place = axis->values[static_cast<std::size_t>(index % count)];
    index /= count;
  }
  return point;
}

}  // namespace det::searcher
