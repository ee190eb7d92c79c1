//! Sees saves: by the system's file events where the mount gives them, and by looking again and again where not.
//!
//! Editors save by making a new file and renaming it over the old one, so the folder is watched and not the file. An
//! event only says that it is worth looking; what counts is the text.

use std::{
    path::{Path, PathBuf},
    time::{Duration, Instant},
};

use notify::{
    ErrorKind, EventKind, RecommendedWatcher, RecursiveMode, Watcher as _,
    event::{AccessKind, AccessMode},
};
use rustix::fs::statfs;

use crate::{
    files::{self, MAKE_READABLE, Unreadable},
    terminal::typed,
    visible::quoted_whole,
};

/// Between two looks where nothing tells of a save.
pub const POLLING: Duration = Duration::from_millis(200);
/// Between two looks where events tell: a folder that was deleted and made again tells nothing.
const BESIDE_EVENTS: Duration = Duration::from_secs(1);
/// A file is gone for an instant while some editors save it.
const GONE_AFTER: Duration = Duration::from_millis(300);

/// File systems whose files change without an event here: by their magic numbers in `statfs(2)`.
const WITHOUT_EVENTS: [(u64, &str); 14] = [
    (0x6969, "NFS"),
    (0xff53_4d42, "CIFS"),
    (0xfe53_4d42, "SMB"),
    (0x517b, "SMB"),
    (0x0102_1997, "9p (as WSL's /mnt)"),
    (0x6573_5546, "FUSE"),
    (0x6a65_6a63, "virtiofs"),
    (0x786f_4256, "VirtualBox's shared folders"),
    (0x00c3_6400, "Ceph"),
    (0x0bd0_0bd0, "Lustre"),
    (0x4750_4653, "GPFS"),
    (0x5346_414f, "AFS"),
    (0x1983_0326, "BeeGFS"),
    (0xaad7_aaea, "PanFS"),
];

/// How one kernel's file is watched.
pub struct Saves {
    file: PathBuf,
    /// None where there are no events; and while the folder is gone.
    watcher: Option<RecommendedWatcher>,
    polling: Option<String>,
    /// Since when there is no text.
    gone_since: Option<Instant>,
    /// There was no file, when it was last looked for; otherwise there is one that is no kernel.
    missing: bool,
}

/// What a look showed.
pub enum Look {
    /// The file's text.
    Text(String),
    /// Why there is none, in words.
    Nothing(String),
    /// It is being saved, perhaps; or it wasn't time to look.
    Wait,
}

impl Saves {
    /// Watches a kernel's file. `tell` is called, on another thread, whenever a look is worth it.
    pub fn of(file: PathBuf, poll: bool, tell: impl Fn() + Send + 'static) -> Self {
        let folder = file.parent().unwrap_or(Path::new(".")).to_owned();
        let mut saves = Saves { file, watcher: None, polling: None, gone_since: None, missing: false };
        saves.polling = if poll { Some("asked for by --poll".to_owned()) } else { without_events(&folder) };
        if saves.polling.is_none() {
            let watcher = notify::recommended_watcher(move |event| {
                if is_change(&event) {
                    tell()
                }
            })
            .and_then(|mut watcher| {
                watcher.watch(&folder, RecursiveMode::NonRecursive)?;
                Ok(watcher)
            });
            match watcher {
                Ok(watcher) => saves.watcher = Some(watcher),
                Err(error) => saves.polling = Some(no_watch(&error)),
            }
        }
        saves
    }

    /// Why it looks again and again, in words; none where events tell of saves.
    pub fn polling(&self) -> Option<&str> {
        self.polling.as_deref()
    }

    /// How long until the next look, whatever happens.
    pub fn pause(&self) -> Duration {
        if self.gone_since.is_some() || self.polling.is_some() { POLLING } else { BESIDE_EVENTS }
    }

    /// Looks.
    pub fn look(&mut self) -> Look {
        let read = files::read_kernel(&self.file);
        self.missing = matches!(read, Err(Unreadable::Missing));
        let what = match read {
            Ok(text) => {
                self.gone_since = None;
                return Look::Text(text);
            }
            Err(Unreadable::Missing) => {
                format!("is not there; put it back, or `{}` writes the stub", restoring(&self.file))
            }
            Err(Unreadable::Unusable(found, next)) => {
                format!("is {found}; {}", files::or_reset(&next, &self.file))
            }
            Err(Unreadable::Refused(why)) => format!("can't be read: {why}; {MAKE_READABLE}"),
        };
        let since = *self.gone_since.get_or_insert_with(Instant::now);
        if since.elapsed() < GONE_AFTER { Look::Wait } else { Look::Nothing(what) }
    }

    /// True where the folder may be gone that the events are of: whoever sees this watches anew once the file is there.
    pub fn lost_folder(&self) -> bool {
        self.missing
            && self.watcher.is_some()
            && self.gone_since.is_some_and(|since| since.elapsed() >= GONE_AFTER)
    }
}

/// The command that writes a kernel's stub again. Where the whole course folder is gone, the command names it.
fn restoring(kernel: &Path) -> String {
    match kernel.ancestors().nth(2) {
        Some(course) if !course.is_dir() => format!("{} init {}", typed(), quoted_whole(course)),
        _ => format!("{} init", typed()),
    }
}

/// Reading changes nothing, and looking is reading. What can't be told of may be a change.
fn is_change(event: &notify::Result<notify::Event>) -> bool {
    match event {
        Ok(event) => {
            !event.kind.is_access() || event.kind == EventKind::Access(AccessKind::Close(AccessMode::Write))
        }
        Err(_) => true,
    }
}

/// The name of a file system that gives no events for what others change.
fn without_events(folder: &Path) -> Option<String> {
    let kind = statfs(folder).ok()?.f_type;
    // Signed on some machines: only the lower half is the number.
    #[allow(clippy::unnecessary_cast, reason = "its type differs from machine to machine")]
    let kind = kind as u64 & 0xffff_ffff;
    let name = WITHOUT_EVENTS.iter().find(|(known, _)| *known == kind)?.1;
    Some(why(name))
}

/// Why the system does not tell of saves.
fn no_watch(error: &notify::Error) -> String {
    match &error.kind {
        ErrorKind::PathNotFound => "the kernel's folder is not there".to_owned(),
        ErrorKind::MaxFilesWatch => "the system watches no more files".to_owned(),
        ErrorKind::Io(error) => files::explain(error).to_string(),
        _ => "the system does not tell of saves".to_owned(),
    }
}

/// Why a file is looked at again and again on this file system.
fn why(name: &str) -> String {
    format!("no events on {name}")
}

#[cfg(test)]
mod tests {
    use std::{fs, sync::mpsc};

    use super::*;

    fn text(look: Look) -> Option<String> {
        match look {
            Look::Text(text) => Some(text),
            Look::Nothing(_) | Look::Wait => None,
        }
    }

    #[test]
    fn a_save_by_rename_is_told_of_and_seen() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("kernel.cu");
        fs::write(&file, "// one").unwrap();
        let (send, receive) = mpsc::channel();
        let mut saves = Saves::of(file.clone(), false, move || _ = send.send(()));
        assert_eq!(saves.polling(), None);
        assert_eq!(text(saves.look()).as_deref(), Some("// one"));
        for text_ in ["// two", "// three"] {
            while receive.try_recv().is_ok() {}
            fs::write(folder.path().join(".kernel.cu.swp"), text_).unwrap();
            fs::rename(folder.path().join(".kernel.cu.swp"), &file).unwrap();
            receive.recv_timeout(Duration::from_secs(5)).expect("an event");
            assert_eq!(text(saves.look()).as_deref(), Some(text_));
        }
    }

    #[test]
    fn what_is_gone_for_an_instant_is_awaited() {
        let folder = tempfile::tempdir().unwrap();
        let mut saves = Saves::of(folder.path().join("kernel.cu"), true, || ());
        assert!(saves.polling().is_some());
        assert!(matches!(saves.look(), Look::Wait));
        std::thread::sleep(GONE_AFTER);
        let Look::Nothing(why) = saves.look() else { panic!("it is gone") };
        assert!(why.contains(&format!("`{}", typed())), "{why}");
        fs::write(folder.path().join("kernel.cu"), "// back").unwrap();
        assert_eq!(text(saves.look()).as_deref(), Some("// back"));
    }

    #[test]
    fn the_command_names_a_folder_that_is_gone() {
        let folder = tempfile::tempdir().unwrap();
        let course = folder.path().join("my course");
        let kernel = course.join("03-reduction/kernel.cu");
        let gone = format!("{} init {}", typed(), quoted_whole(&course));
        assert!(gone.ends_with("/my course'"), "{gone}");
        assert_eq!(restoring(&kernel), gone);
        fs::create_dir(&course).unwrap();
        assert_eq!(restoring(&kernel), format!("{} init", typed()));
    }

    /// As where the system allows no more watches: whatever the reason, saves are seen and the reason is told.
    #[test]
    fn what_gives_no_events_is_looked_at_and_says_why() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("03-reduction/kernel.cu");
        // There is nothing yet that could give events.
        let mut saves = Saves::of(file.clone(), false, || panic!("no event"));
        let why = saves.polling().expect("a reason").to_owned();
        assert!(!why.is_empty());
        assert_eq!(saves.pause(), POLLING);
        fs::create_dir(file.parent().unwrap()).unwrap();
        fs::write(&file, "// there").unwrap();
        assert_eq!(text(saves.look()).as_deref(), Some("// there"));
    }

    #[test]
    fn every_reason_to_look_again_and_again_fits_its_row() {
        colored::control::set_override(false);
        let reasons = WITHOUT_EVENTS.iter().map(|(_, name)| why(name));
        for why in reasons.chain(["asked for by --poll".to_owned()]) {
            let notice = crate::watch::polling_notice(&why, 80);
            assert_eq!(notice, format!("looks for saves five times a second: {why}"));
        }
        // What the system says may be long, or have lines.
        let long = crate::watch::polling_notice(&"too many files are watched\n".repeat(9), 80);
        assert_eq!((long.chars().count(), long.lines().count()), (80, 1), "{long}");
        assert!(
            long.starts_with("looks for saves five times a second: too many files are watched"),
            "{long}"
        );
    }

    #[test]
    fn this_file_system_and_a_network_are_told_apart() {
        // `/proc` is nobody's network.
        assert_eq!(without_events(Path::new("/proc")), None);
        let mut numbers: Vec<u64> = WITHOUT_EVENTS.iter().map(|(number, _)| *number).collect();
        numbers.sort_unstable();
        numbers.dedup();
        assert_eq!(numbers.len(), WITHOUT_EVENTS.len());
    }
}
