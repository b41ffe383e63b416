# Warnings.cmake - how our own C is compiled: warnings, sanitizers, hardening.

set(CMAKE_C_STANDARD 17)
set(CMAKE_C_STANDARD_REQUIRED ON)
set(CMAKE_C_EXTENSIONS OFF) # -std=c17; what POSIX and Linux add comes by _GNU_SOURCE
set(CMAKE_POSITION_INDEPENDENT_CODE ON)

# Asserts stay in a release: a memory service that is wrong is worse than one that stops.
set(CMAKE_C_FLAGS_RELEASE "-O2 -g")
set(CMAKE_C_FLAGS_DEBUG "-O1 -g")

add_compile_definitions(_GNU_SOURCE)
# Without contraction a score is the same number whether or not there is fused multiply-add.
add_compile_options(-Wall -Wextra -Wshadow -Wpointer-arith -Wstrict-prototypes
    -Wmissing-prototypes -Wwrite-strings -Wvla -ffp-contract=off -fstack-protector-strong)
if(MNEME_WERROR)
    add_compile_options(-Werror)
endif()

if(MNEME_SANITIZE)
    add_compile_options(-fsanitize=${MNEME_SANITIZE} -fno-sanitize-recover=all
        -fno-omit-frame-pointer)
    add_link_options(-fsanitize=${MNEME_SANITIZE})
elseif(CMAKE_BUILD_TYPE STREQUAL "Release")
    add_compile_definitions(_FORTIFY_SOURCE=2)
endif()
