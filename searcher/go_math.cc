#include "searcher/go_math.h"

#include <array>
#include <cmath>
#include <cstdint>
#include <limits>

namespace det::searcher {
namespace {

constexpr double kLn2High = 6.93147180369123816490e-01;
constexpr double kLn2Low = 1.90821492927058770002e-10;
// The polynomial of fdlibm's e_log.c.
constexpr double kL1 = 6.666666666666735130e-01;
constexpr double kL2 = 3.999999999940941908e-01;
constexpr double kL3 = 2.857142874366239149e-01;
constexpr double kL4 = 2.222219843214978396e-01;
constexpr double kL5 = 1.818357216161805012e-01;
constexpr double kL6 = 1.531383769920937332e-01;
constexpr double kL7 = 1.479819860511658591e-01;

constexpr double kLog2E = 1.4426950408889634073599246810018920;
constexpr double kLn2Upper = 0.69314718055966295651160180568695068359375;
constexpr double kLn2Rest = 0.28235290563031577122588448175013436025525412068e-12;
// 1/8!, 1/7!, ..., 1/2!, 1.
constexpr std::array<double, 8> kExpTerms = {2.4801587301587301587e-5,
                                             1.9841269841269841270e-4,
                                             1.3888888888888888889e-3,
                                             8.3333333333333333333e-3,
                                             4.1666666666666666667e-2,
                                             1.6666666666666666667e-1,
                                             0.5,
                                             1.0};

struct Split {
  double fraction;  // in [0.5, 1)
  int exponent;
};

Split split(double x) {
  int exponent = 0;
  const double fraction = std::frexp(x, &exponent);
  return {fraction, exponent};
}

// base^n = fraction * 2^exponent, times what `result` already is; squares one bit of n at a time.
Split times_power(Split result, Split base, std::int64_t n) {
  constexpr int kBeyondDoubles = 1 << 12;
  for (; n != 0; n >>= 1) {
    if (std::abs(base.exponent) > kBeyondDoubles) {
      result.exponent += base.exponent;
      return result;
    }
    if ((n & 1) != 0) {
      result.fraction *= base.fraction;
      result.exponent += base.exponent;
    }
    base.fraction *= base.fraction;
    base.exponent *= 2;
    if (base.fraction < 0.5) {
      base.fraction += base.fraction;
      base.exponent -= 1;
    }
  }
  return result;
}

}  // namespace

double go_log(double x) {
  auto [fraction, exponent] = split(x);
  if (fraction < 0.70710678118654752440) {
    fraction *= 2;
    --exponent;
  }
  const double f = fraction - 1;
  const double k = exponent;
  const double s = f / (2 + f);
  const double s2 = s * s;
  const double s4 = s2 * s2;
  const double odd = s2 * (kL1 + s4 * (kL3 + s4 * (kL5 + s4 * kL7)));
  const double even = s4 * (kL2 + s4 * (kL4 + s4 * kL6));
  const double r = odd + even;
  const double half_square = 0.5 * f * f;
  return k * kLn2High - ((half_square - (s * (half_square + r) + k * kLn2Low)) - f);
}

double go_exp(double x) {
  if (x > 709.78271289338397) return std::numeric_limits<double>::infinity();
  if (x < -745.13321910194122) return 0;
  const double n = std::nearbyint(x * kLog2E);
  double rest = std::fma(-kLn2Upper, n, x);
  rest = std::fma(-kLn2Rest, n, rest);
  rest *= 0.0625;
  double sum = kExpTerms[0];
  for (std::size_t i = 1; i < kExpTerms.size(); ++i) sum = std::fma(sum, rest, kExpTerms[i]);
  double result = sum * rest;
  for (int i = 0; i < 3; ++i) result = result * (result + 2);
  result = std::fma(result, result + 2, 1.0);
  return std::ldexp(result, static_cast<int>(n));
}

double go_pow(double x, double y) {
  if (y == 0 || x == 1) return 1;
  if (y == 1) return x;
  if (y == 0.5) return std::sqrt(x);
  if (y == -0.5) return 1 / std::sqrt(x);
  double whole = 0;
  double part = std::modf(std::abs(y), &whole);
  if (whole >= 9.223372036854775808e18) return (x < 1) == (y > 0) ? 0 : std::numeric_limits<double>::infinity();
  double start = 1;
  if (part != 0) {
    if (part > 0.5) {
      part -= 1;
      whole += 1;
    }
    start = go_exp(part * go_log(x));
  }
  Split power = times_power({start, 0}, split(x), static_cast<std::int64_t>(whole));
  if (y < 0) power = {1 / power.fraction, -power.exponent};
  return std::ldexp(power.fraction, power.exponent);
}

}  // namespace det::searcher
