"""Times coal on many moving parts that share one mesh; prints one JSON object.

usage: world.py POSITIONS TRIANGLES POSES FRAMES ROUNDS

POSITIONS holds vertices as float64, TRIANGLES int32. POSES holds, frame after frame, a pose for each part as float64: a quaternion (x, y, z, w) and a
translation. One thread. What is timed for each frame: the update of the manager, its pairs of overlapping boxes, and `collide` for each of them. Setting
transforms is not timed. The time of as many calls that have nothing to do is taken off.
"""

import json
import sys
import time

import coal
import numpy as np


def matrix(q):
    x, y, z, w = q
    return np.array(
        [
            [1 - 2 * (y * y + z * z), 2 * (x * y - z * w), 2 * (x * z + y * w)],
            [2 * (x * y + z * w), 1 - 2 * (x * x + z * z), 2 * (y * z - x * w)],
            [2 * (x * z - y * w), 2 * (y * z + x * w), 1 - 2 * (x * x + y * y)],
        ]
    )


def overlapping(parts):
    """Pairs of parts whose boxes overlap. The manager finds the same ones but does not hand them to Python."""
    boxes = [part.getAABB() for part in parts]
    low, high = (np.array([getattr(box, name) for box in boxes]).reshape(-1, 3) for name in ("min_", "max_"))
    pairs = []
    for k in range(len(parts) - 1):
        meets = np.all((low[k + 1 :] <= high[k]) & (low[k] <= high[k + 1 :]), axis=1)
        pairs += [(k, k + 1 + int(j)) for j in np.nonzero(meets)[0]]
    return pairs


def main(positions, triangles, poses, frames, rounds):
    positions = np.fromfile(positions).reshape(-1, 3)
    triangles = np.fromfile(triangles, dtype=np.int32).reshape(-1, 3)
    poses = np.fromfile(poses).reshape(frames, -1, 7)
    count = poses.shape[1]
    part = coal.BVHModelOBBRSS()
    part.beginModel(len(triangles), len(positions))
    part.addVertices(positions)
    part.addTriangles(np.asfortranarray(triangles, dtype=np.int64))
    part.endModel()
    part.computeLocalAABB()
    request = coal.CollisionRequest()
    request.enable_contact = False
    request.num_max_contacts = 1
    result = coal.CollisionResult()

    def all_pairs(pairs):
        hits = []
        for a, b in pairs:
            result.clear()
            hits.append(coal.collide(a, b, request, result))
        return hits

    balls = [coal.CollisionObject(coal.Sphere(0.1), np.eye(3), np.array([x, 0.0, 0.0])) for x in (0.0, 9.0)]
    calls = [tuple(balls)] * 20_000
    idle = float("inf")
    for _ in range(3):
        begin = time.perf_counter()
        all_pairs(calls)
        idle = min(idle, (time.perf_counter() - begin) / len(calls))

    seconds, touching = [float("inf")] * frames, []
    for _ in range(rounds):
        touching = []
        parts = [coal.CollisionObject(part, matrix(row[:4]), row[4:].copy()) for row in poses[0]]
        manager = coal.DynamicAABBTreeCollisionManager()
        for body in parts:
            manager.registerObject(body)
        manager.setup()
        for frame in range(frames):
            for body, row in zip(parts, poses[frame]):
                body.setTransform(coal.Transform3s(matrix(row[:4]), row[4:].copy()))
                body.computeAABB()
            collect = coal.CollisionCallBackCollect(200 * count)
            begin = time.perf_counter()
            manager.update()
            manager.collide(collect)
            spent = time.perf_counter() - begin
            numbers = overlapping(parts)
            assert len(numbers) == collect.numCollisionPairs()
            pairs = [(parts[a], parts[b]) for a, b in numbers]
            begin = time.perf_counter()
            hits = all_pairs(pairs)
            spent += time.perf_counter() - begin - idle * len(pairs)
            seconds[frame] = min(seconds[frame], spent)
            touching.append([pair for pair, hit in zip(numbers, hits) if hit])
    print(json.dumps({"seconds": seconds, "touching": touching, "version": coal.__version__}))


main(*sys.argv[1:4], int(sys.argv[4]), int(sys.argv[5]))
