// A step, kernel by kernel:
//
//   populate   each triangle counts itself into its bucket and keeps its rank there
//   allot      each bucket gets a range of records, in any order of bricks
//   fill       each triangle writes its records where its bucket and rank say
//   search     each record meets those after it in its own cell, in cells around it, and on coarser levels
//   settle     pairs that are not certainly apart are decided in double precision
//   gather     on request: the corners of pairs that stayed open, for the host to decide
//
// A kernel is a sequence of phases, each run by all threads of a block before the next begins. On the device a phase is
// what stands between two barriers; on the host it is a loop.

#ifdef FRACAS_ON_HOST
#define KERNEL(name, least) static void name(const Arguments& a, const u32 block, const u32 blocks)
#define PHASE(t) for (u32 t = 0; t < BLOCK; ++t)
#define SHARED
#define BARRIER
#else
#define KERNEL(name, least) extern "C" __global__ void __launch_bounds__(BLOCK, least) name(PARAMETER Arguments a)
#define block blockIdx.x
#define blocks gridDim.x
#define PHASE(t) for (u32 t = threadIdx.x, once = 1; once; once = 0)
#define SHARED __shared__
#define BARRIER __syncthreads()
#endif

struct Triangle {
    Point p, q, r;
    uint4 names;
};

DEVICE Triangle read_triangle(const Arguments& a, u32 i) {
    Triangle t;
    t.names = load(a.triangles + i);
    t.p = vertex_position(a, t.names.x);
    t.q = vertex_position(a, t.names.y);
    t.r = vertex_position(a, t.names.z);
    return t;
}

KERNEL(populate, 1) {
    SHARED u32 grades[GRADES];
    PHASE(t) for (u32 k = t; k < GRADES; k += BLOCK) grades[k] = 0;
    BARRIER;
    PHASE(t) {
        u32 i = block * BLOCK + t;
        if (i < a.triangle_count) {
            Triangle triangle = read_triangle(a, i);
            if (!is_finite(triangle.p)) atomic_max(&a.counters->bad_vertex, ~triangle.names.x);
            if (!is_finite(triangle.q)) atomic_max(&a.counters->bad_vertex, ~triangle.names.y);
            if (!is_finite(triangle.r)) atomic_max(&a.counters->bad_vertex, ~triangle.names.z);
            Box box = box_around(a.plan, triangle.p, triangle.q, triangle.r);
            u32 grade = grade_of(size_of(box));
            a.ranks[i] = atomic_add(a.counts + home_of(a.plan, a.plan.level_of[grade], box), 1);
            atomic_add(grades + grade, 1);
        }
    }
    BARRIER;
    PHASE(t) for (u32 k = t; k < GRADES; k += BLOCK) {
        if (grades[k] != 0) {
            atomic_add(a.counters->in_grade + k, grades[k]);
            atomic_add(a.counters->on_level + a.plan.level_of[k], grades[k]);
        }
    }
}

DEVICE u32 larger(u32 a, u32 b) { return a > b ? a : b; }

// Each thread looks after eight buckets.
KERNEL(allot, 1) {
    SHARED u32 sums[2][BLOCK];
    SHARED u32 base, fullest;
    PHASE(t) {
        if (t == 0) fullest = 0;
        // Once: which levels are occupied, and whether the plan still fits.
        if (block == 0 && t < a.plan.levels) {
            u32 count = a.counters->on_level[t];
            if (count != 0) atomic_add(&a.counters->occupied, 1u << t);
            if (count > a.plan.most[t] && !a.never_stop) a.counters->stopped = 1;
        }
    }
    BARRIER;
    PHASE(t) {
        const uint4* counts = (const uint4*)a.counts + 2 * (u64)(block * BLOCK + t);
        uint4 p = counts[0], q = counts[1];
        sums[0][t] = p.x + p.y + p.z + p.w + q.x + q.y + q.z + q.w;
        u32 largest = larger(larger(larger(p.x, p.y), larger(p.z, p.w)), larger(larger(q.x, q.y), larger(q.z, q.w)));
        if (largest > 8) atomic_max(&fullest, largest);
    }
    BARRIER;
    u32 from = 0;
    for (u32 step = 1; step < BLOCK; step *= 2) {
        PHASE(t) sums[1 - from][t] = sums[from][t] + (t < step ? 0 : sums[from][t - step]);
        BARRIER;
        from = 1 - from;
    }
    PHASE(t) {
        if (t == BLOCK - 1 && sums[from][t] != 0) base = atomic_add(&a.counters->placed, sums[from][t]);
        if (t == 0 && fullest != 0) atomic_max(&a.counters->fullest, fullest);
    }
    BARRIER;
    PHASE(t) {
        uint4* counts = (uint4*)a.counts + 2 * (u64)(block * BLOCK + t);
        uint4* ranges = (uint4*)a.ranges + 4 * (u64)(block * BLOCK + t);
        u32 at = sums[from][BLOCK - 1] == 0 ? 0 : base + (t == 0 ? 0 : sums[from][t - 1]);
        UNROLL for (int k = 0; k < 2; ++k) {
            uint4 c = counts[k];
            u32 to_x = at + c.x, to_y = to_x + c.y, to_z = to_y + c.z, to_w = to_z + c.w;
            ranges[2 * k] = make_uint4(at, to_x, to_x, to_y);
            ranges[2 * k + 1] = make_uint4(to_y, to_z, to_z, to_w);
            counts[k] = make_uint4(0, 0, 0, 0);
            at = to_w;
        }
    }
}

KERNEL(fill, 1) {
    PHASE(t) {
        u32 i = block * BLOCK + t;
        if (i < a.triangle_count && a.counters->stopped == 0) {
            Triangle triangle = read_triangle(a, i);
            const Plan& plan = a.plan;
            Box box = box_around(plan, triangle.p, triangle.q, triangle.r);
            u32 level = plan.level_of[grade_of(size_of(box))];
            u32 at = load(&a.ranges[home_of(plan, level, box)].x) + a.ranks[i];
            uint4 names = triangle.names;
            u32 tag = (a.between ? load(a.groups + i) * LEVELS : 0) + level;
            float4* record = (float4*)(a.records + at);
            record[0] = make_float4(box.low[0], box.low[1], box.low[2], box.high[0]);
            record[1] = make_float4(box.high[1], box.high[2], bits_float(i), bits_float(tag));
            const Point& p = triangle.p;
            const Point& q = triangle.q;
            const Point& r = triangle.r;
            const double *c = plan.centre, s = plan.scale;
            float4* corners = (float4*)(a.corners + at);
            corners[0] = make_float4((float)((p.x - c[0]) * s), (float)((p.y - c[1]) * s), (float)((p.z - c[2]) * s),
                                     (float)((q.x - c[0]) * s));
            corners[1] = make_float4((float)((q.y - c[1]) * s), (float)((q.z - c[2]) * s), (float)((r.x - c[0]) * s),
                                     (float)((r.y - c[1]) * s));
            corners[2] = make_float4((float)((r.z - c[2]) * s), bits_float(names.x), bits_float(names.y),
                                     bits_float(names.z));
        }
    }
}

// Pairs are gathered in a block before they go to the list that all blocks share.
#define STAGE 256

struct Stage {
    u32 count, base;
    uint2 pairs[STAGE];
};

// Room in a list. Long before the count could begin again at zero, someone sees that it is about to.
DEVICE u32 reserve(const Arguments& a, u32* count, u32 more) {
    u32 at = atomic_add(count, more);
    if (at >= 0xe0000000u) a.counters->stopped = 2;
    return at;
}

DEVICE void push(const Arguments& a, Stage& stage, uint2 pair, u32* count, uint2* list, u32 room) {
    u32 at = take_place(&stage.count);
    if (at < STAGE) {
        stage.pairs[at] = pair;
        return;
    }
    at = reserve(a, count, 1);
    if (at < room) list[at] = pair;
}

DEVICE u32 staged(const Stage& stage) { return stage.count < STAGE ? stage.count : STAGE; }

DEVICE void flush(const Stage& stage, u32 t, uint2* list, u32 room) {
    u32 count = staged(stage);
    for (u32 k = t; k < count; k += BLOCK) {
        if (stage.base + k < room) list[stage.base + k] = stage.pairs[k];
    }
}

DEVICE Record read_record(const Arguments& a, u32 i) {
    const float4* from = (const float4*)(a.records + i);
    float4 p = load(from), q = load(from + 1);
    Record record = {p.x, p.y, p.z, p.w, q.x, q.y, float_bits(q.z), float_bits(q.w)};
    return record;
}

DEVICE Corners read_corners(const Arguments& a, u32 i) {
    const float4* from = (const float4*)(a.corners + i);
    float4 p = load(from), q = load(from + 1), r = load(from + 2);
    Corners c;
    c.p[0][0] = p.x;
    c.p[0][1] = p.y;
    c.p[0][2] = p.z;
    c.p[1][0] = p.w;
    c.p[1][1] = q.x;
    c.p[1][2] = q.y;
    c.p[2][0] = q.z;
    c.p[2][1] = q.w;
    c.p[2][2] = r.x;
    c.vertex[0] = float_bits(r.y);
    c.vertex[1] = float_bits(r.z);
    c.vertex[2] = float_bits(r.w);
    return c;
}

#ifndef SEARCH_BLOCKS
#define SEARCH_BLOCKS 8
#endif
// What the threads of a block find is shared among them before they go on, so that none waits for a neighbour that has more to do:
// first runs of records to look at, each for one record of the block, then records whose boxes overlap.
#ifndef RUNS
#define RUNS 768
#endif
#ifndef HITS
#define HITS 1280
#endif
// Threads that look at a run together.
#ifndef TEAM
#define TEAM 4
#endif

struct Finds {
    Record mine[BLOCK];
    u32 run_count, hit_count;
    // The first record; how many, and for whom.
    uint2 runs[RUNS];
    u32 other[HITS];
    u8 finder[HITS];
};

// Two records whose boxes overlap: a candidate, unless certainly apart.
DEVICE void sift(const Arguments& a, u32 i, u32 j, Stage& stage) {
    if (certainly_apart(face_of(read_corners(a, i)), face_of(read_corners(a, j)))) return;
    push(a, stage, make_uint2(a.records[i].triangle, a.records[j].triangle), &a.counters->candidates, a.candidates,
         a.candidate_room);
}

// A thread's share of a run: every so many records from one on.
DEVICE void look_at(const Arguments& a, Finds& finds, u32 finder, u32 j, u32 end, u32 every, Stage& stage) {
    const Record& mine = finds.mine[finder];
    for (; j < end; j += every) {
        Record other = read_record(a, j);
        if (!overlap(mine, other) || (a.between && mine.tag / LEVELS == other.tag / LEVELS)) continue;
        u32 at = take_place(&finds.hit_count);
        if (at < HITS) {
            finds.other[at] = j;
            finds.finder[at] = (u8)finder;
        } else {
            push(a, stage, make_uint2(mine.triangle, other.triangle), &a.counters->candidates, a.candidates,
                 a.candidate_room);
        }
    }
}

// All that record i has to meet, as runs of records.
DEVICE void look_around(const Arguments& a, u32 i, u32 t, Finds& finds, Stage& stage) {
    const Plan& plan = a.plan;
    Record mine = read_record(a, i);
    finds.mine[t] = mine;
    u32 level = mine.tag & (LEVELS - 1);
    // Its own level, then coarser ones with anything on them.
    u32 levels = a.counters->occupied & ~((1u << level) - 1);
    while (levels != 0) {
        u32 on = (u32)lowest_bit(levels);
        levels &= levels - 1;
        bool own = on == level;
        float per_width = plan.per_width[on];
        int x = cell_of(mine.low_x, per_width), last_x = cell_of(mine.high_x, per_width);
        int y = cell_of(mine.low_y, per_width), last_y = cell_of(mine.high_y, per_width);
        int z = cell_of(mine.low_z, per_width), last_z = cell_of(mine.high_z, per_width);
        // On its own level the cell before looks into the cell after.
        for (int cz = own ? z : z - 1; cz <= last_z; ++cz) {
            for (int cy = own && cz == z ? y : y - 1; cy <= last_y; ++cy) {
                bool home = own && cz == z && cy == y;
                for (int cx = home ? x : x - 1; cx <= last_x;) {
                    // Cells of a brick along x are next to each other, and so are their records.
                    int end_of_brick = cx | ((1 << BRICK_X) - 1);
                    int last = end_of_brick < last_x ? end_of_brick : last_x;
                    u32 bucket = bucket_of(plan, on, cx, cy, cz);
                    u32 begin = load(&a.ranges[bucket].x), end = load(&a.ranges[bucket + (u32)(last - cx)].y);
                    if (home && cx == x) begin = i + 1;
                    cx = last + 1;
                    if (begin >= end) continue;
                    u32 at = take_place(&finds.run_count);
                    if (at < RUNS && end - begin < (1u << 25)) {
                        finds.runs[at] = make_uint2(begin, (end - begin) * BLOCK + t);
                    } else {
                        if (at < RUNS) finds.runs[at] = make_uint2(0, 0);
                        look_at(a, finds, t, begin, end, 1, stage);
                    }
                }
            }
        }
    }
}

KERNEL(search, SEARCH_BLOCKS) {
    SHARED Finds finds;
    SHARED Stage stage;
    PHASE(t) if (t == 0) finds.run_count = finds.hit_count = stage.count = stage.base = 0;
    BARRIER;
    PHASE(t) {
        u32 i = block * BLOCK + t;
        if (i < a.triangle_count && a.counters->stopped == 0) look_around(a, i, t, finds, stage);
    }
    BARRIER;
    PHASE(t) {
        u32 count = finds.run_count < RUNS ? finds.run_count : RUNS;
        for (u32 k = t / TEAM; k < count; k += BLOCK / TEAM) {
            uint2 run = finds.runs[k];
            look_at(a, finds, run.y % BLOCK, run.x + t % TEAM, run.x + run.y / BLOCK, TEAM, stage);
        }
    }
    BARRIER;
    PHASE(t) {
        u32 count = finds.hit_count < HITS ? finds.hit_count : HITS;
        for (u32 k = t; k < count; k += BLOCK) sift(a, block * BLOCK + finds.finder[k], finds.other[k], stage);
    }
    BARRIER;
    PHASE(t) if (t == 0 && stage.count != 0) stage.base = reserve(a, &a.counters->candidates, staged(stage));
    BARRIER;
    PHASE(t) flush(stage, t, a.candidates, a.candidate_room);
}

DEVICE Solid solid_of(const Triangle& t) {
    Solid s = {{t.p, t.q, t.r}, {t.names.x, t.names.y, t.names.z}};
    return s;
}

KERNEL(settle, 1) {
    SHARED Stage stage;
    PHASE(t) if (t == 0) stage.count = stage.base = 0;
    BARRIER;
    u32 found = a.counters->candidates;
    u32 count = found < a.candidate_room ? found : a.candidate_room;
    PHASE(t) for (u32 k = block * BLOCK + t; k < count; k += blocks * BLOCK) {
        uint2 pair = a.candidates[k];
        Triangle first = read_triangle(a, pair.x), second = read_triangle(a, pair.y);
        int answer = decide(solid_of(first), solid_of(second));
        if (answer == MEET) {
            u32 one = first.names.w, other = second.names.w;
            push(a, stage, one < other ? make_uint2(one, other) : make_uint2(other, one), &a.counters->pairs, a.pairs,
                 a.pair_room);
        } else if (answer == OPEN) {
            u32 at = reserve(a, &a.counters->open, 1);
            if (at < a.open_room) a.open[at] = pair;
        }
    }
    BARRIER;
    PHASE(t) if (t == 0 && stage.count != 0) stage.base = reserve(a, &a.counters->pairs, staged(stage));
    BARRIER;
    PHASE(t) flush(stage, t, a.pairs, a.pair_room);
}

DEVICE void write_point(double* to, const Point& p) {
    to[0] = p.x;
    to[1] = p.y;
    to[2] = p.z;
}

KERNEL(gather, 1) {
    PHASE(t) {
        u32 k = block * BLOCK + t;
        if (k < a.open_count) {
            uint2 pair = a.open[k];
            Triangle first = read_triangle(a, pair.x), second = read_triangle(a, pair.y);
            double* to = a.open_corners + 18 * (u64)k;
            write_point(to, first.p);
            write_point(to + 3, first.q);
            write_point(to + 6, first.r);
            write_point(to + 9, second.p);
            write_point(to + 12, second.q);
            write_point(to + 15, second.r);
        }
    }
}
