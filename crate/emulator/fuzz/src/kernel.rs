//! Kernels made at random: straight lines, branches, loops, exchanges between lanes. Each result is stored to a slot of its own.
//!
//! A thread's inputs and results depend on no other thread's timing, so a kernel has one right outcome;
//! `hostile` adds what has none.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use crate::choices::{Choices, Random};
use crate::forms::{Form, Source};
use crate::hostile;
use crate::values::{Class, LOADED};

/// Registers of each class that are loaded when a kernel starts.
pub const PLANES: usize = 3;

/// Bytes that each thread has in a plane of the input and in a slot of the output.
pub const STRIDE_BYTES: usize = 8;

/// Words that all threads of a launch add to.
pub const BINS: usize = 16;

/// Bytes of shared memory for each thread.
const SHARED_BYTES: usize = 16;

/// Extent of a launch.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Shape {
    /// Blocks.
    pub blocks: u32,
    /// Threads of a block.
    pub threads: u32,
}

impl Shape {
    /// Threads of the launch.
    pub fn all(self) -> usize {
        self.blocks as usize * self.threads as usize
    }
}

/// One entry and what its results are.
#[derive(Debug, Clone)]
pub struct Kernel {
    /// Name of the entry.
    pub name: String,
    /// The entry in PTX: parameters input, output, bins, all addresses.
    pub text: String,
    /// Who stores to each slot of the output: the instruction, as written, and what it gives.
    pub slots: Vec<(String, Class)>,
    /// How often each form is in the text.
    pub uses: BTreeMap<String, u64>,
}

/// What stands before the entries.
pub const HEADER: &str = ".version 8.6\n.target sm_90\n.address_size 64\n";

/// Bytes of the input of a launch.
pub fn input_bytes(shape: Shape) -> usize {
    LOADED.len() * PLANES * shape.all() * STRIDE_BYTES
}

/// The input: for each class its planes, one number for each thread.
pub fn input(shape: Shape, random: &mut Random) -> Vec<u8> {
    let mut bytes = Vec::with_capacity(input_bytes(shape));
    for class in LOADED {
        for _ in 0..PLANES * shape.all() {
            bytes.extend_from_slice(&class.value(random).to_le_bytes());
        }
    }
    bytes
}

/// A kernel that does no more than compute one form of the input's planes.
pub fn unit(name: &str, form: &Form, shape: Shape) -> Kernel {
    let mut builder = Builder::new(Choices::new(&[]), shape, &[]);
    builder.start();
    let result = builder.instruction(form, Registers::Planes);
    builder.store(form.result, &result, &form.opcode);
    builder.finish(name)
}

/// A kernel of about `length` statements out of these families of forms.
pub fn random(
    name: &str,
    choices: Choices,
    families: &[Vec<Form>],
    shape: Shape,
    length: usize,
    hostile: bool,
) -> Kernel {
    let mut builder = Builder::new(choices, shape, families);
    builder.hostile = hostile;
    builder.start();
    builder.statements(length);
    builder.finish(name)
}

/// Which registers an instruction takes.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Registers {
    /// Of each class the first, second, third, as they were loaded.
    Planes,
    Any,
}

/// A kernel in the making.
pub(crate) struct Builder<'b, 'f> {
    pub(crate) choices: Choices<'b>,
    pub(crate) body: String,
    families: &'f [Vec<Form>],
    shape: Shape,
    hostile: bool,
    /// Registers that hold something, by class.
    pools: BTreeMap<Class, Vec<String>>,
    /// Registers named so far, by prefix.
    named: BTreeMap<&'static str, usize>,
    slots: Vec<(String, Class)>,
    uses: BTreeMap<String, u64>,
    pub(crate) labels: usize,
    /// Branches and loops around the place.
    pub(crate) depth: usize,
}

macro_rules! line {
    ($builder:expr, $($part:tt)*) => {{
        use std::fmt::Write as _;
        $builder.body.push('\t');
        // Writing to a string does not fail.
        let _ = writeln!($builder.body, $($part)*);
    }};
}
pub(crate) use line;

impl<'b, 'f> Builder<'b, 'f> {
    fn new(choices: Choices<'b>, shape: Shape, families: &'f [Vec<Form>]) -> Self {
        Self {
            choices,
            body: String::new(),
            families,
            shape,
            hostile: false,
            pools: BTreeMap::new(),
            named: BTreeMap::new(),
            slots: Vec::new(),
            uses: BTreeMap::new(),
            labels: 0,
            depth: 0,
        }
    }

    /// Loads the input.
    fn start(&mut self) {
        line!(self, "mov.u32 %thread, %tid.x;");
        line!(self, "mov.u32 %at, %ctaid.x;");
        line!(self, "mov.u32 %size, %ntid.x;");
        line!(self, "mad.lo.u32 %at, %at, %size, %thread;");
        line!(self, "mul.wide.u32 %far, %at, {STRIDE_BYTES};");
        line!(self, "ld.param.u64 %in, [input];");
        line!(self, "ld.param.u64 %out, [output];");
        line!(self, "ld.param.u64 %bins, [bins];");
        line!(self, "add.s64 %in, %in, %far;");
        line!(self, "add.s64 %out, %out, %far;");
        line!(self, "mov.u32 %near, exchange;");
        line!(self, "mad.lo.u32 %own, %thread, {SHARED_BYTES}, %near;");
        for (index, class) in LOADED.iter().enumerate() {
            for plane in 0..PLANES {
                let register = self.fresh(*class);
                let at = (index * PLANES + plane) * self.shape.all() * STRIDE_BYTES;
                line!(self, "ld.global.b{} {register}, [%in+{at}];", class.bits());
                self.pools.entry(*class).or_default().push(register);
            }
        }
        for plane in 0..PLANES {
            let (register, of) = (
                self.fresh(Class::Pred),
                self.pools[&Class::Int32][plane].clone(),
            );
            line!(self, "setp.gt.s32 {register}, {of}, {plane};");
            self.pools.entry(Class::Pred).or_default().push(register);
        }
    }

    /// A register that no other instruction has named.
    pub(crate) fn fresh(&mut self, class: Class) -> String {
        let prefix = class.prefix();
        let number = self.named.entry(prefix).or_default();
        *number += 1;
        format!("{prefix}{}", *number - 1)
    }

    /// A register that holds something of this class.
    pub(crate) fn any(&mut self, class: Class) -> String {
        let class = if class == Class::Amount {
            Class::Int32
        } else {
            class
        };
        match self.pools.get(&class) {
            Some(pool) => self.choices.pick(pool).clone(),
            None => self.fresh(class),
        }
    }

    /// Where a result goes: a new register, unless some threads pass by and would leave it empty.
    pub(crate) fn target(&mut self, class: Class, partial: bool) -> String {
        if partial || self.choices.happens(64) {
            return self.any(class);
        }
        self.fresh(class)
    }

    /// From now on the register may be taken.
    pub(crate) fn holds(&mut self, class: Class, register: &str) {
        let pool = self.pools.entry(class).or_default();
        if pool.iter().any(|known| known == register) {
            return;
        }
        if pool.len() < 7 {
            pool.push(register.to_string());
        } else {
            let at = self.choices.below(7);
            pool[at] = register.to_string();
        }
    }

    fn literal(&mut self, class: Class) -> Option<String> {
        let mut random =
            Random(u64::from(self.choices.byte()) << 8 | u64::from(self.choices.byte()));
        let value = class.value(&mut random);
        Some(match class {
            Class::Int16 => (value as u16 as i16).to_string(),
            Class::Int32 => (value as u32 as i32).to_string(),
            Class::Int64 => (value as i64).to_string(),
            // Past the width ptxas takes a literal for another amount than a register.
            Class::Amount => (value % 32).to_string(),
            Class::Single => format!("0f{:08X}", value as u32),
            Class::Double => format!("0d{value:016X}"),
            _ => return None,
        })
    }

    fn source(&mut self, source: Source, from: Registers, place: usize) -> String {
        let class = match source {
            Source::Byte if from == Registers::Planes => return 0xca.to_string(),
            Source::Byte => return self.choices.byte().to_string(),
            Source::Value(class) => class,
        };
        if from == Registers::Planes {
            let class = if class == Class::Amount {
                Class::Int32
            } else {
                class
            };
            return self.pools[&class][place % PLANES].clone();
        }
        let often = if class == Class::Amount { 140 } else { 24 };
        if self.choices.happens(often)
            && let Some(literal) = self.literal(class)
        {
            return literal;
        }
        self.any(class)
    }

    /// Writes an instruction and gives the register of its result.
    fn instruction(&mut self, form: &Form, from: Registers) -> String {
        // ptxas 13.0 forgets a guard before `testp`, and converts what was in the register where a guard keeps `set`
        // from giving a float.
        let is_float_set = form.opcode.starts_with("set.") && form.result == Class::Single;
        let loses_guard = form.opcode.starts_with("testp.") || is_float_set;
        let guard = if from == Registers::Any && !loses_guard && self.choices.happens(20) {
            let not = if self.choices.happens(128) { "!" } else { "" };
            format!("@{not}{} ", self.any(Class::Pred))
        } else {
            String::new()
        };
        let mut operands = Vec::new();
        for (place, source) in form.sources.iter().enumerate() {
            operands.push(self.source(*source, from, place));
        }
        let partial = self.depth > 0 || !guard.is_empty();
        let result = if from == Registers::Planes {
            self.fresh(form.result)
        } else {
            self.target(form.result, partial)
        };
        *self.uses.entry(form.opcode.clone()).or_default() += 1;
        line!(
            self,
            "{guard}{} {result}, {};",
            form.opcode,
            operands.join(", ")
        );
        self.holds(form.result, &result);
        result
    }

    /// Stores a register to a slot of its own.
    pub(crate) fn store(&mut self, class: Class, register: &str, what: &str) {
        let at = self.slots.len() * self.shape.all() * STRIDE_BYTES;
        self.slots.push((what.to_string(), class));
        if class == Class::Pred {
            line!(self, "selp.u32 %flag, 1, 0, {register};");
            line!(self, "st.global.u32 [%out+{at}], %flag;");
        } else {
            line!(self, "st.global.b{} [%out+{at}], {register};", class.bits());
        }
    }

    pub(crate) fn statements(&mut self, length: usize) {
        for _ in 0..length {
            if self.choices.is_empty() {
                break;
            }
            self.statement(length);
        }
    }

    fn statement(&mut self, length: usize) {
        let inner = (length / 2).min(8);
        match self.choices.byte() {
            0..=9 if self.depth < 3 => self.branch(inner),
            10..=15 if self.depth < 2 => self.repeat(inner),
            16..=25 => self.chain(),
            26..=31 => self.packing(),
            32..=36 => self.count(),
            // Threads must come to these together.
            37..=50 if self.depth == 0 => self.shuffle(),
            51..=58 if self.depth == 0 => self.warp_wide(),
            59..=68 if self.depth == 0 => self.exchange(),
            69..=110 if self.hostile => hostile::statement(self),
            _ => self.plain(),
        }
    }

    fn plain(&mut self) {
        let families = self.families;
        if families.is_empty() {
            return;
        }
        let family = self.choices.pick(families);
        if family.is_empty() {
            return;
        }
        let form = self.choices.pick(family);
        if !self.hostile && form.is_simplified() {
            return self.reveal();
        }
        let result = self.instruction(form, Registers::Any);
        if self.choices.happens(200) {
            let opcode = form.opcode.clone();
            self.store(form.result, &result, &opcode);
        }
    }

    /// The bits of a float as an integer, whatever NaN it is made into one.
    fn reveal(&mut self) {
        let (from, to, ty, nan) = *self.choices.pick(&[
            (Class::Single, Class::Int32, "f32", "0x7fffffff"),
            (Class::Double, Class::Int64, "f64", "0x7fffffffffffffff"),
            (Class::Half, Class::Int16, "f16", "0x7fff"),
            (Class::Brain, Class::Int16, "bf16", "0x7fff"),
        ]);
        let (of, is_nan) = (self.any(from), self.fresh(Class::Pred));
        let result = self.target(to, self.depth > 0);
        line!(self, "setp.nan.{ty} {is_nan}, {of}, {of};");
        line!(
            self,
            "selp.b{} {result}, {nan}, {of}, {is_nan};",
            from.bits()
        );
        self.store(to, &result, "selp");
        self.holds(to, &result);
    }

    fn branch(&mut self, inner: usize) {
        let (predicate, label) = (self.any(Class::Pred), self.labels);
        self.labels += 1;
        self.depth += 1;
        line!(self, "@{predicate} bra ELSE_{label};");
        self.statements(inner);
        line!(self, "bra.uni END_{label};");
        line!(self, "ELSE_{label}:");
        if self.choices.happens(160) {
            self.statements(inner);
        }
        line!(self, "END_{label}:");
        self.depth -= 1;
    }

    /// A loop of at most eight turns, each thread by its own number.
    fn repeat(&mut self, inner: usize) {
        let (of, label) = (self.any(Class::Int32), self.labels);
        self.labels += 1;
        let (turn, turns) = (self.fresh(Class::Int32), self.fresh(Class::Int32));
        let again = self.fresh(Class::Pred);
        line!(self, "mov.u32 {turn}, 0;");
        line!(self, "and.b32 {turns}, {of}, 7;");
        line!(self, "AGAIN_{label}:");
        self.depth += 1;
        self.statements(inner);
        self.depth -= 1;
        line!(self, "add.u32 {turn}, {turn}, 1;");
        line!(self, "setp.le.u32 {again}, {turn}, {turns};");
        line!(self, "@{again} bra AGAIN_{label};");
    }

    /// Sums, differences or products over several registers by the carry flag.
    fn chain(&mut self) {
        let (class, ty) = *self.choices.pick(&[
            (Class::Int32, "u32"),
            (Class::Int32, "s32"),
            (Class::Int64, "u64"),
        ]);
        let kinds = [
            ("add.cc", "addc"),
            ("sub.cc", "subc"),
            ("mad.lo.cc", "madc.hi"),
        ];
        let (first, next) = *self.choices.pick(&kinds);
        let links = 2 + self.choices.below(3);
        for link in 0..links {
            let opcode = match link {
                0 => format!("{first}.{ty}"),
                _ if link + 1 == links => format!("{next}.{ty}"),
                _ => format!("{next}.cc.{ty}"),
            };
            let count = if first.starts_with("mad") { 3 } else { 2 };
            let operands: Vec<String> = (0..count).map(|_| self.any(class)).collect();
            let result = self.target(class, self.depth > 0);
            *self.uses.entry(opcode.clone()).or_default() += 1;
            line!(self, "{opcode} {result}, {};", operands.join(", "));
            self.store(class, &result, &opcode);
            self.holds(class, &result);
        }
    }

    /// Puts registers together and takes them apart.
    fn packing(&mut self) {
        let (whole, part, bits) = *self.choices.pick(&[
            (Class::Int64, Class::Int32, 64),
            (Class::Int32, Class::Int16, 32),
            (Class::Halves, Class::Half, 32),
            (Class::Brains, Class::Brain, 32),
        ]);
        let partial = self.depth > 0;
        let (low, high) = (self.any(part), self.any(part));
        let packed = self.target(whole, partial);
        line!(self, "mov.b{bits} {packed}, {{{low}, {high}}};");
        self.store(whole, &packed, "mov pack");
        self.holds(whole, &packed);
        let of = self.any(whole);
        let low = self.target(part, partial);
        let high = self.fresh(part);
        line!(self, "mov.b{bits} {{{low}, {high}}}, {of};");
        self.store(part, &high, "mov unpack");
        self.store(part, &low, "mov unpack");
        self.holds(part, &low);
        *self.uses.entry(format!("mov.b{bits} pack")).or_default() += 1;
        *self.uses.entry(format!("mov.b{bits} unpack")).or_default() += 1;
    }

    /// Adds to a word that all threads share.
    fn count(&mut self) {
        let (bin, of) = (self.choices.below(BINS / 2) * 8, self.any(Class::Int32));
        let opcode = match bin / 8 {
            0 => "red.global.min.s32",
            1 => "red.global.max.u32",
            2 => "red.global.and.b32",
            3 => "red.global.or.b32",
            4 => "red.global.xor.b32",
            5 => {
                let of = self.any(Class::Int64);
                line!(self, "red.global.add.u64 [%bins+{bin}], {of};");
                *self.uses.entry("red.global.add.u64".into()).or_default() += 1;
                return;
            }
            _ => "red.global.add.u32",
        };
        *self.uses.entry(opcode.into()).or_default() += 1;
        line!(self, "{opcode} [%bins+{bin}], {of};");
    }

    fn shuffle(&mut self) {
        let how = *self.choices.pick(&["idx", "up", "down", "bfly"]);
        let opcode = format!("shfl.sync.{how}.b32");
        let (of, by) = (
            self.any(Class::Int32),
            self.source(Source::Value(Class::Amount), Registers::Any, 0),
        );
        // The last lane of a segment and the segments' width, as `__shfl_sync` packs them.
        let width = 1 << self.choices.below(6);
        let clamp = (32 - width) << 8 | if how == "up" { 0 } else { 31 };
        let (result, inside) = (self.fresh(Class::Int32), self.fresh(Class::Pred));
        line!(self, "{opcode} {result}|{inside}, {of}, {by}, {clamp}, -1;");
        *self.uses.entry(opcode.clone()).or_default() += 1;
        self.store(Class::Int32, &result, &opcode);
        self.store(Class::Pred, &inside, &opcode);
        self.holds(Class::Int32, &result);
        self.holds(Class::Pred, &inside);
    }

    fn warp_wide(&mut self) {
        let (predicate, word, long) = (
            self.any(Class::Pred),
            self.any(Class::Int32),
            self.any(Class::Int64),
        );
        let (opcode, class, of) = match self.choices.below(14) {
            0 => ("vote.sync.all.pred", Class::Pred, predicate),
            1 => ("vote.sync.any.pred", Class::Pred, predicate),
            2 => ("vote.sync.uni.pred", Class::Pred, predicate),
            3 => ("vote.sync.ballot.b32", Class::Int32, predicate),
            4 => ("match.any.sync.b32", Class::Int32, word),
            5 => ("match.any.sync.b64", Class::Int32, long),
            6 => ("redux.sync.add.u32", Class::Int32, word),
            7 => ("redux.sync.min.s32", Class::Int32, word),
            8 => ("redux.sync.max.u32", Class::Int32, word),
            9 => ("redux.sync.min.u32", Class::Int32, word),
            10 => ("redux.sync.max.s32", Class::Int32, word),
            11 => ("redux.sync.and.b32", Class::Int32, word),
            12 => ("redux.sync.or.b32", Class::Int32, word),
            _ => ("redux.sync.xor.b32", Class::Int32, word),
        };
        let result = self.fresh(class);
        line!(self, "{opcode} {result}, {of}, -1;");
        *self.uses.entry(opcode.into()).or_default() += 1;
        self.store(class, &result, opcode);
        self.holds(class, &result);
    }

    /// Through shared memory to another thread of the block.
    fn exchange(&mut self) {
        let widths = [
            ("b32", 1, Class::Int32),
            ("b64", 1, Class::Int64),
            ("v2.b32", 2, Class::Int32),
            ("v4.b32", 4, Class::Int32),
            ("v2.b64", 2, Class::Int64),
            ("v4.b16", 4, Class::Int16),
            ("u8", 1, Class::Int16),
            ("s8", 1, Class::Int16),
            ("f32", 1, Class::Single),
        ];
        let (ty, parts, class) = *self.choices.pick(&widths);
        let list = |registers: &[String]| match registers {
            [one] => one.clone(),
            several => format!("{{{}}}", several.join(", ")),
        };
        let sent: Vec<String> = (0..parts).map(|_| self.any(class)).collect();
        let got: Vec<String> = (0..parts).map(|_| self.fresh(class)).collect();
        let shift = self.choices.below(self.shape.threads as usize);
        let threads = self.shape.threads;
        line!(self, "st.shared.{ty} [%own], {};", list(&sent));
        line!(self, "bar.sync 0;");
        line!(self, "add.u32 %from, %thread, {shift};");
        line!(self, "rem.u32 %from, %from, {threads};");
        line!(self, "mad.lo.u32 %from, %from, {SHARED_BYTES}, %near;");
        line!(self, "ld.shared.{ty} {}, [%from];", list(&got));
        line!(self, "bar.sync 0;");
        for opcode in [
            format!("st.shared.{ty}"),
            format!("ld.shared.{ty}"),
            "bar.sync".into(),
        ] {
            *self.uses.entry(opcode).or_default() += 1;
        }
        for register in got {
            self.store(class, &register, &format!("ld.shared.{ty}"));
            self.holds(class, &register);
        }
    }

    fn finish(self, name: &str) -> Kernel {
        let mut text = format!(
            ".visible .entry {name}(.param .u64 input, .param .u64 output, .param .u64 bins)\n{{\n\
             \t.reg .b32 %thread, %at, %size, %near, %own, %from, %flag;\n\
             \t.reg .b64 %far, %in, %out, %bins, %where;\n\
             \t.shared .align 16 .b8 exchange[{}];\n",
            self.shape.threads as usize * SHARED_BYTES
        );
        for (prefix, count) in &self.named {
            let ty = match *prefix {
                "%h" | "%e" | "%b" => "b16",
                "%rd" | "%fd" => "b64",
                "%p" => "pred",
                _ => "b32",
            };
            let _ = writeln!(text, "\t.reg .{ty} {prefix}<{count}>;");
        }
        text.push_str(&self.body);
        text.push_str("\tret;\n}\n");
        Kernel {
            name: name.to_string(),
            text,
            slots: self.slots,
            uses: self.uses,
        }
    }
}
