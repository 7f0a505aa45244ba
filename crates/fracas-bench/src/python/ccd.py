"""Times IPC Toolkit's continuous collision detection; prints one JSON object.

usage: ccd.py cloth POSITIONS TRIANGLES SAMPLE | ccd.py queries FILE KIND

POSITIONS holds all vertices at the start, then at the end, as float64; TRIANGLES holds int32. FILE holds queries of eight points
as float64: four at the start, four at the end. KIND is vf or ee. One thread, no minimum separation, nothing rescaled.
"""

import json
import sys
import time

import ipctk
import numpy as np


def best(run, rounds):
    shortest, result = float("inf"), None
    for _ in range(rounds):
        begin = time.perf_counter()
        result = run()
        shortest = min(shortest, time.perf_counter() - begin)
    return shortest, result


def timed(ccd, queries, is_edge_edge):
    """Seconds for all queries, how many were hits, and what the calls alone cost: a query decided by its first box."""
    call = ccd.edge_edge_ccd if is_edge_edge else ccd.point_triangle_ccd
    arguments = [[np.ascontiguousarray(p) for p in query] for query in queries]
    far = [np.array([k, 0.0, 0.0]) + np.array([0.0, 0.0, 10.0 * (k >= (2 if is_edge_edge else 1))]) for k in range(4)]
    hits = 0
    begin = time.perf_counter()
    for query in arguments:
        hits += call(*query)[0]
    whole = time.perf_counter() - begin
    begin = time.perf_counter()
    for _ in arguments:
        call(*far, *far)
    return whole, hits, time.perf_counter() - begin


def cloth(positions, triangles, sample):
    start, end = np.fromfile(positions).reshape(2, -1, 3)
    faces = np.fromfile(triangles, dtype=np.int32).reshape(-1, 3)
    edges = ipctk.edges(faces)
    mesh = ipctk.CollisionMesh(start, edges, faces)
    candidates = ipctk.Candidates()

    def build():
        candidates.build(mesh, start, end, 0.0, ipctk.LBVH())

    lbvh, _ = best(build, 3)
    ccd = ipctk.TightInclusionCCD(conservative_rescaling=1.0)
    stepsize, step = best(lambda: candidates.compute_collision_free_stepsize(mesh, start, end, 0.0, ccd), 2)
    seconds, queries, calls = 0.0, 0, 0.0
    random = np.random.default_rng(1)
    for is_edge_edge in (False, True):
        listed = candidates.ee_candidates if is_edge_edge else candidates.fv_candidates
        chosen = random.choice(len(listed), min(len(listed), int(sample) // 2), replace=False)
        rows = []
        for k in chosen:
            c = listed[int(k)]
            if is_edge_edge:
                ids = [*edges[c.edge0_id], *edges[c.edge1_id]]
            else:
                ids = [c.vertex_id, *faces[c.face_id]]
            rows.append(np.vstack([start[ids], end[ids]]))
        whole, _, alone = timed(ccd, rows, is_edge_edge)
        # The mean of each kind counts with the number of its candidates.
        seconds += whole / len(chosen) * len(listed)
        calls += alone / len(chosen) * len(listed)
        queries += len(listed)
    return {
        "lbvh_ms": lbvh * 1e3,
        "edge_edge": len(candidates.ee_candidates),
        "vertex_triangle": len(candidates.fv_candidates),
        "stepsize_ms": stepsize * 1e3,
        "step": step,
        "query_ns": seconds / queries * 1e9,
        "call_ns": calls / queries * 1e9,
    }


def queries(file, kind):
    rows = np.fromfile(file).reshape(-1, 8, 3)
    ccd = ipctk.TightInclusionCCD(conservative_rescaling=1.0)
    whole, hits, alone = timed(ccd, rows, kind == "ee")
    return {"seconds": whole, "call_seconds": alone, "hits": hits}


if __name__ == "__main__":
    ipctk.set_num_threads(1)
    result = cloth(*sys.argv[2:]) if sys.argv[1] == "cloth" else queries(*sys.argv[2:])
    result["version"] = ipctk.__version__
    print(json.dumps(result))
