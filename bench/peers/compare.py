#!/usr/bin/env python3
"""compare - mneme and its peers on the same memories, by turns, in one run.

usage: compare.py --build FOLDER --out FOLDER [--sets FOLDER] [--parts PART,...] [--sizes N,...]
                  [--tenants N,...] [--stores NAME,...] [--seconds S] [--build-seconds S]

Parts: sizes (latency and recall by number of memories and by filter), top50 (the best 50 of 10,000
under a 10 % filter), tenants (latency by number of tenants of 100 memories), conversations (recall on
locomo-dev; needs --sets, the folder of recall sets). Requests are asked in blocks: eight of the peer, the
same eight of mneme, and so on, so that both meet the machine in the same state; each ratio is of figures
taken so. Every question has a limit of time: slow stores answer fewer requests (told as "asked").

Writes OUT/results.json, which report.py turns into tables and curves.
"""
import argparse
import gc
import importlib.metadata
import json
import os
import shutil
import subprocess
import sys
import tempfile
import time

import numpy

import conversations
import made_up
import stores
from mneme_side import Mneme

BLOCK = 8
TOP = 10


def lap():
    return time.process_time(), time.perf_counter()


def spread(samples):
    """p50 and p95, nearest rank."""
    ordered = sorted(samples)
    return [ordered[int((len(ordered) - 1) * share)] for share in (0.5, 0.95)]


class Column:
    """What one store took for one question, and what it found."""

    def __init__(self):
        self.cpu_us, self.wall_us, self.found = [], [], []  # found: (request, items)

    def add_peer(self, store, request, groups, count):
        cpu, wall = lap()
        items = store.ask(request, groups, count)
        cpu_end, wall_end = lap()
        self.cpu_us.append((cpu_end - cpu) * 1e6)
        self.wall_us.append((wall_end - wall) * 1e6)
        self.found.append((request, items))

    def add_mneme(self, first, answer):
        self.cpu_us += answer["cpu_us"]
        self.wall_us += answer["wall_us"]
        self.found += enumerate(answer["items"], first)

    def add(self, other):
        self.cpu_us += other.cpu_us
        self.wall_us += other.wall_us
        self.found += other.found

    def told(self, truth):
        told = {"asked": len(self.cpu_us), "cpu_us": spread(self.cpu_us),
                "wall_us": spread(self.wall_us)}
        if truth:
            told["recall_at_10"] = sum(len(set(items[:TOP]) & set(truth[request])) /
                                       len(truth[request])
                                       for request, items in self.found) / len(self.found)
        return told


def ask_by_turns(store, mneme, data, groups, count, seconds, kinds):
    """The peer's column, and mneme's of each kind, over the same requests."""
    peer, ours = Column(), {kind: Column() for kind in kinds}
    store.ask(0, groups, count)
    for kind in kinds:
        mneme.ask(kind, count, groups, 0, 2)
    end = time.monotonic() + seconds
    for first in range(0, len(data.request_texts), BLOCK):
        block = range(first, min(first + BLOCK, len(data.request_texts)))
        asked = 0
        for request in block:
            peer.add_peer(store, request, groups, count)
            asked += 1
            if time.monotonic() > end:
                break
        for kind in kinds:
            ours[kind].add_mneme(first, mneme.ask(kind, count, groups, first, asked))
        if time.monotonic() > end:
            break
    return peer, ours


def truth_of(kind, data, groups):
    """For each request, what should be among the first ten: the exactly nearest, or, by words, the
    memory the words were taken from. Of a whole recall nothing is said: it ranks by more than that."""
    if kind == "recall":
        return None
    if kind == "text":
        return [[source] for source in data.request_sources]
    return [data.nearest(request, groups, TOP) for request in range(len(data.request_texts))]


class Run:
    def __init__(self, arguments):
        self.arguments = arguments
        self.folder = tempfile.mkdtemp(prefix="mneme-peers-")
        self.chosen = [store for store in stores.ALL if not arguments.stores or
                       store.name in arguments.stores.split(",")]
        self.program = os.path.join(arguments.build, "bench", "bench_peers")
        self.lines = []
        self.given_up = {}

    def say(self, text):
        print(f"[compare {time.monotonic() - self.begun:4.0f} s] {text}", file=sys.stderr, flush=True)

    def build(self, store_class, data):
        """The store, or why there is none. One that was too slow is not tried with as many again."""
        limit, why = self.given_up.get(store_class.name, (None, None))
        if limit and len(data.texts) >= limit:
            return None, why
        folder = tempfile.mkdtemp(prefix="store-", dir=self.folder)
        try:
            begun = time.monotonic()
            store = store_class(data, folder, self.arguments.build_seconds)
            store.build_s = time.monotonic() - begun
            return store, None
        except stores.TooSlow as slow:
            self.given_up[store_class.name] = len(data.texts), str(slow)
            shutil.rmtree(folder, ignore_errors=True)
            return None, str(slow)

    def ask_all(self, store, mneme, data, filters, about, truth, pooled):
        """One store's lines, a filter each; what mneme took meanwhile is added to the pool."""
        kinds = [store.kind] + (["recall"] if about["whole"] else [])
        for groups in filters:
            peer, ours = ask_by_turns(store, mneme, data, groups, about["top"],
                                      self.arguments.seconds, kinds)
            their = peer.told(truth[store.kind, groups])
            times = their["cpu_us"][0] / spread(ours[store.kind].cpu_us)[0]
            self.lines.append(dict(about, store=store.name, kind=store.kind,
                                   filter=made_up.SHARES[groups], build_s=store.build_s, **their,
                                   times_mneme=times))
            for kind, column in ours.items():
                pooled.setdefault((kind, groups), Column()).add(column)
        self.say(f"{about['part']} {len(data.texts)} {store.name}: built in {store.build_s:.1f} s, "
                 f"{their['cpu_us'][0]:.0f} us, {times:.1f} times mneme's")

    def compare(self, part, data, filters, count, whole):
        """Every store against mneme over one set of memories. whole: whole recalls as well."""
        path = os.path.join(self.folder, "data")
        made_up.write(data, path)
        mneme = Mneme(self.program, path, whole)
        about = {"part": part, "memories": len(data.texts), "tenants": data.tenant_count,
                 "top": count, "whole": whole}
        self.lines.append(dict(about, store="mneme", loading=mneme.loading))
        truth = {(kind, groups): truth_of(kind, data, groups)
                 for kind in ("vector", "text", "recall") for groups in filters}
        pooled = {}
        for store_class in self.chosen:
            store, why = self.build(store_class, data)
            if not store:
                self.say(f"{part} {len(data.texts)} {store_class.name}: left out, {why}")
                self.lines.append(dict(about, store=store_class.name, left_out=why))
                continue
            self.ask_all(store, mneme, data, filters, about, truth, pooled)
            folder = store.folder
            store.close()
            del store
            gc.collect()
            shutil.rmtree(folder, ignore_errors=True)
        for (kind, groups), column in pooled.items():
            self.lines.append(dict(about, store="mneme", kind=kind, filter=made_up.SHARES[groups],
                                   **column.told(truth[kind, groups])))
        mneme.close()

    def made_up(self, count, tenants=1):
        return made_up.make(self.mean, count, tenants)

    def run(self):
        self.begun = time.monotonic()
        self.mean = json.loads(subprocess.run([self.program, "--mean"], check=True,
                                              capture_output=True).stdout)
        arguments, parts = self.arguments, self.arguments.parts.split(",")
        try:
            if "sizes" in parts:
                for size in map(int, arguments.sizes.split(",")):
                    self.compare("sizes", self.made_up(size), (3, 2, 1), TOP, True)
            if "top50" in parts:
                self.compare("top50", self.made_up(10000), (2,), 50, False)
            if "tenants" in parts:
                for tenants in map(int, arguments.tenants.split(",")):
                    self.compare("tenants", self.made_up(100 * tenants, tenants), (3,), TOP, True)
            if "conversations" in parts and arguments.sets:
                self.lines += conversations.compare(self, arguments.build, arguments.sets)
        finally:
            shutil.rmtree(self.folder, ignore_errors=True)
            self.write()

    def write(self):
        """What there is: also of a run that was ended early."""
        versions = {store.name: importlib.metadata.version(store.package)
                    for store in stores.ALL if store.package}
        os.makedirs(self.arguments.out, exist_ok=True)
        with open(os.path.join(self.arguments.out, "results.json"), "w", encoding="utf-8") as out:
            json.dump({"versions": versions, "python": sys.version.split()[0],
                       "numpy": numpy.__version__, "sqlite": stores.sqlite3.sqlite_version,
                       "lines": self.lines}, out, indent=1)


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--build", required=True)
    parser.add_argument("--out", required=True)
    parser.add_argument("--sets", default="")
    parser.add_argument("--parts", default="sizes,top50,tenants,conversations")
    parser.add_argument("--sizes", default="1000,10000,50000")
    parser.add_argument("--tenants", default="10,100,1000")
    parser.add_argument("--stores", default="")
    parser.add_argument("--seconds", type=float, default=3)
    parser.add_argument("--build-seconds", type=float, default=120)
    Run(parser.parse_args()).run()


if __name__ == "__main__":
    main()
