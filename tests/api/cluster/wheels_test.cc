#include <filesystem>
#include <fstream>

#include <gtest/gtest.h>

#include "tests/api/fixture.h"

namespace det::api {
namespace {

namespace fs = std::filesystem;

// A reader of the pieces that something is sent in.
struct Pieces final : http::Writer {
  Task<bool> write(std::string text) override {
    largest = std::max(largest, text.size());
    whole += text;
    co_return true;
  }
  std::size_t largest = 0;
  std::string whole;
};

struct Wheels : ApiTest {
  Wheels() : folder(fs::temp_directory_path() / uuid_v4()) {
    fs::create_directories(folder);
    services.settings.master.harness.wheelhouse = folder.string();
  }
  ~Wheels() override { fs::remove_all(folder); }

  fs::path folder;
};

TEST_F(Wheels, AreSentInPiecesAndNeverHeldWhole) {
  std::string wheel;
  for (int i = 0; i < 30'000; ++i) wheel += "byte " + std::to_string(i) + "\n";
  std::ofstream(folder / "a.whl", std::ios::binary) << wheel;
  const http::Response response = unread("/harness/wheels/a.whl");
  EXPECT_EQ(response.body, "");
  ASSERT_TRUE(response.stream);
  Pieces pieces;
  const auto send = [&]() -> Task<bool> {
    co_await response.stream(pieces);
    co_return true;
  };
  EXPECT_TRUE(run(send()));
  EXPECT_EQ(pieces.whole, wheel);
  EXPECT_LE(pieces.largest, 64U << 10);
}

TEST_F(Wheels, AreThoseOfTheList) {
  std::ofstream(folder / "a.whl") << "";
  std::ofstream(folder / "secret") << "x";
  EXPECT_EQ(get("/harness/wheels/a.whl").status, 200);
  EXPECT_EQ(get("/harness/wheels/secret").status, 404);
  EXPECT_EQ(get("/harness/wheels/..%2Fa.whl").status, 404);
}

}  // namespace
}  // namespace det::api
