// Colours for CUDA C++, in the classes of highlight.js, of which every theme of mdBook has the colours. Splits a text into
// lines of pieces; makes no elements.
"use strict";

((lab) => {
  const words = (text) => new Set(text.split(" "));
  const KEYWORDS = words(
    "alignas asm auto bool break case char class const constexpr continue default do double else enum extern false float for goto if inline int long namespace nullptr operator private public return short signed sizeof static static_assert static_cast reinterpret_cast struct switch template this true typedef typename union unsigned using void volatile while",
  );
  const CUDA = words(
    "__global__ __device__ __host__ __shared__ __constant__ __restrict__ __launch_bounds__ __align__ __forceinline__ __noinline__ __cluster_dims__ __syncthreads __syncwarp __threadfence __threadfence_block threadIdx blockIdx blockDim gridDim warpSize size_t half half2 __half __half2 __nv_bfloat16 uint4 uint2 int4 int2 float2 float3 float4 double2 dim3 uint8_t uint16_t uint32_t uint64_t int8_t int16_t int32_t int64_t",
  );

  const PIECES =
    /(?<comment>\/\/[^\n]*|\/\*[^]*?(?:\*\/|$))|(?<string>"(?:\\.|[^"\\\n])*"?|'(?:\\.|[^'\\\n])*'?)|(?<meta>^[ \t]*#(?:[^\n/]|\/(?![/*]))*)|(?<number>\b\d(?:[eE][+-]|[\w.'])*)|(?<word>[A-Za-z_]\w*)|[^\w"'/#\n]+|[^]/gm;

  const kind = (groups) => {
    if (groups.comment !== undefined) return "hljs-comment";
    if (groups.string !== undefined) return "hljs-string";
    if (groups.meta !== undefined) return "hljs-meta";
    if (groups.number !== undefined) return "hljs-number";
    if (KEYWORDS.has(groups.word)) return "hljs-keyword";
    return CUDA.has(groups.word) ? "hljs-built_in" : "";
  };

  /// The lines of a text, each a list of pieces `[text, class]`; a class may be empty.
  lab.colour = (text) => {
    const lines = [[]];
    for (const match of text.matchAll(PIECES)) {
      const name = kind(match.groups);
      for (const [at, part] of match[0].split("\n").entries()) {
        if (at > 0) lines.push([]);
        if (part !== "") lines[lines.length - 1].push([part, name]);
      }
    }
    return lines;
  };
})(window.cornerturn_lab);
