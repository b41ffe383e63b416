"""conversations - which store finds the turn that answers a question: recall on locomo-dev.

Every store holds the same text for each turn (day, speaker, words), and the vector that mneme makes
of it; it is asked for the best 50 of the conversation. The set's own score.py says what was found.
mneme is run as `mneme eval recall` runs it, with the model and without.
"""
import importlib.util
import json
import os
import subprocess
import time

import numpy

import made_up

SET = "locomo-dev"
TOP = 50


def _read(path):
    with open(path, encoding="utf-8") as lines:
        return [json.loads(line) for line in lines if line.strip()]


def _load(build, files, folder):
    """The set as Data; its users are the tenants."""
    out = os.path.join(folder, "set")
    subprocess.run([os.path.join(build, "bench", "bench_embed"), files["items"], files["queries"],
                    out], check=True)
    items, queries = _read(files["items"]), _read(files["queries"])
    with open(out + ".texts", encoding="utf-8") as lines:
        texts = lines.read().split("\n")[:len(items) + len(queries)]
    vectors = numpy.fromfile(out + ".vectors", numpy.float32).reshape(len(texts), -1)
    users = sorted({item["user"] for item in items})
    order = sorted(range(len(items)), key=lambda i: items[i]["user"])
    data = made_up.Data(
        vectors=vectors[order],
        tenants=numpy.array([users.index(items[i]["user"]) for i in order], numpy.uint32),
        groups=numpy.full(len(items), 3, numpy.uint8),
        texts=[texts[i] for i in order],
        request_vectors=vectors[len(items):],
        request_tenants=numpy.array([users.index(q["user"]) for q in queries], numpy.uint32),
        request_texts=texts[len(items):],
        request_sources=[-1] * len(queries))
    return data, [items[i]["id"] for i in order], [query["qid"] for query in queries]


def _scorer(path):
    spec = importlib.util.spec_from_file_location("score", path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def _score(score, files, run):
    """The figures of score.py for one run: {qid: ids}."""
    queries = [query for query in _read(files["queries"]) if query["gold"]]
    rows = [score.one(run.get(query["qid"], []), set(query["gold"])) for query in queries]
    return score.mean(rows)


def _mneme(build, files, folder, more):
    out = os.path.join(folder, "run.jsonl")
    told = subprocess.run(
        [os.path.join(build, "mneme"), "eval", "recall", "--items", files["items"], "--queries",
         files["queries"], "--out", out, "--json"] + more, check=True, capture_output=True, text=True)
    return ({line["qid"]: line["ids"] for line in _read(out)}, json.loads(told.stdout)["ask_s"])


def compare(run, build, sets):
    files = {what: os.path.join(sets, "data", f"{SET}.{what}.jsonl")
             for what in ("items", "queries")}
    score = _scorer(os.path.join(sets, "score.py"))
    data, ids, qids = _load(build, files, run.folder)
    lines = []
    for name, more in (("mneme", []), ("mneme, no model", ["--model", "none"])):
        found, ask_s = _mneme(build, files, run.folder, more)
        lines.append({"part": "conversations", "store": name, "score": _score(score, files, found),
                      "mean_ms": ask_s / len(qids) * 1e3})
        run.say(f"conversations {name}: R@10 {lines[-1]['score']['R@10']:.3f}")
    for store_class in run.chosen:
        store, why = run.build(store_class, data)
        if not store:
            lines.append({"part": "conversations", "store": store_class.name, "left_out": why})
            continue
        begun = time.perf_counter()
        found = {qid: [ids[i] for i in store.ask(request, 3, TOP)]
                 for request, qid in enumerate(qids)}
        spent = time.perf_counter() - begun
        store.close()
        lines.append({"part": "conversations", "store": store_class.name,
                      "score": _score(score, files, found), "mean_ms": spent / len(qids) * 1e3})
        run.say(f"conversations {store_class.name}: R@10 {lines[-1]['score']['R@10']:.3f}")
    return lines
