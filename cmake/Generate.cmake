# Generate.cmake - a header that a small program of ours writes at build time.
#
#   mn_generate_header(<target> <header> <source.c> [libraries...])
#
# The program is called with the header's path; <target> includes it as "<header>".

function(mn_generate_header target header source)
    get_filename_component(program "${source}" NAME_WE)
    get_filename_component(folder "${MN_GENERATED}/${header}" DIRECTORY)
    file(MAKE_DIRECTORY "${folder}")
    add_executable(${program} "${source}")
    target_link_libraries(${program} PRIVATE ${ARGN})
    # Libraries keep tables until the process ends; that is no leak worth failing a build for.
    add_custom_command(OUTPUT "${MN_GENERATED}/${header}" DEPENDS ${program}
        COMMAND ${CMAKE_COMMAND} -E env ASAN_OPTIONS=detect_leaks=0
                $<TARGET_FILE:${program}> "${MN_GENERATED}/${header}"
        COMMENT "${header}" VERBATIM)
    target_sources(${target} PRIVATE "${MN_GENERATED}/${header}")
endfunction()
