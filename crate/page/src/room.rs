//! The functions of the module that a page's script calls: rooms for what it gives, an answer for what it asks. What an answer says is others'.

use std::cell::RefCell;

/// What was given and answered last.
#[derive(Default)]
struct Session {
    rooms: Vec<Box<[u8]>>,
    answer: String,
}

thread_local! {
    // A module has one thread.
    static SESSION: RefCell<Session> = RefCell::default();
}

/// Room for so many bytes, kept until [`forget_rooms`]; its address, 0 where there is not so much memory.
#[unsafe(no_mangle)]
pub extern "C" fn room(bytes: usize) -> *mut u8 {
    SESSION.with_borrow_mut(|session| {
        let mut room = Vec::new();
        if room.try_reserve_exact(bytes).is_err() {
            return std::ptr::null_mut();
        }
        room.resize(bytes, 0);
        session.rooms.push(room.into_boxed_slice());
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

/// Answers the request in the first room: always 0.
#[unsafe(no_mangle)]
pub extern "C" fn ask() -> u32 {
    SESSION.with_borrow_mut(|session| {
        let request = session.rooms.first().map_or(&[][..], |room| room);
        session.answer = crate::ask(request);
    });
    0
}

/// What is told how far a launch is.
#[cfg(target_arch = "wasm32")]
pub(crate) fn progress() -> Option<fn(u64, u64)> {
    #[link(wasm_import_module = "env")]
    unsafe extern "C" {
        safe fn progress(done: u32, total: u32);
    }
    fn tell(done: u64, total: u64) {
        let number = |n: u64| u32::try_from(n).unwrap_or(u32::MAX);
        progress(number(done), number(total));
    }
    Some(tell)
}

/// Nobody is told.
#[cfg(not(target_arch = "wasm32"))]
pub(crate) fn progress() -> Option<fn(u64, u64)> {
    None
}
