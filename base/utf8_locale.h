#pragma once

// A locale of UTF-8 for the calling thread, while it lives. libarchive marks names in a zip as UTF-8, and reads those
// that are, only in such a locale, and our programs have none; readers take other bytes for characters of DOS.

#include <locale.h>

namespace det {

class Utf8Locale {
 public:
  Utf8Locale() : locale_(::newlocale(LC_CTYPE_MASK, "C.UTF-8", nullptr)) {
    if (locale_ != nullptr) before_ = ::uselocale(locale_);
  }
  Utf8Locale(const Utf8Locale&) = delete;
  Utf8Locale& operator=(const Utf8Locale&) = delete;
  ~Utf8Locale() {
    if (locale_ == nullptr) return;
    ::uselocale(before_);
    ::freelocale(locale_);
  }

 private:
  locale_t locale_;
  locale_t before_ = nullptr;
};

}  // namespace det
