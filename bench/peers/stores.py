"""stores - the peers, each behind the same three calls.

A store is built from Data, asked for the numbers of the k memories nearest to a request, and closed.
Each is used as its own documentation shows, in process, with what `pip install` brings; the same
vectors go in, exact search where the store has it. Of data with one tenant the filter is the group,
called grade where a word of SQL would be in the way; of data with more it is the tenant.

build() checks the clock between batches and gives up by TooSlow: a comparison must end.
"""
import os
import sqlite3
import time
import uuid

BATCH = 2000
HNSW_LINKS, HNSW_BUILD, HNSW_SEARCH = 16, 128, 100
EVERY_GROUP = 3


class TooSlow(Exception):
    pass


class Store:
    name = ""
    package = ""
    kind = "vector"  # or "text"

    def __init__(self, data, folder, seconds):
        self.data = data
        self.folder = folder
        self.end = time.monotonic() + seconds
        os.makedirs(folder, exist_ok=True)
        self.build()

    def batches(self, size=BATCH):
        count = len(self.data.texts)
        for first in range(0, count, size):
            if time.monotonic() > self.end:
                raise TooSlow(f"{first} of {count} memories after the time given")
            yield first, min(count, first + size)

    def build(self):
        raise NotImplementedError

    def ask(self, request, groups, count):
        raise NotImplementedError

    def close(self):
        pass

    def limit(self, request, groups):
        """What may be found: ("tenant", n), ("grade", n), or None for everything."""
        if self.data.tenant_count > 1:
            return "tenant", int(self.data.request_tenants[request])
        return None if groups >= EVERY_GROUP else ("grade", groups)


class Chroma(Store):
    name, package = "chromadb", "chromadb"

    def build(self):
        import chromadb
        from chromadb.config import Settings
        self.client = chromadb.PersistentClient(
            path=self.folder, settings=Settings(anonymized_telemetry=False))
        self.collection = self.client.create_collection(
            "memories", metadata={"hnsw:space": "cosine"}, embedding_function=None)
        data = self.data
        for first, end in self.batches():
            self.collection.add(
                ids=[str(i) for i in range(first, end)],
                embeddings=data.vectors[first:end],
                documents=data.texts[first:end],
                metadatas=[{"grade": int(data.groups[i]), "tenant": int(data.tenants[i])}
                           for i in range(first, end)])

    def ask(self, request, groups, count):
        limit = self.limit(request, groups)
        where = (None if not limit else {"tenant": limit[1]} if limit[0] == "tenant" else
                 {"grade": {"$lte": limit[1]}})
        found = self.collection.query(query_embeddings=self.data.request_vectors[request][None],
                                      n_results=count, where=where, include=["documents"])
        return [int(i) for i in found["ids"][0]]


class Lance(Store):
    name, package = "lancedb", "lancedb"

    def build(self):
        import lancedb
        import pyarrow
        data = self.data
        self.table = lancedb.connect(self.folder).create_table("memories", pyarrow.table({
            "id": pyarrow.array(range(len(data.texts))),
            "grade": pyarrow.array(data.groups),
            "tenant": pyarrow.array(data.tenants),
            "text": pyarrow.array(data.texts),
            "vector": pyarrow.FixedSizeListArray.from_arrays(
                pyarrow.array(data.vectors.ravel()), data.dim)}))

    def ask(self, request, groups, count):
        limit = self.limit(request, groups)
        search = (self.table.search(self.data.request_vectors[request]).distance_type("cosine")
                  .select(["id", "text", "_distance"]))
        if limit:
            search = search.where(f"{limit[0]} {'=' if limit[0] == 'tenant' else '<='} "
                                  f"{limit[1]}", prefilter=True)
        return search.limit(count).to_arrow()["id"].to_pylist()


class SqliteVec(Store):
    name, package = "sqlite-vec", "sqlite-vec"

    def build(self):
        import sqlite_vec
        self.db = sqlite3.connect(os.path.join(self.folder, "vectors.db"))
        self.db.enable_load_extension(True)
        sqlite_vec.load(self.db)
        data = self.data
        self.db.execute(
            "CREATE VIRTUAL TABLE v USING vec0(id INTEGER PRIMARY KEY, tenant INTEGER PARTITION KEY,"
            f' grade INTEGER, embedding FLOAT[{data.dim}] distance_metric=cosine)')
        for first, end in self.batches():
            with self.db:
                self.db.executemany(
                    "INSERT INTO v VALUES(?,?,?,?)",
                    ((i, int(data.tenants[i]), int(data.groups[i]), data.vectors[i].tobytes())
                     for i in range(first, end)))

    def ask(self, request, groups, count):
        limit = self.limit(request, groups)
        more = f' AND grade <= {limit[1]}' if limit and limit[0] == "grade" else ""
        return [row[0] for row in self.db.execute(
            f"SELECT id FROM v WHERE embedding MATCH ? AND k = ? AND tenant = ?{more}",
            (self.data.request_vectors[request].tobytes(), count,
             int(self.data.request_tenants[request])))]

    def close(self):
        self.db.close()


class FaissFlat(Store):
    name, package = "faiss flat", "faiss-cpu"

    def build(self):
        import faiss
        import numpy
        faiss.omp_set_num_threads(1)
        self.index = self.make(faiss)
        for first, end in self.batches(5000):
            self.index.add(self.data.vectors[first:end])
        self.selectors = {}
        for groups in range(1, EVERY_GROUP):
            bits = numpy.packbits(numpy.pad(self.data.groups <= groups,
                                            (0, -len(self.data.groups) % 8)), bitorder="little")
            self.selectors["grade", groups] = faiss.IDSelectorBitmap(bits)
        for tenant in range(self.data.tenant_count):
            self.selectors["tenant", tenant] = faiss.IDSelectorRange(*self.data.range_of(tenant))
        self.parameters = {limit: self.limited(faiss, selector)
                           for limit, selector in self.selectors.items()}
        self.parameters[None] = self.limited(faiss, None)

    def make(self, faiss):
        return faiss.IndexFlatIP(self.data.dim)

    def limited(self, faiss, selector):
        return faiss.SearchParameters(sel=selector) if selector else None

    def ask(self, request, groups, count):
        found = self.index.search(self.data.request_vectors[request][None], count,
                                  params=self.parameters[self.limit(request, groups)])[1][0]
        return [int(i) for i in found if i >= 0]


class FaissHnsw(FaissFlat):
    name = "faiss HNSW"

    def make(self, faiss):
        index = faiss.IndexHNSWFlat(self.data.dim, HNSW_LINKS, faiss.METRIC_INNER_PRODUCT)
        index.hnsw.efConstruction = HNSW_BUILD
        index.hnsw.efSearch = HNSW_SEARCH
        return index

    def limited(self, faiss, selector):
        return faiss.SearchParametersHNSW(efSearch=HNSW_SEARCH, sel=selector)


class Qdrant(Store):
    name, package = "qdrant local", "qdrant-client"

    def build(self):
        import warnings
        from qdrant_client import QdrantClient, models
        warnings.filterwarnings("ignore", module="qdrant_client")
        self.models = models
        self.client = QdrantClient(":memory:")
        data = self.data
        self.client.create_collection("memories", vectors_config=models.VectorParams(
            size=data.dim, distance=models.Distance.COSINE))
        for first, end in self.batches():
            self.client.upsert("memories", models.Batch(
                ids=list(range(first, end)), vectors=data.vectors[first:end].tolist(),
                payloads=[{"grade": int(data.groups[i]), "tenant": int(data.tenants[i]),
                           "text": data.texts[i]} for i in range(first, end)]))

    def ask(self, request, groups, count):
        limit, models = self.limit(request, groups), self.models
        condition = limit and models.Filter(must=[
            models.FieldCondition(key=limit[0], match=models.MatchValue(value=limit[1]))
            if limit[0] == "tenant" else
            models.FieldCondition(key=limit[0], range=models.Range(lte=limit[1]))])
        found = self.client.query_points(
            "memories", query=self.data.request_vectors[request].tolist(), limit=count,
            query_filter=condition, with_payload=True)
        return [point.id for point in found.points]

    def close(self):
        self.client.close()


class LangGraph(Store):
    name, package = "LangGraph InMemoryStore", "langgraph-checkpoint"

    def build(self):
        from langgraph.store.memory import InMemoryStore
        from langgraph.store.base import PutOp
        data = self.data
        vectors = dict(zip(data.texts, data.vectors))
        requests = dict(zip(data.request_texts, data.request_vectors))

        def embed(texts):
            return [(vectors[text] if text in vectors else requests[text]).tolist()
                    for text in texts]

        self.store = InMemoryStore(index={"dims": data.dim, "embed": embed, "fields": ["text"]})
        for first, end in self.batches():
            self.store.batch([
                PutOp(("memories", str(data.tenants[i])), str(i),
                      {"text": data.texts[i], "grade": int(data.groups[i])})
                for i in range(first, end)])

    def ask(self, request, groups, count):
        limit = self.limit(request, groups)
        found = self.store.search(
            ("memories", str(self.data.request_tenants[request])),
            query=self.data.request_texts[request], limit=count,
            filter={"grade": {"$lte": limit[1]}} if limit and limit[0] == "grade" else None)
        return [int(item.key) for item in found]


class Mem0(Store):
    """Without inference, over its default store, qdrant. Memories are written as add(infer=False)
    writes them, but in batches and not to a folder: there each is synced by itself, and ten thousand
    take minutes. A search does the same either way."""
    name, package = "mem0", "mem0ai"

    def build(self):
        os.environ["MEM0_TELEMETRY"] = "False"
        os.environ["MEM0_DIR"] = self.folder
        import warnings
        from qdrant_client import QdrantClient
        warnings.filterwarnings("ignore", module="qdrant_client")
        warnings.filterwarnings("ignore", message="Payload indexes have no effect")
        from mem0 import Memory
        from mem0.embeddings.base import EmbeddingBase
        data = self.data
        requests = dict(zip(data.request_texts, data.request_vectors))

        class Known(EmbeddingBase):
            def embed(self, text, memory_action=None):
                return requests[text].tolist()

        nobody = {"provider": "openai", "config": {"api_key": "none"}}
        self.memory = Memory.from_config({
            "vector_store": {"provider": "qdrant", "config": {
                "client": QdrantClient(":memory:"), "collection_name": "memories",
                "embedding_model_dims": data.dim}},
            "embedder": nobody, "llm": nobody,
            "history_db_path": os.path.join(self.folder, "history.db")})
        self.memory.embedding_model = Known()
        for first, end in self.batches():
            self.memory.vector_store.insert(
                vectors=data.vectors[first:end].tolist(),
                ids=[str(uuid.UUID(int=i + 1)) for i in range(first, end)],
                payloads=[{"user_id": str(data.tenants[i]), "role": "user", "data": data.texts[i],
                           "hash": str(i), "created_at": "2026-01-01T00:00:00+00:00",
                           "updated_at": "2026-01-01T00:00:00+00:00",
                           "text_lemmatized": data.texts[i], "grade": int(data.groups[i])}
                          for i in range(first, end)])

    def ask(self, request, groups, count):
        limit = self.limit(request, groups)
        filters = {"user_id": str(self.data.request_tenants[request])}
        if limit and limit[0] == "grade":
            filters["grade"] = {"lte": limit[1]}
        found = self.memory.search(self.data.request_texts[request], top_k=count, filters=filters,
                                   threshold=0.0)
        return [uuid.UUID(item["id"]).int - 1 for item in found["results"]]

    def close(self):
        self.memory.vector_store.client.close()


class Fts5(Store):
    """Any of the request's words, BM25; Porter's stems, so that it finds what it can."""
    name, package, kind = "SQLite FTS5", "", "text"

    def build(self):
        self.db = sqlite3.connect(os.path.join(self.folder, "texts.db"))
        self.db.executescript(
            "CREATE VIRTUAL TABLE f USING fts5(text, tokenize='porter unicode61');"
            'CREATE TABLE m(id INTEGER PRIMARY KEY, tenant INTEGER, grade INTEGER);')
        data = self.data
        for first, end in self.batches():
            with self.db:
                self.db.executemany("INSERT INTO f(rowid, text) VALUES(?,?)",
                                    ((i, data.texts[i]) for i in range(first, end)))
                self.db.executemany("INSERT INTO m VALUES(?,?,?)",
                                    ((i, int(data.tenants[i]), int(data.groups[i]))
                                     for i in range(first, end)))
        self.db.execute("INSERT INTO f(f) VALUES('optimize')")
        self.db.commit()

    def ask(self, request, groups, count):
        limit = self.limit(request, groups)
        words = "".join(c if c.isalnum() else " " for c in self.data.request_texts[request])
        match = " OR ".join(f'"{word}"' for word in words.split())
        where = ("" if not limit else f' AND m.{limit[0]} '
                 f"{'=' if limit[0] == 'tenant' else '<='} {limit[1]}")
        join = " JOIN m ON m.id = f.rowid" if limit else ""
        return [row[0] for row in self.db.execute(
            f"SELECT f.rowid FROM f{join} WHERE f MATCH ?{where} ORDER BY f.rank LIMIT ?",
            (match, count))]

    def close(self):
        self.db.close()


ALL = (FaissFlat, FaissHnsw, SqliteVec, Chroma, Lance, Qdrant, LangGraph, Mem0, Fts5)
