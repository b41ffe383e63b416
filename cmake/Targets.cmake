# Targets.cmake - how a folder of src/ and a test are declared.
#
#   mn_library(<folder> SOURCES <file.c>... [DEPS mn_<folder>...] [LIBS <library>...])
#
# makes the OBJECT library mn_<folder>. DEPS are the folders of ours it calls, LIBS libraries of
# others (mn_dep_...).
#
#   mn_test(NAME <test_name> SOURCES <file>... [LIBS <target>...] [LABELS quick|full|long]
#           [WRAP <function>...] [ARGS <argument>...] [TIMEOUT_S <seconds>])
#
# makes a cmocka program and its ctest. LIBS are the folders under test; what those depend on comes
# along. Without LIBS the test gets the whole library. The label says when it runs: quick within
# seconds (the default), full in ./check, long only when asked for. WRAP names functions whose calls
# go to __wrap_<function> in the test, at link time (fault tests).
#
#   mn_fuzz(NAME <name> SOURCES <file>... [LIBS <target>...] [CORPUS <folder>])
#
# makes a program from LLVMFuzzerTestOneInput, and a ctest of label full: with MNEME_FUZZ (clang) a
# libFuzzer, else one that replays the corpus and a fixed number of mutations of it, which is the
# short run of ./check.

function(mn_library folder)
    cmake_parse_arguments(PARSE_ARGV 1 arg "" "" "SOURCES;DEPS;LIBS")
    if(arg_UNPARSED_ARGUMENTS)
        message(FATAL_ERROR "mn_library(${folder}): unknown ${arg_UNPARSED_ARGUMENTS}")
    endif()
    add_library(mn_${folder} OBJECT ${arg_SOURCES})
    target_include_directories(mn_${folder} PUBLIC "${PROJECT_SOURCE_DIR}/include"
        "${PROJECT_SOURCE_DIR}/src" "${MN_GENERATED}")
    target_link_libraries(mn_${folder} PUBLIC Threads::Threads m ${arg_LIBS})
    set_property(TARGET mn_${folder} PROPERTY MN_DEPS "${arg_DEPS}")
endfunction()

# The given targets and all folders of ours that they call. Objects do not travel from one OBJECT
# library through another, so that a program has to name each of them.
function(mn_with_deps ret_targets)
    set(todo ${ARGN})
    set(done "")
    while(todo)
        list(POP_FRONT todo target)
        if(target IN_LIST done)
            continue()
        endif()
        list(APPEND done ${target})
        if(TARGET ${target})
            get_target_property(deps ${target} MN_DEPS)
            if(deps)
                list(APPEND todo ${deps})
            endif()
        elseif(target MATCHES "^mn_")
            message(FATAL_ERROR "there is no ${target}")
        endif()
    endwhile()
    set(${ret_targets} ${done} PARENT_SCOPE)
endfunction()

function(mn_test)
    cmake_parse_arguments(PARSE_ARGV 0 arg "" "NAME;TIMEOUT_S" "SOURCES;LIBS;LABELS;WRAP;ARGS")
    if(arg_UNPARSED_ARGUMENTS OR NOT arg_NAME OR NOT arg_SOURCES)
        message(FATAL_ERROR "mn_test(${arg_NAME}): NAME and SOURCES are needed, "
            "'${arg_UNPARSED_ARGUMENTS}' is unknown")
    endif()
    if(NOT arg_LIBS)
        set(arg_LIBS mneme_static)
    endif()
    if(NOT arg_LABELS)
        set(arg_LABELS quick)
    endif()
    if(NOT arg_TIMEOUT_S)
        set(arg_TIMEOUT_S 300)
    endif()
    mn_with_deps(libs ${arg_LIBS})
    add_executable(${arg_NAME} ${arg_SOURCES})
    target_include_directories(${arg_NAME} PRIVATE "${PROJECT_SOURCE_DIR}/include"
        "${PROJECT_SOURCE_DIR}/src" "${PROJECT_SOURCE_DIR}/tests" "${MN_GENERATED}")
    target_compile_definitions(${arg_NAME} PRIVATE MN_SOURCE_DIR="${PROJECT_SOURCE_DIR}"
        MN_MODELS_DIR="${MNEME_MODELS}" MN_RANKS_DIR="${MNEME_RANKS}"
        MN_CHAT_DIR="${MNEME_CACHE}/chat")
    target_link_libraries(${arg_NAME} PRIVATE ${libs} mn_dep_cmocka)
    foreach(function ${arg_WRAP})
        target_link_options(${arg_NAME} PRIVATE "-Wl,--wrap=${function}")
    endforeach()
    add_test(NAME ${arg_NAME} COMMAND ${arg_NAME} ${arg_ARGS})
    set_tests_properties(${arg_NAME} PROPERTIES LABELS "${arg_LABELS}" TIMEOUT ${arg_TIMEOUT_S}
        ENVIRONMENT "LC_ALL=C.UTF-8;${MN_TEST_ENVIRONMENT}")
endfunction()

function(mn_fuzz)
    cmake_parse_arguments(PARSE_ARGV 0 arg "" "NAME;CORPUS" "SOURCES;LIBS")
    if(arg_UNPARSED_ARGUMENTS OR NOT arg_NAME OR NOT arg_SOURCES)
        message(FATAL_ERROR "mn_fuzz(${arg_NAME}): NAME and SOURCES are needed, "
            "'${arg_UNPARSED_ARGUMENTS}' is unknown")
    endif()
    if(NOT arg_LIBS)
        set(arg_LIBS mneme_static)
    endif()
    mn_with_deps(libs ${arg_LIBS})
    add_executable(${arg_NAME} ${arg_SOURCES})
    target_include_directories(${arg_NAME} PRIVATE "${PROJECT_SOURCE_DIR}/include"
        "${PROJECT_SOURCE_DIR}/src" "${PROJECT_SOURCE_DIR}/tests" "${MN_GENERATED}")
    target_link_libraries(${arg_NAME} PRIVATE ${libs})
    if(MNEME_FUZZ)
        target_link_options(${arg_NAME} PRIVATE -fsanitize=fuzzer)
        set(arguments -max_total_time=20 -timeout=10)
    else()
        target_sources(${arg_NAME} PRIVATE "${PROJECT_SOURCE_DIR}/tests/fuzz/replay_main.c")
        set(arguments "")
    endif()
    add_test(NAME ${arg_NAME} COMMAND ${arg_NAME} ${arguments} ${arg_CORPUS})
    set_tests_properties(${arg_NAME} PROPERTIES LABELS full TIMEOUT 300
        ENVIRONMENT "LC_ALL=C.UTF-8;${MN_TEST_ENVIRONMENT}")
endfunction()
