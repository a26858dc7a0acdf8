// launch: --grid 1 --block 2 --arg f32[2]=iota --arg i64[2]=iota
__global__ void show(const float* f, const long long* l) {
    int t = threadIdx.x;
    unsigned char c = 'x';
    short h = -3;
    printf("%d %u %5.2f %lld %s %c %hd 100%% %-4d|%04x|%g\n", t, 7u, f[t], l[t], t ? "one" : "zero", c, h, 5, 255, 0.5);
    printf("%*d %.*f %p %zu %llu\n", 6, t, 2, f[t], f, sizeof(int), 1ull << 40);
    printf("plain\n");
}
