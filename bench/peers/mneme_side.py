"""mneme_side - mneme as bench_peers holds it: a program that was started once and is asked by lines."""
import json
import subprocess


class Mneme:
    def __init__(self, program, data_path, with_store=True):
        self.process = subprocess.Popen(
            [program, data_path] + ([] if with_store else ["--without-store"]),
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        self.loading = self.read()

    def read(self):
        line = self.process.stdout.readline()
        if not line:
            raise RuntimeError(f"bench_peers ended with {self.process.wait()}")
        return json.loads(line)

    def ask(self, kind, count, groups, first, requests):
        self.process.stdin.write(f"{kind} {count} {groups} {first} {requests}\n")
        self.process.stdin.flush()
        return self.read()

    def close(self):
        self.process.stdin.close()
        self.process.wait()
