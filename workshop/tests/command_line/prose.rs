//! The book's own text: phrases that make a reader read twice, numbers that nothing holds, further reading without a link,
//! figures that no page shows.

use std::{
    fs,
    path::{Path, PathBuf},
};

/// Phrases that no page may have, and what is wrong with each. A phrase stands between ends of words.
const BANNED: [(&str, &str); 40] = [
    ("whoever", "say who: the thread, the block, you"),
    ("whosever", "say whose"),
    ("somebody", "say who: another thread, another block"),
    ("nobody", "say who doesn't: no thread, no block, no tool"),
    ("everybody", "say who: all threads of the block, all lanes"),
    ("anybody", "say who: another thread"),
    ("half as fast again", "say 1.5 times as fast"),
    ("as much again", "say twice"),
    ("not kept", "say dropped"),
    ("eats up", "say what costs what, subject first"),
    ("would still be allowed to", "say what may happen"),
    ("is no way out", "say why it fails"),
    ("has it that", "say who says so"),
    ("to speak of", "say how much"),
    ("at one's leisure", "plain English"),
    ("needn't", "need not; one form everywhere"),
    ("the latter", "name it"),
    ("the former", "name it"),
    ("as one writes it", "say who writes it, or name the kernel"),
    ("one needs", "say who needs it: you, the kernel, a launch"),
    ("hence", "say: that is why"),
    ("thereof", "say of what"),
    ("is the matter of", "say what explains what, the page first"),
    ("business", "say who does it: the launch, block 0"),
    ("affair", "say who does it: one warp"),
    ("by the source", "say: in the source"),
    ("simply", "what is simple to the author is not to every reader"),
    ("what pays is", "subject first: fewer reads pay"),
    ("what helps is", "subject first: it helps to"),
    ("what is left is", "subject first: a barrier is left"),
    ("what remains is", "subject first: the scan remains"),
    ("is another matter", "say in what it differs"),
    ("without a word", "say: silently, without saying so"),
    ("has nothing to do with", "say what the two do not share"),
    ("need wait", "say: has to wait"),
    ("need do", "say: has to do"),
    ("need have", "say: has to have"),
    ("as if it should pay", "say: seems a good idea, but the kernel gets no faster"),
    ("wins back a little", "say how much"),
    ("without your", "say: and you need not"),
];

/// Words of [`BANNED`] for people in comments of code, where a thread is meant, or no check at all.
const PEOPLE: [&str; 5] = ["whoever", "somebody", "nobody", "everybody", "anybody"];

/// Ratios that stand in the text and that no record or count of ours holds, with the reason.
const QUOTED: [(&str, &str); 0] = [];

fn book() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../book/src")
}

/// The pages, by name, with their texts.
fn pages() -> Vec<(String, String)> {
    let mut pages = Vec::new();
    for folder in ["", "chapters"] {
        for entry in fs::read_dir(book().join(folder)).expect("a folder") {
            let name = Path::new(folder).join(entry.expect("an entry").file_name());
            if name.extension().is_some_and(|ending| ending == "md") {
                let text = fs::read_to_string(book().join(&name)).expect("a page");
                pages.push((name.display().to_string(), text));
            }
        }
    }
    pages.sort();
    assert!(pages.len() > 35, "{} pages", pages.len());
    pages
}

/// The lines that people read as text, by number: no code, and nothing that a comment says is made.
fn prose(page: &str) -> Vec<(usize, &str)> {
    let (mut in_code, mut is_made) = (false, false);
    let mut lines = Vec::new();
    for (number, line) in (1..).zip(page.lines()) {
        if line.trim_start().starts_with("```") {
            in_code = !in_code;
            continue;
        }
        is_made |= !in_code && line.starts_with("<!-- made by");
        if !in_code && !is_made {
            lines.push((number, line));
        }
        is_made &= line != "<!-- end -->";
    }
    lines
}

/// The line without what a comment of ours says and without the number that it makes.
fn without_made(line: &str) -> String {
    let mut rest = line;
    let mut kept = String::new();
    while let Some((before, after)) = rest.split_once("<!-- =") {
        kept.push_str(before);
        rest = after.split_once("<!-- . -->").map_or("", |(_, after)| after);
    }
    kept + rest
}

/// Whether the phrase stands in the text, not as a part of longer words.
fn has(text: &str, phrase: &str) -> bool {
    let is_end = |c: Option<char>| c.is_none_or(|c| !c.is_alphanumeric());
    text.match_indices(phrase).any(|(at, _)| {
        is_end(text[..at].chars().next_back()) && is_end(text[at + phrase.len()..].chars().next())
    })
}

/// The files of a folder and of those in it, by path from the root.
fn files_in(folder: &str) -> Vec<String> {
    let root = book().join("../..");
    let (mut files, mut folders) = (Vec::new(), vec![PathBuf::from(folder)]);
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(root.join(&folder)).expect("a folder") {
            let path = folder.join(entry.expect("an entry").file_name());
            if root.join(&path).is_dir() {
                folders.push(path);
            } else {
                files.push(path.display().to_string());
            }
        }
    }
    files
}

/// The other texts that learners and strangers read, by path from the root: hints, the README, all kernels, the examples and
/// what an author begins with.
fn others() -> Vec<(String, String)> {
    let root = book().join("../..");
    let mut others =
        vec!["README.md".to_owned(), "CONTRIBUTING.md".to_owned(), "grader/src/hints.md".to_owned()];
    for entry in fs::read_dir(root.join("exercises")).expect("a folder") {
        let exercise = entry.expect("an entry").file_name().to_string_lossy().into_owned();
        others.push(format!("exercises/{exercise}/hints.md"));
        // What chapters show: the stub, the solution and the steps.
        others.push(format!("exercises/{exercise}/kernel.cu"));
        others.push(format!("solutions/{exercise}/kernel.cu"));
    }
    // The steps, and the wrong and right kernels, whose headers the table of wrong kernels shows; and why mutants are alike.
    let is_read =
        |name: &String| name.ends_with(".cu") && !name.ends_with("/kernel.cu") || name.ends_with(".toml");
    others.extend(files_in("solutions").into_iter().filter(is_read));
    others.push("grader/src/class/init.toml".to_owned());
    for folder in ["book/examples", "workshop/scaffold", "kernels"] {
        others.extend(files_in(folder));
    }
    others.sort();
    let read = |name: String| fs::read_to_string(root.join(&name)).ok().map(|text| (name, text));
    let others: Vec<(String, String)> = others.into_iter().filter_map(read).collect();
    assert!(others.len() > 500, "{} texts", others.len());
    others
}

/// An example that no page shows, runs or names is one that nothing holds to what the page says.
#[test]
fn every_example_is_in_a_page() {
    let pages: String = pages().into_iter().map(|(_, text)| text).collect();
    let is_named = |file: &String| {
        let name = Path::new(file).file_name().unwrap_or_default().to_string_lossy();
        pages.contains(file.as_str()) || pages.contains(&format!("`{name}`"))
    };
    let examples = files_in("book/examples");
    assert!(examples.len() > 5, "{} examples", examples.len());
    let unnamed: Vec<&String> = examples.iter().filter(|file| !is_named(file)).collect();
    assert!(unnamed.is_empty(), "no page names {unnamed:?}");
}

#[test]
fn no_page_has_a_phrase_that_is_read_twice() {
    let mut found = Vec::new();
    let texts = pages().into_iter().chain(others());
    for (page, text) in texts {
        let lines = prose(&text);
        for (place, &(number, line)) in lines.iter().enumerate() {
            // A phrase may go on in the next line; it is then this line's.
            let next = lines.get(place + 1).map_or("", |(_, next)| {
                let next = next.trim_start();
                ["//! ", "/// ", "// "].iter().find_map(|mark| next.strip_prefix(mark)).unwrap_or(next)
            });
            let here = line.to_lowercase();
            let both = format!("{here} {}", next.to_lowercase());
            for (phrase, why) in BANNED {
                if has(&here, phrase) || has(&both, phrase) && !has(&next.to_lowercase(), phrase) {
                    found.push(format!("{page}:{number}: \"{phrase}\": {why}"));
                }
            }
        }
    }
    assert!(found.is_empty(), "{}", found.join("\n"));
}

/// The lines of the code that pages have themselves, by number: none that a comment says is made.
fn code(page: &str) -> Vec<(usize, &str)> {
    let (mut in_code, mut is_made) = (false, false);
    let mut lines = Vec::new();
    for (number, line) in (1..).zip(page.lines()) {
        is_made |= !in_code && line.starts_with("<!-- made by");
        let is_fence = line.trim_start().starts_with("```");
        in_code ^= is_fence;
        if in_code && !is_fence && !is_made {
            lines.push((number, line));
        }
        is_made &= line != "<!-- end -->";
    }
    lines
}

#[test]
fn no_comment_in_code_means_people() {
    let mut found = Vec::new();
    for (page, text) in pages() {
        for (number, line) in code(&text) {
            let words = PEOPLE.iter().filter(|word| has(&line.to_lowercase(), word));
            found.extend(words.map(|word| format!("{page}:{number}: \"{word}\": say which thread")));
        }
    }
    assert!(found.is_empty(), "{}", found.join("\n"));
}

/// The line as readers see it, with its answers and without the questions.
fn answered(line: &str) -> String {
    let mut rest = line;
    let mut kept = String::new();
    while let Some((before, after)) = rest.split_once("<!-- ") {
        kept.push_str(before);
        rest = after.split_once("-->").map_or("", |(_, after)| after);
    }
    kept + rest
}

/// Numbers that say "no faster" or "slower" and are told as if they said how many times as fast, e.g. `0.94 times as fast`.
fn told_as_gains(line: &str) -> Vec<String> {
    let line = answered(line).replace('×', " times");
    let words: Vec<&str> = line.split_whitespace().collect();
    let is_small = |word: &str| word.parse::<f64>().is_ok_and(|ratio| ratio < 1.005 && word.contains('.'));
    let number = |word: &str| word.trim_matches(|c: char| "().,:;*".contains(c)).to_owned();
    let told = |at: usize| {
        let is =
            |offset: usize, word: &str| words.get(at + offset).is_some_and(|found| number(found) == word);
        let tells = |offset: usize, all: &[&str]| {
            all.iter().enumerate().all(|(place, word)| is(offset + place, word))
        };
        let gains: [&[&str]; 3] =
            [&["times", "as", "fast"], &["times", "the", "speed"], &["times", "the", "solution's"]];
        gains.iter().any(|gain| tells(1, gain)) || at >= 2 && words[at - 2..at] == ["factor", "of"]
    };
    let all = (0..words.len()).filter(|at| is_small(&number(words[*at])) && told(*at));
    all.map(|at| number(words[at])).collect()
}

#[test]
fn what_is_slower_is_called_slower() {
    let made = "it is <!-- =bare(speedup(\"kernel.cu\")) -->0.92<!-- . --> times as fast";
    assert_eq!(told_as_gains(made), ["0.92"]);
    assert_eq!(
        told_as_gains("1.00× the speed of step 4, a factor of 0.94, and 0.5 of a roof"),
        ["1.00", "0.94"]
    );
    assert!(
        told_as_gains("1.31 times as fast, slower (0.94×), a factor of 1.05, 0.98 of cuBLAS's speed")
            .is_empty()
    );
    let mut found = Vec::new();
    for (page, text) in pages() {
        for (number, line) in prose(&text) {
            let told = told_as_gains(line).into_iter();
            found.extend(told.map(|ratio| {
                format!("{page}:{number}: {ratio}: say that it is no faster, and the ratio in brackets")
            }));
        }
    }
    assert!(found.is_empty(), "{}", found.join("\n"));
}

/// Numbers such as `1.4×` and `16-fold`.
fn ratios(line: &str) -> Vec<String> {
    let words = line.split(|c: char| c.is_whitespace() || "|()".contains(c));
    let words = words.map(|word| word.trim_matches(|c: char| ".,;:*\"".contains(c)));
    let is_ratio = |word: &&str| {
        let number = word.strip_suffix('×').or_else(|| word.strip_suffix("-fold"));
        number.is_some_and(|number| number.parse::<f64>().is_ok())
    };
    words.filter(is_ratio).map(str::to_owned).collect()
}

#[test]
fn every_ratio_comes_from_a_record_or_a_count() {
    assert_eq!(ratios("| 1.4× | a 16-fold, 4 × 4 (3.5×)"), ["1.4×", "16-fold", "3.5×"]);
    let mut found = Vec::new();
    for (page, text) in pages() {
        for (number, line) in prose(&text) {
            for ratio in ratios(&without_made(line)) {
                if !QUOTED.iter().any(|(quoted, _)| *quoted == ratio) {
                    found.push(format!(
                        "{page}:{number}: {ratio}: ask the record (`<!-- =… -->`, see `workshop book`)"
                    ));
                }
            }
        }
    }
    assert!(found.is_empty(), "{}", found.join("\n"));
}

/// Whoever hears a table is told its columns' names with every cell.
#[test]
fn every_column_of_a_table_has_a_name() {
    let is_rule = |line: &str| line.contains("---") && line.chars().all(|c| "|-: ".contains(c));
    let mut found = Vec::new();
    for (page, text) in pages() {
        let lines: Vec<&str> = text.lines().collect();
        for (number, pair) in lines.windows(2).enumerate() {
            let names = pair[0].trim().trim_start_matches('|').trim_end_matches('|');
            if pair[0].starts_with('|')
                && is_rule(pair[1])
                && names.split('|').any(|name| name.trim().is_empty())
            {
                found.push(format!("{page}:{}: a column has no name: {}", number + 1, pair[0]));
            }
        }
    }
    assert!(found.is_empty(), "{}", found.join("\n"));
}

/// The targets of a text's links.
fn targets(text: &str) -> Vec<&str> {
    text.split("](").skip(1).filter_map(|rest| rest.split_once(')').map(|(target, _)| target)).collect()
}

/// What is wrong with a link from a page.
fn broken(page: &str, target: &str) -> Option<String> {
    if let Some(rest) = target.strip_prefix("https://") {
        let host = rest.split(['/', '#', '?']).next().unwrap_or_default();
        let is_plain = target.chars().all(|c| c.is_ascii_graphic() && !"<>\"`{}|\\^".contains(c));
        return (!is_plain || !host.contains('.')).then(|| format!("{target} is no address"));
    }
    if target.contains("://") {
        return Some(format!("{target}: write https"));
    }
    let (file, place) = target.split_once('#').unwrap_or((target, ""));
    let path = book().join(page).parent().expect("a folder").join(file);
    let path = if file.is_empty() { book().join(page) } else { path };
    if !path.exists() {
        return Some(format!("there is no {file}"));
    }
    let text = fs::read_to_string(&path).unwrap_or_default();
    let has_place =
        place.is_empty() || text.lines().any(|line| line.starts_with('#') && anchor(line) == place);
    (!has_place).then(|| format!("{file} has no heading #{place}"))
}

/// The anchor that mdBook gives a heading.
fn anchor(heading: &str) -> String {
    let text = heading.trim_start_matches('#').trim().to_lowercase();
    let kept = text.chars().filter(|c| c.is_alphanumeric() || " _-".contains(*c));
    kept.map(|c| if c == ' ' { '-' } else { c }).collect()
}

#[test]
fn every_link_has_a_target_and_every_further_reading_a_link() {
    assert_eq!(anchor("## Counters that are the hardware's"), "counters-that-are-the-hardwares");
    assert!(
        broken("introduction.md", "nowhere.md").is_some()
            && broken("introduction.md", "http://a.org").is_some()
    );
    let (mut found, mut links, mut read) = (Vec::new(), 0, 0);
    let readme = "../../README.md";
    let readme = (readme.to_owned(), fs::read_to_string(book().join(readme)).expect("a README"));
    for (page, text) in pages().into_iter().chain([readme]) {
        let lines = prose(&text);
        let shown: Vec<&str> = lines.iter().map(|(_, line)| *line).collect();
        for target in targets(&shown.join("\n")) {
            links += 1;
            found.extend(broken(&page, target).map(|what| format!("{page}: {what}")));
        }
        let Some((_, reading)) = text.split_once("## Further reading\n") else { continue };
        let reading = reading.split("\n## ").next().unwrap_or_default();
        for item in reading.split("\n- ").skip(1) {
            read += 1;
            if targets(item).is_empty() {
                found.push(format!("{page}: no link in \"{}\"", item.trim()));
            }
        }
    }
    assert!(links > 200 && read > 60, "{links} links, {read} books and papers");
    assert!(found.is_empty(), "{}", found.join("\n"));
}

#[test]
fn the_introduction_says_how_long_the_chapters_take() {
    let minutes: u32 = pages()
        .iter()
        .filter(|(page, _)| page.starts_with("chapters"))
        .map(|(page, text)| {
            let says = text.split_once("*About ").and_then(|(_, rest)| rest.split_once(" minutes."));
            says.unwrap_or_else(|| panic!("{page}: begins with `*About N minutes.`"))
                .0
                .parse::<u32>()
                .expect("a number")
        })
        .sum();
    let introduction = fs::read_to_string(book().join("introduction.md")).expect("a page");
    let says = format!("The chapters take about {} hours in all", (minutes + 30) / 60);
    assert!(introduction.contains(&says), "expected in introduction.md: {says}");
}

#[test]
fn chapters_that_are_named_or_counted_are_there() {
    let chapters: Vec<String> = pages()
        .into_iter()
        .filter_map(|(page, _)| Some(page.strip_prefix("chapters/")?.to_owned()))
        .collect();
    let words = fs::read_to_string(book().join("words.md")).expect("a page").to_lowercase();
    let named = words.split("chapter ").skip(1).filter_map(|rest| rest.get(..2));
    let is_there = |number: &str| chapters.iter().any(|page| page.starts_with(&format!("{number}-")));
    let missing: Vec<&str> =
        named.filter(|number| number.chars().all(|c| c.is_ascii_digit()) && !is_there(number)).collect();
    assert!(missing.is_empty(), "words.md names chapters that are not there: {missing:?}");
    let number = match chapters.len() {
        20 => "twenty",
        21 => "twenty-one",
        22 => "twenty-two",
        many => panic!("how are {many} chapters written?"),
    };
    let readme = fs::read_to_string(book().join("../../README.md")).expect("a README");
    let says = format!("The course has {number} chapters,");
    assert!(readme.contains(&says), "expected in README.md: {says}");
}

#[test]
fn every_made_figure_is_shown() {
    let shown: String = pages().into_iter().map(|(_, text)| text).collect();
    let figures: Vec<String> = fs::read_dir(book().join("generated/figures"))
        .expect("a folder")
        .map(|entry| entry.expect("an entry").file_name().to_string_lossy().into_owned())
        .collect();
    assert!(figures.len() > 100, "{} figures", figures.len());
    let missing: Vec<&String> =
        figures.iter().filter(|figure| !shown.contains(&format!("generated/figures/{figure}\""))).collect();
    assert!(missing.is_empty(), "no page shows {missing:?}");
}

/// Beginnings of labels that name a figure and say nothing of it: they have no verb.
const NO_SENTENCE: [&str; 9] = [
    "bar chart of",
    "roofline of",
    "shares of",
    "plot of",
    "figure of",
    "table of",
    "wavefronts of",
    "memories from",
    "hillis and steele's scan of",
];

/// Verbs of which a figure's label has one.
const VERBS: [&str; 58] = [
    "add",
    "adds",
    "are",
    "asks",
    "begin",
    "begins",
    "come",
    "compares",
    "count",
    "counts",
    "cover",
    "covers",
    "divided",
    "divides",
    "fill",
    "find",
    "finds",
    "follow",
    "follows",
    "form",
    "gets",
    "has",
    "have",
    "is",
    "lie",
    "lies",
    "load",
    "loads",
    "make",
    "makes",
    "measured",
    "meet",
    "meets",
    "multiplies",
    "needs",
    "overlap",
    "overwrites",
    "own",
    "reach",
    "reaches",
    "read",
    "reads",
    "scan",
    "show",
    "shows",
    "stand",
    "stands",
    "store",
    "stores",
    "take",
    "takes",
    "touches",
    "use",
    "uses",
    "walks",
    "wait",
    "waits",
    "writes",
];

/// Whether the label is a sentence, as far as words tell.
fn is_sentence(label: &str) -> bool {
    let label = label.to_lowercase();
    let begins = NO_SENTENCE.iter().any(|begin| label.starts_with(begin));
    !begins && VERBS.iter().any(|verb| has(&label, verb))
}

#[test]
fn every_figure_says_in_a_sentence_what_it_shows() {
    assert!(is_sentence("Threads load a block's tile and its halo in four steps"));
    assert!(
        !is_sentence("Bar chart of times: it is fast")
            && !is_sentence("Up-sweep and down-sweep over eight elements")
    );
    let root = book().join("../..");
    let mut found = Vec::new();
    let figures = ["book/figures", "book/src/generated/figures"].into_iter().flat_map(files_in);
    for file in figures {
        let text = fs::read_to_string(root.join(&file)).expect("a figure");
        // A plot of the grader's has no label of its own before the book gives it one.
        let Some((_, rest)) = text.split_once(" aria-label=\"") else { continue };
        let label = rest.split('"').next().unwrap_or_default();
        if !is_sentence(label) {
            found.push(format!("{file}: \"{label}\": say with a verb what is drawn"));
        }
    }
    assert!(found.is_empty(), "{}", found.join("\n"));
}

/// Pictures of screens, which have a ground of their own and are the same in light and dark.
const SCREENS: [&str; 2] = ["images/report.svg", "images/watch.svg"];

/// What a code host would not show of a page as the book does, by line.
fn not_on_a_code_host(page: &str, text: &str) -> Vec<(usize, String)> {
    let mut found = Vec::new();
    let mut in_code = false;
    for (number, line) in (1..).zip(text.lines()) {
        in_code ^= line.trim_start().starts_with("```");
        let mut wrong = |what: &str| found.push((number, what.to_owned()));
        if in_code {
            continue;
        }
        // What stands in backticks is shown as it is.
        let line = line.split('`').step_by(2).collect::<Vec<_>>().join("``");
        if line.contains("{{#") {
            wrong("an include: show the file between comments (`workshop book`)");
        }
        if line.contains("<svg") {
            wrong("inline SVG, which code hosts strip: put it in book/figures");
        }
        if line.contains("<style") || line.contains("style=") {
            wrong("a style, which code hosts strip");
        }
        if line.contains("class=\"myth\"")
            && !text.lines().nth(number + 1).is_some_and(|next| next.starts_with("**Often said:**"))
        {
            wrong("expected `**Often said:**` two lines below");
        }
        for image in line.split("![").skip(1).filter_map(|rest| rest.split_once("](")?.1.split(')').next()) {
            if image.ends_with(".svg") && !SCREENS.iter().any(|screen| image.ends_with(screen)) {
                wrong("an SVG figure in light only: `<picture>` shows both files");
            }
        }
        for picture in line.split("<picture>").skip(1) {
            found.extend(unfit(page, picture).map(|what| (number, what)));
        }
    }
    found
}

/// What is wrong with a picture: it has a file for light, one for dark, and words for readers who see neither.
fn unfit(page: &str, picture: &str) -> Option<String> {
    let attribute = |name: &str| Some(picture.split_once(&format!("{name}=\""))?.1.split_once('"')?.0);
    let (Some(light), Some(dark), Some(says)) = (attribute(" src"), attribute(" srcset"), attribute(" alt"))
    else {
        return Some("a picture without src, srcset or alt".to_owned());
    };
    let folder = book().join(page).parent().expect("a folder").to_owned();
    let is_there = |path: &str| folder.join(path).is_file();
    if !is_there(light) || !is_there(dark) || light.replace(".svg", "-dark.svg") != dark {
        return Some(format!("expected {light} and its -dark.svg, found {dark}"));
    }
    (says.len() < 12).then(|| format!("\"{says}\" does not say what is drawn"))
}

#[test]
fn a_code_host_shows_what_the_book_shows() {
    let mut found = Vec::new();
    for (page, text) in pages() {
        let wrong = not_on_a_code_host(&page, &text);
        found.extend(wrong.into_iter().map(|(number, what)| format!("{page}:{number}: {what}")));
    }
    assert!(found.is_empty(), "{}", found.join("\n"));
}

#[test]
fn what_a_code_host_does_not_show_is_found() {
    let found = |text: &str| not_on_a_code_host("introduction.md", text).len();
    let picture = "<picture><source media=\"(prefers-color-scheme: dark)\" srcset=\"generated/figures/shares-dark.svg\">\
                   <img src=\"generated/figures/shares.svg\" alt=\"Shares of a copy's speed\"></picture>";
    assert_eq!(found(picture), 0);
    assert_eq!(found(&picture.replace("shares-dark", "memories-dark")), 1);
    assert_eq!(found(&picture.replace("Shares of a copy's speed", "")), 1);
    assert_eq!(found("a {{#include a.cu}}\n<svg viewBox=\"\">\n![a](generated/figures/shares.svg)\n"), 3);
    assert_eq!(found("a `<picture>`, and `{{#include a.cu}}` in code\n"), 0);
    assert_eq!(found("```text\n{{#include a.cu}}\n```\n![a](images/watch.svg)\n"), 0);
    assert_eq!(found("<blockquote class=\"myth\">\n\nIt is said that\n"), 1);
    assert_eq!(found("<blockquote class=\"myth\">\n\n**Often said:** It is\n"), 0);
}
