#!/usr/bin/env python3
"""embed_sql.py - the .sql files of one dialect as a C header.

usage: embed_sql.py DIALECT FOLDER OUT.h

FOLDER holds migrations, NNNN_name.sql, numbered from 0001 without a gap, each a script that is run
once and never changes; and other files with named statements, each introduced by its own line

    -- name: MEMORY_GET

and reaching to the next such line or the end of the file. A statement ends with its semicolon.
Lines that hold only a comment are left out of a statement; before the first name stands the
file's story. For DIALECT sqlite the header gives:

    SQL_SQLITE_MEMORY_GET    the statement, a string literal
    SQL_SQLITE_STATEMENTS    initialiser of struct mn_sql_statement[]: all of them, for the test
                             that prepares each
    SQL_SQLITE_MIGRATIONS    initialiser of struct mn_sql_migration[]: by version, from 1
"""
import os
import re
import sys

NAME = re.compile(r"^--\s*name:\s*(\S*)\s*$")
MIGRATION = re.compile(r"^(\d{4})_([a-z0-9_]+)\.sql$")


def fail(where, why):
    sys.exit(f"{where}: error: {why}")


def literal(text):
    escaped = text.replace("\\", "\\\\").replace('"', '\\"').replace("??", '?""?')
    return " \\\n".join(f'    "{line}\\n"' for line in escaped.splitlines())


def read_statements(path, found):
    name, lines = None, []

    def finish():
        if name is None:
            return
        text = "\n".join(lines).strip()
        if not text.endswith(";"):
            fail(path, f"{name} does not end with a semicolon")
        found[name] = text[:-1].rstrip()

    with open(path, encoding="utf-8") as file:
        for number, line in enumerate(file.read().splitlines(), 1):
            match = NAME.match(line)
            if match:
                finish()
                name, lines = match.group(1), []
                if not re.fullmatch(r"[A-Z][A-Z0-9_]*", name):
                    fail(f"{path}:{number}", f"'{name}' is no statement name (A-Z, 0-9, _)")
                if name in found:
                    fail(f"{path}:{number}", f"{name} is defined twice")
            elif line.lstrip().startswith("--") or not line.strip():
                continue
            elif name is None:
                fail(f"{path}:{number}", "SQL before the first '-- name:' line")
            else:
                lines.append(line.rstrip())
    finish()


def main(dialect, folder, target):
    prefix = f"SQL_{dialect.upper()}"
    statements, migrations = {}, []
    for file_name in sorted(os.listdir(folder)):
        path = os.path.join(folder, file_name)
        match = MIGRATION.match(file_name)
        if match:
            if int(match.group(1)) != len(migrations) + 1:
                fail(path, f"expected number {len(migrations) + 1:04}")
            with open(path, encoding="utf-8") as file:
                migrations.append((match.group(2), file.read()))
        elif file_name.endswith(".sql"):
            read_statements(path, statements)

    out = [f"/* Made from sql/{dialect} by cmake/embed_sql.py, which says what stands here. */",
           f"#ifndef {prefix}_GEN_H", f"#define {prefix}_GEN_H", "",
           "#ifndef MN_SQL_TYPES", "#define MN_SQL_TYPES",
           "struct mn_sql_statement {", "    const char *name;", "    const char *text;", "};", "",
           "struct mn_sql_migration {", "    int version; /* counts from 1 */",
           "    const char *name;", "    const char *text;", "};", "#endif", ""]
    for name, text in statements.items():
        out += [f"#define {prefix}_{name} \\", literal(text), ""]
    rows = [f'    {{ "{name}", {prefix}_{name} }},' for name in statements]
    out += [f"#define {prefix}_STATEMENTS \\", " \\\n".join(["{"] + rows + ["}"]), ""]
    rows = [f'    {{ {i}, "{name}", \\\n{literal(text)} }},'
            for i, (name, text) in enumerate(migrations, 1)]
    out += [f"#define {prefix}_MIGRATIONS \\", " \\\n".join(["{"] + rows + ["}"]), "", "#endif", ""]
    os.makedirs(os.path.dirname(target), exist_ok=True)
    with open(target, "w", encoding="utf-8") as file:
        file.write("\n".join(out))


if __name__ == "__main__":
    if len(sys.argv) != 4:
        sys.exit("usage: embed_sql.py DIALECT FOLDER OUT.h")
    main(*sys.argv[1:])
