# EmbedFiles.cmake - a file's bytes as read-only data of a library, by the assembler's .incbin.
#
#   mn_embed_file(<target> <symbol> <file>)
#
# gives, to the sources of <target>,
#
#   extern const unsigned char <symbol>[];       aligned to 64 bytes
#   extern const unsigned char <symbol>_end[];

enable_language(ASM)

function(mn_embed_file target symbol file)
    if(NOT EXISTS "${file}")
        message(FATAL_ERROR "${file} is missing; run scripts/deps first")
    endif()
    set(assembly "${CMAKE_CURRENT_BINARY_DIR}/${symbol}.S")
    file(CONFIGURE OUTPUT "${assembly}" CONTENT [[
    .section .rodata
    .balign 64
    .global @symbol@
    .type @symbol@, %object
@symbol@:
    .incbin "@file@"
    .size @symbol@, . - @symbol@
    .global @symbol@_end
@symbol@_end:
    .byte 0
    .section .note.GNU-stack, "", %progbits
]] @ONLY)
    set_source_files_properties("${assembly}" PROPERTIES OBJECT_DEPENDS "${file}"
        COMPILE_OPTIONS "-w")
    target_sources(${target} PRIVATE "${assembly}")
endfunction()
