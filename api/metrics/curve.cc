#include "api/metrics/curve.h"

#include <algorithm>
#include <cmath>

#include "model/metrics/downsample.h"
#include "store/metrics/metric_values.h"
#include "wire/forms.h"
#include "wire/report_text.h"

namespace det::api {

namespace {

// Names under which harnesses report the epoch, the newer one first.
constexpr const char* kEpochs[] = {"epochs", "epoch"};

bool has(const std::vector<double>& values, double value) {
  return std::ranges::find(values, value) != values.end();
}

double axis_value(const store::MetricTable& table, const CurveAxis& axis, std::size_t metric_column, std::size_t row) {
  switch (axis.kind) {
    case CurveAxis::Kind::kBatches:
      return table.steps[row];
    case CurveAxis::Kind::kTime:
      return table.seconds[row];
    case CurveAxis::Kind::kMetric:
      break;
  }
  return table.columns[metric_column][row];
}

std::size_t place_of(const std::vector<std::string>& columns, const std::string& name) {
  return static_cast<std::size_t>(std::ranges::find(columns, name) - columns.begin());
}

}  // namespace

bool CurveAxis::wants(double x) const {
  if (!std::isfinite(x)) return false;
  if (x < from || (x == from && !includes_from)) return false;
  if (x > to || (x == to && !includes_to)) return false;
  return (only.empty() || has(only, x)) && !has(never, x);
}

bool CurveAxis::is_plain() const {
  if (!only.empty() || !never.empty()) return false;
  return kind == Kind::kBatches || (kind == Kind::kTime && std::isinf(from) && std::isinf(to));
}

std::vector<std::string> columns_of(const CurveQuery& query) {
  std::vector<std::string> columns = query.names;
  const auto add = [&columns](const std::string& name) {
    if (place_of(columns, name) == columns.size()) columns.push_back(name);
  };
  if (query.axis.kind == CurveAxis::Kind::kMetric) add(query.axis.metric);
  for (const char* epoch : kEpochs) add(epoch);
  return columns;
}

std::vector<std::size_t> pick_rows(const store::MetricTable& table, const CurveQuery& query) {
  const std::size_t axis_column = place_of(columns_of(query), query.axis.metric);
  const auto axis_of = [&](std::size_t row) { return axis_value(table, query.axis, axis_column, row); };
  std::vector<std::size_t> wanted;
  wanted.reserve(table.size());
  for (std::size_t row = 0; row < table.size(); ++row) {
    if (query.axis.wants(axis_of(row))) wanted.push_back(row);
  }
  if (query.axis.kind != CurveAxis::Kind::kBatches) {
    std::ranges::sort(wanted, {}, [&](std::size_t row) { return std::pair(axis_of(row), row); });
  }
  std::vector<std::size_t> places;  // in `wanted`
  std::vector<double> x;
  std::vector<double> y;
  std::vector<std::size_t> of_point;
  for (std::size_t name = 0; name < query.names.size(); ++name) {
    x.clear();
    y.clear();
    of_point.clear();
    for (std::size_t place = 0; place < wanted.size(); ++place) {
      const double value = table.columns[name][wanted[place]];
      if (store::is_absent(value)) continue;
      x.push_back(axis_of(wanted[place]));
      y.push_back(value);
      of_point.push_back(place);
    }
    // What the names before this one have not used is there for it.
    const std::size_t share = (query.most - std::min(query.most, places.size())) / (query.names.size() - name);
    for (const std::size_t point : model::pick_points(x, y, share)) places.push_back(of_point[point]);
  }
  if (!std::ranges::is_sorted(places)) std::ranges::sort(places);
  places.erase(std::unique(places.begin(), places.end()), places.end());
  std::vector<std::size_t> rows;
  rows.reserve(places.size());
  for (const std::size_t place : places) rows.push_back(wanted[place]);
  return rows;
}

store::Thinning thinning(CurveQuery query) {
  return [query = std::move(query)](const store::MetricTable& table, std::size_t most) mutable {
    query.most = most;
    std::vector<std::size_t> rows = pick_rows(table, query);
    std::ranges::sort(rows);
    return rows;
  };
}

std::string curve_text(const store::MetricTable& table, const CurveQuery& query, const std::vector<std::size_t>& rows) {
  const std::vector<std::string> keys = wire::report_keys(query.names);
  const std::vector<std::string> columns = columns_of(query);
  constexpr std::size_t kTypicalRow = 96;
  std::string text = "[";
  text.reserve(rows.size() * kTypicalRow);
  for (const std::size_t row : rows) {
    if (text.size() > 1) text += ',';
    text += R"({"batches":)";
    text += std::to_string(table.steps[row]);
    text += R"(,"time":")";
    text += wire::time(store::time_of_seconds(table.seconds[row])).get_ref<const std::string&>();
    text += '"';
    for (const char* epoch : kEpochs) {
      const double value = table.columns[place_of(columns, epoch)][row];
      if (!std::isfinite(value)) continue;
      text += R"(,"epoch":)";
      wire::append_number(text, value);
      break;
    }
    text += R"(,"values":{)";
    bool is_first = true;
    for (std::size_t name = 0; name < keys.size(); ++name) {
      const double value = table.columns[name][row];
      if (store::is_absent(value)) continue;
      if (!is_first) text += ',';
      is_first = false;
      text += keys[name];
      wire::append_number(text, value);
    }
    text += "}}";
  }
  return text + ']';
}

}  // namespace det::api
