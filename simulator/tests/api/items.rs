//! The public items of a crate, a line for each thing that a caller can name.

use std::collections::BTreeSet;

use proc_macro2::{Delimiter, Group, TokenStream, TokenTree};
use syn::{
    Attribute, Fields, File, Generics, ImplItem, Item, ItemEnum, ItemImpl, ItemStruct, Meta, Path, Token,
    Type, Visibility, parse_quote, punctuated::Punctuated,
};

use crate::source::{Found, Import, ModulePath, Source, imports, is_hidden, is_shown};

/// The public items, under the names that a caller writes: `krate::Type: what there is of it`.
///
/// # Panics
/// For an item of a kind that this crate did not export when this was written.
pub fn public(source: &Source, krate: &str) -> BTreeSet<String> {
    let mut list = List { source, exported: BTreeSet::new(), lines: BTreeSet::new() };
    // First what is exported, then its lines: a trait that is not exported is of no use to a caller.
    let exported = list.of_module(source.module(&Vec::new(), &[]).expect("the root"), krate);
    list.exported = exported.iter().map(|(_, found)| key(*found)).collect();
    for (name, found) in exported {
        list.describe(&name, found);
    }
    list.lines
}

struct List<'a> {
    source: &'a Source,
    /// By their addresses.
    exported: BTreeSet<*const Item>,
    lines: BTreeSet<String>,
}

fn key(found: Found<'_>) -> *const Item {
    found.item
}

impl<'a> List<'a> {
    /// The items that a module exports, with their public names.
    fn of_module(&mut self, module: &'a ModulePath, prefix: &str) -> Vec<(String, Found<'a>)> {
        let mut exported = Vec::new();
        for item in self.source.items(module) {
            match item {
                Item::Mod(inner) if is_shown(inner) => {
                    let name = inner.ident.to_string();
                    let path = self.source.module(module, std::slice::from_ref(&name)).expect("it was read");
                    exported.extend(self.of_module(path, &format!("{prefix}::{name}")));
                }
                Item::Use(item_use) if !is_hidden(&item_use.attrs) => {
                    for import in imports(item).into_iter().filter(|import| import.is_public) {
                        exported.extend(self.of_import(module, import, prefix));
                    }
                }
                item => {
                    if let Some((name, attributes, Visibility::Public(_))) = head(item)
                        && !is_hidden(attributes)
                    {
                        exported.push((format!("{prefix}::{name}"), Found { module, item }));
                    }
                }
            }
        }
        exported
    }

    /// What an import exports; another crate's item is a line of its own.
    fn of_import(
        &mut self,
        module: &'a ModulePath,
        import: Import,
        prefix: &str,
    ) -> Vec<(String, Found<'a>)> {
        let inner = self.source.module(module, &import.path);
        match (import.name, inner) {
            (None, Some(others)) => self.of_module(others, prefix),
            (Some(name), Some(inner)) => self.of_module(inner, &format!("{prefix}::{name}")),
            (name, None) => match self.source.resolve(module, &import.path) {
                Some(found) => vec![(format!("{prefix}::{}", name.unwrap_or_default()), found)],
                None => {
                    let name = format!("{prefix}::{}", name.as_deref().unwrap_or("*"));
                    self.add(&name, &format!("pub use {}", import.path.join("::")));
                    Vec::new()
                }
            },
        }
    }

    fn describe(&mut self, name: &str, found: Found<'a>) {
        match found.item {
            Item::Struct(item) => {
                let bare = ItemStruct { attrs: vec![], fields: Fields::Unit, ..item.clone() };
                self.add_type(name, found, &item.attrs, &text(Item::Struct(bare)));
                let mut private = false;
                for (field, member) in item.fields.iter().zip(item.fields.members()) {
                    if matches!(field.vis, Visibility::Public(_)) {
                        let member = match member {
                            syn::Member::Named(ident) => ident.to_string(),
                            syn::Member::Unnamed(index) => index.index.to_string(),
                        };
                        self.add(name, &format!("pub {member}: {}", of_type(&field.ty)));
                    } else {
                        private = true;
                    }
                }
                if private {
                    self.add(name, "has private fields");
                }
            }
            Item::Enum(item) => {
                let bare = ItemEnum { attrs: vec![], variants: Punctuated::new(), ..item.clone() };
                self.add_type(name, found, &item.attrs, &text(Item::Enum(bare)));
                for variant in &item.variants {
                    let mut variant = variant.clone();
                    let marks = marks(&variant.attrs);
                    variant.attrs.clear();
                    variant.fields.iter_mut().for_each(|field| field.attrs.clear());
                    let alone = text(parse_quote!(enum E { #variant }));
                    let alone = alone.trim_start_matches("enum E {").trim_end_matches([' ', ',', '}']);
                    let closed = match variant.fields {
                        Fields::Named(_) => format!("{alone} }}"),
                        _ => alone.to_owned(),
                    };
                    self.add(name, &format!("{marks}{}", closed.trim()));
                }
            }
            Item::Type(item) => {
                let bare = syn::ItemType { attrs: vec![], ..item.clone() };
                self.add(name, &text(Item::Type(bare)));
            }
            Item::Const(item) => self.add(name, &format!("pub const {}", of_type(&item.ty))),
            Item::Fn(item) => {
                let sig = &item.sig;
                self.add(name, &(marks(&item.attrs) + &text(parse_quote!(pub #sig {}))));
            }
            _ => panic!("{name} is of a kind that `describe` cannot list yet: teach it"),
        }
    }

    /// A type's head, the traits that it has and what it can do.
    fn add_type(&mut self, name: &str, found: Found<'a>, attributes: &[Attribute], head: &str) {
        self.add(name, &(marks(attributes) + head));
        derived(attributes, "").into_iter().for_each(|line| self.add(name, &line));
        for (module, items) in self.source.modules() {
            for item in items {
                match item {
                    Item::Impl(item) if self.is_of(module, &item.self_ty, found) => {
                        self.add_impl(name, module, item);
                    }
                    Item::Macro(item) if item.ident.is_some() && module == found.module => {
                        self.add_macro(name, items, item, found);
                    }
                    _ => {}
                }
            }
        }
    }

    fn is_of(&self, module: &ModulePath, self_type: &Type, found: Found<'_>) -> bool {
        let Type::Path(path) = self_type else { return false };
        let there = self.source.resolve(module, &segments(&path.path));
        there.is_some_and(|there| key(there) == key(found))
    }

    fn add_impl(&mut self, name: &str, module: &ModulePath, item: &ItemImpl) {
        let under = conditions(&item.attrs);
        if let Some((path, _)) = &item.trait_ {
            let ours = self.source.resolve(module, &segments(path));
            if ours.is_none_or(|ours| self.exported.contains(&key(ours))) {
                let generics = of_generics(&item.generics);
                self.add(name, &format!("{under}impl{generics} {}", of_path(path)));
            }
            return;
        }
        for member in &item.items {
            match member {
                ImplItem::Fn(member) if is_public(&member.vis, &member.attrs) => {
                    let sig = &member.sig;
                    let marks = marks(&member.attrs);
                    self.add(name, &format!("{under}{marks}{}", text(parse_quote!(pub #sig {}))));
                }
                ImplItem::Const(member) if is_public(&member.vis, &member.attrs) => {
                    let (ident, of) = (&member.ident, of_type(&member.ty));
                    self.add(name, &format!("{under}pub const {ident}: {of}"));
                }
                _ => {}
            }
        }
    }

    /// A macro that names the type and makes something public, with its calls.
    fn add_macro(&mut self, name: &str, items: &[Item], definition: &syn::ItemMacro, found: Found<'_>) {
        let body = words(&undocumented(definition.mac.tokens.clone(), false).to_string());
        let of = head(found.item).map(|(name, ..)| name).unwrap_or_default();
        let says = |word: &str| body.split(|c: char| !(c.is_alphanumeric() || c == '_')).any(|w| w == word);
        if !(says(&of) && says("pub")) {
            return;
        }
        let ident = definition.ident.as_ref().expect("a definition has a name");
        self.add(name, &format!("macro_rules! {ident} {{ {body} }}"));
        for item in items {
            if let Item::Macro(call) = item
                && call.mac.path.is_ident(ident)
            {
                let arguments = undocumented(call.mac.tokens.clone(), true).to_string();
                self.add(name, &format!("{ident}!({})", words(&arguments)));
            }
        }
    }

    fn add(&mut self, name: &str, what: &str) {
        self.lines.insert(format!("{name}: {what}"));
    }
}

/// An item's name, attributes and visibility.
fn head(item: &Item) -> Option<(String, &[Attribute], &Visibility)> {
    let (ident, attributes, visibility) = match item {
        Item::Const(item) => (&item.ident, &item.attrs, &item.vis),
        Item::Enum(item) => (&item.ident, &item.attrs, &item.vis),
        Item::Fn(item) => (&item.sig.ident, &item.attrs, &item.vis),
        Item::Static(item) => (&item.ident, &item.attrs, &item.vis),
        Item::Struct(item) => (&item.ident, &item.attrs, &item.vis),
        Item::Trait(item) => (&item.ident, &item.attrs, &item.vis),
        Item::Type(item) => (&item.ident, &item.attrs, &item.vis),
        Item::Union(item) => (&item.ident, &item.attrs, &item.vis),
        _ => return None,
    };
    Some((ident.to_string(), attributes, visibility))
}

fn is_public(visibility: &Visibility, attributes: &[Attribute]) -> bool {
    matches!(visibility, Visibility::Public(_)) && !is_hidden(attributes)
}

/// The attributes that bind a caller.
fn marks(attributes: &[Attribute]) -> String {
    let bind = ["non_exhaustive", "must_use", "deprecated", "cfg"];
    let those = attributes.iter().filter(|attribute| bind.iter().any(|name| attribute.path().is_ident(name)));
    // Their texts are for people.
    those
        .map(|attribute| match &attribute.meta {
            Meta::List(_) if attribute.path().is_ident("cfg") => one_attribute(attribute),
            _ => format!("#[{}] ", of_path(attribute.path())),
        })
        .collect()
}

fn conditions(attributes: &[Attribute]) -> String {
    attributes.iter().filter(|attribute| attribute.path().is_ident("cfg")).map(one_attribute).collect()
}

fn one_attribute(attribute: &Attribute) -> String {
    text(parse_quote!(#attribute type A = A;)).replace("type A = A", "")
}

/// The traits that are derived, also under conditions, as if each was implemented.
fn derived(attributes: &[Attribute], under: &str) -> Vec<String> {
    type Metas = Punctuated<Meta, Token![,]>;
    let mut lines = Vec::new();
    for attribute in attributes {
        if attribute.path().is_ident("derive") {
            let paths = attribute.parse_args_with(Punctuated::<Path, Token![,]>::parse_terminated);
            for path in paths.expect("a list of traits") {
                let last = path.segments.last().expect("a name");
                lines.push(format!("{under}impl {}", last.ident));
            }
        } else if attribute.path().is_ident("cfg_attr") {
            let metas =
                attribute.parse_args_with(Metas::parse_terminated).expect("a condition and attributes");
            let condition = &metas[0];
            let under = one_attribute(&parse_quote!(#[cfg(#condition)]));
            for meta in metas.iter().skip(1) {
                lines.extend(derived(&[parse_quote!(#[#meta])], &under));
            }
        }
    }
    lines
}

fn segments(path: &Path) -> Vec<String> {
    path.segments.iter().map(|segment| segment.ident.to_string()).collect()
}

fn of_type(of: &Type) -> String {
    text(parse_quote!(type A = #of;)).trim_start_matches("type A = ").to_owned()
}

fn of_path(path: &Path) -> String {
    of_type(&parse_quote!(#path))
}

fn of_generics(generics: &Generics) -> String {
    text(parse_quote!(type A #generics = A;)).trim_start_matches("type A").trim_end_matches(" = A").to_owned()
}

/// A macro's tokens without comments and, if asked, without what is in braces.
fn undocumented(tokens: TokenStream, brief: bool) -> TokenStream {
    let is_comment = |group: &Group| group.stream().to_string().starts_with("doc =");
    let mut kept: Vec<TokenTree> = Vec::new();
    for token in tokens {
        match token {
            TokenTree::Group(group) if is_comment(&group) => drop(kept.pop()),
            TokenTree::Group(group) => {
                let braced = brief && group.delimiter() == Delimiter::Brace;
                let inside = if braced { TokenStream::new() } else { undocumented(group.stream(), brief) };
                kept.push(Group::new(group.delimiter(), inside).into());
            }
            token => kept.push(token),
        }
    }
    kept.into_iter().collect()
}

/// An item without a body on one line.
fn text(item: Item) -> String {
    let file = File { shebang: None, frontmatter: None, attrs: vec![], items: vec![item] };
    let line = words(&prettyplease::unparse(&file));
    line.trim_end_matches(" {}").trim_end_matches(';').to_owned()
}

/// A text on one line.
fn words(text: &str) -> String {
    let line = text.split_whitespace().collect::<Vec<_>>().join(" ");
    let line = line.replace("( ", "(").replace(", )", ")").replace(" )", ")").replace(", >", ">");
    // What a method does with its own `self` is no caller's.
    line.replace("(mut self", "(self")
}
