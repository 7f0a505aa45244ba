// Pairs decided in double precision, where every sign that is needed is certain; the others stay open.
//
// The signs and their error bounds are those of the library's `exact` module: ten times 2^-53 of the permanent, and a little
// for underflow. Where all corners are certainly off the other's plane, two more signs along the common line of the planes settle
// the pair (Guigue and Devillers 2003). A pair that is settled as meeting crosses: a touch always needs a sign
// that is zero, and no rounded number is certainly zero. Only a sign made from one and the same vertex twice is.

#define APART 0
#define MEET 1
#define OPEN 2

// Signs: -1, 0 and 1 are certain.
#define UNKNOWN 2

#define BOUND 1.1102230246251565e-15
#define TINY 1.1830521861667747e-271
#define FLOOR 2.2250738585072014e-308

struct Solid {
    Point p[3];
    u32 vertex[3];
};

struct Plane {
    Point a, normal, permanent;
};

DEVICE Point minus(const Point& a, const Point& b) {
    Point p = {a.x - b.x, a.y - b.y, a.z - b.z};
    return p;
}

// (b - a) x (c - a), and what its terms add up to without their signs.
DEVICE Plane plane_of(const Point& a, const Point& b, const Point& c) {
    Point u = minus(b, a), v = minus(c, a);
    double px = u.y * v.z, mx = u.z * v.y;
    double py = u.z * v.x, my = u.x * v.z;
    double pz = u.x * v.y, mz = u.y * v.x;
    Plane plane;
    plane.a = a;
    plane.normal.x = px - mx;
    plane.normal.y = py - my;
    plane.normal.z = pz - mz;
    plane.permanent.x = fabs(px) + fabs(mx) + TINY;
    plane.permanent.y = fabs(py) + fabs(my) + TINY;
    plane.permanent.z = fabs(pz) + fabs(mz) + TINY;
    return plane;
}

DEVICE int side_of(const Plane& plane, const Point& d) {
    Point w = minus(d, plane.a);
    double volume = plane.normal.x * w.x + plane.normal.y * w.y + plane.normal.z * w.z;
    double permanent =
        plane.permanent.x * fabs(w.x) + plane.permanent.y * fabs(w.y) + plane.permanent.z * fabs(w.z);
    double bound = BOUND * permanent + FLOOR;
    return volume > bound ? 1 : volume < -bound ? -1 : UNKNOWN;
}

DEVICE Point corner(const Solid& s, int k) { return k == 0 ? s.p[0] : k == 1 ? s.p[1] : s.p[2]; }
DEVICE u32 name(const Solid& s, int k) { return k == 0 ? s.vertex[0] : k == 1 ? s.vertex[1] : s.vertex[2]; }

// The side on which t[k] to t[l] passes u[m] to u[n].
DEVICE int passing_side(const Solid& t, int k, int l, const Solid& u, int m, int n) {
    u32 p = name(t, k), q = name(t, l), r = name(u, m), s = name(u, n);
    if (p == r || p == s || q == r || q == s) return 0;
    return side_of(plane_of(corner(t, k), corner(t, l), corner(u, m)), corner(u, n));
}

// Products of four differences. So large or so small numbers that these might overflow or underflow stay open.
#define LARGEST_LENGTH 1e60
#define EDGE_BOUND 1.7763568394002505e-15
#define EDGE_FLOOR 1e-190

DEVICE bool is_moderate(const Solid& t, const Solid& u) {
    double largest = 0.0;
    UNROLL for (int k = 0; k < 3; ++k) {
        Point a = minus(t.p[k], u.p[0]), b = minus(u.p[k], t.p[0]);
        largest = fmax(largest, fmax(fabs(a.x), fmax(fabs(a.y), fabs(a.z))));
        largest = fmax(largest, fmax(fabs(b.x), fmax(fabs(b.y), fabs(b.z))));
    }
    return largest < LARGEST_LENGTH;
}

// Whether u lies strictly beyond an edge of t, but for a shared end of it: beyond the plane through the edge along the normal.
// Sixteen times 2^-53 of the permanent: four differences, three products, four sums, rounded up.
DEVICE bool beyond_an_edge(const Solid& t, const Solid& u, const bool* t_shared, const bool* u_shared) {
    Plane plane = plane_of(t.p[0], t.p[1], t.p[2]);
    Point n = plane.normal, np = plane.permanent;
    for (int k = 0; k < 3; ++k) {
        int l = k == 2 ? 0 : k + 1, opposite = 3 - k - l;
        if (opposite == 0 ? t_shared[0] : opposite == 1 ? t_shared[1] : t_shared[2]) continue;
        Point a = corner(t, k), e = minus(corner(t, l), a);
        // Away from the triangle: the edge times the normal.
        Point m = {e.y * n.z - e.z * n.y, e.z * n.x - e.x * n.z, e.x * n.y - e.y * n.x};
        Point mp = {fabs(e.y) * np.z + fabs(e.z) * np.y, fabs(e.z) * np.x + fabs(e.x) * np.z,
                    fabs(e.x) * np.y + fabs(e.y) * np.x};
        bool beyond = true;
        UNROLL for (int i = 0; i < 3; ++i) {
            Point w = minus(u.p[i], a);
            double height = m.x * w.x + m.y * w.y + m.z * w.z;
            double permanent = mp.x * fabs(w.x) + mp.y * fabs(w.y) + mp.z * fabs(w.z);
            beyond = beyond && (u_shared[i] || height > EDGE_BOUND * permanent + EDGE_FLOOR);
        }
        if (beyond) return true;
    }
    return false;
}

// The triangles share an edge: whether one leaves the plane of the other, or they lie on different sides of the edge.
DEVICE int decide_at_edge(const Solid& t, const Solid& u, const bool* t_shared, const bool* u_shared) {
    int other = !u_shared[0] ? 0 : !u_shared[1] ? 1 : 2;
    Plane at = plane_of(t.p[0], t.p[1], t.p[2]);
    if (side_of(at, corner(u, other)) != UNKNOWN) return APART;
    if (!is_moderate(t, u)) return OPEN;
    Plane au = plane_of(u.p[0], u.p[1], u.p[2]);
    int mine = !t_shared[0] ? 0 : !t_shared[1] ? 1 : 2;
    bool same_way = name(t, mine == 2 ? 0 : mine + 1) == name(u, other == 2 ? 0 : other + 1);
    double fold = at.normal.x * au.normal.x + at.normal.y * au.normal.y + at.normal.z * au.normal.z;
    double permanent =
        at.permanent.x * au.permanent.x + at.permanent.y * au.permanent.y + at.permanent.z * au.permanent.z;
    return (same_way ? fold : -fold) < -(EDGE_BOUND * permanent + EDGE_FLOOR) ? APART : OPEN;
}

// The corner that is alone on its side of the other's plane, and which side that is.
struct Front {
    int corner;
    bool below;
};

DEVICE Front front_of(const int* sides) {
    int above = 0, below = 0;
    UNROLL for (int k = 0; k < 3; ++k) {
        above |= (sides[k] == 1) << k;
        below |= (sides[k] == -1) << k;
    }
    bool one_above = above == 1 || above == 2 || above == 4;
    Front front;
    front.corner = (one_above ? above : below) >> 1;
    front.below = !one_above;
    return front;
}

// How two triangles of a mesh meet: in what they share alone, elsewhere, or open.
DEVICE int decide(const Solid& t, const Solid& u) {
    bool t_shared[3], u_shared[3];
    int shared = 0;
    UNROLL for (int k = 0; k < 3; ++k) {
        t_shared[k] = t.vertex[k] == u.vertex[0] || t.vertex[k] == u.vertex[1] || t.vertex[k] == u.vertex[2];
        u_shared[k] = u.vertex[k] == t.vertex[0] || u.vertex[k] == t.vertex[1] || u.vertex[k] == t.vertex[2];
        shared += t_shared[k];
    }
    bool repeats = t.vertex[0] == t.vertex[1] || t.vertex[1] == t.vertex[2] || t.vertex[2] == t.vertex[0] ||
                   u.vertex[0] == u.vertex[1] || u.vertex[1] == u.vertex[2] || u.vertex[2] == u.vertex[0];
    if (repeats || shared == 3) return OPEN;
    if (shared == 2) return decide_at_edge(t, u, t_shared, u_shared);

    int t_sides[3], u_sides[3];
    bool known = true;
    Plane plane = plane_of(t.p[0], t.p[1], t.p[2]);
    bool above = true, below = true;
    UNROLL for (int k = 0; k < 3; ++k) {
        u_sides[k] = u_shared[k] ? 0 : side_of(plane, u.p[k]);
        above = above && (u_shared[k] || u_sides[k] == 1);
        below = below && (u_shared[k] || u_sides[k] == -1);
        known = known && u_sides[k] != UNKNOWN;
    }
    if (above || below) return APART;
    plane = plane_of(u.p[0], u.p[1], u.p[2]);
    above = below = true;
    UNROLL for (int k = 0; k < 3; ++k) {
        t_sides[k] = t_shared[k] ? 0 : side_of(plane, t.p[k]);
        above = above && (t_shared[k] || t_sides[k] == 1);
        below = below && (t_shared[k] || t_sides[k] == -1);
        known = known && t_sides[k] != UNKNOWN;
    }
    if (above || below) return APART;
    if (!known) {
        if (!is_moderate(t, u)) return OPEN;
        bool apart = beyond_an_edge(t, u, t_shared, u_shared) || beyond_an_edge(u, t, u_shared, t_shared);
        return apart ? APART : OPEN;
    }
    // Corners p q r of the one and p' q' r' of the other, beginning with the lone one; each is turned over if the other's
    // lone corner is below it.
    Front ft = front_of(t_sides), fu = front_of(u_sides);
    int tq = ft.corner == 2 ? 0 : ft.corner + 1, tr = 3 - ft.corner - tq;
    int uq = fu.corner == 2 ? 0 : fu.corner + 1, ur = 3 - fu.corner - uq;
    if (fu.below) { int swap = tq; tq = tr; tr = swap; }
    if (ft.below) { int swap = uq; uq = ur; ur = swap; }
    int j_to_k = passing_side(t, ft.corner, tq, u, fu.corner, uq);
    int i_to_l = passing_side(t, ft.corner, tr, u, fu.corner, ur);
    if (j_to_k == 1 || i_to_l == -1) return APART;
    // The intervals meet in the shared vertex and end there.
    if (j_to_k == 0 || i_to_l == 0) return APART;
    return j_to_k == UNKNOWN || i_to_l == UNKNOWN ? OPEN : MEET;
}
