// The kernels of bench/launch: nothing but parameters.
extern "C" {
__global__ void k0() {}
__global__ void k1(float *p) {}
__global__ void k3(float *p, float a, int n) {}
__global__ void k8(float *a, float *b, float *c, float *d, int e, int f, float g, float h) {}
__global__ void k16(float *a, float *b, float *c, float *d, float *e, float *f, float *g, float *h, int i, int j,
                    int k, int l, float m, float n, float o, float p)
{
}
}
