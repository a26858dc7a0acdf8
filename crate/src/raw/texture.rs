//! A texture as an argument of a launch: `tex1d:TYPE[WIDTH]…=FILL` and `tex2d:TYPE[ROWS,COLUMNS]…=FILL`. What is allowed is the library's to say.

use super::fill::Fill;
use super::spec::{parse_length, parse_type};
use crate::element::ElementType;
use crate::texture::Texels;
use cornerturn_emulator::{AddressMode, Filter, Sampling, TexelFormat};

/// How a texture is written, for messages.
const FORM: &str = "write tex2d:TYPE[ROWS,COLUMNS]=FILL or tex1d:TYPE[WIDTH]=FILL, with x2 or x4 behind TYPE for so many channels, and \
                    options after `]`, such as tex2d:f32[48,64],linear,border=random:1";

/// A texture in an array of its own.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TextureSpec {
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
        match height {
            Some(rows) => format!(
                "a texture of {rows} rows of {width} texels of {}",
                self.element
            ),
            None => format!("a texture of {width} texels of {}", self.element),
        }
    }
}

/// The texture that the text begins to describe; `None` for one that describes none.
pub(super) fn parse_texture(text: &str) -> Option<Result<TextureSpec, String>> {
    let (is_2d, text) = match (text.strip_prefix("tex1d:"), text.strip_prefix("tex2d:")) {
        (Some(text), _) => (false, text),
        (_, Some(text)) => (true, text),
        _ => return None,
    };
    Some(parse(text, is_2d))
}

fn parse(text: &str, is_2d: bool) -> Result<TextureSpec, String> {
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
    let (width, height) = match (is_2d, sizes.as_slice()) {
        (false, [width]) => (*width, None),
        (true, [rows, columns]) => (*columns, Some(*rows)),
        _ => return Err(FORM.to_string()),
    };
    let texels = height.unwrap_or(1).checked_mul(width);
    let length = texels.and_then(|texels| texels.checked_mul(channels as usize));
    let length = length.filter(|length| length.checked_mul(element.bytes()).is_some());
    Ok(TextureSpec {
        element,
        texels: Texels {
            format,
            channels,
            width,
            height,
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
