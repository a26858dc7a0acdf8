//! Surfaces: each function that reads or writes one is a row here, and becomes one instruction. Texels are as those of textures.

use super::Lower;
use super::overloads::Given;
use super::textures::{Row, TEXELS, Texel, operands, place};
use super::values::Typed;
use crate::diagnostics::Res;
use crate::ir::intrinsics::{Call, Id};
use crate::ir::{Cvt, Ty};
use crate::source::Span;
use crate::syntax::{Scalar, TemplateArgument};
use crate::types;

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

/// A function of surfaces, and whether it writes.
fn surface_of(name: &str) -> Option<(&'static Row, bool)> {
    let writes = name.ends_with("write");
    let stem = name
        .strip_suffix("write")
        .or_else(|| name.strip_suffix("read"))?;
    let row = SURFACES.iter().find(|row| row.0 == stem)?;
    Some((row, writes))
}

/// Whether it is a function here.
pub(super) fn is_one(name: &str) -> bool {
    name.starts_with("surf") && surface_of(name).is_some()
}

impl Lower<'_> {
    pub(super) fn of_surface(
        &mut self,
        name: &str,
        explicit: Option<&[TemplateArgument]>,
        given: &[Given],
        span: Span,
    ) -> Res<Typed> {
        match surface_of(name) {
            Some((row, true)) => self.surface_written(name, row, explicit, given, span),
            Some((row, false)) => self.surface_read(name, row, explicit, given, span),
            None => Err(self.unknown(name, span)),
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
        let parts = [access, operands(0, channels), place(channels, row.3)];
        let call = Call::new(const { Id::of("suld") }, parts);
        let results = self.intrinsic(call, &vec![register; channels], args);
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
        let parts = [access, place(0, row.3), operands(first, texel.channels())];
        self.intrinsic(Call::new(const { Id::of("sust") }, parts), &[], args);
        Ok(Typed::void())
    }
}
