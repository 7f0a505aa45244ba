// The kernels as plain functions, block after block: how they are tested where there is no device.

#define FRACAS_ON_HOST
#include "machine.h"
#include "layout.h"
#include "grid.h"
#include "filter.h"
#include "decide.h"
#include "kernels.cu"

// Runs a kernel by its number in `Kernel` of src/layout.rs; returns 0, or 1 if there is no such kernel.
extern "C" int fracas_host_launch(u32 kernel, u32 blocks, const Arguments* arguments) {
    for (u32 block = 0; block < blocks; ++block) {
        switch (kernel) {
            case 0: populate(*arguments, block, blocks); break;
            case 1: allot(*arguments, block, blocks); break;
            case 2: fill(*arguments, block, blocks); break;
            case 3: search(*arguments, block, blocks); break;
            case 4: settle(*arguments, block, blocks); break;
            case 5: gather(*arguments, block, blocks); break;
            default: return 1;
        }
    }
    return 0;
}

// Sizes by which the host checks that both languages mean the same structures.
extern "C" void fracas_host_sizes(u64* sizes) {
    sizes[0] = sizeof(Plan);
    sizes[1] = sizeof(Counters);
    sizes[2] = sizeof(Record);
    sizes[3] = sizeof(Corners);
    sizes[4] = sizeof(Arguments);
}
