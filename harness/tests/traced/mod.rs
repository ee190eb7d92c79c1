//! A process that stays when it is killed, as far as its parent can see: whoever traces it is told of its end
//! first, and never says so.

use std::{io, ptr, sync::mpsc, thread, time::Duration};

/// After this it is let go in any case: a judge that waits for ever is to fail its test and not to hang it.
const AT_MOST: Duration = Duration::from_secs(60);

/// Holds a process until it is dropped. Tracing is bound to a thread, so it has one.
pub struct Held {
    release: Option<mpsc::Sender<()>>,
    thread: Option<thread::JoinHandle<()>>,
}

impl Held {
    /// Holds a process that was started by a descendant of this one, as systems that
    /// restrict tracing ask for.
    ///
    /// # Errors
    /// What the system says, such as that there is no such process any more.
    pub fn new(process: i32) -> io::Result<Self> {
        let (release, released) = mpsc::channel();
        let (says, said) = mpsc::channel();
        let thread = thread::spawn(move || {
            let nothing = ptr::null_mut::<libc::c_void>();
            // SAFETY: `PTRACE_SEIZE` takes a process id and no memory of ours: both
            // pointers are ignored or null.
            let seized = unsafe { libc::ptrace(libc::PTRACE_SEIZE, process, nothing, nothing) };
            let _ = says.send(if seized == 0 { Ok(()) } else { Err(io::Error::last_os_error()) });
            // Until there is no more sender.
            let _ = released.recv_timeout(AT_MOST);
        });
        said.recv().expect("the thread says")?;
        Ok(Held { release: Some(release), thread: Some(thread) })
    }
}

impl Drop for Held {
    fn drop(&mut self) {
        drop(self.release.take());
        if let Some(thread) = self.thread.take() {
            let _ = thread.join();
        }
    }
}
