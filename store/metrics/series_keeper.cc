#include "store/metrics/series_keeper.h"

namespace det::store {

Task<Status> SeriesKeeper::keep(std::vector<SummaryPart> parts) {
  auto claim = [&parts](pg::Transaction& tx) -> Status {
    claim_parts(tx, parts);
    return {};
  };
  Status claimed = co_await pool_.write("claim reports to add up", std::move(claim));
  if (!claimed) co_return claimed;
  auto add = [&parts](pg::Transaction& tx) -> Status {
    keep_parts(tx, parts);
    return {};
  };
  co_return co_await pool_.write("keep sums of reports", std::move(add));
}

}  // namespace det::store
