"""Times coal, FCL and IPC Toolkit on questions about meshes; prints one JSON object.

usage: questions.py closest A B POSES | questions.py near MESH REACH

A, B and MESH are names of two files: NAME.positions holds vertices as float64, NAME.triangles holds int32. POSES holds poses of the second
mesh as float64: a quaternion (x, y, z, w) and a translation. One thread, default options.
"""

import json
import sys
import time

import numpy as np


def load(name):
    positions = np.fromfile(name + ".positions").reshape(-1, 3)
    return positions, np.fromfile(name + ".triangles", dtype=np.int32).reshape(-1, 3)


def matrix(q):
    x, y, z, w = q
    return np.array(
        [
            [1 - 2 * (y * y + z * z), 2 * (x * y - z * w), 2 * (x * z + y * w)],
            [2 * (x * y + z * w), 1 - 2 * (x * x + z * z), 2 * (y * z - x * w)],
            [2 * (x * z - y * w), 2 * (y * z + x * w), 1 - 2 * (x * x + y * y)],
        ]
    )


def timed(ask, poses):
    """Seconds for all poses, best of three rounds, and the distances."""
    shortest, answers = float("inf"), []
    for _ in range(3):
        begin = time.perf_counter()
        answers = [ask(pose) for pose in poses]
        shortest = min(shortest, time.perf_counter() - begin)
    return {"us": shortest * 1e6 / len(poses), "distances": answers}


def closest(a, b, poses):
    rows = np.fromfile(poses).reshape(-1, 7)
    return {"coal": of_coal(load(a), load(b), rows), "fcl": of_fcl(load(a), load(b), rows)}


def of_coal(a, b, rows):
    try:
        import coal
    except ImportError:
        return None

    def model(mesh):
        positions, triangles = mesh
        tree = coal.BVHModelOBBRSS()
        tree.beginModel(len(triangles), len(positions))
        tree.addVertices(positions)
        tree.addTriangles(np.asfortranarray(triangles, dtype=np.int64))
        tree.endModel()
        return tree

    one, other, here = model(a), model(b), coal.Transform3s()
    poses = [coal.Transform3s(matrix(row[:4]), row[4:].copy()) for row in rows]
    request = coal.DistanceRequest(True)
    return timed(lambda pose: coal.distance(one, here, other, pose, request, coal.DistanceResult()), poses)


def of_fcl(a, b, rows):
    try:
        import fcl
    except ImportError:
        return None

    def model(mesh):
        positions, triangles = mesh
        tree = fcl.BVHModel()
        tree.beginModel(len(positions), len(triangles))
        tree.addSubModel(positions, triangles)
        tree.endModel()
        return tree

    one = fcl.CollisionObject(model(a), fcl.Transform())
    tree = model(b)
    poses = [fcl.CollisionObject(tree, fcl.Transform(matrix(row[:4]), row[4:])) for row in rows]
    request = fcl.DistanceRequest(enable_nearest_points=True)
    return timed(lambda other: fcl.distance(one, other, request, fcl.DistanceResult()), poses)


def near(name, reach):
    import ipctk

    ipctk.set_num_threads(1)
    reach = float(reach)
    positions, triangles = load(name)
    edges = ipctk.edges(triangles)
    mesh = ipctk.CollisionMesh(positions, edges, triangles)
    collisions, candidates = ipctk.NormalCollisions(), ipctk.Candidates()
    shortest = {}
    for kind in ["LBVH", "HashGrid"]:
        best = float("inf")
        for _ in range(3):
            begin = time.perf_counter()
            collisions.build(mesh, positions, reach, 0.0, getattr(ipctk, kind)())
            best = min(best, time.perf_counter() - begin)
        shortest[kind] = best * 1e3
    answer = {"ms": shortest, "collisions": len(collisions), "version": ipctk.__version__}
    # Every pair by the toolkit's own distances, where there are not too many.
    candidates.build(mesh, positions, 0.5 * reach * (1 + 1e-9), ipctk.LBVH())
    if len(candidates) <= 300_000:
        pairs = []
        for c in candidates.fv_candidates:
            squared = ipctk.point_triangle_distance(positions[c.vertex_id], *positions[triangles[c.face_id]])
            if squared <= reach * reach:
                pairs.append([0, int(c.vertex_id), int(c.face_id), 0])
        for c in candidates.ee_candidates:
            one, other = edges[c.edge0_id], edges[c.edge1_id]
            squared = ipctk.edge_edge_distance(*positions[one], *positions[other])
            if squared <= reach * reach:
                one, other = sorted([sorted(map(int, one)), sorted(map(int, other))])
                pairs.append([1, *one, *other])
        answer["pairs"] = pairs
    return answer


if __name__ == "__main__":
    result = closest(*sys.argv[2:]) if sys.argv[1] == "closest" else near(*sys.argv[2:])
    print(json.dumps(result))
