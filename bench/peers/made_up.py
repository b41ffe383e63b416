"""made_up - memories with texts and vectors, from a seed, and the file that bench_peers reads.

Vectors lie as those of a sentence encoder do: around a common mean (mean cosine about 0.8), in
clusters of some 50, with a falling spectrum. Words are as rare as words are (Zipf). A request is
drawn beside a memory: a vector of the same cluster, six of its words. One memory in a hundred is of
group 1, nine of group 2, the rest of group 3: a filter lets groups 1 to n pass.
"""
import dataclasses
import struct

import numpy

SHARES = {1: 1, 2: 10, 3: 100}  # groups 1..n are so many per cent of the memories
WORDS = 12000
ROWS_A_CLUSTER = 50
CENTRES, NOISE = 0.3, 0.33  # lengths of the parts that are not the mean
WORDS_OF_REQUEST = 6
SYLLABLES = ("ba con der fi gra hon ker lo mi nex or pla qui ro ser ta un ver wi zen "
             "dal mor pen sul tri vek").split()


@dataclasses.dataclass
class Data:
    """Memories of one tenant stand together. Tenant numbers count from 0, groups from 1."""
    vectors: numpy.ndarray
    tenants: numpy.ndarray
    groups: numpy.ndarray
    texts: list
    request_vectors: numpy.ndarray
    request_tenants: numpy.ndarray
    request_texts: list
    request_sources: list  # the memory a request was drawn beside; -1: none

    @property
    def tenant_count(self):
        return int(self.tenants.max()) + 1

    @property
    def dim(self):
        return self.vectors.shape[1]

    def range_of(self, tenant):
        return (int(numpy.searchsorted(self.tenants, tenant)),
                int(numpy.searchsorted(self.tenants, tenant, side="right")))

    def nearest(self, request, groups, count):
        """By exact cosine, in double; the truth that recall is measured against."""
        first, end = self.range_of(self.request_tenants[request])
        rows = first + numpy.flatnonzero(self.groups[first:end] <= groups)
        scores = self.vectors[rows].astype(float) @ self.request_vectors[request].astype(float)
        return rows[numpy.argsort(-scores, kind="stable")[:count]].tolist()


def _word(rank):
    word, left = "", rank + len(SYLLABLES)
    while left:
        left, at = divmod(left, len(SYLLABLES))
        word += SYLLABLES[at]
    return word


def _unit_length(vectors):
    return (vectors / numpy.linalg.norm(vectors, axis=1, keepdims=True)).astype(numpy.float32)


def make(mean, count, tenant_count=1, request_count=64, seed=1):
    """mean: of the vectors, the model's own; its length is theirs in part."""
    mean, dim = numpy.array(mean), len(mean)
    rng = numpy.random.default_rng(seed)
    falling = 1 / numpy.sqrt(3 + numpy.arange(dim))
    falling /= numpy.linalg.norm(falling)
    centres = rng.normal(size=(max(1, count // ROWS_A_CLUSTER), dim)) * falling * CENTRES

    def draw(clusters):
        noise = rng.normal(size=(len(clusters), dim)) * falling * NOISE
        return _unit_length(mean + centres[clusters] + noise)

    clusters = rng.integers(len(centres), size=count)
    vectors = draw(clusters)
    vocabulary = numpy.array([_word(rank) for rank in range(WORDS)])
    zipf = numpy.exp(rng.random(count * 40) * numpy.log(WORDS)).astype(int) - 1
    lengths = rng.integers(14, 40, size=count)
    texts = [" ".join(vocabulary[zipf[i * 40:i * 40 + lengths[i]]]) for i in range(count)]
    tenants = (numpy.arange(count, dtype=numpy.int64) * tenant_count // count).astype(numpy.uint32)
    draws = rng.random(count)
    groups = numpy.where(draws < 0.01, 1, numpy.where(draws < 0.1, 2, 3)).astype(numpy.uint8)
    groups[:10] = 1  # the narrowest filter leaves ten even of a thousand
    # A request is of a memory that every filter lets pass; of many tenants: of any.
    sources = (rng.choice(numpy.flatnonzero(groups == 1), request_count) if tenant_count == 1 else
               rng.integers(count, size=request_count))
    request_texts = []
    for source in sources:
        words = texts[source].split()
        picked = sorted(rng.choice(len(words), WORDS_OF_REQUEST, replace=False))
        request_texts.append(" ".join(words[i] for i in picked))
    return Data(vectors, tenants, groups, texts, draw(clusters[sources]), tenants[sources],
                request_texts, sources.tolist())


def write(data, path):
    with open(path, "wb") as out:
        out.write(b"mnbench1")
        out.write(struct.pack("=4I", len(data.texts), len(data.request_texts), data.dim,
                              data.tenant_count))
        out.write(data.tenants.astype(numpy.uint32).tobytes())
        out.write(data.request_tenants.astype(numpy.uint32).tobytes())
        out.write(data.groups.astype(numpy.uint8).tobytes())
        out.write(data.vectors.astype(numpy.float32).tobytes())
        out.write(data.request_vectors.astype(numpy.float32).tobytes())
        for text in data.texts + data.request_texts:
            out.write(text.encode() + b"\0")
