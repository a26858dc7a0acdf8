//! A texture or a surface as an argument of a launch: `tex2d:TYPE[ROWS,COLUMNS]…=FILL` and its like. What is allowed is the library's to say.

use super::fill::Fill;
use super::spec::{parse_length, parse_type};
use crate::texture::Texels;
use cornerturn_base::element::ElementType;
use cornerturn_emulator::{AddressMode, Filter, Sampling, TexelFormat};

/// How a texture is written, for messages.
const FORM: &str = "write tex2d:TYPE[ROWS,COLUMNS]=FILL or tex1d:TYPE[WIDTH]=FILL, or tex1dfetch, surf1d or surf2d for these, or with layers tex2dlayered:TYPE[LAYERS,ROWS,COLUMNS]=FILL and the like, with x2 or x4 behind TYPE for so many channels, and \
                    options after `]`, such as tex2d:f32[48,64],linear,border=random:1";

/// What the texels lie in.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TexelPlace {
    /// An array of the texture's own.
    Array,
    /// A buffer, for `tex1Dfetch`.
    Buffer,
    /// A surface, which kernels write too.
    Surface,
}

/// A texture, or a surface.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TextureSpec {
    /// What its texels lie in.
    pub place: TexelPlace,
    /// Type of a channel.
    pub element: ElementType,
    /// What the texels are, how many, and how they are read.
    pub texels: Texels,
    /// Channels of all texels together.
    pub length: usize,
    /// What they hold.
    pub fill: Fill,
}

impl TextureSpec {
    /// What it is, in words.
    pub fn describe(&self) -> String {
        let Texels { width, height, .. } = self.texels;
        let (what, element) = (self.name(), self.element);
        match height {
            Some(rows) => format!("a {what} of {rows} rows of {width} texels of {element}"),
            None => format!("a {what} of {width} texels of {element}"),
        }
    }

    /// What it is, in a word.
    pub fn name(&self) -> &'static str {
        match self.place {
            TexelPlace::Surface => "surface",
            TexelPlace::Array | TexelPlace::Buffer => "texture",
        }
    }
}

/// The texture that the text begins to describe; `None` for one that describes none.
pub(super) fn parse_texture(text: &str) -> Option<Result<TextureSpec, String>> {
    let (kind, text) = text.split_once(':')?;
    let (plain, is_layered) = match kind.strip_suffix("layered") {
        Some(plain) => (plain, true),
        None => (kind, false),
    };
    let is_cube = plain == "texcubemap";
    let (place, is_2d) = match plain {
        "texcubemap" => (TexelPlace::Array, true),
        "tex1d" => (TexelPlace::Array, false),
        "tex2d" => (TexelPlace::Array, true),
        "tex1dfetch" if !is_layered => (TexelPlace::Buffer, false),
        "surf1d" => (TexelPlace::Surface, false),
        "surf2d" => (TexelPlace::Surface, true),
        _ => return None,
    };
    let form = Form {
        place,
        is_2d,
        // A cube's faces are layers, whether there are several cubes or one.
        has_layers: is_layered || is_cube,
        is_cube,
    };
    Some(parse(text, form))
}

/// What a word before `:` means.
struct Form {
    place: TexelPlace,
    is_2d: bool,
    has_layers: bool,
    is_cube: bool,
}

fn parse(text: &str, form: Form) -> Result<TextureSpec, String> {
    let (left, fill) = text.split_once('=').ok_or(FORM)?;
    let (name, rest) = left.split_once('[').ok_or(FORM)?;
    let (sizes, options) = rest.split_once(']').ok_or(FORM)?;
    let (name, channels) = match (name.strip_suffix("x2"), name.strip_suffix("x4")) {
        (Some(name), _) => (name, 2),
        (_, Some(name)) => (name, 4),
        _ => (name, 1),
    };
    let element = parse_type(name)?;
    let format = format_of(element).ok_or_else(|| {
        format!("texels have no channels of {element}; there are u8, f16, f32, i32 and u32")
    })?;
    let sizes: Vec<&str> = sizes.split(',').collect();
    let sizes = sizes
        .into_iter()
        .map(|size| parse_length(element, size))
        .collect::<Result<Vec<usize>, String>>()?;
    let (layers, sizes) = match (form.has_layers, sizes.split_first()) {
        (true, Some((layers, sizes))) => (Some(*layers), sizes),
        _ => (None, sizes.as_slice()),
    };
    let (width, height) = match (form.is_2d, sizes) {
        (false, [width]) => (*width, None),
        (true, [rows, columns]) => (*columns, Some(*rows)),
        _ => return Err(FORM.to_string()),
    };
    let rows = height.unwrap_or(1).checked_mul(layers.unwrap_or(1));
    let texels = rows.and_then(|rows| rows.checked_mul(width));
    let length = texels.and_then(|texels| texels.checked_mul(channels as usize));
    let length = length.filter(|length| length.checked_mul(element.bytes()).is_some());
    if form.place == TexelPlace::Surface && !options.is_empty() {
        return Err(
            "a surface has no options: its texels are read and written as they are".to_string(),
        );
    }
    Ok(TextureSpec {
        place: form.place,
        element,
        texels: Texels {
            format,
            channels,
            width,
            height,
            layers,
            is_cube: form.is_cube,
            sampling: parse_options(options)?,
        },
        length: length.ok_or("the texture has more bytes than memory has addresses")?,
        fill: fill.parse()?,
    })
}

fn format_of(element: ElementType) -> Option<TexelFormat> {
    Some(match element {
        ElementType::U8 => TexelFormat::U8,
        ElementType::F16 => TexelFormat::F16,
        ElementType::F32 => TexelFormat::F32,
        ElementType::I32 => TexelFormat::S32,
        ElementType::U32 => TexelFormat::U32,
        _ => return None,
    })
}

/// `,linear,border,…`, or nothing.
fn parse_options(text: &str) -> Result<Sampling, String> {
    let mut sampling = Sampling::point();
    for option in text.split(',').skip(1) {
        sampling = match option {
            "point" => Sampling {
                filter: Filter::Point,
                ..sampling
            },
            "linear" => Sampling {
                filter: Filter::Linear,
                ..sampling
            },
            "clamp" => sampling.beyond(AddressMode::Clamp),
            "border" => sampling.beyond(AddressMode::Border),
            "wrap" => sampling.beyond(AddressMode::Wrap),
            "mirror" => sampling.beyond(AddressMode::Mirror),
            "normalized" => sampling.normalized(),
            "floats" => sampling.as_floats(),
            other => {
                return Err(format!(
                    "`{other}` is no option of a texture; there are point, linear, clamp, border, wrap, mirror, normalized and floats"
                ));
            }
        };
    }
    match text.is_empty() || text.starts_with(',') {
        true => Ok(sampling),
        false => Err(FORM.to_string()),
    }
}
