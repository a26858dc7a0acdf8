//! Tensor maps: what they refuse, how they are passed, and that the registered kernels that take them are clean.

use cornerturn::{
    Device, Error, Kernel, Registry, Shape, Swizzle, Task, TensorBox, TensorMap, args,
};

fn refusal(shape: Shape, tile: TensorBox) -> String {
    let device = Device::emulator();
    let buffer = device.poisoned::<f32>("matrix", 40 * 52).unwrap();
    match TensorMap::new(&buffer, shape, tile) {
        Err(error @ Error::TensorMap { .. }) => error.to_string(),
        other => panic!("{other:?}"),
    }
}

#[test]
fn a_map_that_breaks_a_rule_is_refused_with_the_rule() {
    let tile = TensorBox::new(32, 32);
    assert!(refusal(Shape::new(35, 53), tile).contains("multiple of 16 bytes"));
    assert!(refusal(Shape::new(41, 52), tile).contains("does not fit in its 2080 elements"));
    let wide = TensorBox::new(64, 8).swizzled(Swizzle::Bytes128);
    assert!(refusal(Shape::new(40, 52), wide).contains("128"));
    assert!(refusal(Shape::new(40, 52), TensorBox::new(2, 8)).contains("multiple of 16"));
    assert!(refusal(Shape::new(40, 52), TensorBox::new(32, 300)).contains("256"));
}

#[test]
fn maps_and_buffers_are_not_mistaken_for_each_other() {
    let device = Device::emulator();
    let buffer = device.poisoned::<f32>("matrix", 64 * 64).unwrap();
    let map = TensorMap::new(&buffer, Shape::new(64, 64), TensorBox::new(32, 32)).unwrap();
    let message = |kernel: &str, arguments: &[cornerturn::Argument]| {
        let kernel = Kernel::registered(kernel).unwrap();
        let error = device.launch(&kernel, (2, 2), (32, 8), arguments);
        error.unwrap_err().to_string()
    };
    let text = message("tma", args![buffer, buffer, 64, 64]);
    assert!(text.contains("with_tensor_maps"), "{text}");
    let text = message("padded", args![map, map, 64, 64]);
    assert!(text.contains("a tensor map goes by value"), "{text}");
    let text = message("tma", args![map, map, map, 64]);
    assert!(text.contains("aligned to 64"), "{text}");
}

#[test]
fn the_kernels_that_take_maps_pass_all_checks() {
    let registry = Registry::load().unwrap();
    let with_maps = registry.kernels().iter();
    let with_maps: Vec<_> = with_maps
        .filter(|entry| entry.tensor_maps.is_some())
        .collect();
    assert_eq!(with_maps.len(), 5);
    for entry in with_maps {
        let kernel = Kernel::committed(&registry, entry).unwrap();
        for (rows, columns) in [(4, 4), (36, 52), (260, 132)] {
            let task = Task::transpose(&Device::emulator(), rows, columns).unwrap();
            let grid = entry.grid(task.shape()).unwrap();
            task.verify(&kernel, grid, entry.block()).unwrap();
            let report = task.check(&kernel, grid, entry.block());
            report.unwrap_or_else(|error| panic!("{} {rows}×{columns}: {error}", entry.id));
        }
    }
}
