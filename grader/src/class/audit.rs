//! `grader class audit`: looks whether results are what was judged, by the log that was written along with them.
//!
//! It reads the log and compares: its own chain, the header that it began with, the rows and reports that are stored, the
//! files that were handed out, and those that other commands wrote. It judges nothing; `class replay` does. With a head,
//! the audit does not pass if it could not compare something: a change there would not show.

mod after;
pub mod beside;

use std::{
    collections::{BTreeMap, BTreeSet},
    fs,
    path::Path,
};

use super::{
    export::{self, Export},
    header::Header,
    log::{Entry, Event, Head, Judged, has_ended},
    place::judge_name,
    row::Row,
    store::{Damage, Owner, Store, hash_of_resembling},
};
use crate::{
    cli::class::Audit,
    course::Course,
    exit::{Exit, Result, Trouble},
    terminal::remark,
    visible::{one_line, shown},
};
use harness::report::number_of;

/// Runs it.
///
/// # Errors
/// Wrong usage where there are no results, or the head is none.
pub fn run(course: Course<'_>, audit: &Audit) -> Result<Exit> {
    let wanted = audit.head.as_deref().map(head).transpose()?;
    let (mut store, header) = Store::open(&audit.results)?;
    let found = look(course, &audit.results, &mut store, &header, wanted.as_deref());
    let place = shown(&audit.results);
    crate::print(&format!(
        "{place}: {}, {} in the log\n",
        number_of(store.rows().count(), "row"),
        number_of(store.head().entries, "entry")
    ));
    found.remarks.iter().for_each(|said| crate::print(&format!("{said}\n")));
    for problem in &found.problems {
        crate::print(&format!("changed: {}\n", one_line(problem)));
    }
    for open in &found.open {
        crate::print(&format!("not compared: {}\n", one_line(open)));
    }
    if wanted.is_none() {
        remark(
            "without --head only accidents show: who changes results on purpose can write the log anew. `score` prints the head \
             when it ends, and `audit-head.txt` has a copy",
        );
    }
    let open = if wanted.is_some() { found.open.len() } else { 0 };
    match (found.problems.len(), open) {
        (0, 0) if found.open.is_empty() => crate::print("everything agrees with the log\n"),
        (0, 0) => crate::print("everything that was compared agrees with the log\n"),
        (0, open) => crate::print(&format!(
            "{} not compared: a change there would not show, so this audit does not pass\n",
            if open == 1 { "1 thing was".to_owned() } else { format!("{open} things were") }
        )),
        (count, _) => crate::print(&format!(
            "{count} {} with the log: `grader class score` judges damaged rows again and writes the files anew; \
             `grader class replay` judges one row again\n",
            if count == 1 { "thing does not agree" } else { "things do not agree" }
        )),
    }
    Ok(if found.problems.len() + open == 0 { Exit::Passed } else { Exit::Failed })
}

/// A head as it was printed.
fn head(text: &str) -> Result<String> {
    let text = text.trim().to_lowercase();
    match text.len() == 64 && text.bytes().all(|digit| digit.is_ascii_hexdigit()) {
        true => Ok(text),
        false => Err(Trouble::usage(
            format!("a head has 64 digits from 0 to f, found {}", one_line(&text)),
            "copy what `score` printed behind `audit head`",
        )),
    }
}

/// What an audit has found.
#[derive(Debug, Default)]
struct Found {
    /// What does not agree with the log.
    problems: Vec<String>,
    /// What was not compared, why, and what to do about it.
    open: Vec<String>,
    /// What happened since the head.
    remarks: Vec<String>,
}

fn look(
    course: Course<'_>,
    folder: &Path,
    store: &mut Store,
    header: &Header,
    wanted: Option<&str>,
) -> Found {
    let mut found = Found::default();
    // What is missing of rows is found below, by the log.
    let damaged = store.damaged().iter().filter(|what| matches!(what, Damage::Entry(_)));
    found.problems.extend(damaged.map(|what| format!("{what} is damaged")));
    let log = store.log();
    let mut entries = Vec::new();
    let mut head = Head::default();
    // Before anything was written there is a head, too.
    let mut is_known = wanted.is_some_and(|wanted| head.to_string() == wanted).then_some(0);
    for (number, logged) in log.iter().enumerate() {
        head = head.after(&logged.text);
        if head.to_string() != logged.head {
            found.problems.push(format!("entry {} of the log, or one before it", number + 1));
            // All that follow are hashed together with it.
            break;
        }
        match serde_json::from_str::<Entry>(&logged.text) {
            Ok(entry) => entries.push(entry),
            Err(_) => found.problems.push(format!("entry {} of the log can't be read", number + 1)),
        }
        if wanted.is_some_and(|wanted| head.to_string() == wanted) {
            is_known = Some(number + 1);
        }
    }
    match (wanted, is_known) {
        (Some(_), None) => found
            .problems
            .push("this log never had that head: it is another's, or was written anew".to_owned()),
        (Some(_), Some(at)) if at < log.len() => {
            found
                .remarks
                .push(format!("after that head the log goes on: {}", number_of(log.len() - at, "entry")));
            found.remarks.extend(after::changes(&entries, at));
        }
        _ => {}
    }
    compare_rows(&entries, store, &mut found.problems);
    compare_resembling(&entries, store, &mut found.problems);
    // The log's own header, and not the stored one, decides what is compared.
    let began = after::last_header(&entries);
    if let Some(began) = began.filter(|began| *began != header) {
        found.problems.push(format!(
            "the header in the store: the log has another {}",
            after::differences(began, header).join(", ")
        ));
    }
    let header = began.unwrap_or(header);
    let (is_complete, judge) = (has_ended(entries.iter().map(|entry| &entry.event)), judge_name());
    match (is_complete, header.judge == judge) {
        (true, true) => compare_files(course, folder, store, header, &entries, &mut found),
        (false, _) => found.open.push(
            "the files that a scoring hands out: the scoring has not ended; the same `grader class score` as before goes on, then \
             audit again"
                .to_owned(),
        ),
        (true, false) => found.open.push(format!(
            "the files that a scoring hands out: grader {} made them, and this is {judge}. Audit with that one; or the same \
             `grader class score` as before judges by this one and writes them anew",
            header.judge
        )),
    }
    if !(is_complete && header.judge == judge) {
        compare_beside(folder, &entries, &export::is_handed_out, &mut found);
    }
    found
}

/// Compares what is stored with what the log says was stored last.
fn compare_rows(entries: &[Entry], store: &Store, problems: &mut Vec<String>) {
    let mut last: BTreeMap<Owner, &Judged> = BTreeMap::new();
    for entry in entries {
        match &entry.event {
            Event::Row(judged) => {
                last.insert((judged.student.clone(), judged.exercise.clone()), judged);
            }
            Event::Withdrawn { student, exercise } => {
                last.remove(&(student.clone(), exercise.clone()));
            }
            Event::Began { .. }
            | Event::Compared { .. }
            | Event::Proposed { .. }
            | Event::Written { .. }
            | Event::Removed { .. }
            | Event::Ended { .. } => {}
        }
    }
    for (owner, judged) in &last {
        let who = format!("{}, {}", owner.0, owner.1);
        if store.hash_of_row(owner) != Some(&judged.row) {
            problems.push(format!("{who}: the row is missing, damaged or another; it was {}", judged.status));
        }
        if let Some(report) = &judged.report
            && store.report_text(&judged.key).is_none_or(|(_, hash)| hash != *report)
        {
            problems.push(format!("{who}: the report is missing, damaged or another"));
        }
    }
    let unknown = store.rows().filter(|row| !last.contains_key(&(row.student.clone(), row.exercise.clone())));
    problems.extend(
        unknown.map(|row| format!("{}, {}: the log knows of no such row", row.student, row.exercise)),
    );
}

/// Compares what is known of published kernels with what the log says was found last.
fn compare_resembling(entries: &[Entry], store: &Store, problems: &mut Vec<String>) {
    let last = entries.iter().rev().find_map(|entry| match &entry.event {
        Event::Compared { found, .. } => Some(found.as_str()),
        _ => None,
    });
    let stored = store.resembling();
    let agrees = last.map_or(stored.is_empty(), |found| hash_of_resembling(stored) == found);
    if !agrees {
        problems.push("which published kernels are resembled: missing, damaged or another".to_owned());
    }
}

/// Compares the files with what is stored.
fn compare_files(
    course: Course<'_>,
    folder: &Path,
    store: &Store,
    header: &Header,
    entries: &[Entry],
    found: &mut Found,
) {
    let rows: Vec<Row> = store.rows().cloned().collect();
    let files = match (Export { course, header, rows: &rows, store }).files() {
        Ok(files) => files,
        Err(trouble) => {
            found.problems.push(format!("what is stored gives no files: {}", trouble.message));
            return compare_beside(folder, entries, &export::is_handed_out, found);
        }
    };
    let names: BTreeSet<String> = files.iter().map(|(name, _)| name.clone()).collect();
    let head = (export::HEAD.to_owned(), export::head_in_words(store.head()).into_bytes());
    for (name, made) in files.into_iter().chain([head]) {
        match fs::read(folder.join(&name)) {
            Ok(there) if there == made => {}
            Ok(there) => {
                let (there, made) = (String::from_utf8_lossy(&there), String::from_utf8_lossy(&made));
                let lines = || there.lines().zip(made.lines());
                let at = lines().position(|(one, other)| one != other).unwrap_or_else(|| lines().count());
                found.problems.push(format!("{name}, line {}: not what the rows say", at + 1));
            }
            Err(_) => found.problems.push(format!("{name} is missing")),
        }
    }
    compare_beside(folder, entries, &|name| names.contains(name), found);
}

/// Compares the files that are there besides what a scoring hands out.
fn compare_beside(folder: &Path, entries: &[Entry], handed_out: &dyn Fn(&str) -> bool, found: &mut Found) {
    let beside = beside::compare(folder, entries, handed_out);
    found.problems.extend(beside.changed.iter().map(|name| format!("{name}: not what was written")));
    found.remarks.extend(beside.gone.iter().map(|name| format!("{} is not there any more", one_line(name))));
    found.open.extend(beside.unknown.iter().map(|name| {
        format!(
            "{name}: the log does not know it; move it to another folder, or have the grader write it again"
        )
    }));
}
