// Everything the kernels share with each other and with src/layout.rs, where the same structures stand in Rust.

#define LEVELS 32
// Sizes are told apart in quarters of octaves, from SMALLEST_GRADE on: exponent and two bits of a float, 2^-24 to 2^39.
#define GRADES 256
#define SMALLEST_GRADE 412
// A brick is 2^BRICK_X by 2^BRICK_Y by 2^BRICK_Z cells; at least four each way, see grid.h.
#ifndef BRICK_X
#define BRICK_X 3
#endif
#define BRICK_Y 2
#define BRICK_Z 2
#define BRICK (1 << (BRICK_X + BRICK_Y + BRICK_Z))
// Threads in a block.
#define BLOCK 128

// Where triangles of which size go. Made on the host from the sizes of the last frame; any plan is right.
struct Plan {
    // A position p has the coordinates (p - centre) * scale; the scale is a power of two.
    double centre[3];
    double scale;
    // How many levels, and buckets of all of them.
    u32 levels;
    u32 buckets;
    // One over the width of a cell, by level.
    float per_width[LEVELS];
    // The first bucket of a level; its number of bricks, a power of two, less one.
    u32 first_bucket[LEVELS];
    u32 brick_mask[LEVELS];
    // With more triangles than this on a level the plan is so bad that a new one is worth it.
    u32 most[LEVELS];
    // The level of triangles of a grade: cells are wider than they are.
    u8 level_of[GRADES];
};

// What a step finds out, besides pairs.
struct Counters {
    // Records placed so far.
    u32 placed;
    // Pairs to be decided, pairs that meet, pairs left open; more than there is room for if the buffer was too small.
    u32 candidates;
    u32 pairs;
    u32 open;
    // 1: nothing was searched, a new plan is wanted. 2: more pairs than can be counted.
    u32 stopped;
    // The lowest vertex that is not finite, with all bits turned over; zero if there is none.
    u32 bad_vertex;
    // Most records in a bucket, if more than a few; a bit for every level with any.
    u32 fullest;
    u32 occupied;
    u32 on_level[LEVELS];
    u32 in_grade[GRADES];
};

// A triangle's box, in coordinates; `triangle` is its place in the list, `tag` its group times 32 plus its level.
struct alignas(16) Record {
    float low_x, low_y, low_z, high_x;
    float high_y, high_z;
    u32 triangle, tag;
};

// A triangle's corners, in coordinates, rounded, and their vertices.
struct alignas(16) Corners {
    float p[3][3];
    u32 vertex[3];
};

struct Arguments {
    // Three numbers for each vertex.
    const double* positions;
    // Vertices and the id of each triangle, and its group.
    const uint4* triangles;
    const u32* groups;
    // For each triangle, how many were in its bucket before.
    u32* ranks;
    // For each bucket, how many records; then from which to which.
    u32* counts;
    uint2* ranges;
    Record* records;
    Corners* corners;
    uint2* candidates;
    uint2* pairs;
    uint2* open;
    // Positions of the corners of open pairs.
    double* open_corners;
    Counters* counters;
    u32 triangle_count;
    u32 spare;
    u32 candidate_room;
    u32 pair_room;
    u32 open_room;
    // Only pairs of different groups are asked for.
    u32 between;
    // Search whatever the plan is like.
    u32 never_stop;
    u32 open_count;
    Plan plan;
};
