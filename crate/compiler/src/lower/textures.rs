//! Textures: each function that fetches is a row here, and becomes one instruction. The functions of surfaces are in `surfaces`.

use super::Lower;
use super::overloads::Given;
use super::values::Typed;
use crate::diagnostics::Res;
use crate::ir::intrinsics::{Call, Id};
use crate::ir::{Ty, Value};
use crate::source::Span;
use crate::syntax::{Scalar, TemplateArgument};
use crate::types::{self, Field, Kind, Type};

/// A function behind its handle: its arguments, `f` for a float and `i` for an integer, what it is in PTX, the order of the
/// arguments there, and whether the last of them is a level of detail.
pub(super) type Row = (
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

pub(super) const TEXELS: &str = "a texel is a `char`, `short`, `int`, one of these without a sign, or a `float`, or two or four of them";

fn fetch_of(name: &str) -> Option<&'static Row> {
    FETCHES.iter().find(|row| row.0 == name)
}

/// Those of textures, for who looks for one that is near.
pub(super) fn names() -> impl Iterator<Item = &'static str> {
    FETCHES.iter().map(|row| row.0)
}

/// Whether it is a function here.
pub(super) fn is_one(name: &str) -> bool {
    name.starts_with("tex") && fetch_of(name).is_some()
}

/// What a texel is: its type, and its channels, of which a number has one.
pub(super) struct Texel {
    pub(super) ty: Type,
    pub(super) channel: Scalar,
    pub(super) fields: Vec<Field>,
}

impl Texel {
    pub(super) fn channels(&self) -> usize {
        self.fields.len().max(1)
    }
}

/// `%first, %…` for `count` operands.
pub(super) fn operands(first: usize, count: usize) -> String {
    let names: Vec<String> = (first..first + count)
        .map(|number| format!("%{number}"))
        .collect();
    names.join(", ")
}

/// The arguments behind a handle, which is operand `handle`, in their order.
pub(super) fn place(handle: usize, order: &[usize]) -> String {
    let names: Vec<String> = order
        .iter()
        .map(|at| format!("%{}", handle + 1 + at))
        .collect();
    format!("[%{handle}, {{{}}}]", names.join(", "))
}

impl Lower<'_> {
    pub(super) fn of_texture(
        &mut self,
        name: &str,
        explicit: Option<&[TemplateArgument]>,
        given: &[Given],
        span: Span,
    ) -> Res<Typed> {
        match fetch_of(name) {
            Some(row) => self.fetched(row, explicit, given, span),
            None => Err(self.unknown(name, span)),
        }
    }

    /// The type of a texel, where the result goes if the first argument says it, and the other arguments.
    pub(super) fn texel_asked<'g, 'e>(
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

    pub(super) fn texel(&mut self, ty: Type, span: Span) -> Res<Texel> {
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
    pub(super) fn handle_and_place(&mut self, row: &Row, given: &[Given]) -> Res<Vec<Value>> {
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
        let call = Call::new(const { Id::of("tex") }, [ptx, place(4, order) + &level]);
        let results = self.intrinsic(call, &[register; 4], args);
        let channels: Vec<Typed> = (0..texel.channels())
            .map(|at| Typed::scalar(wide, results[at]))
            .collect();
        self.made(&texel, to, &channels, span)
    }

    /// Which of some words the constant of an argument means.
    pub(super) fn chosen(
        &mut self,
        given: &Given,
        words: &[&'static str],
        name: &str,
    ) -> Res<&'static str> {
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
    pub(super) fn made(
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
}
