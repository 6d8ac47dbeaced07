#include "base/check.h"
#include "pg/migrate.h"
#include "store/schema.h"
#include "tests/support/postgres.h"

namespace det::test {

const std::string& store_template() {
  static const std::string name = [] {
    const std::string url = shared_postgres().create_database();
    DET_CHECK(pg::migrate(url, store::schema_migrations()).has_value(), "the schema applies");
    const std::size_t begin = url.find("///") + 3;
    return url.substr(begin, url.find('?') - begin);
  }();
  return name;
}

}  // namespace det::test
