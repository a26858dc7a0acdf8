//! Where a program begins: initialisation, the version, words for codes, the address of a function by its name.

use std::ffi::{c_char, c_int, c_uint};

use super::{Out, Text, driver, entry, exports};
use crate::driver::Driver;
use crate::host;
use crate::status::{Result, Status};

/// The version of the API that there is: 13.0.
const VERSION: c_int = 13_000;

exports! {
    /// Starts the driver with the settings of the environment.
    fn cuInit(flags: c_uint) {
        if flags != 0 {
            return Err(Status::INVALID_VALUE.into());
        }
        Driver::start().map(drop).inspect_err(|error| host::complain(&error.message))
    }

    /// The version.
    fn cuDriverGetVersion(version: Out<c_int>) {
        version.set(VERSION)
    }

    /// The name of a code.
    fn cuGetErrorName(error: c_uint, name: Out<*const c_char>) {
        words(error, name, |(name, _)| name)
    }

    /// A code in words.
    fn cuGetErrorString(error: c_uint, text: Out<*const c_char>) {
        words(error, text, |(_, text)| text)
    }

    /// The address of a function by its name without the suffix of a version.
    fn cuGetProcAddress(symbol: Text, function: Out<*const ()>, version: c_int, _flags: u64) {
        function.check()?;
        let found = by_version(&symbol.get()?, version);
        note_missing(&symbol, found.is_none());
        function.set(found.unwrap_or(std::ptr::null()))?;
        found.map(drop).ok_or_else(|| Status::NOT_FOUND.into())
    }

    /// The same, which also says why there is none: 0 there is, 1 there is not.
    fn cuGetProcAddress_v2(symbol: Text, function: Out<*const ()>, version: c_int, _flags: u64, found_out: Out<c_uint>) {
        function.check()?;
        let found = by_version(&symbol.get()?, version);
        note_missing(&symbol, found.is_none());
        function.set(found.unwrap_or(std::ptr::null()))?;
        let is_asked = found_out.set_if_asked(c_uint::from(found.is_none()));
        match found.is_none() && !is_asked {
            true => Err(Status::NOT_FOUND.into()),
            false => Ok(()),
        }
    }

    /// Tables of functions that no header describes: there are none. NVIDIA's own runtime library asks for them.
    fn cuGetExportTable(table: Out<*const ()>, _id: *const u8) {
        table.set(std::ptr::null())?;
        static SAID: std::sync::Once = std::sync::Once::new();
        SAID.call_once(|| {
            host::complain("the program asks the driver for functions that no header describes, as NVIDIA's runtime library (libcudart) does: link the program with Corner Turn's runtime (`cornerturn program`, or `nvcc -cudart none`)");
        });
        Err(Status::NOT_FOUND.into())
    }

    /// Profiling is the report's.
    fn cuProfilerStart() { Ok(()) }

    /// The same.
    fn cuProfilerStop() { Ok(()) }
}

fn words(
    error: c_uint,
    out: Out<*const c_char>,
    which: fn((&'static str, &'static str)) -> &'static str,
) -> Result<()> {
    match Status(error).for_c() {
        Some(both) => out.set(which(both).as_ptr().cast()),
        None => {
            out.set(std::ptr::null())?;
            Err(Status::INVALID_VALUE.into())
        }
    }
}

/// The report names what a program asked for in vain.
fn note_missing(symbol: &Text, is_missing: bool) {
    if let (true, Ok(driver), Ok(symbol)) = (is_missing, driver(), symbol.get()) {
        *driver.record().missing.entry(symbol).or_default() += 1;
    }
}

/// Functions whose meaning has changed with a version other than 3.2, by their names without a suffix, newest first:
/// the version, in which the header's name began to mean the one beside it.
const CHANGED: &[(&str, &[(c_int, &str)])] = &[
    (
        "cuGetProcAddress",
        &[(12_000, "cuGetProcAddress_v2"), (0, "cuGetProcAddress")],
    ),
    (
        "cuCtxCreate",
        &[
            (13_000, "cuCtxCreate_v4"),
            (11_040, "cuCtxCreate_v3"),
            (0, "cuCtxCreate_v2"),
        ],
    ),
    (
        "cuStreamGetCaptureInfo",
        &[
            (12_030, "cuStreamGetCaptureInfo_v3"),
            (11_030, "cuStreamGetCaptureInfo_v2"),
            (0, "cuStreamGetCaptureInfo"),
        ],
    ),
    (
        "cuStreamUpdateCaptureDependencies",
        &[
            (12_030, "cuStreamUpdateCaptureDependencies_v2"),
            (0, "cuStreamUpdateCaptureDependencies"),
        ],
    ),
    (
        "cuGraphInstantiate",
        &[
            (12_000, "cuGraphInstantiateWithFlags"),
            (0, "cuGraphInstantiate_v2"),
        ],
    ),
    (
        "cuGraphAddKernelNode",
        &[
            (12_000, "cuGraphAddKernelNode_v2"),
            (0, "cuGraphAddKernelNode"),
        ],
    ),
    (
        "cuGraphKernelNodeGetParams",
        &[
            (12_000, "cuGraphKernelNodeGetParams_v2"),
            (0, "cuGraphKernelNodeGetParams"),
        ],
    ),
    (
        "cuGraphKernelNodeSetParams",
        &[
            (12_000, "cuGraphKernelNodeSetParams_v2"),
            (0, "cuGraphKernelNodeSetParams"),
        ],
    ),
    (
        "cuGraphExecKernelNodeSetParams",
        &[
            (12_000, "cuGraphExecKernelNodeSetParams_v2"),
            (0, "cuGraphExecKernelNodeSetParams"),
        ],
    ),
    (
        "cuGraphExecUpdate",
        &[(12_000, "cuGraphExecUpdate_v2"), (0, "cuGraphExecUpdate")],
    ),
    (
        "cuGraphAddDependencies",
        &[
            (12_030, "cuGraphAddDependencies_v2"),
            (0, "cuGraphAddDependencies"),
        ],
    ),
    (
        "cuGraphGetEdges",
        &[(12_030, "cuGraphGetEdges_v2"), (0, "cuGraphGetEdges")],
    ),
    (
        "cuGraphNodeGetDependencies",
        &[
            (12_030, "cuGraphNodeGetDependencies_v2"),
            (0, "cuGraphNodeGetDependencies"),
        ],
    ),
    (
        "cuMemPrefetchAsync",
        &[(12_020, "cuMemPrefetchAsync_v2"), (0, "cuMemPrefetchAsync")],
    ),
    (
        "cuMemAdvise",
        &[(12_020, "cuMemAdvise_v2"), (0, "cuMemAdvise")],
    ),
    (
        "cuEventElapsedTime",
        &[(12_080, "cuEventElapsedTime_v2"), (0, "cuEventElapsedTime")],
    ),
    (
        "cuDeviceGetUuid",
        &[(11_040, "cuDeviceGetUuid_v2"), (0, "cuDeviceGetUuid")],
    ),
];

/// The function that a name means in a version.
fn by_version(name: &str, version: c_int) -> Option<*const ()> {
    let changed = CHANGED.iter().find(|(known, _)| *known == name);
    if let Some((_, versions)) = changed {
        let mut versions = versions.iter();
        return versions
            .find(|(since, _)| *since <= version)
            .and_then(|(_, name)| entry(name));
    }
    // Version 3.2 widened sizes and addresses to 64 bits: what it changed, and a few others, are `_v2` ever since.
    entry(&format!("{name}_v2")).or_else(|| entry(name))
}
