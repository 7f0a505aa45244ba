// Boxes, levels and cells.
//
// A triangle is in the cell of the lower corner of its box, on a level whose cells are not smaller than the box. So a
// box that overlaps it has its lower corner at most one cell before it, and not after its upper corner.
//
// A cell has a bucket: cells are gathered into bricks, bricks share a table by hashing. Cells that one triangle looks into
// span at most three in each direction, a brick at least four, so they are in different buckets whatever the
// hash does: nothing is met twice. Other triangles in a bucket are far away, and their boxes show it.

struct Box {
    float low[3], high[3];
};

struct Point {
    double x, y, z;
};

DEVICE Point vertex_position(const Arguments& a, u32 vertex) {
    const double* p = a.positions + 3 * (u64)vertex;
    Point point = {load(p), load(p + 1), load(p + 2)};
    return point;
}

DEVICE bool is_finite(const Point& p) { return (p.x - p.x) + (p.y - p.y) + (p.z - p.z) == 0.0; }

// What lies farther out than this lies there: in order, and not infinitely far.
DEVICE float within_reach(float x) { return fmax(-1e38f, fmin(1e38f, x)); }

DEVICE float coordinate_down(double x, double centre, double scale) {
    return within_reach(to_float_down(multiply_down(subtract_down(x, centre), scale)));
}

DEVICE float coordinate_up(double x, double centre, double scale) {
    return within_reach(to_float_up(multiply_up(subtract_up(x, centre), scale)));
}

// The smallest box in coordinates, or one a little larger.
DEVICE Box box_around(const Plan& plan, const Point& p, const Point& q, const Point& r) {
    Box box;
    box.low[0] = coordinate_down(fmin(fmin(p.x, q.x), r.x), plan.centre[0], plan.scale);
    box.low[1] = coordinate_down(fmin(fmin(p.y, q.y), r.y), plan.centre[1], plan.scale);
    box.low[2] = coordinate_down(fmin(fmin(p.z, q.z), r.z), plan.centre[2], plan.scale);
    box.high[0] = coordinate_up(fmax(fmax(p.x, q.x), r.x), plan.centre[0], plan.scale);
    box.high[1] = coordinate_up(fmax(fmax(p.y, q.y), r.y), plan.centre[1], plan.scale);
    box.high[2] = coordinate_up(fmax(fmax(p.z, q.z), r.z), plan.centre[2], plan.scale);
    return box;
}

// Longest edge of a box, not rounded down.
DEVICE float size_of(const Box& box) {
    float x = subtract_up(box.high[0], box.low[0]);
    float y = subtract_up(box.high[1], box.low[1]);
    float z = subtract_up(box.high[2], box.low[2]);
    return fmax(fmax(x, y), z);
}

// Sizes up to 1, 1.25, 1.5 or 1.75 times a power of two; the last grade is for everything larger.
DEVICE u32 grade_of(float size) {
    u32 grade = (float_bits(size) + 0x1fffffu) >> 21;
    return grade <= SMALLEST_GRADE ? 0 : grade >= SMALLEST_GRADE + GRADES ? GRADES - 1 : grade - SMALLEST_GRADE;
}

// Rounding moves the quotient by less than a hundredth, as cells have no larger numbers, and they are wider than
// triangles by more than that. Cells farther out are one: the order along an axis is kept, which is all that matters.
DEVICE int cell_of(float coordinate, float per_width) {
    const float farthest = 65536.0f;
    return (int)floor(fmax(-farthest, fmin(farthest, coordinate * per_width)));
}

DEVICE u32 bucket_of(const Plan& plan, u32 level, int x, int y, int z) {
    u32 hash = (u32)(x >> BRICK_X) * 0x9e3779b1u + (u32)(y >> BRICK_Y) * 0x85ebca77u + (u32)(z >> BRICK_Z) * 0xc2b2ae3du;
    hash ^= hash >> 15;
    hash *= 0x2c1b3c6du;
    hash ^= hash >> 13;
    u32 brick = hash & plan.brick_mask[level];
    u32 within = (u32)(x & ((1 << BRICK_X) - 1)) | (u32)(y & ((1 << BRICK_Y) - 1)) << BRICK_X |
                 (u32)(z & ((1 << BRICK_Z) - 1)) << (BRICK_X + BRICK_Y);
    return plan.first_bucket[level] + brick * BRICK + within;
}

DEVICE u32 home_of(const Plan& plan, u32 level, const Box& box) {
    float per_width = plan.per_width[level];
    return bucket_of(plan, level, cell_of(box.low[0], per_width), cell_of(box.low[1], per_width),
                     cell_of(box.low[2], per_width));
}

DEVICE bool overlap(const Record& a, const Record& b) {
    return a.low_x <= b.high_x && b.low_x <= a.high_x && a.low_y <= b.high_y && b.low_y <= a.high_y &&
           a.low_z <= b.high_z && b.low_z <= a.high_z;
}
