//! Textures: what fetches give, held against arithmetic of the tests' own; what is refused; how long a texture lives.

use super::devices;
use cornerturn::{
    AddressMode, Device, Kernel, Sampling, Shape, Texel, TexelFormat, Texels, Texture, args,
};

/// What fetches: `tex` by floats, `tex` by integers (`tex1Dfetch`), or `tld4` of the first channel.
#[derive(Clone, Copy, PartialEq)]
enum Fetch {
    Floats,
    Integers,
    Gather,
}

/// A kernel `(texture, places, out, count)`: thread *i* fetches at place *i* and writes the four words that it gets.
fn fetches(dimensions: usize, fetch: Fetch) -> Kernel {
    let ty = if fetch == Fetch::Integers {
        "s32"
    } else {
        "f32"
    };
    let (load, place) = match dimensions {
        1 => (format!("ld.global.{ty} %c0, [%rd4];"), "{%c0}"),
        _ => (
            format!("ld.global.v2.{ty} {{%c0, %c1}}, [%rd4];"),
            "{%c0, %c1}",
        ),
    };
    let name = match fetch {
        Fetch::Gather => "tld4.r.2d.v4.u32.f32".to_string(),
        _ => format!("tex.{dimensions}d.v4.u32.{ty}"),
    };
    let text = format!(
        ".version 6.4\n.target sm_75\n.address_size 64\n
        .visible .entry fetch(.param .u64 texture, .param .u64 places, .param .u64 out, .param .u32 count) {{
            .reg .pred %p; .reg .b32 %r<9>; .reg .{ty} %c<2>; .reg .b64 %rd<7>;
            ld.param.u64 %rd1, [texture]; ld.param.u64 %rd2, [places]; ld.param.u64 %rd3, [out];
            ld.param.u32 %r5, [count];
            mov.u32 %r1, %ctaid.x; mov.u32 %r2, %ntid.x; mov.u32 %r3, %tid.x; mad.lo.u32 %r4, %r1, %r2, %r3;
            setp.ge.u32 %p, %r4, %r5; @%p bra END;
            mul.wide.u32 %rd4, %r4, {}; add.u64 %rd4, %rd4, %rd2; {load}
            {name} {{%r5, %r6, %r7, %r8}}, [%rd1, {place}];
            mul.wide.u32 %rd5, %r4, 16; add.u64 %rd5, %rd5, %rd3;
            st.global.v4.u32 [%rd5], {{%r5, %r6, %r7, %r8}};
        END: ret; }}",
        4 * dimensions
    );
    Kernel::ptx(&text, "fetch").unwrap()
}

/// The four words that each fetch gives.
fn fetched<const N: usize>(texture: &Texture, fetch: Fetch, places: &[[f32; N]]) -> Vec<[u32; 4]> {
    let words: Vec<u32> = places
        .iter()
        .flatten()
        .map(|place| match fetch {
            Fetch::Integers => *place as i32 as u32,
            _ => place.to_bits(),
        })
        .collect();
    let device = texture.device();
    let given = device.upload("places", &words).unwrap();
    let out = device.poisoned::<u32>("out", 4 * places.len()).unwrap();
    let blocks = (places.len() as u32).div_ceil(96);
    let texture = texture.clone();
    let arguments = args![texture, given, out, places.len() as u32];
    let launched = device.launch(&fetches(N, fetch), blocks, 96, arguments);
    launched.unwrap();
    let words = out.read().unwrap();
    words.as_chunks().0.to_vec()
}

/// The first channel of each fetch as a float.
fn floats<const N: usize>(texture: &Texture, places: &[[f32; N]]) -> Vec<f32> {
    let all = fetched(texture, Fetch::Floats, places);
    all.iter().map(|words| f32::from_bits(words[0])).collect()
}

/// The texel that a number beyond the texture means, as CUDA's programming guide says; `None` for the border.
fn inside(at: i64, size: i64, mode: AddressMode) -> Option<usize> {
    let found = match mode {
        AddressMode::Wrap => at.rem_euclid(size),
        AddressMode::Clamp => at.clamp(0, size - 1),
        AddressMode::Mirror => {
            let at = at.rem_euclid(2 * size);
            at.min(2 * size - 1 - at)
        }
        AddressMode::Border if (0..size).contains(&at) => at,
        AddressMode::Border => return None,
    };
    Some(found as usize)
}

const MODES: [AddressMode; 4] = [
    AddressMode::Wrap,
    AddressMode::Clamp,
    AddressMode::Mirror,
    AddressMode::Border,
];

/// Two modes need coordinates from 0 to 1.
fn needs_normalized(mode: AddressMode) -> bool {
    matches!(mode, AddressMode::Wrap | AddressMode::Mirror)
}

/// Small whole numbers, none of them zero: their mixtures in steps of 1/256 are exact.
fn picture(shape: Shape) -> Vec<f32> {
    (0..shape.rows * shape.columns)
        .map(|i| (i * 37 % 89 + 1) as f32)
        .collect()
}

/// Texel (x, y) of a picture under an address mode.
fn texel(picture: &[f32], shape: Shape, mode: AddressMode, (x, y): (i64, i64)) -> f32 {
    let x = inside(x, shape.columns as i64, mode);
    let y = inside(y, shape.rows as i64, mode);
    match (x, y) {
        (Some(x), Some(y)) => picture[y * shape.columns + x],
        _ => 0.0,
    }
}

/// Places in and around a picture, each so far beyond the corner of a texel.
fn around(shape: Shape, beyond: f32) -> Vec<[f32; 2]> {
    let rows = -9..shape.rows as i32 + 9;
    let columns = -12..shape.columns as i32 + 12;
    rows.flat_map(|y| columns.clone().map(move |x| [x, y]))
        .map(|place| place.map(|at| at as f32 + beyond))
        .collect()
}

#[test]
fn a_point_fetch_gives_the_texel_that_each_address_mode_means() {
    let shape = Shape::new(5, 8);
    let texels = picture(shape);
    for device in devices() {
        for mode in MODES {
            let mut sampling = Sampling::point().beyond(mode);
            let mut places = around(shape, 0.25);
            let expected: Vec<f32> = places
                .iter()
                .map(|[x, y]| (x.floor() as i64, y.floor() as i64))
                .map(|place| texel(&texels, shape, mode, place))
                .collect();
            if needs_normalized(mode) {
                sampling = sampling.normalized();
                for [x, y] in &mut places {
                    (*x, *y) = (*x / shape.columns as f32, *y / shape.rows as f32);
                }
            }
            let texture = device.texture_2d("picture", &texels, shape, sampling);
            let found = floats(&texture.unwrap(), &places);
            assert_eq!(found, expected, "{mode:?} on {device}");
        }
    }
}

#[test]
fn a_linear_fetch_mixes_four_texels_and_a_gather_gives_them() {
    let shape = Shape::new(8, 16);
    let texels = picture(shape);
    for device in devices() {
        for (mode, fraction) in MODES.into_iter().zip([0.25, 0.5, 0.125, 0.75]) {
            let mut places = around(shape, 0.5 + fraction);
            let corners = |[x, y]: &[f32; 2]| {
                let (x, y) = ((x - 0.5).floor() as i64, (y - 0.5).floor() as i64);
                let at = |dx, dy| texel(&texels, shape, mode, (x + dx, y + dy));
                // In the order of `tld4`: against the clock from the lower left.
                [at(0, 1), at(1, 1), at(1, 0), at(0, 0)]
            };
            let corners: Vec<[f32; 4]> = places.iter().map(corners).collect();
            let mixed = corners.iter().map(|[below, below_right, right, here]| {
                let row = |left: f32, right: f32| left * (1.0 - fraction) + right * fraction;
                row(*here, *right) * (1.0 - fraction) + row(*below, *below_right) * fraction
            });
            let mixed: Vec<f32> = mixed.collect();
            let mut sampling = Sampling::linear().beyond(mode);
            if needs_normalized(mode) {
                sampling = sampling.normalized();
                // Both sides are powers of two: the quotients are exact.
                for [x, y] in &mut places {
                    (*x, *y) = (*x / shape.columns as f32, *y / shape.rows as f32);
                }
            }
            let texture = device.texture_2d("picture", &texels, shape, sampling);
            let texture = texture.unwrap();
            assert_eq!(floats(&texture, &places), mixed, "{mode:?} on {device}");
            let gathered = fetched(&texture, Fetch::Gather, &places);
            let gathered: Vec<[f32; 4]> =
                gathered.iter().map(|all| all.map(f32::from_bits)).collect();
            assert_eq!(gathered, corners, "{mode:?} on {device}");
        }
    }
}

#[test]
fn a_row_is_read_by_place_and_mixed_between_two() {
    let row: Vec<f32> = picture(Shape::new(1, 19));
    let places: Vec<[f32; 1]> = (-40..120).map(|quarter| [quarter as f32 / 4.0]).collect();
    for device in devices() {
        let nearest = device.texture_1d("row", &row, Sampling::point()).unwrap();
        let expected: Vec<f32> = places
            .iter()
            .map(|[x]| row[(x.floor() as i64).clamp(0, 18) as usize])
            .collect();
        assert_eq!(floats(&nearest, &places), expected);
        let mixed = device.texture_1d("row", &row, Sampling::linear()).unwrap();
        let expected: Vec<f32> = places
            .iter()
            .map(|[x]| {
                let (left, fraction) = ((x - 0.5).floor(), (x - 0.5).rem_euclid(1.0));
                let at = |x: f32| row[(x as i64).clamp(0, 18) as usize];
                at(left) * (1.0 - fraction) + at(left + 1.0) * fraction
            })
            .collect();
        assert_eq!(floats(&mixed, &places), expected);
    }
}

#[test]
fn texels_of_every_format_keep_their_bits_or_become_floats() {
    fn all<T: Texel>(texels: &[T], sampling: Sampling, expected: impl Fn(usize) -> [u32; 4]) {
        for device in devices() {
            let shape = Shape::new(3, texels.len() / 3);
            let texture = device.texture_2d("texels", texels, shape, sampling);
            let places: Vec<[f32; 2]> = (0..texels.len())
                .map(|i| [i % shape.columns, i / shape.columns])
                .map(|place| place.map(|at| at as f32 + 0.5))
                .collect();
            let found = fetched(&texture.unwrap(), Fetch::Floats, &places);
            for (i, found) in found.into_iter().enumerate() {
                assert_eq!(found, expected(i), "texel {i} of {}", T::CHANNELS);
            }
        }
    }
    let point = Sampling::point();
    let byte = |i: usize| (i * 73 % 255 + 1) as u8;
    let bytes: Vec<u8> = (0..51).map(byte).collect();
    all(&bytes, point, |i| [u32::from(byte(i)), 0, 0, 0]);
    let share = |byte: u8| (f32::from(byte) / 255.0).to_bits();
    all(&bytes, point.as_floats(), |i| [share(byte(i)), 0, 0, 0]);
    let quads: Vec<[u8; 4]> = (0..27)
        .map(|i| [0, 1, 2, 3].map(|c| byte(4 * i + c)))
        .collect();
    all(&quads, point, |i| quads[i].map(u32::from));
    all(&quads, point.as_floats(), |i| quads[i].map(share));
    let shorts: Vec<i16> = (0..33).map(|i| 1 - 1019 * i).collect();
    all(&shorts, point, |i| [i32::from(shorts[i]) as u32, 0, 0, 0]);
    let pairs: Vec<[f32; 2]> = (0..21)
        .map(|i| [i as f32 + 0.1, -1.0 / (i as f32 + 3.0)])
        .collect();
    all(&pairs, point, |i| {
        [pairs[i][0].to_bits(), pairs[i][1].to_bits(), 0, 0]
    });
    let words: Vec<u32> = (0..15).map(|i: u32| !i.wrapping_mul(0x9E37_79B1)).collect();
    all(&words, point, |i| [words[i], 0, 0, 0]);
}

#[test]
fn halves_come_as_floats() {
    // 1, -2, 65504 (the largest), 2^-24 (the least), 1/3 rounded.
    let halves = [0x3c00_u16, 0xc000, 0x7bff, 0x0001, 0x3555];
    let expected = [1.0, -2.0, 65504.0, 2.0_f32.powi(-24), 1365.0 / 4096.0];
    let texels = Texels {
        format: TexelFormat::F16,
        channels: 1,
        width: 5,
        height: None,
        layers: None,
        is_cube: false,
        sampling: Sampling::point(),
    };
    for device in devices() {
        let texture = device.raw_texture("halves", bytemuck::cast_slice(&halves), texels);
        let places = [0.5_f32, 1.5, 2.5, 3.5, 4.5].map(|x| [x]);
        assert_eq!(floats(&texture.unwrap(), &places), expected);
    }
}

#[test]
fn a_texture_over_a_buffer_sees_what_the_host_writes_and_keeps_it_alive() {
    let numbers: Vec<u32> = (0..1003).map(|i| 5 * i + 1).collect();
    let picture = picture(Shape::new(7, 24));
    for device in devices() {
        let buffer = device.upload("numbers", &[9_u32; 1003]).unwrap();
        let texture = device.texture_over(&buffer, Sampling::point()).unwrap();
        buffer.write(&numbers).unwrap();
        drop(buffer);
        let places: Vec<[f32; 1]> = (0..1003).map(|x| [x as f32]).collect();
        let found = fetched(&texture, Fetch::Integers, &places);
        assert!(
            found
                .iter()
                .zip(&numbers)
                .all(|(found, number)| found[0] == *number)
        );
        // Rows of 24 floats, in a buffer that is longer.
        let rows = device.upload("rows", &[&picture[..], &[0.5; 11]].concat());
        let shape = Shape::new(7, 24);
        let sampling = Sampling::linear().beyond(AddressMode::Border);
        let texture = device.texture_over_rows(&rows.unwrap(), shape, sampling);
        let places = around(shape, 0.5);
        let expected: Vec<f32> = places
            .iter()
            .map(|[x, y]| (x.floor() as i64, y.floor() as i64))
            .map(|place| texel(&picture, shape, AddressMode::Border, place))
            .collect();
        assert_eq!(floats(&texture.unwrap(), &places), expected);
    }
}

#[test]
fn what_is_not_allowed_is_refused_with_its_limit() {
    for device in devices() {
        let long = vec![1_u8; 131_073];
        let tall = vec![1_u8; 65_537];
        let point = Sampling::point();
        let small = device.upload("small", &[1.5_f32; 62]).unwrap();
        let wide = device.upload("wide", &[1.5_f64; 64]).unwrap();
        let cases = [
            (
                device.texture_1d("a", &long, point),
                "131073 texels in x: a 1D texture has 1 to 131072",
            ),
            (
                device.texture_2d("a", &long, Shape::new(1, 131_073), point),
                "131073 texels in x: a 2D texture has 1 to 131072",
            ),
            (
                device.texture_2d("a", &tall, Shape::new(65_537, 1), point),
                "65537 texels in y: a 2D texture has 1 to 65536",
            ),
            (device.texture_1d::<f32>("a", &[], point), "0 texels in x"),
            (
                device.texture_2d("a", &[1_u8; 12], Shape::new(3, 5), point),
                "its texels have 15 bytes, and 12 were given",
            ),
            (
                device.texture_2d("a", &[1_u8; 12], Shape::new(usize::MAX, 2), point),
                "texels in y",
            ),
            (
                device.texture_1d("a", &[1.0_f32; 5], point.beyond(AddressMode::Mirror)),
                "need normalised coordinates",
            ),
            (
                device.texture_1d("a", &[1_u32; 5], Sampling::linear()),
                "a linear filter gives floats: u32 texels",
            ),
            (
                device.texture_1d("a", &[1_u32; 5], point.as_floats()),
                "only integers of 8 or 16 bits",
            ),
            (
                device.texture_over_rows(&small, Shape::new(2, 31), point),
                "124",
            ),
            (
                device.texture_over_rows(&small, Shape::new(8, 8), point),
                "has 62 elements, and the texture more",
            ),
            (
                device.texture_over_rows(&small, Shape::new(usize::MAX, 8), point),
                "has 62 elements, and the texture more",
            ),
            (device.texture_over(&small, Sampling::linear()), "filter"),
            (
                device.texture_over(&wide, point),
                "texels have no channels of f64",
            ),
        ];
        for (made, words) in cases {
            let error = made.err().unwrap_or_else(|| panic!("{words}: was made"));
            assert_eq!(error.exit_code(), 2, "{error}");
            assert!(error.to_string().contains(words), "{error}, not {words}");
        }
    }
}

#[test]
fn a_texture_is_given_to_the_device_that_has_it() {
    let (device, other) = (Device::emulator(), Device::emulator());
    let texture = other.texture_1d("row", &[1.0_f32; 5], Sampling::point());
    let texture = texture.unwrap();
    let out = device.poisoned::<u32>("out", 4).unwrap();
    let kernel = fetches(1, Fetch::Floats);
    let arguments = args![texture, out, out, 1];
    let error = device.launch(&kernel, 1, 32, arguments).unwrap_err();
    assert!(error.to_string().contains("another device"), "{error}");
}
