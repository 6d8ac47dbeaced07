# Third-party libraries, each behind the one folder that may see its headers.
find_package(Threads REQUIRED)
set(Boost_NO_WARN_NEW_VERSIONS ON) # newer than the finder of CMake 3.25 knows, which changes nothing here
find_package(Boost 1.81 EXACT REQUIRED COMPONENTS url)
find_package(OpenSSL REQUIRED)
find_package(CURL REQUIRED)
find_package(nlohmann_json 3.11 REQUIRED)
find_package(yaml-cpp REQUIRED)
find_package(spdlog REQUIRED)
find_package(PkgConfig REQUIRED)
pkg_check_modules(PQXX REQUIRED IMPORTED_TARGET libpqxx)
pkg_check_modules(PQ REQUIRED IMPORTED_TARGET libpq)
pkg_check_modules(CRYPT REQUIRED IMPORTED_TARGET libcrypt)
pkg_check_modules(ARCHIVE REQUIRED IMPORTED_TARGET libarchive)
pkg_check_modules(ZSTD REQUIRED IMPORTED_TARGET libzstd)
# Not as a target: its flags (-pthread) would keep the precompiled headers from fitting.
pkg_check_modules(RE2 REQUIRED re2)
pkg_check_modules(SIMDJSON REQUIRED IMPORTED_TARGET simdjson)
# What det-operator asks for memory (main/operator/allocator.cc says why); the sanitizers bring their own.
if(NOT CMAKE_CXX_FLAGS MATCHES "-fsanitize")
  pkg_check_modules(JEMALLOC REQUIRED jemalloc)
  set(DET_ALLOCATOR ${JEMALLOC_LINK_LIBRARIES})
endif()

add_library(det_third_party_base INTERFACE)
target_link_libraries(det_third_party_base INTERFACE Threads::Threads Boost::headers OpenSSL::Crypto
  nlohmann_json::nlohmann_json PkgConfig::CRYPT)
# Headers of these stay in base/*.cc.
set(DET_BASE_PRIVATE CURL::libcurl yaml-cpp spdlog::spdlog PkgConfig::ARCHIVE ${RE2_LINK_LIBRARIES})

add_library(det_third_party_pg INTERFACE)
target_link_libraries(det_third_party_pg INTERFACE PkgConfig::PQXX PkgConfig::PQ PkgConfig::ZSTD)

add_library(det_third_party_http INTERFACE)
target_link_libraries(det_third_party_http INTERFACE Boost::url OpenSSL::SSL)

# The hot parsers: two of the REST API, and that of the Kubernetes API's objects.
add_library(det_third_party_json INTERFACE)
target_link_libraries(det_third_party_json INTERFACE PkgConfig::SIMDJSON)

find_program(CCACHE ccache)
if(CCACHE)
  set(CMAKE_CXX_COMPILER_LAUNCHER ${CCACHE})
endif()
