#include "api/pages/html.h"

#include <utility>

namespace det::api {
namespace {

constexpr std::string_view kStyle =
    "body{font:16px/1.5 system-ui,sans-serif;margin:0;min-height:100vh;display:grid;place-items:center;"
    "background:#f5f6f8;color:#1d2129}main{background:#fff;padding:2rem 2.5rem;border-radius:8px;width:24rem;"
    "max-width:85vw;box-shadow:0 1px 4px #0002;overflow-wrap:anywhere}h1{font-size:1.25rem;margin:0 0 1rem}"
    "label{display:block;margin:.75rem 0 .25rem}input{width:100%;box-sizing:border-box;font:inherit;padding:.5rem;"
    "border:1px solid #8a919e;border-radius:4px}button{font:inherit;margin-top:1.25rem;padding:.5rem 1.25rem;border:0;"
    "border-radius:4px;background:#1558c0;color:#fff;cursor:pointer}#error{color:#b3261e;min-height:1.5em;margin:."
    "75rem "
    "0 0}code{background:#eef0f3;padding:.1rem .3rem;border-radius:3px}"
    "@media(prefers-color-scheme:dark){body{background:#16181d;color:#e8eaed}main{background:#22252c}"
    "code{background:#16181d}input{background:#16181d;color:inherit}}";

}  // namespace

std::string html_text(std::string_view text) {
  std::string out;
  for (const char c : text) {
    switch (c) {
      case '&':
        out += "&amp;";
        break;
      case '<':
        out += "&lt;";
        break;
      case '>':
        out += "&gt;";
        break;
      case '"':
        out += "&quot;";
        break;
      case '\'':
        out += "&#39;";
        break;
      default:
        out += c;
    }
  }
  return out;
}

http::Response page_response(const Page& page, int status) {
  std::string html =
      "<!doctype html>\n<html lang=\"en\"><head><meta charset=\"utf-8\"><meta name=\"viewport\" "
      "content=\"width=device-width,initial-scale=1\">";
  if (page.refresh_seconds > 0) {
    html += "<meta http-equiv=\"refresh\" content=\"" + std::to_string(page.refresh_seconds) + "\">";
  }
  html += "<title>" + html_text(page.title) + "</title><style>" + std::string(kStyle) + "</style>";
  if (!page.script.empty()) html += "<script src=\"" + page.script + "\" defer></script>";
  html += "</head><body><main><h1>" + html_text(page.title) + "</h1>" + page.body + "</main></body></html>\n";
  http::Response response;
  response.status = status;
  response.body = std::move(html);
  response.headers.add("Content-Type", "text/html; charset=utf-8");
  restrict_page(response,
                "default-src 'none'; script-src 'self'; connect-src 'self'; style-src 'unsafe-inline'; "
                "form-action 'self'; base-uri 'none'; frame-ancestors 'none'");
  response.headers.add("Cache-Control", "no-store");
  return response;
}

void restrict_page(http::Response& response, const char* policy) {
  response.headers.add("Content-Security-Policy", policy);
  response.headers.add("Referrer-Policy", "no-referrer");
  response.headers.add("X-Content-Type-Options", "nosniff");
}

}  // namespace det::api
