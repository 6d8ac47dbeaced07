#include "store/trials/trial_list.h"

#include "store/trials/trial_reader.h"

namespace det::store {
namespace {

// As it is shown; $1 is the experiment.
const char* const kShownState =
    "CASE WHEN t.state = 'ACTIVE' AND (SELECT e.state FROM experiments e WHERE e.id = $1) = 'PAUSED' THEN 'PAUSED' "
    "ELSE "
    "t.state END";

// What a list is sorted by, and where its NULLs are: kNone if there are never any; kLastInIndex if an index has them.
struct SortKey {
  enum class Nulls : std::uint8_t { kNone, kLast, kLastInIndex };
  std::string expression;
  Nulls nulls = Nulls::kLast;
};

SortKey sort_key(TrialSort sort) {
  using Nulls = SortKey::Nulls;
  switch (sort) {
    case TrialSort::kId:
      return {.expression = "t.id", .nulls = Nulls::kNone};
    case TrialSort::kStartTime:
      return {.expression = "t.start_time", .nulls = Nulls::kNone};
    case TrialSort::kEndTime:
      return {.expression = "t.end_time"};
    case TrialSort::kState:
      return {.expression = kShownState, .nulls = Nulls::kNone};
    // By either metric the best ones are first, whichever way is better: so do clients sort that say nothing else.
    case TrialSort::kBestMetric:
      return {.expression = "t.best_rank", .nulls = Nulls::kLastInIndex};
    case TrialSort::kLatestMetric:
      return {.expression =
                  "(SELECT CASE WHEN e.smaller_is_better THEN 1 ELSE -1 END * "
                  "m.values[array_position(n.names, e.searcher_metric)] FROM experiments e "
                  "JOIN visible_series s ON s.trial_id = t.id AND s.grp = 'validation' JOIN metric_names n ON n.id = "
                  "s.names_id "
                  "JOIN metrics m ON m.series_id = s.id AND m.steps <= s.last_steps WHERE e.id = t.experiment_id "
                  "AND e.searcher_metric = ANY(n.names) ORDER BY m.steps DESC LIMIT 1)"};
    case TrialSort::kBatches:
      return {.expression = trial_batches()};
    case TrialSort::kDuration:
      return {.expression = "coalesce(t.end_time, now()) - t.start_time", .nulls = Nulls::kNone};
    case TrialSort::kRestarts:
      return {.expression = "t.restarts", .nulls = Nulls::kNone};
    case TrialSort::kCheckpointSize:
      return {.expression = trial_checkpoint_bytes()};
    case TrialSort::kLogRetention:
      return {.expression = trial_log_retention()};
  }
  return {.expression = "t.id", .nulls = Nulls::kNone};
}

// The ids of the page, in order. $2 is the limit, $3 the offset.
std::string select_page(const std::string& where, TrialSort sort, Order order) {
  const SortKey key = sort_key(sort);
  const std::string plain(plain_direction(order));
  const std::string by_id = ", t.id" + plain;
  const std::string cut = " LIMIT $2::bigint OFFSET $3::bigint";
  if (key.nulls != SortKey::Nulls::kLastInIndex) {
    const std::string way(key.nulls == SortKey::Nulls::kNone ? plain_direction(order) : direction(order));
    return "SELECT t.id FROM trials t " + where + " ORDER BY " + key.expression + way + by_id + cut;
  }
  // An index in descending order begins with the NULLs. Each half alone is in the index' order.
  const auto half = [&](const std::string& which) {
    return "(SELECT t.id, " + key.expression + " AS key FROM trials t " + where + " AND " + key.expression + which +
           " ORDER BY " + key.expression + plain + by_id + " LIMIT $2::bigint + $3::bigint)";
  };
  return "SELECT id FROM (" + half(" IS NOT NULL") + " UNION ALL " + half(" IS NULL") + ") halves ORDER BY key" +
         std::string(direction(order)) + ", id" + plain + cut;
}

// Of the page `read` makes items, given the statement of its ids and a function that runs statements which have it in
// them.
template <typename Item, typename Read>
Result<Paged<Item>> read_page(pg::Transaction& tx, const TrialQuery& query, Read read) {
  // What is not asked for is not in the text: then the count comes from an index alone.
  const bool by_state = !query.states.empty();
  const std::string states = word_array(query.states);
  const std::string of_experiment = "WHERE t.experiment_id = $1";
  const auto in_state = [](const char* bound) {
    return " AND (" + std::string(kShownState) + ") = ANY(" + bound + "::text[])";
  };
  Paged<Item> page;
  const std::string count = "SELECT count(*) FROM trials t " + of_experiment;
  const pqxx::row counted = by_state ? run_sql1(tx, count + in_state("$2"), query.experiment.value, states)
                                     : run_sql1(tx, count, query.experiment.value);
  page.total = counted[0].as<std::int64_t>();
  page.offset = start_of(query.page.offset, page.total);
  const std::string where = of_experiment + (by_state ? in_state("$4") : "");
  // No more than there are: offset and limit are added up.
  const std::int64_t limit = std::min(page_limit(query.page).value_or(page.total), page.total);
  page.items = read(select_page(where, query.sort, query.order), [&](const std::string& sql) {
    return by_state ? run_sql(tx, sql, query.experiment.value, limit, page.offset, states)
                    : run_sql(tx, sql, query.experiment.value, limit, page.offset);
  });
  return page;
}

}  // namespace

Result<Paged<TrialView>> list_trials(pg::Transaction& tx, const TrialQuery& query) {
  return read_page<TrialView>(tx, query, [&tx](const std::string& ids, const auto& run) {
    return read_trial_views(tx, run(select_trial_views(ids)));
  });
}

Result<Paged<std::int64_t>> list_trial_ids(pg::Transaction& tx, const TrialQuery& query) {
  return read_page<std::int64_t>(tx, query, [](const std::string& ids, const auto& run) {
    std::vector<std::int64_t> found;
    for (const auto& row : run(ids)) found.push_back(row[0].template as<std::int64_t>());
    return found;
  });
}

}  // namespace det::store
