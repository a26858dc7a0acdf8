//! The emulator behind functions that JavaScript can call: no imports, numbers and bytes in the module's memory only.
//!
//! The host writes text and bytes to rooms that it asks for ([`room`]), calls, and reads the answer where [`answer`]
//! says. Every call that can fail returns 0 for success and 1 for a failure, whose message is the answer.
//! `transpose.mjs` shows how.

use std::cell::RefCell;

use cornerturn_emulator::{Arg, Launch, Memory, Module, Options, launch};
use serde_json::{Map, Value, json};

/// A session: a module, memory, and the last answer.
#[derive(Default)]
struct Session {
    rooms: Vec<Box<[u8]>>,
    memory: Memory,
    module: Option<Module>,
    answer: Vec<u8>,
}

thread_local! {
    // A module has one thread.
    static SESSION: RefCell<Session> = RefCell::default();
}

/// Room for so many bytes, kept until [`forget_rooms`]; its address.
#[unsafe(no_mangle)]
pub extern "C" fn room(bytes: usize) -> *mut u8 {
    SESSION.with_borrow_mut(|session| {
        session.rooms.push(vec![0; bytes].into_boxed_slice());
        session
            .rooms
            .last_mut()
            .map_or(std::ptr::null_mut(), |room| room.as_mut_ptr())
    })
}

/// Gives back all rooms.
#[unsafe(no_mangle)]
pub extern "C" fn forget_rooms() {
    SESSION.with_borrow_mut(|session| session.rooms.clear());
}

/// Address of the last answer.
#[unsafe(no_mangle)]
pub extern "C" fn answer() -> *const u8 {
    SESSION.with_borrow(|session| session.answer.as_ptr())
}

/// Bytes of the last answer.
#[unsafe(no_mangle)]
pub extern "C" fn answer_bytes() -> usize {
    SESSION.with_borrow(|session| session.answer.len())
}

/// Loads the PTX in the first room.
#[unsafe(no_mangle)]
pub extern "C" fn load() -> u32 {
    call(|session| {
        let text = session.rooms.first().ok_or("no room holds the PTX")?;
        session.module = Some(Module::load_bytes(text).map_err(|error| error.to_string())?);
        Ok(Vec::new())
    })
}

/// A buffer with what the first room holds; the answer is its address in eight bytes, the lowest first.
#[unsafe(no_mangle)]
pub extern "C" fn upload() -> u32 {
    call(|session| {
        let bytes = session.rooms.first().ok_or("no room holds the bytes")?;
        let address = session
            .memory
            .allocate(bytes.len(), "buffer")
            .map_err(|error| error.to_string())?;
        session
            .memory
            .write(address, bytes)
            .map_err(|error| error.to_string())?;
        Ok(address.to_le_bytes().to_vec())
    })
}

/// So many bytes from an address as the answer.
#[unsafe(no_mangle)]
pub extern "C" fn download(address: u64, bytes: usize) -> u32 {
    call(|session| {
        let mut out = vec![0; bytes];
        session
            .memory
            .read(address, &mut out)
            .map_err(|error| error.to_string())?;
        Ok(out)
    })
}

/// Launches what the first room asks for as JSON: `{"entry": "…", "grid": [x, y, z], "block": [x, y, z], "check": true,
/// "args": ["the argument's bytes in hexadecimal, the lowest first", …]}`. The answer is JSON: counters by their names, messages of
/// the findings, PTX instructions of all warps.
#[unsafe(no_mangle)]
pub extern "C" fn run() -> u32 {
    call(|session| {
        let request = session.rooms.first().ok_or("no room holds the request")?;
        let request: Value = serde_json::from_slice(request).map_err(|error| error.to_string())?;
        let module = session.module.as_ref().ok_or("no PTX is loaded")?;
        let args = arguments(&request)?;
        let job = Launch {
            entry: request["entry"].as_str().ok_or("`entry` is no text")?,
            grid: extent(&request["grid"])?,
            block: extent(&request["block"])?,
            dynamic_shared_bytes: request["shared"].as_u64().unwrap_or(0) as u32,
            args: &args,
        };
        let options = Options {
            check: request["check"].as_bool().unwrap_or(false),
            cooperative: request["cooperative"].as_bool().unwrap_or(false),
            ..Options::default()
        };
        let report =
            launch(module, &session.memory, &job, &options).map_err(|error| error.to_string())?;
        let counters: Map<String, Value> = report
            .counters
            .iter()
            .map(|(name, value)| (name.to_string(), json!(value)))
            .collect();
        let findings: Vec<String> = report.findings.iter().map(|f| f.message()).collect();
        let told = json!({
            "counters": counters,
            "findings": findings,
            "warp_instructions": report.warp_instructions,
        });
        Ok(told.to_string().into_bytes())
    })
}

fn call(f: impl FnOnce(&mut Session) -> Result<Vec<u8>, String>) -> u32 {
    SESSION.with_borrow_mut(|session| {
        let (failed, answer) = match f(session) {
            Ok(answer) => (0, answer),
            Err(message) => (1, message.into_bytes()),
        };
        session.answer = answer;
        failed
    })
}

fn extent(value: &Value) -> Result<[u32; 3], String> {
    let number = |axis: usize| {
        let number = value[axis].as_u64().and_then(|n| u32::try_from(n).ok());
        number.ok_or_else(|| format!("{value} is no extent in x, y and z"))
    };
    Ok([number(0)?, number(1)?, number(2)?])
}

fn arguments(request: &Value) -> Result<Vec<Arg>, String> {
    let list = request["args"].as_array().ok_or("`args` is no list")?;
    list.iter()
        .map(|arg| {
            let text = arg
                .as_str()
                .filter(|text| text.is_ascii() && text.len() % 2 == 0);
            let text = text.ok_or_else(|| format!("{arg} is not bytes in hexadecimal"))?;
            let byte = |at: usize| u8::from_str_radix(&text[at..at + 2], 16);
            let bytes: Result<Vec<u8>, _> = (0..text.len()).step_by(2).map(byte).collect();
            bytes.map(Arg).map_err(|error| format!("{arg}: {error}"))
        })
        .collect()
}
