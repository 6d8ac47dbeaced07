# det_embed_files(TARGET NAMESPACE FUNCTION FILES...): adds to TARGET the function NAMESPACE::FUNCTION(), which returns the files
# as std::vector<std::pair<std::string_view, std::string_view>> (name without folder, content). Whoever calls
# it declares it. The text is compiled in when a file changes.
function(det_embed_files target namespace function)
  set(output ${CMAKE_BINARY_DIR}/generated/${target}_${function}.cc)
  add_custom_command(OUTPUT ${output}
    COMMAND ${CMAKE_COMMAND} -DOUTPUT=${output} -DNAMESPACE=${namespace} -DFUNCTION=${function} "-DFILES=${ARGN}"
            -P ${CMAKE_SOURCE_DIR}/cmake/EmbedFilesScript.cmake
    DEPENDS ${ARGN} ${CMAKE_SOURCE_DIR}/cmake/EmbedFilesScript.cmake VERBATIM)
  target_sources(${target} PRIVATE ${output})
endfunction()
