// Embree 3 as a peer: rtcCollide over triangles as user geometry, followed by a triangle test in float.
//
//   embree MESHES THREADS SECONDS PAIRS
//
// MESHES holds two meshes, each as two 32-bit counts (vertices, triangles), positions in double, and indices. Builds both scenes, then
// collides them again and again for so many seconds. Writes the pairs of the last round to PAIRS, two 32-bit numbers each, and prints one
// JSON object. The test is what a careful engineer writes who does not need exactness: orientations in float, no error bounds.

#include <embree3/rtcore.h>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <mutex>
#include <string>
#include <vector>

namespace {

struct V {
    float x, y, z;
};

inline V operator-(V a, V b) { return {a.x - b.x, a.y - b.y, a.z - b.z}; }
inline V cross(V a, V b) { return {a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x}; }
inline float dot(V a, V b) { return a.x * b.x + a.y * b.y + a.z * b.z; }
inline float orient(V a, V b, V c, V d) { return dot(cross(b - a, c - a), d - a); }

struct Mesh {
    std::vector<V> positions;
    std::vector<uint32_t> corners;

    uint32_t count() const { return uint32_t(corners.size() / 3); }
    void triangle(uint32_t t, V out[3]) const {
        for (int k = 0; k < 3; ++k) out[k] = positions[corners[3 * t + k]];
    }
};

// The corners turned so that the first is alone on its side of a plane; false if all lie in it.
bool apex_first(const V p[3], const float side[3], V out[3], bool &negative) {
    int sign[3];
    for (int k = 0; k < 3; ++k) sign[k] = (side[k] > 0) - (side[k] < 0);
    for (int k = 0; k < 3; ++k) {
        const int a = k, b = (k + 1) % 3, c = (k + 2) % 3;
        const bool above = (sign[a] > 0 && sign[b] <= 0 && sign[c] <= 0) || (sign[a] == 0 && sign[b] < 0 && sign[c] < 0);
        const bool below = (sign[a] < 0 && sign[b] >= 0 && sign[c] >= 0) || (sign[a] == 0 && sign[b] > 0 && sign[c] > 0);
        if (above || below) {
            out[0] = p[a], out[1] = p[b], out[2] = p[c];
            negative = below;
            return true;
        }
    }
    return false;
}

bool one_sided(const float s[3]) {
    return (s[0] > 0 && s[1] > 0 && s[2] > 0) || (s[0] < 0 && s[1] < 0 && s[2] < 0);
}

// Two triangles in one plane: an edge of one crosses one of the other, or a corner lies inside.
bool coplanar(const V t[3], const V u[3], V normal) {
    const float a[3] = {std::abs(normal.x), std::abs(normal.y), std::abs(normal.z)};
    const int drop = a[0] >= a[1] && a[0] >= a[2] ? 0 : a[1] >= a[2] ? 1 : 2;
    float p[3][2], q[3][2];
    for (int k = 0; k < 3; ++k) {
        const float x[3] = {t[k].x, t[k].y, t[k].z}, y[3] = {u[k].x, u[k].y, u[k].z};
        for (int i = 0; i < 2; ++i) p[k][i] = x[(drop + 1 + i) % 3], q[k][i] = y[(drop + 1 + i) % 3];
    }
    auto turn = [](const float *a, const float *b, const float *c) {
        return (b[0] - a[0]) * (c[1] - a[1]) - (b[1] - a[1]) * (c[0] - a[0]);
    };
    auto inside = [&](const float *x, const float t[3][2]) {
        const float s[3] = {turn(t[0], t[1], x), turn(t[1], t[2], x), turn(t[2], t[0], x)};
        return (s[0] >= 0 && s[1] >= 0 && s[2] >= 0) || (s[0] <= 0 && s[1] <= 0 && s[2] <= 0);
    };
    for (int i = 0; i < 3; ++i)
        for (int j = 0; j < 3; ++j) {
            const float *a = p[i], *b = p[(i + 1) % 3], *c = q[j], *d = q[(j + 1) % 3];
            if (turn(a, b, c) * turn(a, b, d) <= 0 && turn(c, d, a) * turn(c, d, b) <= 0) return true;
        }
    return inside(p[0], q) || inside(q[0], p);
}

bool intersect(const V t[3], const V u[3]) {
    const V n = cross(u[1] - u[0], u[2] - u[0]);
    const float side_t[3] = {dot(n, t[0] - u[0]), dot(n, t[1] - u[0]), dot(n, t[2] - u[0])};
    if (one_sided(side_t)) return false;
    const V m = cross(t[1] - t[0], t[2] - t[0]);
    const float side_u[3] = {dot(m, u[0] - t[0]), dot(m, u[1] - t[0]), dot(m, u[2] - t[0])};
    if (one_sided(side_u)) return false;
    V p[3], q[3];
    bool flip_u, flip_t;
    if (!apex_first(t, side_t, p, flip_u) || !apex_first(u, side_u, q, flip_t)) return coplanar(t, u, m);
    if (flip_u) std::swap(q[1], q[2]);
    if (flip_t) std::swap(p[1], p[2]);
    return orient(p[0], p[1], q[0], q[1]) <= 0 && orient(p[0], p[2], q[2], q[0]) <= 0;
}

void bounds(const RTCBoundsFunctionArguments *args) {
    const Mesh &mesh = *static_cast<const Mesh *>(args->geometryUserPtr);
    V t[3];
    mesh.triangle(args->primID, t);
    RTCBounds &b = *args->bounds_o;
    b.lower_x = std::min({t[0].x, t[1].x, t[2].x}), b.upper_x = std::max({t[0].x, t[1].x, t[2].x});
    b.lower_y = std::min({t[0].y, t[1].y, t[2].y}), b.upper_y = std::max({t[0].y, t[1].y, t[2].y});
    b.lower_z = std::min({t[0].z, t[1].z, t[2].z}), b.upper_z = std::max({t[0].z, t[1].z, t[2].z});
}

struct Query {
    const Mesh *a, *b;
    bool shared;
    std::mutex mutex;
    std::vector<std::pair<uint32_t, uint32_t>> pairs;
};

void collide(void *user, RTCCollision *found, unsigned count) {
    Query &query = *static_cast<Query *>(user);
    std::pair<uint32_t, uint32_t> hits[64];
    unsigned kept = 0;
    auto flush = [&] {
        std::unique_lock<std::mutex> lock(query.mutex, std::defer_lock);
        if (query.shared) lock.lock();
        query.pairs.insert(query.pairs.end(), hits, hits + kept);
        kept = 0;
    };
    for (unsigned k = 0; k < count; ++k) {
        V t[3], u[3];
        query.a->triangle(found[k].primID0, t);
        query.b->triangle(found[k].primID1, u);
        if (intersect(t, u)) {
            hits[kept++] = {found[k].primID0, found[k].primID1};
            if (kept == 64) flush();
        }
    }
    if (kept > 0) flush();
}

Mesh read(FILE *file) {
    uint32_t counts[2];
    if (fread(counts, 4, 2, file) != 2) exit(2);
    std::vector<double> numbers(size_t(3) * counts[0]);
    Mesh mesh;
    mesh.corners.resize(size_t(3) * counts[1]);
    if (fread(numbers.data(), 8, numbers.size(), file) != numbers.size()) exit(2);
    if (fread(mesh.corners.data(), 4, mesh.corners.size(), file) != mesh.corners.size()) exit(2);
    for (size_t k = 0; k < numbers.size(); k += 3)
        mesh.positions.push_back({float(numbers[k]), float(numbers[k + 1]), float(numbers[k + 2])});
    return mesh;
}

RTCScene scene_of(RTCDevice device, Mesh &mesh) {
    RTCScene scene = rtcNewScene(device);
    rtcSetSceneBuildQuality(scene, RTC_BUILD_QUALITY_MEDIUM);
    rtcSetSceneFlags(scene, RTC_SCENE_FLAG_ROBUST);
    RTCGeometry geometry = rtcNewGeometry(device, RTC_GEOMETRY_TYPE_USER);
    rtcSetGeometryUserPrimitiveCount(geometry, mesh.count());
    rtcSetGeometryUserData(geometry, &mesh);
    rtcSetGeometryBoundsFunction(geometry, bounds, nullptr);
    rtcCommitGeometry(geometry);
    rtcAttachGeometry(scene, geometry);
    rtcReleaseGeometry(geometry);
    rtcCommitScene(scene);
    return scene;
}

double ms_since(std::chrono::steady_clock::time_point begin) {
    return std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - begin).count();
}

}  // namespace

int main(int count, char **words) {
    if (count != 5) return 2;
    FILE *file = fopen(words[1], "rb");
    if (!file) return 2;
    Mesh a = read(file), b = read(file);
    fclose(file);
    const int threads = atoi(words[2]);
    RTCDevice device = rtcNewDevice(("threads=" + std::to_string(threads)).c_str());
    if (!device) return 2;
    auto begin = std::chrono::steady_clock::now();
    RTCScene scene_a = scene_of(device, a), scene_b = scene_of(device, b);
    const double build = ms_since(begin);
    Query query;
    query.a = &a, query.b = &b, query.shared = threads != 1;
    const auto start = std::chrono::steady_clock::now();
    double best = 1e300;
    for (int round = 0; round < 3 || ms_since(start) < 1e3 * atof(words[3]); ++round) {
        begin = std::chrono::steady_clock::now();
        query.pairs.clear();
        rtcCollide(scene_a, scene_b, collide, &query);
        std::sort(query.pairs.begin(), query.pairs.end());
        best = std::min(best, ms_since(begin));
    }
    if (rtcGetDeviceError(device) != RTC_ERROR_NONE) return 2;
    FILE *out = fopen(words[4], "wb");
    if (!out || fwrite(query.pairs.data(), 8, query.pairs.size(), out) != query.pairs.size()) return 2;
    fclose(out);
    printf("{\"ms\":%.6f,\"build\":%.3f,\"pairs\":%zu,\"version\":\"%s\"}\n", best, build, query.pairs.size(), RTC_VERSION_STRING);
    return 0;
}
