// What a hostile storage may answer: the parser must neither use up the stack nor look at a byte twice.

#include "storage/storage_xml.h"

#include <string>

#include <gtest/gtest.h>

namespace det::storage {
namespace {

std::string repeated(const std::string& text, int times) {
  std::string all;
  for (int i = 0; i < times; ++i) all += text;
  return all;
}

TEST(StorageXml, ReadsWhatStoragesSay) {
  const auto tree = parse_storage_xml(
      "\xef\xbb\xbf<?xml version=\"1.0\"?><!-- <a> --><Error><Code>No</Code><Empty/>"
      "<Message a=\"/>\"><![CDATA[<b>]]></Message></Error>");
  ASSERT_TRUE(tree);
  EXPECT_EQ(tree->get("Error.Code", ""), "No");
  EXPECT_EQ(tree->get("Error.Message", ""), "<b>");
}

TEST(StorageXml, RefusesWhatIsDeep) {
  constexpr int kMany = 200'000;
  EXPECT_FALSE(parse_storage_xml(repeated("<a>", kMany)));
  EXPECT_FALSE(parse_storage_xml("<!--" + repeated("</", kMany) + "-->" + repeated("<a>", kMany)));
  EXPECT_FALSE(parse_storage_xml("<x><![CDATA[" + repeated("</x>", kMany) + "]]>" + repeated("<a>", kMany)));
  EXPECT_FALSE(parse_storage_xml(repeated("<a b=\"/>\">", kMany)));
  EXPECT_FALSE(parse_storage_xml(repeated("</a>", kMany) + repeated("<a>", kMany)));
}

TEST(StorageXml, RefusesWhatDoesNotEnd) {
  for (const char* text : {"<a", "<!-- a", "<![CDATA[", "<?xml", "<a b=\">", "<!DOCTYPE a><a/>"}) {
    EXPECT_FALSE(parse_storage_xml(text)) << text;
  }
  EXPECT_FALSE(parse_storage_xml(repeated("<a</", 2'000'000)));
}

}  // namespace
}  // namespace det::storage
