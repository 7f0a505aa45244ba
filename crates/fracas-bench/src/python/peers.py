"""Times MeshLib and CGAL on meshes given as OFF files; prints one JSON object per line.

usage: peers.py self A.off | pair A.off B.off

Trees are built before the clock starts where the package allows it (MeshLib keeps its tree with the mesh).
Packages that are not installed are left out.
"""

import json
import sys
import time


def best(run, rounds):
    """The shortest of several runs, in milliseconds, and the number of pairs found."""
    shortest, pairs = float("inf"), 0
    for _ in range(rounds):
        begin = time.perf_counter()
        pairs = run()
        shortest = min(shortest, (time.perf_counter() - begin) * 1e3)
    return shortest, pairs


def report(name, run, rounds):
    ms, pairs = best(run, rounds)
    print(json.dumps({"peer": name, "ms": ms, "pairs": pairs}), flush=True)


def meshlib(mode, paths):
    import meshlib.mrmeshpy as mr

    meshes = [mr.loadMesh(path) for path in paths]
    parts = [mr.MeshPart(mesh) for mesh in meshes]
    if mode == "self":
        report("MeshLib, all threads", lambda: len(mr.findSelfCollidingTriangles(parts[0])), 4)
    else:
        report("MeshLib, all threads", lambda: len(mr.findCollidingTriangles(parts[0], parts[1])), 4)


def cgal(mode, paths):
    from CGAL import CGAL_Polygon_mesh_processing as processing
    from CGAL.CGAL_Polyhedron_3 import Polyhedron_3

    if mode != "self":
        return  # the Python package does not offer pairs between meshes

    mesh = Polyhedron_3(paths[0])

    def run():
        found = processing.Facet_pair_Output_iterator() if hasattr(processing, "Facet_pair_Output_iterator") else []
        processing.self_intersections(mesh, found)
        return len(found)

    report("CGAL", run, 2)


if __name__ == "__main__":
    for peer in (meshlib, cgal):
        try:
            peer(sys.argv[1], sys.argv[2:])
        except ImportError:
            pass
