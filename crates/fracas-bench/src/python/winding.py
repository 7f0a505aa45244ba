"""Times libigl's fast winding numbers; prints one JSON object.

usage: winding.py POSITIONS TRIANGLES POINTS ANSWERS

POSITIONS and POINTS hold float64, TRIANGLES holds int64; the winding numbers go to ANSWERS as float64. One thread: libigl takes as many
as there are processors that it may run on. The tree is built before the clock starts.
"""

import json
import os
import sys
import time

os.sched_setaffinity(0, {max(os.sched_getaffinity(0))})

import igl
import numpy as np

positions, triangles, points, answers = sys.argv[1:]
mesh = igl.FastWindingNumberBVH()
begin = time.perf_counter()
mesh.init(np.fromfile(positions).reshape(-1, 3), np.fromfile(triangles, dtype=np.int64).reshape(-1, 3))
build = time.perf_counter() - begin
queries = np.fromfile(points).reshape(-1, 3)
shortest = float("inf")
for _ in range(7):
    begin = time.perf_counter()
    found = mesh.winding_number(queries)
    shortest = min(shortest, time.perf_counter() - begin)
np.ascontiguousarray(found, dtype=np.float64).tofile(answers)
print(json.dumps({"build_ms": build * 1e3, "seconds": shortest}))
