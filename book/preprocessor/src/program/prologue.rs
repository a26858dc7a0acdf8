/// What a chapter's program tells the build that started it: where each cell begins and how it ends. The build gives it
/// a mark, as its first line of input, that nothing which the cells print can know.
#[allow(dead_code)]
mod cornerturn_cells {
    use std::fmt::{Debug, Display};
    use std::io::{BufRead, Read, Write};
    use std::panic::{AssertUnwindSafe, Location, catch_unwind};
    use std::sync::OnceLock;
    use std::sync::atomic::{AtomicU32, Ordering};

    static MARK: OnceLock<String> = OnceLock::new();
    /// The line of this file at which the last panic or error was.
    static LINE: AtomicU32 = AtomicU32::new(0);
    static CELL: AtomicU32 = AtomicU32::new(0);

    /// Takes the mark. The process ends when its input does, with the build.
    pub fn start() {
        let mut mark = String::new();
        let _ = std::io::stdin().lock().read_line(&mut mark);
        let _ = MARK.set(mark.trim_end().to_owned());
        std::thread::spawn(|| {
            let mut rest = [0; 64];
            while std::io::stdin().read(&mut rest).is_ok_and(|read| read > 0) {}
            std::process::exit(98);
        });
        let told = std::panic::take_hook();
        std::panic::set_hook(Box::new(move |panic| {
            if let Some(place) = panic.location() {
                note(place);
            }
            told(panic);
        }));
    }

    fn note(place: &Location) {
        let line = if place.file() == file!() { place.line() } else { 0 };
        LINE.store(line, Ordering::Relaxed);
    }

    fn say(what: &str) {
        let mark = MARK.get().map_or("", String::as_str);
        let line = format!("\u{1}{mark} {what}\n");
        let mut out = std::io::stdout().lock();
        let told = out.write_all(line.as_bytes()).and_then(|()| out.flush());
        let told = told.and_then(|()| std::io::stderr().write_all(line.as_bytes()));
        if told.is_err() {
            std::process::exit(98);
        }
    }

    pub fn begin(cell: u32) {
        CELL.store(cell, Ordering::Relaxed);
        say(&format!("begin {cell} 0"));
    }

    /// The cell that began last has ended.
    pub fn end() {
        ended("ok");
    }

    fn ended(how: &str) {
        let (cell, line) = (CELL.load(Ordering::Relaxed), LINE.load(Ordering::Relaxed));
        say(&format!("{how} {cell} {line}"));
    }

    /// An error that `?` has met and told.
    pub struct Failed;

    impl<T: Display> From<T> for Failed {
        #[track_caller]
        fn from(error: T) -> Failed {
            note(Location::caller());
            eprintln!("{error}");
            Failed
        }
    }

    /// Runs cells, and tells how the one that began last ended where they do not come to their end. Tells whether they do.
    pub fn guarded(run: impl FnOnce() -> Result<(), Failed>) -> bool {
        match catch_unwind(AssertUnwindSafe(run)) {
            Ok(Ok(())) => return true,
            Ok(Err(Failed)) => ended("err"),
            Err(_) => ended("panic"),
        }
        false
    }

    /// Shows a value that shows itself in no other way. A method of a type's own goes before this one.
    pub trait Shown {
        fn evcxr_display(&self);
    }

    impl<T: Debug + ?Sized> Shown for T {
        fn evcxr_display(&self) {
            println!("EVCXR_BEGIN_CONTENT text/plain\n{self:?}\nEVCXR_END_CONTENT");
        }
    }
}
