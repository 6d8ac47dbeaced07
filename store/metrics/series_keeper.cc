#include "store/metrics/series_keeper.h"

namespace det::store {

Task<Status> SeriesKeeper::keep(std::vector<SummaryPart> parts) {
  auto claim = [&parts](pg::Transaction& tx) -> Status {
    claim_parts(tx, parts);
    return {};
  };
  Status claimed = co_await pool_.write("claim reports to add up", std::move(claim));
  if (!claimed) co_return claimed;
  // One at a time: reports that come late for a part wait while it is added up.
  for (const SummaryPart& part : parts) {
    auto add = [&part](pg::Transaction& tx) -> Status {
      keep_part(tx, part);
      return {};
    };
    DET_CO_TRY(co_await pool_.write("keep sums of reports", std::move(add)));
  }
  co_return Status();
}

}  // namespace det::store
