#pragma once

// log, exp and pow with the last bit that Go gives on amd64. The C library's differ from them in about a quarter of all
// pow results, and one ulp changes which rungs a search has: log(243)/log(3) must be exactly 5. Needs
// -ffp-contract=off. Pure.

namespace det::searcher {

// Natural logarithm; x > 0 and finite.
[[nodiscard]] double go_log(double x);
// e^x; finite x. 0 or infinity outside the range of doubles.
[[nodiscard]] double go_exp(double x);
// x^y; x > 0, both finite.
[[nodiscard]] double go_pow(double x, double y);

}  // namespace det::searcher
