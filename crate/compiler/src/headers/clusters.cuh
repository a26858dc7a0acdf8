// Where a block is in its cluster, by the functions that need no header. `//@ name: what it needs` begins a section.
//@ __clusterIdx from 90
__device__ inline dim3 __clusterIdx()
{
    unsigned x, y, z;
    asm("mov.u32 %0, %%clusterid.x;" : "=r"(x));
    asm("mov.u32 %0, %%clusterid.y;" : "=r"(y));
    asm("mov.u32 %0, %%clusterid.z;" : "=r"(z));
    return dim3(x, y, z);
}
//@ __clusterDim from 90
__device__ inline dim3 __clusterDim()
{
    unsigned x, y, z;
    asm("mov.u32 %0, %%cluster_nctaid.x;" : "=r"(x));
    asm("mov.u32 %0, %%cluster_nctaid.y;" : "=r"(y));
    asm("mov.u32 %0, %%cluster_nctaid.z;" : "=r"(z));
    return dim3(x, y, z);
}
//@ __clusterRelativeBlockIdx from 90
__device__ inline dim3 __clusterRelativeBlockIdx()
{
    unsigned x, y, z;
    asm("mov.u32 %0, %%cluster_ctaid.x;" : "=r"(x));
    asm("mov.u32 %0, %%cluster_ctaid.y;" : "=r"(y));
    asm("mov.u32 %0, %%cluster_ctaid.z;" : "=r"(z));
    return dim3(x, y, z);
}
//@ __clusterGridDimInClusters from 90
__device__ inline dim3 __clusterGridDimInClusters()
{
    unsigned x, y, z;
    asm("mov.u32 %0, %%nclusterid.x;" : "=r"(x));
    asm("mov.u32 %0, %%nclusterid.y;" : "=r"(y));
    asm("mov.u32 %0, %%nclusterid.z;" : "=r"(z));
    return dim3(x, y, z);
}
