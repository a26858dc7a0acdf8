//! The functions of a module that a page's script calls: a room for what it asks, and what is answered. The page's engine and the page's compiler are both such modules; what an answer says is theirs.

use std::cell::RefCell;

/// What was given and answered last.
#[derive(Default)]
struct Session {
    room: Vec<u8>,
    answer: Vec<u8>,
}

thread_local! {
    // A module has one thread.
    static SESSION: RefCell<Session> = RefCell::default();
}

/// Room for so many bytes, in the place of the last one; its address, 0 where there is not so much memory.
#[unsafe(no_mangle)]
pub extern "C" fn room(bytes: usize) -> *mut u8 {
    let mut room = Vec::new();
    if room.try_reserve_exact(bytes).is_err() {
        return std::ptr::null_mut();
    }
    room.resize(bytes, 0);
    SESSION.with_borrow_mut(|session| {
        session.room = room;
        session.room.as_mut_ptr()
    })
}

/// What was written into the room, which is empty afterwards.
pub(crate) fn taken() -> Vec<u8> {
    SESSION.with_borrow_mut(|session| std::mem::take(&mut session.room))
}

/// Answers what was written into the room. Whoever answers may be given another room meanwhile.
#[unsafe(no_mangle)]
pub extern "C" fn ask() {
    let answer = crate::answered(&taken());
    SESSION.with_borrow_mut(|session| session.answer = answer);
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
