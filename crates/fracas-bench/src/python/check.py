"""Loads a mesh with MeshLib and finds its self-collisions; prints one JSON object.

usage: check.py FILE

The clock runs from the file to the list of pairs. Importing the package is not counted.
"""

import json
import sys
import time

import meshlib.mrmeshpy as mr

begin = time.perf_counter()
mesh = mr.loadMesh(sys.argv[1])
loaded = time.perf_counter()
pairs = mr.findSelfCollidingTriangles(mr.MeshPart(mesh))
found = time.perf_counter()
times = {"load": loaded - begin, "find": found - loaded, "total": found - begin}
print(json.dumps({name: 1e3 * value for name, value in times.items()} | {"pairs": len(pairs)}))
