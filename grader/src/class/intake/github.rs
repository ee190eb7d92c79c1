//! Whose a clone of GitHub Classroom is: it is called ASSIGNMENT-USER, and its folder ASSIGNMENT-submissions.
//!
//! Both may have hyphens, and `sheet-3-x-ada` may be x-ada's of sheet-3 or ada's of sheet-3-x: only the folder's name, or
//! a roster that all clones agree with, tells.

use std::collections::{BTreeMap, BTreeSet};

use super::{hand_in::HandIn, roster::Roster};

/// Calls hand-ins by their users, where it is certain who these are; else they keep the clones' names. `folder` is the
/// name of the folder that has the clones.
pub fn name_users(hand_ins: &mut BTreeMap<String, HandIn<'_>>, folder: &str, roster: Option<&Roster>) {
    let names: Vec<&str> = hand_ins.keys().map(String::as_str).collect();
    let Some(before) = of_folder(&names, folder).or_else(|| of_roster(&names, roster?)) else { return };
    for hand_in in hand_ins.values_mut() {
        for submitter in &mut hand_in.submitters {
            if let Some(user) = submitter.id.strip_prefix(&before).filter(|user| !user.is_empty()) {
                (submitter.id, submitter.name) = (user.to_owned(), user.to_owned());
            }
        }
    }
}

/// What comes before the users, by the folder's name.
fn of_folder(names: &[&str], folder: &str) -> Option<String> {
    let before = format!("{}-", folder.strip_suffix("-submissions")?);
    names.iter().all(|name| name.starts_with(&before)).then_some(before)
}

/// What comes before the users, where only one thing can with these users.
fn of_roster(names: &[&str], roster: &Roster) -> Option<String> {
    let all: BTreeSet<&str> = roster
        .ids()
        .flat_map(|user| names.iter().filter_map(move |name| name.strip_suffix(user)))
        .filter(|before| before.ends_with('-') && names.iter().all(|name| name.starts_with(before)))
        .collect();
    match all.into_iter().collect::<Vec<_>>()[..] {
        [before] => Some(before.to_owned()),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_folder_tells_and_a_roster_where_it_can_be_only_one() {
        let names = ["sheet-3-ada-l", "sheet-3-ada-m"];
        assert_eq!(of_folder(&names, "sheet-3-submissions").as_deref(), Some("sheet-3-"));
        assert_eq!(of_folder(&names, "sheet-4-submissions"), None);
        assert_eq!(of_folder(&names, "class"), None);
        let roster = |users: &str| Roster::of_text("roster.csv", &format!("id\n{users}\n")).unwrap();
        assert_eq!(of_roster(&names, &roster("ada-l\nada-m")).as_deref(), Some("sheet-3-"));
        // One user is x of the assignment sheet-3-ada, or ada-x of sheet-3.
        assert_eq!(of_roster(&names, &roster("ada-l\nl\nm")), None);
        // A stranger with a name that ends like a classmate's is none.
        assert_eq!(
            of_roster(&["sheet-3-x-ada", "sheet-3-bo"], &roster("ada\nbo")).as_deref(),
            Some("sheet-3-")
        );
    }
}
