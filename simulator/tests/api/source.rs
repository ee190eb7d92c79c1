//! A crate's source as modules of items, and what a name means in one of them.

use std::{collections::BTreeMap, fs, path::Path};

use syn::{Attribute, File, Item, ItemMod, UseTree, Visibility};

/// A module's path from the crate's root; the root's is empty.
pub type ModulePath = Vec<String>;

/// The modules of a crate, without those of its tests.
pub struct Source {
    modules: BTreeMap<ModulePath, Vec<Item>>,
}

/// An item, and the module that it stands in.
#[derive(Clone, Copy)]
pub struct Found<'a> {
    pub module: &'a ModulePath,
    pub item: &'a Item,
}

/// One name that a `use` brings in, or all of a module's names.
pub struct Import {
    /// None for all names.
    pub name: Option<String>,
    /// What it stands for, or the module whose names they are.
    pub path: Vec<String>,
    pub is_public: bool,
}

impl Source {
    /// The crate whose root is that file.
    pub fn read(root: &Path) -> Self {
        let mut source = Source { modules: BTreeMap::new() };
        source.add(Vec::new(), file(root).items, root.parent());
        source
    }

    /// A crate of one file.
    pub fn parse(text: &str) -> Self {
        let mut source = Source { modules: BTreeMap::new() };
        source.add(Vec::new(), syn::parse_file(text).expect("Rust").items, None);
        source
    }

    fn add(&mut self, path: ModulePath, items: Vec<Item>, folder: Option<&Path>) {
        for item in &items {
            let Item::Mod(module) = item else { continue };
            if is_of_tests(&module.attrs) {
                continue;
            }
            let below = [&path[..], &[module.ident.to_string()]].concat();
            let items = match (&module.content, folder) {
                (Some((_, items)), _) => items.clone(),
                (None, Some(folder)) => {
                    let named = folder.join(format!("{}.rs", below.join("/")));
                    let nested = folder.join(below.join("/")).join("mod.rs");
                    file(if named.exists() { &named } else { &nested }).items
                }
                (None, None) => continue,
            };
            self.add(below, items, folder);
        }
        self.modules.insert(path, items);
    }

    /// All modules.
    pub fn modules(&self) -> impl Iterator<Item = (&ModulePath, &[Item])> {
        self.modules.iter().map(|(path, items)| (path, &items[..]))
    }

    /// The items of a module.
    pub fn items(&self, module: &ModulePath) -> &[Item] {
        &self.modules[module]
    }

    /// The module that a path names within another module; none if the path leaves the crate.
    pub fn module(&self, within: &ModulePath, path: &[String]) -> Option<&ModulePath> {
        let mut at = within.clone();
        for segment in path {
            match segment.as_str() {
                "crate" => at.clear(),
                "self" => {}
                "super" => drop(at.pop()),
                name => at.push(name.to_owned()),
            }
        }
        self.modules.get_key_value(&at).map(|(path, _)| path)
    }

    /// The item that a path names within a module; none if it is not of this crate.
    pub fn resolve(&self, within: &ModulePath, path: &[String]) -> Option<Found<'_>> {
        let (name, qualifier) = path.split_last()?;
        self.named(self.module(within, qualifier)?, name)
    }

    fn named<'a>(&'a self, module: &'a ModulePath, name: &str) -> Option<Found<'a>> {
        let items = &self.modules[module];
        if let Some(item) = items.iter().find(|item| ident(item).as_deref() == Some(name)) {
            return Some(Found { module, item });
        }
        let imports: Vec<Import> = items.iter().flat_map(imports).collect();
        let single = imports.iter().filter(|import| import.name.as_deref() == Some(name));
        let single = single.filter(|import| import.path != [name]).map(|import| import.path.clone());
        let all = imports.iter().filter(|import| import.name.is_none());
        let all = all.map(|import| [&import.path[..], &[name.to_owned()]].concat());
        // The names of `super` may be this module's own: not asked, as the crate exports none that way.
        let mut ways = single.chain(all.filter(|path| path[0] != "super"));
        ways.find_map(|path| self.resolve(module, &path))
    }
}

fn file(path: &Path) -> File {
    let text = fs::read_to_string(path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    syn::parse_file(&text).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

/// An item's name in the namespace of types and values; modules are found by their paths.
fn ident(item: &Item) -> Option<String> {
    let ident = match item {
        Item::Const(item) => &item.ident,
        Item::Enum(item) => &item.ident,
        Item::Fn(item) => &item.sig.ident,
        Item::Static(item) => &item.ident,
        Item::Struct(item) => &item.ident,
        Item::Trait(item) => &item.ident,
        Item::Type(item) => &item.ident,
        Item::Union(item) => &item.ident,
        _ => return None,
    };
    Some(ident.to_string())
}

/// The names that a `use` brings in.
pub fn imports(item: &Item) -> Vec<Import> {
    let Item::Use(item) = item else { return Vec::new() };
    let mut found = Vec::new();
    flatten(&item.tree, &[], matches!(item.vis, Visibility::Public(_)), &mut found);
    found
}

fn flatten(tree: &UseTree, before: &[String], is_public: bool, found: &mut Vec<Import>) {
    let mut add = |name: Option<String>, path: Vec<String>| found.push(Import { name, path, is_public });
    let with = |name: &syn::Ident| [before, &[name.to_string()]].concat();
    match tree {
        UseTree::Path(tree) => flatten(&tree.tree, &with(&tree.ident), is_public, found),
        UseTree::Name(tree) if tree.ident == "self" => add(before.last().cloned(), before.to_vec()),
        UseTree::Name(tree) => add(Some(tree.ident.to_string()), with(&tree.ident)),
        UseTree::Rename(tree) => add(Some(tree.rename.to_string()), with(&tree.ident)),
        UseTree::Glob(_) => add(None, before.to_vec()),
        UseTree::Group(group) => {
            group.items.iter().for_each(|tree| flatten(tree, before, is_public, found));
        }
    }
}

/// Whether it says `#[cfg(test)]`.
fn is_of_tests(attributes: &[Attribute]) -> bool {
    attributes.iter().any(|attribute| {
        attribute.path().is_ident("cfg")
            && attribute.parse_args::<syn::Path>().is_ok_and(|path| path.is_ident("test"))
    })
}

/// Whether it says `#[doc(hidden)]`.
pub fn is_hidden(attributes: &[Attribute]) -> bool {
    attributes.iter().any(|attribute| {
        attribute.path().is_ident("doc")
            && attribute.parse_args::<syn::Path>().is_ok_and(|path| path.is_ident("hidden"))
    })
}

/// Whether others see a module.
pub fn is_shown(module: &ItemMod) -> bool {
    matches!(module.vis, Visibility::Public(_)) && !is_hidden(&module.attrs) && !is_of_tests(&module.attrs)
}
