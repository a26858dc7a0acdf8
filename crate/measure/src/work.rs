//! Any operation on arrays: what a kernel is given, what it must leave behind, and the steps of a run. The book's own works are in `works`; operations on matrices are tasks.

mod buffers;
mod run;

pub use buffers::Placed;
use cornerturn_base::element::{Element, ElementType};
use cornerturn_base::html::Wanted;
use cornerturn_base::place::Place;
use cornerturn_base::shape::Shape;
use cornerturn_emulator::Sampling;
use cornerturn_runtime::argument::Argument;
use cornerturn_runtime::texture::{Texel, Texels};
pub use run::Ready;

/// One operation on arrays, described so that any device can be given it: the kernel's parameters in their order, the
/// arrays with what they hold before and must hold afterwards.
///
/// ```
/// # use cornerturn::prelude::*;
/// # fn main() -> Result<()> {
/// let doubled = Kernel::ptx(TEXT, "doubled")?;
/// let x: Vec<f32> = (1..=300).map(|i| i as f32).collect();
/// let twice: Vec<f32> = x.iter().map(|x| 2.0 * x).collect();
/// let work = Work::new("twice each of 300 elements").input("x", &x).output("y", &twice).value(300_u32);
/// let run = work.run(&Device::emulator(), &doubled, 2, 256)?;
/// assert_eq!(run.counters.global_load_sectors, 38);
/// # Ok(())
/// # }
/// # const TEXT: &str = r#"
/// # .version 6.4
/// # .target sm_75
/// # .address_size 64
/// # .visible .entry doubled(.param .u64 x, .param .u64 y, .param .u32 n) {
/// #   .reg .pred %p; .reg .b32 %r<6>; .reg .b64 %d<6>; .reg .f32 %f;
/// #   mov.u32 %r0, %ctaid.x; mov.u32 %r1, %ntid.x; mov.u32 %r2, %tid.x;
/// #   mad.lo.u32 %r3, %r0, %r1, %r2; ld.param.u32 %r4, [n]; setp.ge.u32 %p, %r3, %r4; @%p bra END;
/// #   ld.param.u64 %d0, [x]; ld.param.u64 %d1, [y]; mul.wide.u32 %d2, %r3, 4;
/// #   add.u64 %d3, %d0, %d2; add.u64 %d4, %d1, %d2;
/// #   ld.global.f32 %f, [%d3]; add.f32 %f, %f, %f; st.global.f32 [%d4], %f;
/// # END: ret;
/// # }"#;
/// ```
#[derive(Debug, Clone)]
pub struct Work {
    what: String,
    parameters: Vec<Parameter>,
    /// Bytes read and bytes written, where that is not all that the arrays hold.
    wanted: Option<Wanted>,
    /// How many results it has, where they are not the elements that must be written.
    items: Option<usize>,
    smaller: Option<Box<Work>>,
}

#[derive(Debug, Clone)]
enum Parameter {
    Array(Array),
    Texture(Image),
    Value(Argument),
}

/// A texture in an array of its own.
#[derive(Debug, Clone)]
struct Image {
    name: String,
    bytes: Vec<u8>,
    texels: Texels,
}

/// An array as a kernel finds it and must leave it.
#[derive(Debug, Clone)]
struct Array {
    name: String,
    element: ElementType,
    /// Where it lies.
    place: Place,
    length: usize,
    /// What it holds before; poison where there is nothing.
    before: Option<Vec<u8>>,
    after: After,
}

/// What an array must hold afterwards.
#[derive(Debug, Clone)]
enum After {
    /// What it held before.
    Same,
    /// These bytes.
    Bytes(Vec<u8>),
    /// Nobody asks.
    Whatever,
}

impl Work {
    /// A work without parameters yet; `what` says in words what it does, such as "the sum of 1000 floats".
    pub fn new(what: impl Into<String>) -> Self {
        Self {
            what: what.into(),
            parameters: Vec::new(),
            wanted: None,
            items: None,
            smaller: None,
        }
    }

    /// The next parameter: a pointer to `elements`, which must stay as they are.
    pub fn input<T: Element>(self, name: &str, elements: &[T]) -> Self {
        self.array::<T>(name, elements.len(), Some(elements), After::Same)
    }

    /// The next parameter: a pointer to as many poisoned elements, which must become `expected`, bit by bit.
    pub fn output<T: Element>(self, name: &str, expected: &[T]) -> Self {
        let after = After::Bytes(bytes_of(expected));
        self.array::<T>(name, expected.len(), None, after)
    }

    /// The next parameter: a pointer to `before`, which must become `expected`, bit by bit.
    ///
    /// # Panics
    /// Where there are not as many of one as of the other.
    pub fn update<T: Element>(self, name: &str, before: &[T], expected: &[T]) -> Self {
        assert_eq!(before.len(), expected.len(), "an array keeps its length");
        let after = After::Bytes(bytes_of(expected));
        self.array::<T>(name, before.len(), Some(before), after)
    }

    /// The next parameter: a pointer to `elements`, which the kernel may change as it likes.
    pub fn scratch<T: Element>(self, name: &str, elements: &[T]) -> Self {
        self.array::<T>(name, elements.len(), Some(elements), After::Whatever)
    }

    /// The next parameter: a pointer to room for so many elements, poisoned, which the kernel may change as it likes.
    pub fn room<T: Element>(self, name: &str, length: usize) -> Self {
        self.array::<T>(name, length, None, After::Whatever)
    }

    fn array<T: Element>(
        mut self,
        name: &str,
        length: usize,
        before: Option<&[T]>,
        after: After,
    ) -> Self {
        self.parameters.push(Parameter::Array(Array {
            name: name.to_string(),
            element: T::TYPE,
            place: Place::Device,
            length,
            before: before.map(bytes_of),
            after,
        }));
        self
    }

    /// The array that was named last lies in this place, not in the GPU's memory.
    pub fn lying_in(mut self, place: Place) -> Self {
        if let Some(Parameter::Array(array)) = self.parameters.last_mut() {
            array.place = place;
        }
        self
    }

    /// The next parameter: a 2D texture of these texels, row after row, in an array of its own.
    pub fn texture<T: Texel>(
        mut self,
        name: &str,
        texels: &[T],
        shape: Shape,
        sampling: Sampling,
    ) -> Self {
        self.parameters.push(Parameter::Texture(Image {
            name: name.to_string(),
            bytes: bytemuck::cast_slice(texels).to_vec(),
            texels: Texels {
                format: T::FORMAT,
                channels: T::CHANNELS,
                width: shape.columns,
                height: Some(shape.rows),
                layers: None,
                is_cube: false,
                sampling,
            },
        }));
        self
    }

    /// The next parameter: a number, or a struct as [`Argument::bytes`].
    pub fn value<V>(mut self, value: V) -> Self
    where
        for<'v> Argument: From<&'v V>,
    {
        self.parameters.push(Parameter::Value((&value).into()));
        self
    }

    /// What must be read and what must be written, where that is less than all that the arrays hold.
    pub fn moves(mut self, read_bytes: u64, written_bytes: u64) -> Self {
        self.wanted = Some(Wanted {
            load_bytes: read_bytes,
            store_bytes: written_bytes,
        });
        self
    }

    /// How many results it has, where a result is not one element: particles, sums.
    pub fn of(mut self, items: usize) -> Self {
        self.items = Some(items);
        self
    }

    /// A smaller work of the same kind, on which the checks are made where this one is large. Its grid has as many
    /// blocks in *x* fewer as it has fewer results.
    pub fn checked_on(mut self, smaller: Work) -> Self {
        self.smaller = Some(Box::new(smaller));
        self
    }

    /// What it does, in words.
    pub fn what(&self) -> &str {
        &self.what
    }

    /// How many results it has: elements of the arrays that the kernel must write, unless it was said otherwise.
    pub fn items(&self) -> usize {
        let written = || self.results().map(|array| array.length).sum();
        self.items.unwrap_or_else(written).max(1)
    }

    /// What must be read and what must be written: each array once, unless it was said otherwise.
    pub fn wanted(&self) -> Wanted {
        self.wanted.unwrap_or_else(|| {
            let bytes = |array: &Array| (array.length * array.element.bytes()) as u64;
            let read = |array: &&Array| array.before.is_some();
            let written = |array: &&Array| !matches!(array.after, After::Same);
            let texture_bytes = self.parameters.iter().map(|parameter| match parameter {
                Parameter::Texture(image) => image.bytes.len() as u64,
                _ => 0,
            });
            let texture_bytes: u64 = texture_bytes.sum();
            Wanted {
                load_bytes: self.arrays().filter(read).map(bytes).sum::<u64>() + texture_bytes,
                store_bytes: self.arrays().filter(written).map(bytes).sum(),
            }
        })
    }

    /// Bytes that must move.
    pub fn bytes_moved(&self) -> u64 {
        let Wanted {
            load_bytes,
            store_bytes,
        } = self.wanted();
        load_bytes.saturating_add(store_bytes)
    }

    /// Bytes that the arrays hold on a device.
    pub fn bytes(&self) -> u64 {
        let bytes = |array: &Array| (array.length * array.element.bytes()) as u64;
        self.arrays().map(bytes).sum()
    }

    /// Bytes of what the arrays and textures hold before, and of what they must hold afterwards.
    #[cfg(test)]
    pub(crate) fn held_bytes(&self) -> usize {
        let bytes = |parameter: &Parameter| match parameter {
            Parameter::Array(array) => {
                let after = match &array.after {
                    After::Bytes(bytes) => bytes.len(),
                    After::Same | After::Whatever => 0,
                };
                array.before.as_ref().map_or(0, Vec::len) + after
            }
            Parameter::Texture(image) => image.bytes.len(),
            Parameter::Value(_) => 0,
        };
        self.parameters.iter().map(bytes).sum()
    }

    /// The kernel's parameters in their order: of an array its name, its element type and whether it must stay as it is,
    /// of a number or a texture nothing.
    pub fn declared(&self) -> impl Iterator<Item = Option<(&str, ElementType, bool)>> {
        self.parameters.iter().map(|parameter| match parameter {
            Parameter::Array(Array {
                name,
                element,
                after,
                ..
            }) => Some((name.as_str(), *element, matches!(after, After::Same))),
            Parameter::Texture(_) | Parameter::Value(_) => None,
        })
    }

    fn arrays(&self) -> impl Iterator<Item = &Array> {
        self.parameters
            .iter()
            .filter_map(|parameter| match parameter {
                Parameter::Array(array) => Some(array),
                Parameter::Texture(_) | Parameter::Value(_) => None,
            })
    }

    fn results(&self) -> impl Iterator<Item = &Array> {
        let is_result = |array: &&Array| matches!(array.after, After::Bytes(_));
        self.arrays().filter(is_result)
    }

    /// The element type of the first result.
    fn element(&self) -> ElementType {
        self.results()
            .next()
            .map_or(ElementType::U8, |array| array.element)
    }
}

fn bytes_of<T: Element>(elements: &[T]) -> Vec<u8> {
    bytemuck::cast_slice(elements).to_vec()
}
