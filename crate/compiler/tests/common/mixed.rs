//! Random kernels in the style of tutorials, as CUDA C++ only: floats, vectors, structs, shared memory with barriers, loops and
//! branches. What they compute, a compiler must say.

use super::Random;

/// How deep statements stand in each other, and expressions.
const DEPTH: u32 = 3;

/// What a kernel's source begins with: its types and its parameters, which decide what they are filled with.
const HEAD: &str = "//# block 64 1
struct floatThing { float weight; int count; float2 place; };
struct alignas(16) floatWide { float a, b, c; int d; };
extern \"C\" __global__ void test(const float* RESTRICT in, const float4* RESTRICT quads, const floatThing* things,
    const floatWide* wides, const int* numbers, float* RESTRICT out, float2* pairs, floatThing* made, int* counts, int items,
    int steps)
{
    __shared__ float tile[64];
    __shared__ float2 doubled[64];
    const int lane = threadIdx.x;
    const int i = lane + blockIdx.x * blockDim.x;
    float f0 = in[i], f1 = 1, f2 = 0;
    int n0 = numbers[i] & 15, n1 = lane;
";

/// One kernel being written.
pub struct Mixed<'a> {
    random: &'a mut Random,
    text: String,
    /// Loops around, whose counters are `k0`, `k1` …
    loops: u32,
    /// Places that were written, so that each is written once.
    written: u32,
    branches: bool,
}

impl<'a> Mixed<'a> {
    /// The source of a kernel `test`, with branches that single threads take or without.
    pub fn source(random: &'a mut Random, branches: bool) -> String {
        let restrict = ["", "__restrict__"][random.next() as usize % 2];
        let mut mixed = Mixed {
            random,
            text: HEAD.replace("RESTRICT", restrict),
            loops: 0,
            written: 0,
            branches,
        };
        if mixed.chance(2) {
            mixed.line(1, "if (i >= items) return;");
        }
        let is_whole = !mixed.text.contains("return;");
        for _ in 0..5 {
            mixed.statement(1, is_whole);
        }
        mixed.line(1, "out[i] = f0 + f1;");
        mixed.line(1, "out[i + 2 * items] = f2;");
        mixed.line(1, "counts[i] = n0 + n1;");
        mixed.text + "}\n"
    }

    fn below(&mut self, count: u32) -> u32 {
        self.random.next() % count
    }

    fn chance(&mut self, of: u32) -> bool {
        self.below(of) == 0
    }

    fn pick<'b>(&mut self, list: &[&'b str]) -> &'b str {
        list[self.below(list.len() as u32) as usize]
    }

    fn line(&mut self, depth: u32, text: &str) {
        let indent = "    ".repeat(depth as usize);
        self.text.push_str(&format!("{indent}{text}\n"));
    }

    /// `is_whole`: all threads of the block come here together.
    fn statement(&mut self, depth: u32, is_whole: bool) {
        let kinds = if depth <= DEPTH { 9 } else { 5 };
        match self.below(kinds) {
            0 | 1 => self.set(depth),
            2 => self.store(depth),
            3 => self.members(depth),
            4 if is_whole => self.exchange(depth),
            4 => self.set(depth),
            5 | 6 | 8 if !self.branches => self.store(depth),
            5 | 6 => self.branch(depth),
            7 => self.repeat(depth, is_whole),
            _ => self.choice(depth),
        }
    }

    fn set(&mut self, depth: u32) {
        let text = if self.chance(3) {
            let name = self.pick(&["n0", "n1"]);
            let value = self.whole(2);
            format!("{name} = {value};")
        } else {
            let name = self.pick(&["f0", "f1", "f2"]);
            let operator = self.pick(&["=", "+=", "-="]);
            let value = self.real(2);
            format!("{name} {operator} {value};")
        };
        self.line(depth, &text);
    }

    /// A place of its own in an output.
    fn place(&mut self) -> String {
        self.written += 1;
        let counter = match self.loops {
            0 => String::new(),
            loops => format!(" + k{}", loops - 1),
        };
        format!("i + {} * items{counter}", 2 + self.written)
    }

    fn store(&mut self, depth: u32) {
        let (place, value) = (self.place(), self.real(2));
        let operator = self.pick(&["=", "=", "+="]);
        self.line(depth, &format!("out[{place}] {operator} {value};"));
    }

    fn members(&mut self, depth: u32) {
        let place = self.place();
        if self.chance(2) {
            for member in ["x", "y"] {
                let value = self.real(1);
                self.line(depth, &format!("pairs[{place}].{member} = {value};"));
            }
            return;
        }
        let value = self.real(1);
        self.line(depth, &format!("made[{place}].weight = {value};"));
        let value = self.whole(1);
        self.line(depth, &format!("made[{place}].count = {value};"));
        if self.chance(2) {
            let value = self.real(1);
            self.line(depth, &format!("made[{place}].place.x = {value};"));
        }
    }

    /// What one thread stores and another loads.
    fn exchange(&mut self, depth: u32) {
        let with = 1 + self.below(31);
        if self.chance(2) {
            let value = self.real(2);
            self.line(depth, &format!("tile[lane] = {value};"));
            self.line(depth, "__syncthreads();");
            self.line(depth, &format!("f1 += tile[lane ^ {with}];"));
        } else {
            for member in ["x", "y"] {
                let value = self.real(1);
                self.line(depth, &format!("doubled[lane].{member} = {value};"));
            }
            self.line(depth, "__syncthreads();");
            let value = format!("f2 = doubled[lane ^ {with}].x - doubled[lane ^ {with}].y;");
            self.line(depth, &value);
        }
        self.line(depth, "__syncthreads();");
    }

    fn branch(&mut self, depth: u32) {
        let condition = self.condition();
        self.line(depth, &format!("if ({condition}) {{"));
        self.statement(depth + 1, false);
        if self.chance(2) {
            self.line(depth, "} else {");
            self.statement(depth + 1, false);
        }
        self.line(depth, "}");
    }

    /// A loop that all threads run as often.
    fn repeat(&mut self, depth: u32, is_whole: bool) {
        let name = format!("k{}", self.loops);
        let end = self.pick(&["3", "4", "steps", "7"]);
        let line = format!("for (int {name} = 0; {name} < {end}; ++{name}) {{");
        self.line(depth, &line);
        self.loops += 1;
        let count = 1 + self.below(2);
        for _ in 0..count {
            self.statement(depth + 1, is_whole);
        }
        self.loops -= 1;
        self.line(depth, "}");
    }

    fn choice(&mut self, depth: u32) {
        let value = self.whole(1);
        self.line(depth, &format!("switch (({value}) & 3) {{"));
        for case in 0..3 {
            self.line(depth, &format!("case {case}:"));
            self.set(depth + 1);
            self.line(depth + 1, "break;");
        }
        self.line(depth, "default:");
        self.set(depth + 1);
        self.line(depth, "}");
    }

    fn condition(&mut self) -> String {
        match self.below(4) {
            0 => format!("lane < {}", self.below(64)),
            1 => format!("{} > {}", self.real(1), self.real(1)),
            2 => format!("(n0 & {}) && i < items", 1 + self.below(7)),
            _ => format!("{} < {}", self.whole(1), self.below(20)),
        }
    }

    /// Where something is read: a neighbour, or what a loop counts.
    fn index(&mut self) -> String {
        let by = self.below(4);
        match self.loops {
            0 => format!("i + {by}"),
            loops => format!("i + {by} + k{}", self.below(loops)),
        }
    }

    fn real(&mut self, depth: u32) -> String {
        if depth == 0 || self.chance(4) {
            let index = self.index();
            return match self.below(8) {
                0 | 1 => self.pick(&["f0", "f1", "f2"]).to_string(),
                2 => format!("{}.5f", self.below(4)),
                3 => format!("in[{index}]"),
                4 => format!("quads[{index}].{}", self.pick(&["x", "y", "z", "w"])),
                5 => format!(
                    "things[{index}].{}",
                    self.pick(&["weight", "place.x", "place.y"])
                ),
                6 => format!("wides[{index}].{}", self.pick(&["a", "b", "c"])),
                _ => format!("(float)({})", self.whole(0)),
            };
        }
        let (a, b) = (self.real(depth - 1), self.real(depth - 1));
        match self.below(6) {
            0 | 1 => format!("({a} + {b})"),
            2 => format!("({a} - {b})"),
            3 | 4 => format!("{a} * {b}"),
            _ => format!("({} ? {a} : {b})", self.condition_of_numbers()),
        }
    }

    fn condition_of_numbers(&mut self) -> String {
        format!("{} > {}", self.pick(&["n0", "n1", "lane"]), self.below(20))
    }

    fn whole(&mut self, depth: u32) -> String {
        if depth == 0 || self.chance(3) {
            let index = self.index();
            return match self.below(5) {
                0 => "n0".to_string(),
                1 => "n1".to_string(),
                2 => format!("(numbers[{index}] & 31)"),
                3 => "(lane & 7)".to_string(),
                _ => format!("{}", self.below(30)),
            };
        }
        let (a, b) = (self.whole(depth - 1), self.whole(depth - 1));
        let operator = self.pick(&["+", "-", "^", "&", "|"]);
        format!("({a} {operator} {b})")
    }
}
