//! The public API, beside the list of it that is kept: `api.txt`. Whoever changes what others call sees it here.
//!
//! The list is read from the source. What rustdoc says as JSON would be the compiler's own word, but its format
//! changes with the compiler, and the reader of one format reads no other. So what a macro makes is not seen: a macro
//! that adds to a public type is listed with its call. `BLESS=1` writes the list.

#[path = "api/items.rs"]
mod items;
#[path = "api/source.rs"]
mod source;

use std::{collections::BTreeSet, env, fs, path::Path};

use source::Source;

#[test]
fn the_public_api_is_the_one_that_is_listed() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let now = items::public(&Source::read(&root.join("src/lib.rs")), "warpsim");
    let list = root.join("tests/api.txt");
    if env::var_os("BLESS").is_some() {
        let text: String = now.iter().map(|item| format!("{item}\n")).collect();
        fs::write(&list, text).expect("the list can be written");
        return;
    }
    let kept = fs::read_to_string(&list).expect("tests/api.txt is there; BLESS=1 writes it");
    let changes = changes(&kept.lines().collect(), &now.iter().map(String::as_str).collect());
    assert!(
        changes.is_empty(),
        "the public API is not the one in tests/api.txt:\n\n{changes}\nIf it was meant, say so in CHANGELOG.md and write the \
         list: BLESS=1 cargo test --package warpsim --test api"
    );
}

/// What was added and what was removed, in lines; nothing if both are the same.
fn changes(kept: &BTreeSet<&str>, now: &BTreeSet<&str>) -> String {
    let lines = |what: &str, some: &BTreeSet<&str>, others: &BTreeSet<&str>| -> String {
        some.difference(others).map(|item| format!("{what} {item}\n")).collect()
    };
    lines("removed:", kept, now) + &lines("added:  ", now, kept)
}

/// The list of a crate of one file.
fn listed(text: &str) -> Vec<String> {
    items::public(&Source::parse(text), "example").into_iter().collect()
}

#[test]
fn what_is_exported_is_listed_under_its_public_name() {
    let text = "
        mod inside {
            mod deep { pub struct Deep; pub struct Hidden; impl Hidden { pub fn no(&self) {} } }
            pub use deep::Deep as Shown;
            impl Shown { pub fn yes(self, by: u32) -> Option<u32> { None } fn no(&self) {} }
            pub(crate) fn no() {}
        }
        pub use inside::*;
        use inside::Shown as Again;
        impl<T: Copy> From<T> for Again { fn from(_: T) -> Again { unreachable!() } }
        impl Mine for Again {}
        trait Mine {}
        #[doc(hidden)] pub mod unseen { pub const NO: u32 = 1; }
        #[cfg(test)] mod tests { pub const NO: u32 = 1; }
        pub mod seen { pub const YES: &str = \"\"; }
    ";
    assert_eq!(
        listed(text),
        [
            "example::Shown: impl<T: Copy> From<T>",
            "example::Shown: pub fn yes(self, by: u32) -> Option<u32>",
            "example::Shown: pub struct Deep",
            "example::seen::YES: pub const &str",
        ]
    );
}

#[test]
fn fields_variants_and_derived_traits_are_listed() {
    let text = "
        #[derive(Clone, Default)] #[cfg_attr(feature = \"more\", derive(Debug))] #[non_exhaustive]
        pub struct Named<'a> { pub shown: &'a [u8], hidden: u32 }
        pub struct Place(pub u32, u32);
        pub enum Choice { None, Some { a: u32 }, Pair(u8, u16) }
    ";
    assert_eq!(
        listed(text),
        [
            "example::Choice: None",
            "example::Choice: Pair(u8, u16)",
            "example::Choice: Some { a: u32 }",
            "example::Choice: pub enum Choice",
            "example::Named: #[cfg(feature = \"more\")] impl Debug",
            "example::Named: #[non_exhaustive] pub struct Named<'a>",
            "example::Named: has private fields",
            "example::Named: impl Clone",
            "example::Named: impl Default",
            "example::Named: pub shown: &'a [u8]",
            "example::Place: has private fields",
            "example::Place: pub 0: u32",
            "example::Place: pub struct Place",
        ]
    );
}

#[test]
fn a_macro_that_adds_to_a_public_type_is_listed_with_its_call() {
    let text = "
        macro_rules! constants { ($name:ident) => { impl Public { pub const $name: u32 = 1; } }; }
        macro_rules! unseen { ($name:ident) => { pub struct $name; }; }
        constants!(ONE);
        unseen!(Other);
        pub struct Public;
    ";
    let listed = listed(text);
    assert_eq!(listed.len(), 3, "{listed:#?}");
    assert_eq!(listed[0], "example::Public: constants!(ONE)");
    assert!(listed[1].starts_with("example::Public: macro_rules! constants"), "{listed:#?}");
}

#[test]
fn a_change_says_what_was_added_and_removed() {
    let [kept, now] = [["a", "b"], ["b", "c"]].map(BTreeSet::from);
    assert_eq!(changes(&kept, &now), "removed: a\nadded:   c\n");
    assert_eq!(changes(&kept, &kept), "");
}
