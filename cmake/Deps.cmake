# Deps.cmake - one target for each library mneme uses; the names never say where it comes from.
#
#   mn_dep_sqlite mn_dep_yyjson mn_dep_llama   built by scripts/deps, in the cache folder
#   mn_dep_icu mn_dep_pcre2 mn_dep_crypto mn_dep_zstd mn_dep_curl mn_dep_stemmer mn_dep_cmocka   apt
#
# MNEME_RANKS and MNEME_MODELS are the cache's folders of token ranks and of models.
# MNEME_WITH_LLAMA is on where libllama was built; without it everything is C and recall uses text.

set(MNEME_CACHE "$ENV{MNEME_CACHE}" CACHE PATH "where scripts/deps puts what it builds")
if(NOT MNEME_CACHE)
    if(NOT "$ENV{XDG_CACHE_HOME}" STREQUAL "")
        set(MNEME_CACHE "$ENV{XDG_CACHE_HOME}/mneme")
    else()
        set(MNEME_CACHE "$ENV{HOME}/.cache/mneme")
    endif()
endif()
set(MNEME_RANKS "${MNEME_CACHE}/ranks")
set(MNEME_MODELS "${MNEME_CACHE}/models")

find_package(Threads REQUIRED)
find_package(PkgConfig REQUIRED)

# A static library of the cache with its own include folder.
function(mn_dep_from_cache name folder library)
    set(archive "${MNEME_CACHE}/${folder}/lib/${library}")
    if(NOT EXISTS "${archive}")
        message(FATAL_ERROR "${archive} is missing; run scripts/deps first")
    endif()
    add_library(${name} STATIC IMPORTED GLOBAL)
    set_target_properties(${name} PROPERTIES IMPORTED_LOCATION "${archive}"
        INTERFACE_INCLUDE_DIRECTORIES "${MNEME_CACHE}/${folder}/include")
endfunction()

function(mn_dep_from_apt name package)
    pkg_check_modules(${name} REQUIRED IMPORTED_TARGET GLOBAL ${package} ${ARGN})
    add_library(${name} INTERFACE IMPORTED GLOBAL)
    target_link_libraries(${name} INTERFACE PkgConfig::${name})
endfunction()

mn_dep_from_cache(mn_dep_sqlite sqlite libsqlite3mc.a)
target_link_libraries(mn_dep_sqlite INTERFACE Threads::Threads m)
mn_dep_from_cache(mn_dep_yyjson yyjson libyyjson.a)
target_link_libraries(mn_dep_yyjson INTERFACE m)

mn_dep_from_apt(mn_dep_icu icu-uc icu-i18n)
mn_dep_from_apt(mn_dep_pcre2 libpcre2-8)
mn_dep_from_apt(mn_dep_crypto libcrypto)
mn_dep_from_apt(mn_dep_zstd libzstd)
mn_dep_from_apt(mn_dep_curl libcurl)
if(MNEME_TESTS)
    mn_dep_from_apt(mn_dep_cmocka cmocka)
endif()

find_path(MNEME_STEMMER_INCLUDE libstemmer.h REQUIRED) # has no .pc file
find_library(MNEME_STEMMER_LIBRARY stemmer REQUIRED)
mark_as_advanced(MNEME_STEMMER_INCLUDE MNEME_STEMMER_LIBRARY)
add_library(mn_dep_stemmer INTERFACE IMPORTED GLOBAL)
target_include_directories(mn_dep_stemmer INTERFACE ${MNEME_STEMMER_INCLUDE})
target_link_libraries(mn_dep_stemmer INTERFACE ${MNEME_STEMMER_LIBRARY})

if(EXISTS "${MNEME_CACHE}/llama/lib/libllama.a")
    set(found_llama ON)
else()
    set(found_llama OFF)
endif()
option(MNEME_WITH_LLAMA "models in this process, by libllama" ${found_llama})
if(MNEME_WITH_LLAMA)
    enable_language(CXX) # for the link only
    mn_dep_from_cache(mn_dep_llama_main llama libllama.a)
    mn_dep_from_cache(mn_dep_ggml llama libggml.a)
    mn_dep_from_cache(mn_dep_ggml_cpu llama libggml-cpu.a)
    mn_dep_from_cache(mn_dep_ggml_base llama libggml-base.a)
    set_target_properties(mn_dep_llama_main mn_dep_ggml mn_dep_ggml_cpu mn_dep_ggml_base
        PROPERTIES IMPORTED_LINK_INTERFACE_LANGUAGES CXX)
    target_link_libraries(mn_dep_llama_main INTERFACE mn_dep_ggml)
    target_link_libraries(mn_dep_ggml INTERFACE mn_dep_ggml_cpu mn_dep_ggml_base)
    target_link_libraries(mn_dep_ggml_cpu INTERFACE mn_dep_ggml_base)
    target_link_libraries(mn_dep_ggml_base INTERFACE Threads::Threads ${CMAKE_DL_LIBS} m)
    add_library(mn_dep_llama INTERFACE IMPORTED GLOBAL)
    target_link_libraries(mn_dep_llama INTERFACE mn_dep_llama_main)
    target_compile_definitions(mn_dep_llama INTERFACE MNEME_WITH_LLAMA=1)
endif()
