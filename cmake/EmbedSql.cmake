# EmbedSql.cmake - the statements of sql/<dialect>/ as the header sql/<dialect>.gen.h.
#
#   mn_embed_sql(<target> <dialect>)
#
# embed_sql.py says how the .sql files are written and what the header gives. New files are noticed
# at the next build, since the folder is listed anew each time (by name order, which is migration
# order): sql/ holds nothing but what belongs into the header.

find_package(Python3 REQUIRED COMPONENTS Interpreter)

function(mn_embed_sql target dialect)
    set(folder "${PROJECT_SOURCE_DIR}/sql/${dialect}")
    set(header "${MN_GENERATED}/sql/${dialect}.gen.h")
    set(script "${PROJECT_SOURCE_DIR}/cmake/embed_sql.py")
    file(GLOB files CONFIGURE_DEPENDS "${folder}/*.sql")
    add_custom_command(OUTPUT "${header}" DEPENDS "${script}" ${files}
        COMMAND "${Python3_EXECUTABLE}" "${script}" "${dialect}" "${folder}" "${header}"
        COMMENT "sql/${dialect}.gen.h" VERBATIM)
    target_sources(${target} PRIVATE "${header}")
    add_custom_target(${target}_sql_${dialect} DEPENDS "${header}")
endfunction()
