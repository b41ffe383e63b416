# Install.cmake - what `cmake --install BUILD --prefix FOLDER` puts where: bin/mneme, the headers, the
# library, and mneme.pc, which finds them wherever the folder is moved to.
#
# libmneme.a as it is built holds mneme's own objects. The installed one holds as well what scripts/deps
# built (SQLite, yyjson, libllama), which no package manager has; what came from packages stands in
# mneme.pc for --static. libmneme.so needs nothing named and shows mneme_* alone: the one to take where
# the host has an SQLite of its own.

install(TARGETS mneme RUNTIME DESTINATION bin)
install(DIRECTORY "${PROJECT_SOURCE_DIR}/include/mneme" DESTINATION include)
if(MNEME_SHARED)
    install(TARGETS mneme_shared LIBRARY DESTINATION lib)
endif()

set(MN_PC_LIBS_PRIVATE
    "-lstemmer -licui18n -licuuc -licudata -lpcre2-8 -lcurl -lcrypto -lzstd -lpthread -lm -ldl")
set(archives mneme_static mn_dep_sqlite mn_dep_yyjson)
if(MNEME_WITH_LLAMA)
    list(APPEND archives mn_dep_llama_main mn_dep_ggml mn_dep_ggml_cpu mn_dep_ggml_base)
    string(PREPEND MN_PC_LIBS_PRIVATE "-lstdc++ ")
endif()
configure_file("${PROJECT_SOURCE_DIR}/cmake/mneme.pc.in" "${PROJECT_BINARY_DIR}/mneme.pc" @ONLY)
install(FILES "${PROJECT_BINARY_DIR}/mneme.pc" DESTINATION lib/pkgconfig)

set(script "CREATE libmneme.a\n")
foreach(archive ${archives})
    string(APPEND script "ADDLIB $<TARGET_FILE:${archive}>\n")
endforeach()
file(GENERATE OUTPUT "${PROJECT_BINARY_DIR}/libmneme.mri" CONTENT "${script}SAVE\nEND\n")
install(CODE "
    set(folder \"\$ENV{DESTDIR}\${CMAKE_INSTALL_PREFIX}/lib\")
    message(STATUS \"Installing: \${folder}/libmneme.a\")
    file(MAKE_DIRECTORY \"\${folder}\")
    execute_process(COMMAND \"${CMAKE_AR}\" -M WORKING_DIRECTORY \"\${folder}\"
        INPUT_FILE \"${PROJECT_BINARY_DIR}/libmneme.mri\" COMMAND_ERROR_IS_FATAL ANY)")
