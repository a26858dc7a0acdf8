//! Memory of the host that kernels or copies use: pinned, mapped, managed; what may not be used while a copy is under way; what a kernel finds where a buffer was.

use super::devices;
use cornerturn::{
    Advice, Device, Direction, Error, Kernel, LaunchOptions, Side, TimingMode, Transfers, args,
    works,
};

/// One more for each of so many numbers.
fn increase() -> Kernel {
    Kernel::registered("increase").unwrap()
}

#[test]
fn a_kernel_does_the_same_wherever_its_array_lies() {
    let before: Vec<u32> = works::distinct(1003);
    let after: Vec<u32> = before.iter().map(|number| number + 1).collect();
    for device in devices() {
        let mapped = device.mapped("mapped", &before).unwrap();
        let managed = device.managed("managed", &before).unwrap();
        managed.advise(Advice::Stay(Side::Device)).unwrap();
        managed.prefetch(Side::Device).unwrap();
        for buffer in [&mapped, &*managed] {
            let arguments = args![buffer, 1003];
            device.launch(&increase(), 4, 256, arguments).unwrap();
            assert_eq!(buffer.read().unwrap(), after);
            buffer.write(&before).unwrap();
            assert_eq!(buffer.read().unwrap(), before);
        }
        managed.prefetch(Side::Host).unwrap();
        device.synchronize().unwrap();
        assert_eq!(managed.read().unwrap(), before);
    }
}

#[test]
fn nobody_has_what_a_copy_is_at_work_on() {
    let x: Vec<u32> = works::distinct(1003);
    for device in devices() {
        let far = device.poisoned::<u32>("far", 1003).unwrap();
        let source = device.pinned("source", &x).unwrap();
        let copying = far.start_write(source).unwrap();
        let another = device.register("another", x.clone()).unwrap();
        let refused = [
            device
                .launch(&increase(), 4, 256, args![far, 1003])
                .unwrap_err(),
            far.read().unwrap_err(),
            far.write(&x).unwrap_err(),
            far.start_read(another).unwrap_err(),
        ];
        for error in refused {
            let text = error.to_string();
            assert!(text.contains("buffer `far`"), "{text}");
            assert!(
                text.contains("under way") && text.contains("wait()"),
                "{text}"
            );
        }
        let mut source = copying.wait().unwrap();
        assert_eq!(far.read().unwrap(), x);
        device
            .launch(&increase(), 4, 256, args![far, 1003])
            .unwrap();
        source.fill(7);
        let target = far.start_read(source).unwrap().wait().unwrap();
        assert!(target.iter().zip(&x).all(|(found, x)| *found == x + 1));
        // A handle that is dropped has waited.
        drop(far.start_write(target).unwrap());
        assert_eq!(far.read().unwrap()[1002], x[1002] + 1);
    }
}

#[test]
fn a_registered_vector_is_given_back_as_the_same_one() {
    let device = Device::emulator();
    let vector = vec![3_u32; 1003];
    let place = vector.as_ptr();
    let mut pinned = device.register("vector", vector).unwrap();
    pinned[1002] = 4;
    let vector = pinned.into_vec();
    assert_eq!((vector.as_ptr(), vector[1002]), (place, 4));
    assert_eq!(device.pinned("copy", &vector).unwrap().into_vec(), vector);
}

#[test]
fn what_does_not_fit_is_refused_with_its_name() {
    let device = Device::emulator();
    let far = device.upload("far", &[1_u32; 5]).unwrap();
    let longer = device.pinned("longer", &[1_u32; 6]).unwrap();
    let error = far.start_write(longer).unwrap_err().to_string();
    assert!(
        error.contains("`far`: holds 5 elements, and 6 were given"),
        "{error}"
    );
    let elsewhere = Device::emulator().pinned("elsewhere", &[1_u32; 5]).unwrap();
    let error = far.start_write(elsewhere).unwrap_err().to_string();
    assert!(
        error.contains("another device") && error.contains("`elsewhere`"),
        "{error}"
    );
    for error in [
        device.pinned::<u32>("nothing", &[]).unwrap_err(),
        device.mapped::<u32>("nothing", &[]).unwrap_err(),
        device.managed::<u32>("nothing", &[]).unwrap_err(),
    ] {
        assert!(
            error.to_string().contains("`nothing`: holds no elements"),
            "{error}"
        );
    }
    let mut pinned = device.pinned("pinned", &[1_u32; 5]).unwrap();
    let error = far.time_copy(Direction::ToDevice, &mut pinned, TimingMode::Warm);
    assert!(matches!(error, Err(Error::NoClock)));
}

#[test]
fn a_kernel_that_keeps_the_address_of_a_freed_buffer_is_found() {
    let device = Device::emulator();
    // Two numbers and an address: what the address names is increased.
    let text = ".version 6.4\n.target sm_75\n.address_size 64\n\
        .visible .entry follow(.param .u64 p0) {\n.reg .b32 %r<2>; .reg .b64 %d<3>;\n\
        ld.param.u64 %d0, [p0]; ld.global.u64 %d1, [%d0];\n\
        ld.global.u32 %r0, [%d1+8]; st.global.u32 [%d1], %r0; ret;\n}\n";
    let follow = Kernel::ptx(text, "follow").unwrap();
    for place in ["mapped", "managed"] {
        let numbers = [1_u32, 2, 3];
        let target = match place {
            "mapped" => device.mapped(place, &numbers).unwrap(),
            _ => (*device.managed(place, &numbers).unwrap()).clone(),
        };
        let holder = device.upload("holder", &[target.raw().address()]).unwrap();
        device.launch(&follow, 1, 1, args![holder]).unwrap();
        drop(target);
        for options in [LaunchOptions::default(), LaunchOptions::checked()] {
            let error = device
                .launch_with(&follow, 1, 1, args![holder], &options)
                .unwrap_err();
            let text = error.to_string();
            assert_eq!(error.exit_code(), 1);
            assert!(text.contains(&format!("byte 8 of `{place}`")), "{text}");
            assert!(
                text.contains("the host had freed before the launch"),
                "{text}"
            );
        }
    }
}

#[test]
fn a_record_of_transfers_is_found_by_way_and_size() {
    let record = Transfers::load("h200", Transfers::EXPERIMENT).unwrap();
    let size = 1 << 26;
    let pinned = record.transfer("pinned_to_device", size).unwrap();
    assert_eq!(pinned.bytes, size);
    let rates = record.rates("pinned_to_device");
    assert!(rates.windows(2).all(|pair| pair[0].0 < pair[1].0));
    // No copy is faster than its link.
    let link = record.host.as_ref().unwrap().link_gb_per_s().unwrap();
    assert!(record.measurements.iter().all(|t| {
        t.way.starts_with("host_")
            || t.way.ends_with("resident")
            || t.way == "pin"
            || t.way == "pinned_start"
            || t.way == "round_trip_one_word"
            || t.gb_per_s().0 < link
    }));
    let unknown = record.transfer("by_post", size).unwrap_err().to_string();
    assert!(unknown.contains("pageable_to_device"), "{unknown}");
    let unknown = record
        .transfer("pinned_to_device", 5)
        .unwrap_err()
        .to_string();
    assert!(unknown.contains("4096, 16384"), "{unknown}");
}
