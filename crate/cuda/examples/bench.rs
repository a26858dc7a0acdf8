//! What the stand-in costs: start, an empty launch, copies, allocation. Wall time of this machine; no GPU's time.

use cornerturn_cuda::{Copy, Driver, KernelLaunch, Kind, Result, Side, Spot, Work};
use std::time::{Duration, Instant};

const EMPTY: &str = "
.version 7.0
.target sm_75
.address_size 64
.visible .entry empty(.param .u64 p0, .param .u32 p1)
{
    ret;
}";

fn main() -> Result<()> {
    let began = Instant::now();
    let driver = Driver::start()?;
    driver.use_device(0)?;
    let module = driver.load_ptx(EMPTY)?;
    let function = driver.function(&module, "empty")?;
    println!("start, with a module: {:.1?}", began.elapsed());
    let launch = KernelLaunch {
        arguments: function.arguments(&[0; 12])?,
        function,
        grid: [1; 3],
        block: [32, 1, 1],
        shared_bytes: 0,
        cluster: None,
        is_cooperative: false,
        is_programmatic: false,
    };
    let before = processor();
    let each = time(10_000, || driver.submit(0, Work::Kernel(launch.clone())))?;
    let busy = (processor() - before) / 10_000;
    println!("an empty launch: {each:.2?}, of processors {busy:.2?}");
    let each = time(1_000, || {
        let address = driver.allocate(1 << 20, Kind::Device, None)?;
        driver.free(address, &[Kind::Device])
    })?;
    println!("1 MiB allocated and freed: {each:.2?}");
    for mib in [1_usize, 16, 256] {
        let bytes = mib << 20;
        let host = vec![1_u8; bytes];
        let (a, b) = (device(driver, bytes)?, device(driver, bytes)?);
        let rounds = (1024 / mib).clamp(4, 200) as u32;
        let to_device = copy(Spot::Device(a), Spot::Host(host.as_ptr() as u64), bytes);
        let within = copy(Spot::Device(b), Spot::Device(a), bytes);
        let mut other = vec![0_u8; bytes];
        let plain = time(rounds, || {
            other.copy_from_slice(&host);
            Ok(())
        })?;
        let down = time(rounds, || {
            driver.submit_and_wait(0, Work::Copy(to_device.clone()))
        })?;
        let across = time(rounds, || {
            driver.submit_and_wait(0, Work::Copy(within.clone()))
        })?;
        let rate = |each: Duration| bytes as f64 / each.as_secs_f64() / 1e9;
        println!(
            "{mib} MiB: host to device {:.1} GB/s, within the device {:.1} GB/s, a plain copy of this machine {:.1} GB/s",
            rate(down),
            rate(across),
            rate(plain)
        );
        driver.free(a, &[Kind::Device])?;
        driver.free(b, &[Kind::Device])?;
    }
    Ok(())
}

/// Device memory whose pages are there.
fn device(driver: &Driver, bytes: usize) -> Result<u64> {
    let address = driver.allocate(bytes, Kind::Device, None)?;
    let fill = cornerturn_cuda::Fill {
        address,
        pitch_bytes: 0,
        pattern: vec![1],
        width_bytes: bytes,
        rows: 1,
    };
    driver.submit_and_wait(0, Work::Fill(fill))?;
    Ok(address)
}

fn copy(to: Spot, from: Spot, bytes: usize) -> Copy {
    // SAFETY: the vectors that are copied from outlive the copies.
    unsafe { Copy::new(Side::line(to), Side::line(from), [bytes, 1, 1]) }
}

/// What this process has had of processors: less than the wall's time where others want them too.
fn processor() -> Duration {
    let mut spent = libc::timespec {
        tv_sec: 0,
        tv_nsec: 0,
    };
    // SAFETY: a place for the time.
    unsafe {
        libc::clock_gettime(libc::CLOCK_PROCESS_CPUTIME_ID, &mut spent);
    }
    Duration::new(spent.tv_sec as u64, spent.tv_nsec as u32)
}

/// The time of one call, of so many.
fn time(rounds: u32, mut call: impl FnMut() -> Result<()>) -> Result<Duration> {
    call()?;
    let began = Instant::now();
    for _ in 0..rounds {
        call()?;
    }
    Ok(began.elapsed() / rounds)
}
