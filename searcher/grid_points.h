#pragma once

// The points of a grid search: every combination of the values of its hyperparameters. Only the values per
// hyperparameter are kept; a point is put together when it is asked for. A value; pure.

#include <cstdint>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "base/result.h"

namespace det::searcher {

// More than anyone trains, and what a snapshot can still hold.
inline constexpr std::int64_t kMaxGridPoints = 1'000'000;

class GridPoints {
 public:
  // Of a normalised hyperparameter section. kInvalidArgument, with the field, for a range without `count` and when
  // there are more than kMaxGridPoints. No hyperparameters at all have no points.
  [[nodiscard]] static Result<GridPoints> of(const nlohmann::json& space);

  [[nodiscard]] std::int64_t size() const { return size_; }
  // 0 <= index < size(). Names in byte order, in nested maps too: the first changes slowest, the last fastest.
  [[nodiscard]] nlohmann::json at(std::int64_t index) const;

 private:
  using Names = std::vector<std::string>;
  struct Axis {
    Names place;                         // from the outermost map inwards
    std::vector<nlohmann::json> values;  // one or more
  };

  static Status add_axes(const nlohmann::json& space, const Names& place, const std::string& path, GridPoints& grid);
  static Status add_axis(const nlohmann::json& parameter, Names place, const std::string& path, GridPoints& grid);

  std::vector<Axis> axes_;
  std::int64_t size_ = 0;
};

}  // namespace det::searcher
