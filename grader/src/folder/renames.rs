//! An exercise that another version of the course calls otherwise: its folder and its part of the record get the new
//! name, and nothing that a learner wrote is lost.

use std::{fs, io, path::Path};

use harness::exercise::Exercise;

use super::content_hash;
use crate::{course::Course, files, progress::LearnerProgress, stub};

/// What became of a folder with an earlier name.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Renamed {
    /// The earlier id.
    pub from: String,
    /// The id now.
    pub to: String,
    /// Whether the folder has the new name; else both are there, as the learner left them.
    pub moved: bool,
}

/// Whether [`carry`] has something to carry.
pub fn are_due(folder: &Path, course: Course<'_>, progress: &mut LearnerProgress) -> bool {
    earlier(course).any(|(exercise, from)| {
        progress.has(from)
            || (is_there(&folder.join(from)) && gives_way(&folder.join(exercise.id()), exercise, progress))
    })
}

/// Carries what has an earlier name over to the new one.
///
/// # Errors
/// Where the disk refuses, with what was done so far in the record.
pub fn carry(
    folder: &Path,
    course: Course<'_>,
    progress: &mut LearnerProgress,
) -> Result<Vec<Renamed>, (String, io::Error)> {
    let mut all = Vec::new();
    for (exercise, from) in earlier(course) {
        let (old, new) = (folder.join(from), folder.join(exercise.id()));
        let mut moved = false;
        if is_there(&old) {
            moved = make_room(&new, exercise, progress)
                .and_then(|free| if free { fs::rename(&old, &new).map(|()| true) } else { Ok(false) })
                .map_err(|error| (from.to_owned(), error))?;
            all.push(Renamed { from: from.to_owned(), to: exercise.id().to_owned(), moved });
        }
        progress.carry(from, exercise.id(), moved);
    }
    Ok(all)
}

/// Every earlier id with the exercise that has another now. What is an exercise's own id is nobody's earlier one.
fn earlier<'a>(course: Course<'a>) -> impl Iterator<Item = (&'a dyn Exercise, &'static str)> {
    let names = course
        .exercises
        .iter()
        .flat_map(|exercise| exercise.about().formerly.iter().map(move |from| (*exercise, *from)));
    names.filter(move |(_, from)| course.exercises.iter().all(|known| known.id() != *from))
}

fn is_there(path: &Path) -> bool {
    fs::symlink_metadata(path).is_ok()
}

/// Makes room where another folder may come; false where it may not.
fn make_room(place: &Path, exercise: &dyn Exercise, progress: &mut LearnerProgress) -> io::Result<bool> {
    if !gives_way(place, exercise, progress) {
        return Ok(false);
    }
    let kernel = place.join("kernel.cu");
    if is_there(&kernel) {
        fs::remove_file(&kernel)?;
    }
    if is_there(place) {
        fs::remove_dir(place)?;
    }
    Ok(true)
}

/// Whether another folder may come to this place: nothing is there, or nothing but an untouched stub.
fn gives_way(place: &Path, exercise: &dyn Exercise, progress: &mut LearnerProgress) -> bool {
    if !is_there(place) {
        return true;
    }
    let kernel = place.join("kernel.cu");
    let is_folder = fs::symlink_metadata(place).is_ok_and(|data| data.is_dir());
    let names = fs::read_dir(place).into_iter().flatten();
    let only_the_kernel = names.flatten().all(|entry| entry.path() == kernel);
    let untouched = match files::read_kernel(&kernel) {
        Ok(text) => {
            let came = progress.has(exercise.id()).then(|| progress.of(exercise.id()).stub.clone()).flatten();
            stub::is_untouched(&text, exercise.about().stub) || came == Some(content_hash(&text))
        }
        Err(files::Unreadable::Missing) => !is_there(&kernel),
        Err(_) => false,
    };
    is_folder && only_the_kernel && untouched
}

#[cfg(test)]
mod tests {
    use super::*;
    use harness::{
        exercise::{About, Case, Constants},
        plan::Plan,
    };

    use crate::{folder::CourseFolder, progress::Passed, sample::Named};

    /// An exercise that had other ids before.
    struct Renumbered(&'static str, &'static [&'static str]);

    impl Exercise for Renumbered {
        fn about(&self) -> About {
            About { formerly: self.1, ..Named(self.0).about() }
        }
        fn cases(&self) -> Vec<Case> {
            Vec::new()
        }
        fn plan(&self, _: &Case, _: u64, _: &Constants) -> Plan {
            Plan::new()
        }
    }

    /// A course folder through versions of a course.
    struct Years {
        root: tempfile::TempDir,
    }

    impl Years {
        fn new() -> Self {
            Years { root: tempfile::tempdir().unwrap() }
        }
        fn folder(&self) -> CourseFolder {
            CourseFolder { path: self.root.path().to_owned() }
        }
        fn path(&self, name: &str) -> std::path::PathBuf {
            self.root.path().join(name)
        }
        /// The version that has these exercises comes: what it did with earlier names.
        fn version(&self, exercises: &[Renumbered]) -> Vec<Renamed> {
            let exercises: Vec<&dyn Exercise> = exercises.iter().map(|each| each as &dyn Exercise).collect();
            let course = Course { exercises: &exercises };
            let is_due = || {
                let mut progress = LearnerProgress::load(self.root.path()).unwrap();
                are_due(self.root.path(), course, &mut progress)
            };
            let was_due = is_due();
            let made = self.folder().complete(course).unwrap();
            let moved = made.renamed.iter().any(|each| each.moved);
            assert!(was_due || !moved, "what is moved was due");
            assert!(!is_due() && self.folder().due(course).unwrap().is_empty());
            assert_eq!(self.folder().complete(course).unwrap().stubs, [""; 0]);
            made.renamed
        }
        fn write(&self, exercise: &str, text: &str) {
            fs::create_dir_all(self.path(exercise)).unwrap();
            fs::write(self.path(exercise).join("kernel.cu"), text).unwrap();
        }
        fn kernel(&self, exercise: &str) -> String {
            fs::read_to_string(self.path(exercise).join("kernel.cu")).unwrap()
        }
        fn pass(&self, exercise: &str, kernel: &str, at: &str) {
            LearnerProgress::update(self.root.path(), |progress| {
                progress.of(exercise).checks += 1;
                progress.of(exercise).remember(Passed {
                    kernel: content_hash(kernel),
                    at: at.to_owned(),
                    device: "sim:h200".to_owned(),
                    speed_unmeasured: true,
                });
            })
            .unwrap();
        }
        fn passes(&self, exercise: &str) -> usize {
            let mut progress = LearnerProgress::load(self.root.path()).unwrap();
            if progress.has(exercise) { progress.of(exercise).passed.len() } else { 0 }
        }
    }

    const FIRST: Renumbered = Renumbered("03-reduction", &[]);
    const SECOND: Renumbered = Renumbered("04-reduction", &["03-reduction"]);
    const THIRD: Renumbered = Renumbered("05-maximum", &["04-reduction", "03-reduction"]);

    fn moved(from: &str, to: &str) -> Renamed {
        Renamed { from: from.to_owned(), to: to.to_owned(), moved: true }
    }

    #[test]
    fn work_and_record_come_along_through_two_versions() {
        let years = Years::new();
        assert_eq!(years.version(&[FIRST]), []);
        years.write("03-reduction", "my own");
        fs::write(years.path("03-reduction/notes.txt"), "mine, too").unwrap();
        years.pass("03-reduction", "my own", "2026-01-01");
        assert_eq!(years.version(&[SECOND]), [moved("03-reduction", "04-reduction")]);
        assert_eq!(years.version(&[SECOND]), []);
        years.pass("04-reduction", "my better one", "2026-01-02");
        assert_eq!(years.version(&[THIRD]), [moved("04-reduction", "05-maximum")]);
        assert_eq!((years.kernel("05-maximum").as_str(), years.passes("05-maximum")), ("my own", 2));
        assert_eq!(fs::read_to_string(years.path("05-maximum/notes.txt")).unwrap(), "mine, too");
        assert!(!years.path("03-reduction").exists() && !years.path("04-reduction").exists());
        assert_eq!(years.passes("03-reduction") + years.passes("04-reduction"), 0);
    }

    #[test]
    fn a_version_may_be_left_out_and_a_new_exercise_takes_the_number() {
        let years = Years::new();
        years.version(&[FIRST]);
        years.write("03-reduction", "my own");
        let renamed = years.version(&[Renumbered("03-voting", &[]), THIRD]);
        assert_eq!(renamed, [moved("03-reduction", "05-maximum")]);
        assert_eq!(years.kernel("05-maximum"), "my own");
        assert_eq!(years.kernel("03-voting"), Renumbered("03-voting", &[]).about().stub);
    }

    #[test]
    fn an_untouched_stub_gives_way_to_work_and_to_nothing_else() {
        let years = Years::new();
        years.version(&[FIRST]);
        years.write("03-reduction", "my own");
        // As where the new version was begun anew beside the old one.
        years.write("04-reduction", FIRST.about().stub);
        assert_eq!(years.version(&[SECOND]), [moved("03-reduction", "04-reduction")]);
        assert_eq!(years.kernel("04-reduction"), "my own");
    }

    #[test]
    fn where_the_new_name_is_taken_both_stay() {
        for theirs in ["kernel.cu", "notes.txt"] {
            let years = Years::new();
            years.version(&[FIRST]);
            years.write("03-reduction", "my own");
            years.pass("03-reduction", "my own", "2026-01-01");
            fs::create_dir_all(years.path("04-reduction")).unwrap();
            fs::write(years.path("04-reduction").join(theirs), "my other").unwrap();
            years.pass("04-reduction", "my other", "2026-01-02");
            let both = Renamed { moved: false, ..moved("03-reduction", "04-reduction") };
            assert_eq!(years.version(&[SECOND]), [both]);
            assert_eq!(years.kernel("03-reduction"), "my own");
            assert_eq!(fs::read_to_string(years.path("04-reduction").join(theirs)).unwrap(), "my other");
            assert_eq!(years.passes("04-reduction"), 2);
        }
    }

    #[test]
    fn a_link_or_a_file_in_the_way_is_left_alone() {
        let years = Years::new();
        years.version(&[FIRST]);
        years.write("03-reduction", "my own");
        years.write("elsewhere", FIRST.about().stub);
        std::os::unix::fs::symlink("elsewhere", years.path("04-reduction")).unwrap();
        assert!(!years.version(&[SECOND])[0].moved);
        assert_eq!(years.kernel("03-reduction"), "my own");
        assert!(fs::symlink_metadata(years.path("04-reduction")).unwrap().is_symlink());
    }

    #[test]
    fn an_untouched_stub_of_the_old_name_becomes_the_new_stub() {
        let years = Years::new();
        years.version(&[FIRST]);
        years.write("03-reduction", "an earlier stub");
        LearnerProgress::update(years.root.path(), |progress| {
            progress.of("03-reduction").stub = Some(content_hash("an earlier stub"));
        })
        .unwrap();
        years.version(&[SECOND]);
        assert_eq!(years.kernel("04-reduction"), SECOND.about().stub);
    }

    #[test]
    fn what_is_another_exercises_name_moves_nothing() {
        let years = Years::new();
        years.version(&[FIRST]);
        years.write("03-reduction", "my own");
        assert_eq!(years.version(&[FIRST, SECOND]), []);
        assert_eq!(years.kernel("03-reduction"), "my own");
    }

    #[test]
    fn what_the_course_has_no_more_stays() {
        let years = Years::new();
        years.version(&[FIRST]);
        years.write("03-reduction", "my own");
        years.pass("03-reduction", "my own", "2026-01-01");
        assert_eq!(years.version(&[Renumbered("03-voting", &[])]), []);
        assert_eq!((years.kernel("03-reduction").as_str(), years.passes("03-reduction")), ("my own", 1));
    }
}
