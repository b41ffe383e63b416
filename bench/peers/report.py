#!/usr/bin/env python3
"""report - results.json as tables in Markdown and as curves.

usage: report.py OUT

Reads OUT/results.json; writes OUT/results.md, OUT/memories.svg and OUT/tenants.svg.
"""
import json
import math
import os
import sys

WIDTH, HEIGHT, LEFT, RIGHT, TOP, BOTTOM = 860, 480, 70, 210, 40, 50
COLOURS = ("#d62728", "#1f77b4", "#2ca02c", "#ff7f0e", "#9467bd", "#8c564b", "#e377c2", "#7f7f7f",
           "#bcbd22", "#17becf", "#111111", "#f0b400")
OURS = {"vector": "mneme, by vector", "text": "mneme, by words", "recall": "mneme, whole recall"}
FILTERS = (100, 10, 1)
FEW = 16  # requests answered in the time given: fewer are told


def name_of(line):
    return OURS[line["kind"]] if line["store"] == "mneme" else line["store"]


def ms(us):
    value = us / 1000
    return f"{value:.3f}" if value < 0.1 else f"{value:.2f}" if value < 10 else f"{value:.1f}"


def cell(line):
    if not line:
        return "-"
    parts = [f"{ms(line['cpu_us'][0])} / {ms(line['cpu_us'][1])}",
             f"{ms(line['wall_us'][0])} / {ms(line['wall_us'][1])}"]
    if "recall_at_10" in line:
        parts.append(f"{line['recall_at_10']:.2f}")
    if "times_mneme" in line:
        parts.append(f"**{line['times_mneme']:.{0 if line['times_mneme'] >= 10 else 1}f}x**")
    if line["asked"] < FEW:
        parts.append(f"n = {line['asked']}")
    return " · ".join(parts)


def answered(lines, part):
    return [line for line in lines if line["part"] == part and "cpu_us" in line]


def ordered_names(lines):
    """mneme's rows first, then the peers as they were asked."""
    names = []
    for line in sorted(lines, key=lambda line: line["store"] != "mneme"):
        if name_of(line) not in names:
            names.append(name_of(line))
    return names


def table_of_sizes(lines):
    asked = answered(lines, "sizes")
    out = ["| memories | store | build s | " + " | ".join(f"filter {f} %" for f in FILTERS) + " |",
           "| --- | --- | --- |" + " --- |" * len(FILTERS)]
    for size in sorted({line["memories"] for line in asked}):
        of_size = [line for line in asked if line["memories"] == size]
        loading = next(line["loading"] for line in lines
                       if line["part"] == "sizes" and line["memories"] == size and "loading" in line)
        for name in ordered_names(of_size):
            row = {line["filter"]: line for line in of_size if name_of(line) == name}
            line = next(iter(row.values()))
            build = (line["build_s"] if "build_s" in line else
                     loading["store_s" if line["kind"] == "recall" else "index_s"])
            out.append(f"| {size:,} | {name} | {build:.1f} | " +
                       " | ".join(cell(row.get(f)) for f in FILTERS) + " |")
        for line in lines:
            if line["part"] == "sizes" and line.get("memories") == size and "left_out" in line:
                out.append(f"| {size:,} | {line['store']} | - | left out: {line['left_out']} | | |")
    return out


def table_of_one(lines, part):
    asked = answered(lines, part)
    out = ["| store | CPU p50 / p95 · wall p50 / p95 ms · recall@10 · CPU over mneme's |", "| --- | --- |"]
    out += [f"| {name} | " + cell(next(line for line in asked if name_of(line) == name)) + " |"
            for name in ordered_names(asked)]
    return out


def table_of_tenants(lines):
    asked = answered(lines, "tenants")
    counts = sorted({line["tenants"] for line in asked})
    out = ["| store | " + " | ".join(f"{count:,} tenants" for count in counts) + " |",
           "| --- |" + " --- |" * len(counts)]
    for name in ordered_names(asked):
        row = {line["tenants"]: line for line in asked if name_of(line) == name}
        out.append(f"| {name} | " + " | ".join(cell(row.get(count)) for count in counts) + " |")
    return out


def table_of_conversations(lines):
    figures = ("R@1", "R@5", "R@10", "R@50", "nDCG@10", "MRR")
    out = ["| store | " + " | ".join(figures) + " | ms a question |",
           "| --- |" + " --- |" * (len(figures) + 1)]
    for line in lines:
        if line["part"] == "conversations" and "score" in line:
            out.append(f"| {line['store']} | " +
                       " | ".join(f"{line['score'][f]:.3f}" for f in figures) +
                       f" | {line['mean_ms']:.2f} |")
    return out


# --- curves -------------------------------------------------------------------------------------


def decades(low, high):
    return [10.0 ** e for e in range(math.floor(math.log10(low)), math.ceil(math.log10(high)) + 1)]


def spread_labels(ends, gap):
    """Heights of labels, moved apart so that none covers another."""
    placed, last = {}, -math.inf
    for name, y in sorted(ends.items(), key=lambda end: end[1]):
        last = placed[name] = max(y, last + gap)
    return placed


def curves(title, below, series):
    """series: {name: [(x, milliseconds)]}; both axes logarithmic."""
    xs = [x for points in series.values() for x, _ in points]
    ys = [y for points in series.values() for _, y in points]
    x_low, x_high = min(xs), max(xs) if max(xs) > min(xs) else min(xs) * 10
    rungs = decades(min(ys), max(ys))

    def at_x(x):
        return LEFT + (WIDTH - LEFT - RIGHT) * math.log(x / x_low) / math.log(x_high / x_low)

    def at_y(y):
        share = math.log(y / rungs[0]) / math.log(rungs[-1] / rungs[0])
        return HEIGHT - BOTTOM - (HEIGHT - TOP - BOTTOM) * share

    out = [f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {HEIGHT}" '
           'font-family="sans-serif" font-size="12">',
           f'<rect width="{WIDTH}" height="{HEIGHT}" fill="#fff"/>',
           f'<text x="{LEFT}" y="22" font-size="15">{title}</text>',
           f'<text x="{LEFT}" y="{HEIGHT - 12}">{below}</text>']
    for rung in rungs:
        out.append(f'<line x1="{LEFT}" x2="{WIDTH - RIGHT}" y1="{at_y(rung):.1f}" '
                   f'y2="{at_y(rung):.1f}" stroke="#ddd"/>'
                   f'<text x="{LEFT - 8}" y="{at_y(rung) + 4:.1f}" text-anchor="end">{rung:g} ms</text>')
    for x in sorted(set(xs)):
        out.append(f'<text x="{at_x(x):.1f}" y="{HEIGHT - BOTTOM + 18}" text-anchor="middle">{x:,}</text>')
    labels = spread_labels({name: at_y(points[-1][1]) for name, points in series.items()}, 15)
    for (name, points), colour in zip(series.items(), COLOURS * 2):
        wide = 3 if name.startswith("mneme") else 1.5
        path = " ".join(f"{at_x(x):.1f},{at_y(y):.1f}" for x, y in points)
        end_x, end_y = at_x(points[-1][0]), at_y(points[-1][1])
        out.append(f'<polyline points="{path}" fill="none" stroke="{colour}" stroke-width="{wide}"/>')
        out += [f'<circle cx="{at_x(x):.1f}" cy="{at_y(y):.1f}" r="3" fill="{colour}"/>'
                for x, y in points]
        out.append(f'<path d="M{end_x + 5:.1f} {end_y:.1f}L{WIDTH - RIGHT + 14} {labels[name]:.1f}" '
                   f'stroke="{colour}" stroke-width="0.5"/>'
                   f'<text x="{WIDTH - RIGHT + 18}" y="{labels[name] + 4:.1f}" fill="{colour}">'
                   f"{name}</text>")
    return "\n".join(out + ["</svg>", ""])


def series_of(lines, part, x, narrowed):
    asked = [line for line in answered(lines, part) if line["filter"] == narrowed]
    return {name: sorted((line[x], line["cpu_us"][0] / 1000) for line in asked
                         if name_of(line) == name)
            for name in ordered_names(asked)}


def main():
    folder = sys.argv[1]
    with open(os.path.join(folder, "results.json"), encoding="utf-8") as file:
        results = json.load(file)
    lines = results["lines"]
    parts = {line["part"] for line in lines}
    out = ["Versions: " + ", ".join(f"{name} {version}" for name, version in results["versions"].items())
           + f", SQLite {results['sqlite']}, numpy {results['numpy']}, Python {results['python']}.", ""]
    for part, title, table in (
            ("sizes", "By memories and filter", table_of_sizes),
            ("top50", "The best 50 of 10,000, filter 10 %", lambda l: table_of_one(l, "top50")),
            ("tenants", "By tenants of 100 memories", table_of_tenants),
            ("conversations", "locomo-dev", table_of_conversations)):
        if part in parts:
            out += [f"### {title}", ""] + table(lines) + [""]
    for part, x, narrowed, title, below in (
            ("sizes", "memories", 10, "The best ten under a filter of 10 %: CPU time, p50", "memories"),
            ("tenants", "tenants", 100, "The best ten of one tenant: CPU time, p50",
             "tenants, of 100 memories each")):
        if part in parts:
            name = "memories.svg" if part == "sizes" else "tenants.svg"
            with open(os.path.join(folder, name), "w", encoding="utf-8") as file:
                file.write(curves(title, below, series_of(lines, part, x, narrowed)))
    with open(os.path.join(folder, "results.md"), "w", encoding="utf-8") as file:
        file.write("\n".join(out))


if __name__ == "__main__":
    main()
