# Without optimisation, half of each compilation was the code of JSON, Asio and the standard library, the same in a thousand
# files. Where the flags have -fpch-codegen (presets asan, coverage, tsan), clang leaves out of a file what its precompiled
# headers define, and what they define is compiled beside them, once. precompiled_code.h names what we use of it, because a
# template is only there if the headers themselves use it.
function(det_make_precompiled_with_code target)
  set(made_with)
  foreach(header ${ARGN})
    if(header MATCHES "^<")
      list(APPEND made_with ${header})
    else()
      # Its sum is in its name, and so in what ccache takes for the precompiled file.
      file(SHA256 ${CMAKE_SOURCE_DIR}/cmake/${header} sum)
      configure_file(${CMAKE_SOURCE_DIR}/cmake/${header} ${CMAKE_BINARY_DIR}/precompiled/${sum}/${header} COPYONLY)
      list(APPEND made_with <${sum}/${header}>)
    endif()
  endforeach()
  det_make_precompiled(${target} ${made_with})
  target_include_directories(${target} PRIVATE ${CMAKE_BINARY_DIR}/precompiled)

  set(headers ${CMAKE_CURRENT_BINARY_DIR}/CMakeFiles/${target}.dir/cmake_pch.hxx.pch)
  set(object ${CMAKE_CURRENT_BINARY_DIR}/${target}_code.o)
  string(TOUPPER "${CMAKE_BUILD_TYPE}" type)
  separate_arguments(flags UNIX_COMMAND "${CMAKE_CXX_FLAGS} ${CMAKE_CXX_FLAGS_${type}}")
  add_custom_command(OUTPUT ${object} COMMAND ${CMAKE_CXX_COMPILER} ${flags} -ffp-contract=off -c ${headers} -o ${object}
    DEPENDS ${headers} VERBATIM COMMENT "Compiling the code of ${target}")
  set_source_files_properties(${object} PROPERTIES EXTERNAL_OBJECT TRUE GENERATED TRUE)
  add_library(${target}_code STATIC ${object})
  set_target_properties(${target}_code PROPERTIES LINKER_LANGUAGE CXX)
  # Headers define what nobody can call, too: in libstdc++'s, functions that need private ones of its library.
  target_link_options(${target}_code INTERFACE -Wl,--gc-sections)
endfunction()

if(DET_PRECOMPILED AND CMAKE_CXX_FLAGS MATCHES "-fpch-codegen")
  set(DET_PRECOMPILED_CODE ON)
  det_make_precompiled_with_code(det_headers precompiled_code.h)
  # CLI11 is headers only: each command of cli/ would compile all of it.
  det_make_precompiled_with_code(det_cli_headers precompiled_code.h <CLI/CLI.hpp>)
endif()
