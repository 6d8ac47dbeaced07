#include "cli/terminal_guard.h"

namespace det::cli {
namespace {

constexpr unsigned char kEscape = 0x1b;
constexpr unsigned char kDelete = 0x7f;
constexpr unsigned char kLeadOfControls = 0xc2;  // U+0080 to U+009F follow it in UTF-8
constexpr std::size_t kLongestSequence = 32;

// U+2400 and on are pictures of the control characters.
std::string picture(unsigned char control) {
  if (control == kDelete) return "\xe2\x90\xa1";
  return std::string("\xe2\x90") + static_cast<char>(0x80 + control);
}

bool is_harmless_control(unsigned char byte) {
  return byte == '\n' || byte == '\t' || byte == '\r';
}

}  // namespace

bool TerminalGuard::put(const std::string& text) {
  return terminal_.sputn(text.data(), static_cast<std::streamsize>(text.size())) ==
         static_cast<std::streamsize>(text.size());
}

// What began like a sequence and is none that passes: its first character is shown, the rest is text.
bool TerminalGuard::show_pending() {
  const std::string shown = picture(kEscape) + pending_.substr(1);
  pending_.clear();
  state_ = State::kText;
  return put(shown);
}

bool TerminalGuard::take(unsigned char byte) {
  const char c = static_cast<char>(byte);
  switch (state_) {
    case State::kEscape:
      if (byte == '[') {
        pending_ += c;
        state_ = State::kSequence;
        return true;
      }
      return show_pending() && take(byte);
    case State::kSequence:
      if ((byte >= '0' && byte <= '9') || byte == ';') {
        pending_ += c;
        return pending_.size() < kLongestSequence || show_pending();
      }
      if (byte == 'm' || byte == 'K') {
        const std::string whole = pending_ + c;
        pending_.clear();
        state_ = State::kText;
        return put(whole);
      }
      return show_pending() && take(byte);
    case State::kLatin:
      state_ = State::kText;
      if (byte >= 0x80 && byte <= 0x9f) return put("\xef\xbf\xbd");
      return put(std::string(1, static_cast<char>(kLeadOfControls))) && take(byte);
    case State::kText:
      break;
  }
  if (byte == kEscape) {
    pending_ = c;
    state_ = State::kEscape;
    return true;
  }
  if (byte == kLeadOfControls) {
    state_ = State::kLatin;
    return true;
  }
  const bool is_control = byte < ' ' || byte == kDelete;
  return put(is_control && !is_harmless_control(byte) ? picture(byte) : std::string(1, c));
}

TerminalGuard::int_type TerminalGuard::overflow(int_type byte) {
  if (traits_type::eq_int_type(byte, traits_type::eof())) return traits_type::not_eof(byte);
  return take(static_cast<unsigned char>(byte)) ? byte : traits_type::eof();
}

std::streamsize TerminalGuard::xsputn(const char* bytes, std::streamsize count) {
  for (std::streamsize i = 0; i < count; ++i) {
    if (!take(static_cast<unsigned char>(bytes[i]))) return i;
  }
  return count;
}

int TerminalGuard::sync() {
  return terminal_.pubsync();
}

}  // namespace det::cli
