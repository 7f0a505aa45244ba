// Pairs of triangles that certainly do not meet, told apart in single precision.
//
// Nearly all pairs whose boxes overlap are neighbours in a mesh. Two that share a vertex v are apart, but for v, if some
// direction w points from v into the one and away from the other; any w will do, and the difference of
// their middle directions is a good guess. Two that share an edge are apart, but for it, if they do not fold back
// onto each other by less than a right angle. Other pairs are told apart along the line between their middles, or by their planes.
//
// Errors. u = 2^-24. A coordinate differs from the true one by at most u times its size, here at most u M with M the larger
// reach. Differences of coordinates are at most Q, the sum of both sizes, since the boxes overlap; edges at most E. So a
// difference is off by e = u (2 M + Q), a component of a normal by n = 4 E e + 2 e^2 + 4 u E^2, and the sum of products below
// by what their comments say. All constants are a few hundredths too large, which pays for the rounding of the bounds.
// SMALLEST pays for underflow: coordinates are about one, and products of three tiny differences may lose that much.
// An infinite or undefined number makes every comparison fail, and the pair stays.

struct Vector {
    float x, y, z;
};

DEVICE Vector vector(const float* p) {
    Vector v = {p[0], p[1], p[2]};
    return v;
}
DEVICE Vector operator-(const Vector& a, const Vector& b) {
    Vector v = {a.x - b.x, a.y - b.y, a.z - b.z};
    return v;
}
DEVICE Vector operator+(const Vector& a, const Vector& b) {
    Vector v = {a.x + b.x, a.y + b.y, a.z + b.z};
    return v;
}
DEVICE Vector operator*(const Vector& a, float s) {
    Vector v = {a.x * s, a.y * s, a.z * s};
    return v;
}
DEVICE float dot(const Vector& a, const Vector& b) { return a.x * b.x + a.y * b.y + a.z * b.z; }
DEVICE Vector cross(const Vector& a, const Vector& b) {
    Vector v = {a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x};
    return v;
}
DEVICE float sum_of_sizes(const Vector& a) { return fabs(a.x) + fabs(a.y) + fabs(a.z); }

#define ROUNDOFF 5.9604645e-8f
#define SMALLEST 1e-36f

struct Face {
    Vector p[3];
    u32 vertex[3];
    float reach, size;
};

// A normal, the error of its components, and the sum of their sizes.
struct Normal {
    Vector n;
    float error, sum;
};

// Farther out than this, single precision says nothing: products of four might overflow.
#define FARTHEST 1e9f

DEVICE Face face_of(const Corners& c) {
    Face face;
    float reach = 0.0f, size = 0.0f;
    UNROLL for (int k = 0; k < 3; ++k) {
        face.p[k] = vector(c.p[k]);
        face.vertex[k] = c.vertex[k];
        float low = fmin(fmin(c.p[0][k], c.p[1][k]), c.p[2][k]), high = fmax(fmax(c.p[0][k], c.p[1][k]), c.p[2][k]);
        reach = fmax(reach, fmax(fabs(low), fabs(high)));
        size = fmax(size, high - low);
    }
    bool repeats = c.vertex[0] == c.vertex[1] || c.vertex[1] == c.vertex[2] || c.vertex[2] == c.vertex[0];
    // An infinite reach makes every sign uncertain.
    face.reach = reach < FARTHEST && !repeats ? reach : bits_float(0x7f800000u);
    // The true size may exceed this by the error of two coordinates.
    face.size = size + 2.5f * ROUNDOFF * reach;
    return face;
}

DEVICE Normal normal_of(const Face& t) {
    Normal normal;
    normal.n = cross(t.p[1] - t.p[0], t.p[2] - t.p[0]);
    normal.sum = sum_of_sizes(normal.n);
    float e = ROUNDOFF * (2.1f * t.reach + 1.1f * t.size);
    normal.error = 4.5f * t.size * (e + ROUNDOFF * t.size) + 2.5f * e * e + SMALLEST;
    return normal;
}

// Whether the plane of t has all corners of u, but the shared ones, strictly on one side.
DEVICE bool beside_plane(const Face& t, const Face& u, const bool* u_shared, float reach, float span) {
    float e = ROUNDOFF * (2.1f * reach + 1.1f * span);
    // 3 n (Q + e) + |normal| (e + 4 u Q)
    Normal normal = normal_of(t);
    float error = 3.2f * normal.error * (span + e) + normal.sum * (e + 4.5f * ROUNDOFF * span) + SMALLEST;
    bool above = true, below = true;
    UNROLL for (int k = 0; k < 3; ++k) {
        float height = dot(normal.n, u.p[k] - t.p[0]);
        above = above && (u_shared[k] || height > error);
        below = below && (u_shared[k] || height < -error);
    }
    return above || below;
}

// Whether a direction tells the triangles apart, but for the vertex they share, if they share one.
DEVICE bool beside_each_other(const Face& t, const Face& u, const bool* t_shared, const bool* u_shared, bool joined,
                              float reach, float span) {
    // The shared vertex, or any point nearby.
    Vector v = t_shared[1] ? t.p[1] : t_shared[2] ? t.p[2] : t.p[0];
    Vector a[3], b[3];
    UNROLL for (int k = 0; k < 3; ++k) {
        a[k] = t.p[k] - v;
        b[k] = u.p[k] - v;
    }
    Vector to_t = a[0] + a[1] + a[2], to_u = b[0] + b[1] + b[2];
    if (joined) {
        // The shared corner itself adds nothing to either sum, whatever its rounding.
        to_t = to_t * inverse_root(dot(to_t, to_t));
        to_u = to_u * inverse_root(dot(to_u, to_u));
    }
    Vector w = to_t - to_u;
    float least = 0.0f, most = 0.0f;
    if (joined) {
        least = 3e38f;
        most = -3e38f;
        UNROLL for (int k = 0; k < 3; ++k) {
            least = t_shared[k] ? least : fmin(least, dot(w, a[k]));
            most = u_shared[k] ? most : fmax(most, dot(w, b[k]));
        }
    } else {
        least = fmin(fmin(dot(w, a[0]), dot(w, a[1])), dot(w, a[2]));
        most = fmax(fmax(dot(w, b[0]), dot(w, b[1])), dot(w, b[2]));
    }
    // |w| (2 u M + 5 u Q), for each of the two.
    float error = sum_of_sizes(w) * ROUNDOFF * (2.5f * reach + 5.5f * span) + SMALLEST;
    return joined ? least > error && most < -error : least - most > 2.1f * error;
}

// Whether two triangles certainly have nothing in common but the corners or the edge they share.
DEVICE bool certainly_apart(const Face& t, const Face& u) {
    bool t_shared[3], u_shared[3];
    int shared = 0;
    UNROLL for (int k = 0; k < 3; ++k) {
        t_shared[k] = t.vertex[k] == u.vertex[0] || t.vertex[k] == u.vertex[1] || t.vertex[k] == u.vertex[2];
        u_shared[k] = u.vertex[k] == t.vertex[0] || u.vertex[k] == t.vertex[1] || u.vertex[k] == t.vertex[2];
        shared += t_shared[k];
    }
    float reach = fmax(t.reach, u.reach), span = t.size + u.size;
    if (shared >= 2) {
        // The same three corners are a collision.
        if (shared == 3) return false;
        // Normals seen along the shared edge: both as if it ran the same way.
        u32 t_start = !t_shared[0] ? t.vertex[1] : !t_shared[1] ? t.vertex[2] : t.vertex[0];
        u32 u_start = !u_shared[0] ? u.vertex[1] : !u_shared[1] ? u.vertex[2] : u.vertex[0];
        Normal nt = normal_of(t), nu = normal_of(u);
        float fold = dot(nt.n, nu.n);
        fold = t_start == u_start ? fold : -fold;
        float error = 1.05f * (nt.error * nu.sum + nu.error * nt.sum) + 3.2f * nt.error * nu.error +
                      4.5f * ROUNDOFF * nt.sum * nu.sum + SMALLEST;
        return fold < -error;
    }
    return beside_each_other(t, u, t_shared, u_shared, shared == 1, reach, span) ||
           beside_plane(t, u, u_shared, reach, span) || beside_plane(u, t, t_shared, reach, span);
}
