# Asio, JSON and the standard library take most of the time of every compilation, so they are compiled once per build folder:
# det_precompiled() for the product, det_precompiled_tests() adds GoogleTest. A source still names each header that it uses,
# because the structure test reads those lines and a build with -DDET_PRECOMPILED=OFF must pass.
option(DET_PRECOMPILED "precompile the third-party headers" ON)

set(DET_PRECOMPILED_HEADERS
  <algorithm> <array> <charconv> <chrono> <expected> <filesystem> <fstream> <functional> <map> <memory> <optional> <set>
  <span> <sstream> <string> <string_view> <unordered_map> <utility> <variant> <vector>
  <boost/asio/any_io_executor.hpp> <boost/asio/awaitable.hpp> <boost/asio/cancellation_signal.hpp> <boost/asio/co_spawn.hpp>
  <boost/asio/detached.hpp> <boost/asio/dispatch.hpp> <boost/asio/experimental/channel.hpp>
  <boost/asio/experimental/parallel_group.hpp> <boost/asio/io_context.hpp> <boost/asio/post.hpp>
  <boost/asio/redirect_error.hpp> <boost/asio/steady_timer.hpp> <boost/asio/strand.hpp> <boost/asio/this_coro.hpp>
  <boost/asio/thread_pool.hpp> <boost/asio/use_awaitable.hpp> <nlohmann/json.hpp>)

# ccache hashes this text in place of the precompiled file, which differs from clone to clone: what it was made from.
function(det_describe_precompiled target)
  string(TOUPPER "${CMAKE_BUILD_TYPE}" type)
  set(made_from "${CMAKE_CXX_COMPILER} ${CMAKE_CXX_COMPILER_VERSION} ${CMAKE_CXX_FLAGS} ${CMAKE_CXX_FLAGS_${type}}" ${ARGN})
  foreach(header boost/version.hpp nlohmann/detail/abi_macros.hpp gtest/gtest.h CLI/Version.hpp)
    find_file(found ${header} NO_CACHE)
    if(found)
      file(SHA256 ${found} sum)
      list(APPEND made_from "${header} ${sum}")
    endif()
    unset(found)
  endforeach()
  file(SHA256 ${CMAKE_SOURCE_DIR}/cmake/DetPrecompiled.cmake sum)
  file(GENERATE OUTPUT ${CMAKE_CURRENT_BINARY_DIR}/CMakeFiles/${target}.dir/cmake_pch.hxx.pch.sum CONTENT "${made_from} ${sum}\n")
endfunction()

function(det_make_precompiled target)
  file(GENERATE OUTPUT ${CMAKE_CURRENT_BINARY_DIR}/${target}.cc CONTENT "")
  add_library(${target} STATIC ${CMAKE_CURRENT_BINARY_DIR}/${target}.cc)
  target_link_libraries(${target} PRIVATE det_third_party_base det_warnings)
  target_precompile_headers(${target} PRIVATE ${DET_PRECOMPILED_HEADERS} ${ARGN})
  det_describe_precompiled(${target} ${ARGN})
endfunction()

# CMake's REUSE_FROM would name the file by its full path, which ccache cannot share between clones.
function(det_use_precompiled target headers)
  get_target_property(folder ${headers} BINARY_DIR)
  set(file ${folder}/CMakeFiles/${headers}.dir/cmake_pch.hxx.pch)
  file(RELATIVE_PATH relative ${CMAKE_BINARY_DIR} ${file})
  target_compile_options(${target} PRIVATE "SHELL:-Winvalid-pch -Xclang -include-pch -Xclang ${relative}")
  get_target_property(sources ${target} SOURCES)
  add_dependencies(${target} ${headers}) # for sources that are added later
  set_property(SOURCE ${sources} APPEND PROPERTY OBJECT_DEPENDS ${file})
endfunction()

function(det_precompiled target)
  if(DET_PRECOMPILED)
    if(NOT TARGET det_headers)
      det_make_precompiled(det_headers)
    endif()
    det_use_precompiled(${target} det_headers)
  endif()
endfunction()

function(det_precompiled_tests target)
  if(DET_PRECOMPILED)
    if(NOT TARGET det_test_headers)
      det_make_precompiled(det_test_headers <gtest/gtest.h> <gmock/gmock.h>)
      target_link_libraries(det_test_headers PRIVATE GTest::gtest GTest::gmock)
    endif()
    det_use_precompiled(${target} det_test_headers)
  endif()
endfunction()
