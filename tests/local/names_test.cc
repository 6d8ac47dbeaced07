#include "local/names.h"

#include <gmock/gmock.h>

namespace det::local {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

TEST(Names, OfContainersAndVolumesAreLabels) {
  EXPECT_THAT(dns_label_faults("det-shm"), IsEmpty());
  EXPECT_THAT(dns_label_faults(std::string(64, 'a')), ElementsAre("must be no more than 63 bytes"));
  for (const char* wrong : {"", "..", "../../../..", "a/b", "A", "a.b", "-a", "a-", "a\n", "\xc3\xa9"}) {
    EXPECT_THAT(dns_label_faults(wrong), ElementsAre(HasSubstr("a lowercase RFC 1123 label must consist of"))) << wrong;
  }
  EXPECT_THAT(dns_label_faults(std::string_view("a\0b", 3)), testing::SizeIs(1));
}

TEST(Names, OfObjectsAreSubdomains) {
  EXPECT_THAT(dns_subdomain_faults("exp-1.trial-2"), IsEmpty());
  for (const char* wrong : {"a..b", ".a", "a.", "../secrets/x", "a%2f", "a_b"}) {
    EXPECT_THAT(dns_subdomain_faults(wrong), testing::SizeIs(1)) << wrong;
  }
  EXPECT_THAT(dns_subdomain_faults(std::string(254, 'a')), ElementsAre("must be no more than 253 bytes"));
}

TEST(Names, OfServicesBeginWithALetter) {
  EXPECT_THAT(service_name_faults("web-1"), IsEmpty());
  EXPECT_THAT(service_name_faults("1web"), ElementsAre(HasSubstr("a DNS-1035 label must consist of")));
}

TEST(Names, WithAPrefixAreCheckedPartByPart) {
  EXPECT_THAT(qualified_name_faults("example.com/My_name.1"), IsEmpty());
  EXPECT_THAT(qualified_name_faults("a/b/c"), ElementsAre(HasSubstr("a qualified name must consist of")));
  EXPECT_THAT(qualified_name_faults("../x"), ElementsAre(HasSubstr("prefix part a lowercase RFC 1123 subdomain")));
  EXPECT_THAT(qualified_name_faults("/x"), ElementsAre("prefix part must be non-empty"));
  EXPECT_THAT(qualified_name_faults("x/"),
              ElementsAre("name part must be non-empty", HasSubstr("name part must consist of")));
}

TEST(Names, OfPortsSayEverythingThatIsWrong) {
  EXPECT_THAT(port_name_faults("http-1"), IsEmpty());
  EXPECT_THAT(port_name_faults("-A--1234567890123"),
              ElementsAre("must be no more than 15 bytes",
                          "must contain only alpha-numeric characters (a-z, 0-9), and hyphens (-)",
                          "must contain at least one letter (a-z)", "must not contain consecutive hyphens",
                          "must not begin or end with a hyphen"));
}

TEST(Names, OfKeysAreFiles) {
  EXPECT_THAT(data_key_faults("tls.crt"), IsEmpty());
  EXPECT_THAT(data_key_faults(".."), ElementsAre("must not be '..'"));
  EXPECT_THAT(data_key_faults("..data"), ElementsAre("must not start with '..'"));
  EXPECT_THAT(data_key_faults("a/b"), ElementsAre(HasSubstr("a valid config key must consist of")));
}

TEST(Paths, InsideAVolumeStayThere) {
  EXPECT_THAT(inner_path_faults("a/..b/c.."), IsEmpty());
  EXPECT_THAT(inner_path_faults("a/../b"), ElementsAre("must not contain '..'"));
  EXPECT_THAT(inner_path_faults("/.."), ElementsAre("must be a relative path", "must not contain '..'"));
  EXPECT_THAT(item_path_faults("..data/x"), ElementsAre("must not start with '..'"));
  EXPECT_THAT(backstep_faults("/a/.."), ElementsAre("must not contain '..'"));
}

TEST(Uids, AreNoPaths) {
  EXPECT_TRUE(is_plain_uid("f0e1d2c3-0000-4000-8000-000000000000"));
  for (const char* wrong : {"", ".", "..", "../x", "a/b"}) EXPECT_FALSE(is_plain_uid(wrong)) << wrong;
}

}  // namespace
}  // namespace det::local
