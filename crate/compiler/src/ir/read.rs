//! A body out of its text, as `print` writes it. Whether what stands there has a meaning is asked in `verify`.

mod cursor;

use super::intrinsics::{Call, Id};
use super::words::{BINS, CACHES, CMPS, CVTS, EFFECTS, MEMORY_TYPES, SPACES, TYPES, UNS, named};
use super::{
    Asm, Block, BlockData, Body, Cache, Def, Exact, Inst, Instruction, Loc, Mem, MemTy, ORDERED,
    Op, Origin, Slot, SlotData, Space, Symbol, Term, Ty, Value,
};
pub(crate) use cursor::Cursor;
use std::rc::Rc;

/// Numbers of values, blocks and objects are below this, so that no text asks for more memory than it is worth.
const MOST: usize = 1 << 20;

type Res<T> = Result<T, String>;

fn parsed<T: std::str::FromStr>(word: &str) -> Res<T> {
    word.parse().map_err(|_| format!("`{word}` is no number"))
}

/// The number behind a prefix, below [`MOST`].
fn numbered(word: &str, prefix: &str) -> Res<u32> {
    let digits = word.strip_prefix(prefix);
    let digits = digits.filter(|digits| digits.bytes().all(|digit| digit.is_ascii_digit()));
    let number = digits.map(parsed::<u32>);
    match number {
        Some(number) if matches!(number, Ok(number) if (number as usize) < MOST) => number,
        _ => Err(format!("`{word}` is no `{prefix}` with a number")),
    }
}

/// Reads lines, one after the other, until the text ends.
pub(crate) struct Reader {
    body: Body,
    /// The block that lines belong to.
    at: Option<Block>,
    /// By value: whether an instruction gives it.
    is_given: Vec<bool>,
}

impl Reader {
    /// A body for a text: all values of it have their numbers, and constants get those behind them.
    pub(crate) fn new(text: &str) -> Self {
        let mut most = 0;
        for word in text.split(|c: char| !(c.is_alphanumeric() || c == '%')) {
            let number = (word.strip_prefix('%')).or_else(|| word.strip_prefix("undefined"));
            let number = number.and_then(|number| number.parse::<usize>().ok());
            most = most.max(
                number
                    .filter(|number| *number < MOST)
                    .map_or(0, |number| number + 1),
            );
        }
        let body = Body {
            values: vec![(Ty::B32, Def::Undefined); most],
            ..Body::default()
        };
        Self {
            body,
            at: None,
            is_given: vec![false; most],
        }
    }

    pub(crate) fn line(&mut self, line: &str) -> Res<()> {
        let mut cursor = Cursor::new(line)?;
        if cursor.is_end() {
            return Ok(());
        }
        if line.starts_with("block") {
            return self.block(&mut cursor);
        }
        match (line.starts_with(' '), self.at) {
            (true, Some(block)) => self.in_block(block, &mut cursor),
            (true, None) => Err("an instruction stands in no block".to_string()),
            (false, _) => self.fact(&mut cursor),
        }
    }

    /// What is known of the body: the word of the line says what.
    fn fact(&mut self, cursor: &mut Cursor) -> Res<()> {
        match cursor.word()?.as_str() {
            "slot" => {
                let number: usize = cursor.number()?;
                let size = cursor.number()?;
                let align = match cursor.word()?.as_str() {
                    "align" => cursor.number::<u64>()?,
                    other => return Err(format!("`align` is missing where `{other}` stands")),
                };
                if number != self.body.slots.len() || !align.is_power_of_two() {
                    return Err("slots stand in their order, each with a power of two".to_string());
                }
                self.body.slots.push(SlotData { size, align });
            }
            "relied_on" => {
                let slot = Slot(cursor.number()?);
                self.body.relied_on.insert(slot);
            }
            "counted" => {
                let value = Value(numbered(&cursor.word()?, "%")?);
                let bounds = (cursor.number()?, cursor.number()?);
                self.body.counted.insert(value, bounds);
            }
            "loops" => {
                while !cursor.is_end() {
                    self.body.loops.push(cursor.number()?);
                }
            }
            other => return Err(format!("`{other}` begins no line")),
        }
        cursor.end()
    }

    fn block(&mut self, cursor: &mut Cursor) -> Res<()> {
        let name = cursor.word()?;
        let name = name
            .strip_suffix(':')
            .ok_or("`:` is missing behind the block")?;
        let number = numbered(name, "block")? as usize;
        while self.body.blocks.len() <= number {
            self.body.blocks.push(BlockData {
                insts: Vec::new(),
                term: Term::None,
                loc: Loc::default(),
                unroll: None,
                is_done: false,
                iteration: 0,
            });
        }
        let block = &mut self.body.blocks[number];
        while let Some(flag) = cursor.word_after("!") {
            match flag.as_str() {
                "unroll" => block.unroll = Some(cursor.number()?),
                "done" => block.is_done = true,
                "iteration" => block.iteration = cursor.number()?,
                other => return Err(format!("a block has no `!{other}`")),
            }
        }
        self.at = Some(Block(number as u32));
        cursor.end()
    }

    fn in_block(&mut self, block: Block, cursor: &mut Cursor) -> Res<()> {
        let mut results = Vec::new();
        while let Some(result) = cursor.word_after("%") {
            results.push(result);
            match cursor.sign(',') {
                true => {}
                false => cursor.expect('=')?,
            }
        }
        let word = cursor.word()?;
        let term = match word.as_str() {
            "unfinished" => Some(Term::None),
            "return" => Some(Term::Return),
            "jump" => Some(Term::Jump(target(cursor)?)),
            "branch" => {
                let condition = self.operand(&cursor.word()?)?;
                cursor.expect(',')?;
                let yes = target(cursor)?;
                cursor.expect(',')?;
                Some(Term::Branch(condition, yes, target(cursor)?))
            }
            _ => None,
        };
        if let Some(term) = term {
            let data = &mut self.body.blocks[block.0 as usize];
            data.term = term;
            data.loc = loc(cursor)?;
            return cursor.end();
        }
        let inst = self.inst(&word, cursor)?;
        self.give(inst, &results)?;
        self.body.blocks[block.0 as usize].insts.push(inst);
        cursor.end()
    }

    /// An instruction without its results.
    fn inst(&mut self, word: &str, cursor: &mut Cursor) -> Res<Inst> {
        let mut op = op(word, cursor)?;
        let mut args = Vec::new();
        while !cursor.is_flag() {
            let is_way = cursor.sign('[');
            if let Op::Phi(from) = &mut op {
                if !is_way {
                    break;
                }
                from.push(target(cursor)?);
            }
            args.push(self.operand(&cursor.word()?)?);
            if is_way {
                cursor.expect(']')?;
            }
            if !cursor.sign(',') {
                break;
            }
        }
        let mut data = Instruction {
            op,
            args: args.into(),
            results: Vec::new().into(),
            loc: Loc::default(),
            iteration: 0,
            rereads: false,
            exact: Exact::No,
        };
        while let Some(flag) = cursor.word_after("!") {
            match flag.as_str() {
                "exact" => data.exact = Exact::Yes,
                "exact_with_first" => data.exact = Exact::WithFirst,
                "rereads" => data.rereads = true,
                "ordered" => data.iteration = ORDERED,
                "iteration" => data.iteration = cursor.number()?,
                other => return Err(format!("an instruction has no `!{other}`")),
            }
        }
        data.loc = loc(cursor)?;
        self.body.insts.push(data);
        Ok(Inst(self.body.insts.len() as u32 - 1))
    }

    /// Gives an instruction its results, `7:b32` each.
    fn give(&mut self, inst: Inst, results: &[String]) -> Res<()> {
        let mut values = Vec::new();
        for (at, result) in results.iter().enumerate() {
            let (number, ty) = typed(result)?;
            let value = numbered(number, "")?;
            if std::mem::replace(&mut self.is_given[value as usize], true) {
                return Err(format!("%{value} is given twice"));
            }
            self.body.values[value as usize] = (ty, Def::Inst(inst, at as u32));
            values.push(Value(value));
        }
        self.body.insts[inst.0 as usize].results = values.into();
        Ok(())
    }

    fn operand(&mut self, word: &str) -> Res<Value> {
        if word.starts_with('%') {
            return Ok(Value(numbered(word, "%")?));
        }
        let (value, ty) = typed(word)?;
        if value.starts_with("undefined") {
            let value = numbered(value, "undefined")?;
            self.body.values[value as usize] = (ty, Def::Undefined);
            return Ok(Value(value));
        }
        Ok(self.body.make_constant(ty, parsed(value)?))
    }

    pub(crate) fn finish(self) -> Body {
        self.body
    }
}

fn typed(word: &str) -> Res<(&str, Ty)> {
    let found = word.split_once(':');
    let found = found.and_then(|(value, ty)| Some((value, named(TYPES, ty)?)));
    found.ok_or_else(|| format!("`{word}` is no value with a type"))
}

fn target(cursor: &mut Cursor) -> Res<Block> {
    Ok(Block(numbered(&cursor.word()?, "block")?))
}

fn loc(cursor: &mut Cursor) -> Res<Loc> {
    match cursor.word_after("@") {
        Some(number) => Ok(Loc(parsed(&number)?)),
        None => Ok(Loc::default()),
    }
}

/// An operation with all that belongs to it but its arguments.
fn op(word: &str, cursor: &mut Cursor) -> Res<Op> {
    let mut parts = word.split('.');
    let first = parts.next().unwrap_or_default();
    let mut number = |prefix: &str| numbered(&cursor.word()?, prefix);
    let mut space = || {
        let space = parts.next().and_then(|space| named(SPACES, space));
        space.ok_or_else(|| format!("`{word}` names no space"))
    };
    Ok(match first {
        "fma" => Op::Fma,
        "select" => Op::Select,
        "phi" => Op::Phi(Vec::new()),
        "param" => Op::Param(number("#")?),
        "param_address" => Op::ParamAddress(number("#")?),
        "symbol" => Op::Symbol(Symbol(number("#")?)),
        "slot" => Op::Slot(Slot(number("#")?)),
        "to_generic" => Op::ToGeneric(space()?),
        "from_generic" => Op::FromGeneric(space()?),
        "load" => Op::Load(access(space()?, parts)?),
        "store" => Op::Store(access(space()?, parts)?),
        "intrinsic" => Op::Intrinsic(intrinsic(parts.next(), cursor)?),
        "asm" => Op::Asm(Rc::new(asm(parts, cursor)?)),
        _ => (named(BINS, word).map(Op::Bin))
            .or_else(|| named(UNS, word).map(Op::Un))
            .or_else(|| named(CMPS, word).map(Op::Cmp))
            .or_else(|| named(CVTS, word).map(Op::Cvt))
            .ok_or_else(|| format!("there is no operation `{word}`"))?,
    })
}

fn access<'a>(space: Space, mut parts: impl Iterator<Item = &'a str>) -> Res<Mem> {
    let ty: Option<MemTy> = parts.next().and_then(|ty| named(MEMORY_TYPES, ty));
    let mut mem = Mem {
        space,
        ty: ty.ok_or("an access names no type")?,
        count: 1,
        is_volatile: false,
        is_constant: false,
        cache: Cache::Any,
        origin: Origin::default(),
    };
    for part in parts {
        match part {
            "x2" => mem.count = 2,
            "x4" => mem.count = 4,
            "volatile" => mem.is_volatile = true,
            "nc" => mem.is_constant = true,
            _ => match (part.strip_prefix("align"), part.strip_prefix("member")) {
                (Some(align), _) => mem.origin.align = parsed(align)?,
                (_, Some(member)) => mem.origin.member = parsed(member)?,
                _ => {
                    let cache = named(CACHES, part);
                    mem.cache = cache.ok_or_else(|| format!("an access has no `.{part}`"))?;
                }
            },
        }
    }
    Ok(mem)
}

fn intrinsic(space: Option<&str>, cursor: &mut Cursor) -> Res<Call> {
    let name = cursor.text()?;
    let id = Id::named(&name).ok_or_else(|| format!("there is no intrinsic `{name}`"))?;
    let mut call = Call::plain(id);
    match (space, id.row().is_in_a_space) {
        (None, false) => {}
        (Some(space), true) => {
            call.space = named(SPACES, space).ok_or_else(|| format!("`{space}` is no space"))?;
        }
        _ => return Err(format!("`{name}` is in a space, or says so and is not")),
    }
    let mut parts = Vec::new();
    while cursor.is_text() {
        parts.push(cursor.text()?);
    }
    call.parts = (!parts.is_empty()).then(|| parts.into());
    Ok(call)
}

fn asm<'a>(parts: impl Iterator<Item = &'a str>, cursor: &mut Cursor) -> Res<Asm> {
    let mut parts = parts.peekable();
    let effect = parts.next().and_then(|effect| named(EFFECTS, effect));
    let effect = effect.ok_or("`asm` names no effect")?;
    let space = parts.peek().and_then(|space| named(SPACES, space));
    if space.is_some() {
        parts.next();
    }
    let mut begins = Vec::new();
    for part in parts {
        let pair = part.strip_prefix("begins_");
        let pair = pair.ok_or_else(|| format!("`asm` has no `.{part}`"))?;
        let (result, arg) = pair.split_once('_').ok_or("`begins` names two numbers")?;
        begins.push((parsed(result)?, parsed(arg)?));
    }
    let mut asm = Asm::new(cursor.text()?, effect, begins);
    if asm.space.is_some() != space.is_some() {
        return Err(
            "`asm` names a space where its text has the mark for it, and only there".into(),
        );
    }
    asm.space = space;
    Ok(asm)
}
