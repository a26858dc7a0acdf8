//! Textures and surfaces: each function that fetches, reads or writes is a row here, and becomes one instruction.

use super::Lower;
use super::overloads::Given;
use super::values::Typed;
use crate::diagnostics::Res;
use crate::ir::{Cvt, Effect, Ty, Value};
use crate::source::Span;
use crate::syntax::{Scalar, TemplateArgument};
use crate::types::{self, Field, Kind, Type};

/// A function behind its handle: its arguments, `f` for a float and `i` for an integer, what it is in PTX, the order of the
/// arguments there, and whether the last of them is a level of detail.
type Row = (
    &'static str,
    &'static str,
    &'static str,
    &'static [usize],
    bool,
);

const FETCHES: [Row; 16] = [
    ("tex1Dfetch", "i", "tex.1d.v4.@.s32", &[0], false),
    ("tex1D", "f", "tex.1d.v4.@.f32", &[0], false),
    ("tex2D", "ff", "tex.2d.v4.@.f32", &[0, 1], false),
    ("tex3D", "fff", "tex.3d.v4.@.f32", &[0, 1, 2, 2], false),
    ("tex1DLayered", "fi", "tex.a1d.v4.@.f32", &[1, 0], false),
    (
        "tex2DLayered",
        "ffi",
        "tex.a2d.v4.@.f32",
        &[2, 0, 1, 1],
        false,
    ),
    (
        "texCubemap",
        "fff",
        "tex.cube.v4.@.f32",
        &[0, 1, 2, 2],
        false,
    ),
    (
        "texCubemapLayered",
        "fffi",
        "tex.acube.v4.@.f32",
        &[3, 0, 1, 2],
        false,
    ),
    ("tex1DLod", "ff", "tex.level.1d.v4.@.f32", &[0], true),
    ("tex2DLod", "fff", "tex.level.2d.v4.@.f32", &[0, 1], true),
    (
        "tex3DLod",
        "ffff",
        "tex.level.3d.v4.@.f32",
        &[0, 1, 2, 2],
        true,
    ),
    (
        "tex1DLayeredLod",
        "fif",
        "tex.level.a1d.v4.@.f32",
        &[1, 0],
        true,
    ),
    (
        "tex2DLayeredLod",
        "ffif",
        "tex.level.a2d.v4.@.f32",
        &[2, 0, 1, 1],
        true,
    ),
    (
        "texCubemapLod",
        "ffff",
        "tex.level.cube.v4.@.f32",
        &[0, 1, 2, 2],
        true,
    ),
    (
        "texCubemapLayeredLod",
        "fffif",
        "tex.level.acube.v4.@.f32",
        &[3, 0, 1, 2],
        true,
    ),
    ("tex2Dgather", "ff", "tld4.#.2d.v4.@.f32", &[0, 1], false),
];

/// Those of surfaces without their last word, which is `read` or `write`.
const SURFACES: [Row; 7] = [
    ("surf1D", "i", "1d", &[0], false),
    ("surf2D", "ii", "2d", &[0, 1], false),
    ("surf3D", "iii", "3d", &[0, 1, 2, 2], false),
    ("surf1DLayered", "ii", "a1d", &[1, 0], false),
    ("surf2DLayered", "iii", "a2d", &[2, 0, 1, 1], false),
    ("surfCubemap", "iii", "a2d", &[2, 0, 1, 1], false),
    ("surfCubemapLayered", "iii", "a2d", &[2, 0, 1, 1], false),
];

const TEXELS: &str = "a texel is a `char`, `short`, `int`, one of these without a sign, or a `float`, or two or four of them";

fn fetch_of(name: &str) -> Option<&'static Row> {
    FETCHES.iter().find(|row| row.0 == name)
}

/// A function of surfaces, and whether it writes.
fn surface_of(name: &str) -> Option<(&'static Row, bool)> {
    let writes = name.ends_with("write");
    let stem = name
        .strip_suffix("write")
        .or_else(|| name.strip_suffix("read"))?;
    let row = SURFACES.iter().find(|row| row.0 == stem)?;
    Some((row, writes))
}

/// Those of textures, for who looks for one that is near.
pub(super) fn names() -> impl Iterator<Item = &'static str> {
    FETCHES.iter().map(|row| row.0)
}

/// Whether it is a function here.
pub(super) fn is_one(name: &str) -> bool {
    name.starts_with("tex") && fetch_of(name).is_some()
        || name.starts_with("surf") && surface_of(name).is_some()
}

/// What a texel is: its type, and its channels, of which a number has one.
struct Texel {
    ty: Type,
    channel: Scalar,
    fields: Vec<Field>,
}

impl Texel {
    fn channels(&self) -> usize {
        self.fields.len().max(1)
    }
}

/// `%first, %…` for `count` operands.
fn operands(first: usize, count: usize) -> String {
    let names: Vec<String> = (first..first + count)
        .map(|number| format!("%{number}"))
        .collect();
    names.join(", ")
}

/// The arguments behind a handle, which is operand `handle`, in their order.
fn place(handle: usize, order: &[usize]) -> String {
    let names: Vec<String> = order
        .iter()
        .map(|at| format!("%{}", handle + 1 + at))
        .collect();
    format!("[%{handle}, {{{}}}]", names.join(", "))
}

impl Lower<'_> {
    pub(super) fn of_textures(
        &mut self,
        name: &str,
        explicit: Option<&[TemplateArgument]>,
        given: &[Given],
        span: Span,
    ) -> Res<Typed> {
        match (fetch_of(name), surface_of(name)) {
            (Some(row), _) => self.fetched(row, explicit, given, span),
            (_, Some((row, true))) => self.surface_written(name, row, explicit, given, span),
            (_, Some((row, false))) => self.surface_read(name, row, explicit, given, span),
            _ => Err(self.unknown(name, span)),
        }
    }

    /// The type of a texel, where the result goes if the first argument says it, and the other arguments.
    fn texel_asked<'g, 'e>(
        &mut self,
        name: &str,
        explicit: Option<&[TemplateArgument]>,
        given: &'g [Given<'e>],
        span: Span,
    ) -> Res<(Texel, Option<Value>, &'g [Given<'e>])> {
        let is_pointer = |given: &Given| {
            let ty = given.typed.as_ref().map(|typed| &typed.ty.kind);
            matches!(ty, Some(Kind::Pointer(_) | Kind::Array(..)))
        };
        if let Some((first, rest)) = given.split_first().filter(|(first, _)| is_pointer(first)) {
            let (of, address) = self.pointer(first)?;
            let texel = self.texel(of.plain(), span)?;
            return Ok((texel, Some(address), rest));
        }
        match explicit {
            Some([TemplateArgument::Type(ty)]) => {
                let ty = self.type_of(ty)?;
                Ok((self.texel(ty.plain(), span)?, None, given))
            }
            _ => Err(self.sink.error_help(
                span,
                format!("`{name}` needs the type of a texel"),
                format!("write `{name}<float>(…)`"),
            )),
        }
    }

    fn texel(&mut self, ty: Type, span: Span) -> Res<Texel> {
        let fields = match ty.kind {
            Kind::Struct(id) if types::is_vector(&self.spelled(&ty)) => {
                self.structs.get(id).fields.clone()
            }
            _ => Vec::new(),
        };
        let channel = fields.first().map_or(&ty.kind, |field| &field.ty.kind);
        match channel {
            Kind::Scalar(channel) if *channel != Scalar::Void && fields.len() != 3 => Ok(Texel {
                channel: *channel,
                ty,
                fields,
            }),
            _ => {
                let message = format!("`{}` is no texel", self.spelled(&ty));
                Err(self.sink.error_help(span, message, TEXELS))
            }
        }
    }

    /// A handle and what stands behind it, as operands of an instruction.
    fn handle_and_place(&mut self, row: &Row, given: &[Given]) -> Res<Vec<Value>> {
        let mut args = vec![self.number(&given[0], Scalar::ULongLong)?];
        for (letter, given) in row.1.chars().zip(&given[1..]) {
            let scalar = if letter == 'f' {
                Scalar::Float
            } else {
                Scalar::Int
            };
            args.push(self.number(given, scalar)?);
        }
        Ok(args)
    }

    fn fetched(
        &mut self,
        row: &Row,
        explicit: Option<&[TemplateArgument]>,
        given: &[Given],
        span: Span,
    ) -> Res<Typed> {
        let (name, takes, ptx, order, has_level) = *row;
        let (texel, to, given) = self.texel_asked(name, explicit, given, span)?;
        let count = 1 + takes.len();
        let most = count + usize::from(name == "tex2Dgather");
        self.check_count_of(name, given, count..=most, span)?;
        let (dtype, register, wide) = match texel.channel {
            Scalar::Float => ("f32", Ty::F32, Scalar::Float),
            other if types::scalar_bytes(other) > 4 || other == Scalar::Bool => {
                let message = format!("`{}` is no texel", self.spelled(&texel.ty));
                return Err(self.sink.error_help(span, message, TEXELS));
            }
            other if types::is_signed(other) => ("s32", Ty::B32, Scalar::Int),
            _ => ("u32", Ty::B32, Scalar::UInt),
        };
        let component = match given.get(count) {
            Some(component) => self.chosen(component, &["r", "g", "b", "a"], name)?,
            None => "r",
        };
        let args = self.handle_and_place(row, given)?;
        let level = match has_level {
            true => format!(", %{}", 4 + takes.len()),
            false => String::new(),
        };
        let ptx = ptx.replace('@', dtype).replace('#', component);
        let text = format!("{ptx} {{{}}}, {}{level};", operands(0, 4), place(4, order));
        let results = self.ptx(&text, Effect::Volatile, &[register; 4], args);
        let channels: Vec<Typed> = (0..texel.channels())
            .map(|at| Typed::scalar(wide, results[at]))
            .collect();
        self.made(&texel, to, &channels, span)
    }

    /// Which of some words the constant of an argument means.
    fn chosen(&mut self, given: &Given, words: &[&'static str], name: &str) -> Res<&'static str> {
        let number = self.number(given, Scalar::UInt)?;
        match self.builder.body.constant(number) {
            Some(number) if (number as usize) < words.len() => Ok(words[number as usize]),
            _ => {
                let what = format!("an argument of `{name}` that only the run tells");
                Err(self.sink.gap(given.expr.span, what))
            }
        }
    }

    /// A texel of its channels: a value, or what is stored where the source says.
    fn made(
        &mut self,
        texel: &Texel,
        to: Option<Value>,
        channels: &[Typed],
        span: Span,
    ) -> Res<Typed> {
        if texel.fields.is_empty() {
            let value = self.convert(&channels[0], &texel.ty, span)?;
            return match to {
                Some(address) => {
                    self.store_scalar(&texel.ty, address, value);
                    Ok(Typed::void())
                }
                None => Ok(Typed::value(texel.ty.clone(), value)),
            };
        }
        let slot = self.new_slot(&texel.ty);
        for (field, channel) in texel.fields.iter().zip(channels) {
            let value = self.convert(channel, &field.ty, span)?;
            let at = self.builder.offset(slot, field.offset);
            self.store_scalar(&field.ty, at, value);
        }
        let made = Typed::place(texel.ty.clone(), slot);
        match to {
            Some(address) => {
                self.store(&texel.ty, address, &made, span)?;
                Ok(Typed::void())
            }
            None => Ok(made),
        }
    }

    /// What an access to a surface is behind its first word: the size of a texel, what happens beyond the surface; and the
    /// register of a channel.
    fn surface_access(
        &mut self,
        name: &str,
        row: &Row,
        texel: &Texel,
        mode: Option<&Given>,
        span: Span,
    ) -> Res<(String, Ty)> {
        let bytes = types::scalar_bytes(texel.channel);
        if bytes * texel.channels() as u64 > 16
            || matches!(texel.channel, Scalar::Double | Scalar::Bool)
        {
            let message = format!("`{}` is no texel of a surface", self.spelled(&texel.ty));
            return Err(self.sink.error_help(span, message, TEXELS));
        }
        let mode = match mode {
            Some(mode) => self.chosen(mode, &["zero", "clamp", "trap"], name)?,
            None => "trap",
        };
        let vector = match texel.channels() {
            1 => String::new(),
            count => format!(".v{count}"),
        };
        let register = match bytes {
            8 => Ty::B64,
            4 => Ty::B32,
            _ => Ty::B16,
        };
        Ok((
            format!("b.{}{vector}.b{}.{mode}", row.2, 8 * bytes),
            register,
        ))
    }

    fn surface_read(
        &mut self,
        name: &str,
        row: &Row,
        explicit: Option<&[TemplateArgument]>,
        given: &[Given],
        span: Span,
    ) -> Res<Typed> {
        let (texel, to, given) = self.texel_asked(name, explicit, given, span)?;
        let count = 1 + row.1.len();
        self.check_count_of(name, given, count..=count + 1, span)?;
        let (access, register) = self.surface_access(name, row, &texel, given.get(count), span)?;
        let args = self.handle_and_place(row, given)?;
        let channels = texel.channels();
        let text = format!(
            "suld.{access} {{{}}}, {};",
            operands(0, channels),
            place(channels, row.3)
        );
        let results = self.ptx(&text, Effect::Volatile, &vec![register; channels], args);
        let mut found = Vec::new();
        for at in 0..channels {
            let bits = results[at];
            found.push(match (texel.channel, register) {
                (Scalar::Float, _) => self.bits_as(bits, Scalar::Float),
                (_, Ty::B64) => Typed::scalar(Scalar::ULongLong, bits),
                (_, Ty::B16) => Typed::scalar(
                    Scalar::UInt,
                    self.builder.cvt(Cvt::ZeroExtend, Ty::B32, bits),
                ),
                _ => Typed::scalar(Scalar::UInt, bits),
            });
        }
        self.made(&texel, to, &found, span)
    }

    fn surface_written(
        &mut self,
        name: &str,
        row: &Row,
        explicit: Option<&[TemplateArgument]>,
        given: &[Given],
        span: Span,
    ) -> Res<Typed> {
        let count = 2 + row.1.len();
        self.check_count_of(name, given, count..=count + 1, span)?;
        let Some(from) = given[0].typed.clone() else {
            return Err(self
                .sink
                .error(given[0].expr.span, "a value is needed here"));
        };
        let ty = match explicit {
            Some([TemplateArgument::Type(ty)]) => self.type_of(ty)?,
            _ => from.ty.clone(),
        };
        let texel = self.texel(ty.plain(), span)?;
        let (access, register) = self.surface_access(name, row, &texel, given.get(count), span)?;
        let mut args = self.handle_and_place(row, &given[1..])?;
        let slot = self.new_slot(&texel.ty);
        self.store(&texel.ty, slot, &from, given[0].expr.span)?;
        let first = args.len();
        let field_of = |at: usize| {
            texel
                .fields
                .get(at)
                .map_or((0, &texel.ty), |field| (field.offset, &field.ty))
        };
        for at in 0..texel.channels() {
            let (offset, ty) = field_of(at);
            let from = self.builder.offset(slot, offset);
            let mut value = self.load_scalar(ty, from);
            if texel.channel == Scalar::Float {
                value = self.builder.cvt(Cvt::Bits, Ty::B32, value);
            }
            args.push(self.as_register(value, register));
        }
        let text = format!(
            "sust.{access} {}, {{{}}};",
            place(0, row.3),
            operands(first, texel.channels())
        );
        self.ptx(&text, Effect::Memory, &[], args);
        Ok(Typed::void())
    }
}
