#include "cli/resuming_download.h"

#include <chrono>
#include <system_error>
#include <utility>

#include "cli/text.h"

namespace det::cli {

namespace {

constexpr std::uint64_t kShowEvery = std::uint64_t{1} << 20;
constexpr int kMostTries = 5;
constexpr std::chrono::seconds kFirstPause{1};

// Whether it may go away by itself: the connection is lost, the server is away for a moment, or it still counts the
// download that was cut.
bool may_pass(ErrorCode code) {
  return code == ErrorCode::kUnavailable || code == ErrorCode::kDeadlineExceeded ||
         code == ErrorCode::kResourceExhausted;
}

class Download {
 public:
  Download(World& world, DownloadFile& file) : world_(world), file_(file) {}

  Task<Status> run(MasterClient& client, std::string path, std::string accept) {
    for (int tries = 1;; ++tries) {
      const std::uint64_t before = got_;
      is_new_ = false;
      const auto take = [this](std::string_view bytes) { return this->take(bytes); };
      const auto on_head = [this](const HttpResponse& head) { return read_head(head); };
      const auto says_all = [this](const HttpResponse& refused) { return has_all(refused); };
      const Status done = co_await client.download(
          path, accept, take, {.headers = headers_of_rest(), .on_head = on_head, .says_all_was_sent = says_all});
      if (shown_ > 0) world_.err << "\r\x1b[K" << std::flush;
      shown_ = 0;
      if (done) co_return file_.close();
      if (tag_.empty() || !may_pass(done.error().code)) co_return done;
      if (!is_new_ && got_ > before) tries = 1;
      if (tries == kMostTries) co_return done;
      world_.err << "The connection was lost after " << size_text(static_cast<double>(got_))
                 << "; going on from there (try " << tries + 1 << " of " << kMostTries << ")\n"
                 << std::flush;
      co_await world_.clock.sleep_for(kFirstPause * (1 << (tries - 1)));
    }
  }

 private:
  [[nodiscard]] HttpHeaders headers_of_rest() const {
    if (got_ == 0) return {};
    return {{"Range", "bytes=" + std::to_string(got_) + "-"}, {"If-Range", tag_}};
  }

  // The connection was lost after the last byte: of the same version no more is left.
  [[nodiscard]] bool has_all(const HttpResponse& refused) const {
    return refused.status == 416 && refused.header("content-range") == "bytes */" + std::to_string(got_);
  }

  // Whether the bytes that come are the rest, or another beginning.
  Status read_head(const HttpResponse& head) {
    const std::string tag(head.header("etag").value_or(""));
    if (head.status == 206) {
      const std::string_view range = head.header("content-range").value_or("");
      if (got_ > 0 && tag == tag_ && range.starts_with("bytes " + std::to_string(got_) + "-")) return {};
      return fail(ErrorCode::kDataLoss,
                  "the server sends another part of the checkpoint than the one it was asked for");
    }
    tag_ = tag.starts_with('"') ? tag : "";
    is_new_ = got_ > 0;
    if (!is_new_) return {};
    world_.err << "The checkpoint was written anew meanwhile: it is downloaded from its beginning\n" << std::flush;
    got_ = 0;
    return file_.start_over();
  }

  Status take(std::string_view bytes) {
    got_ += bytes.size();
    if (world_.err_is_terminal && got_ >= shown_ + kShowEvery) {
      shown_ = got_;
      world_.err << "\rDownloading... " << size_text(static_cast<double>(got_)) << "\x1b[K" << std::flush;
    }
    return file_.write(bytes);
  }

  World& world_;
  DownloadFile& file_;
  std::string tag_;  // of what the file holds; empty: it cannot go on
  std::uint64_t got_ = 0;
  std::uint64_t shown_ = 0;
  bool is_new_ = false;  // this answer began anew
};

}  // namespace

DownloadFile::DownloadFile(std::filesystem::path path)
    : path_(std::move(path)), out_(path_, std::ios::binary | std::ios::trunc) {}

DownloadFile::~DownloadFile() {
  out_.close();
  std::error_code ignored;
  std::filesystem::remove(path_, ignored);
}

Status DownloadFile::write(std::string_view bytes) {
  out_.write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
  return check();
}

Status DownloadFile::start_over() {
  out_.close();
  out_.open(path_, std::ios::binary | std::ios::trunc);
  return check();
}

Status DownloadFile::close() {
  out_.close();
  return check();
}

Status DownloadFile::check() const {
  if (out_) return {};
  return fail(ErrorCode::kInvalidArgument, "--output-dir: cannot write " + path_.string());
}

Task<Status> download_resuming(World& world, MasterClient& client, std::string path, std::string accept,
                               DownloadFile& file) {
  Download download(world, file);
  co_return co_await download.run(client, std::move(path), std::move(accept));
}

}  // namespace det::cli
