//! PTX taken apart as far as the audit needs it: functions, their operations, and where these come from.
//!
//! Made for what NVRTC writes and for the inline PTX of the toolkit's headers. Inline PTX can look like
//! anything, and a macro of the learner's puts some into a header's lines; so a function says whether all of
//! it was read without doubt ([`Function::is_plain`]), and of one that was not, nothing may be believed.

use std::{iter, ops::Range};

/// A function with a body, kernels included.
pub(super) struct Function<'a> {
    pub name: &'a str,
    pub operations: Vec<Operation<'a>>,
    /// It has nothing that could be read in another way: no texts, no comments but to the line's end and between
    /// statements, no directives but declarations and places, and its blocks are closed.
    pub is_plain: bool,
}

/// An instruction or a label.
pub(super) struct Operation<'a> {
    /// Without comments before it, guard or `;`: `setp.lt.s32 %p1, %r1, 16`; of a label `$L__BB0_1:`.
    pub text: &'a str,
    /// `%p1` of `@!%p1 bra $L__BB0_1`.
    pub guard: Option<&'a str>,
    /// The innermost place in the source that is told.
    pub place: Option<Place<'a>>,
    /// Where it begins in the PTX, in bytes.
    pub at: usize,
}

/// A `.loc`.
#[derive(Clone, Copy)]
pub(super) struct Place<'a> {
    /// The file's number.
    pub file: &'a str,
    pub line: u32,
    /// Where the function around it was inlined.
    pub inlined_at: Option<(&'a str, u32)>,
}

impl<'a> Place<'a> {
    /// `.loc 5 41 3, function_name $L__info_string6, inlined_at 4 65 5`.
    pub fn of(line: &'a str) -> Option<Self> {
        let rest = line.trim_start().strip_prefix(".loc")?;
        // `.local` is another.
        let rest = rest.starts_with(char::is_whitespace).then_some(rest)?;
        let pair = |text: &'a str| {
            let mut words = text.split_whitespace();
            Some((words.next()?, words.next()?.parse().ok()?))
        };
        let (file, line) = pair(rest)?;
        let inlined_at = rest.split_once("inlined_at").and_then(|(_, at)| pair(at));
        Some(Place { file, line, inlined_at })
    }
}

impl<'a> Operation<'a> {
    /// `setp.lt.s32` of `setp.lt.s32 %p1, %r1, 16`.
    pub fn name(&self) -> &'a str {
        self.text
            .split(|c: char| !(c.is_ascii_alphanumeric() || "_$.:".contains(c)))
            .next()
            .unwrap_or_default()
    }

    /// What follows the name.
    pub fn operands(&self) -> &'a str {
        &self.text[self.name().len()..]
    }

    /// The label that it is.
    pub fn label(&self) -> Option<&'a str> {
        self.text.strip_suffix(':').map(str::trim_end)
    }

    /// The function that it calls; of a pointer, the register.
    pub fn called(&self) -> Option<&'a str> {
        let operands = (self.name().split('.').next() == Some("call")).then(|| self.operands())?;
        let operands = operands.trim_start();
        let rest = if operands.starts_with('(') { operands.split_once(')')?.1 } else { operands };
        words(rest).next()
    }
}

impl Function<'_> {
    /// It comes from no file: the compiler has it built in.
    pub fn is_built_in(&self) -> bool {
        self.operations.iter().all(|operation| operation.place.is_none())
    }
}

/// All functions with a body.
pub(super) fn functions(ptx: &str) -> impl Iterator<Item = Function<'_>> {
    let mut from = 0;
    iter::from_fn(move || {
        let begin = from + ptx.get(from..)?.find("\n{")? + 2;
        let end = ptx[begin..].find("\n}").map_or(ptx.len(), |length| begin + length);
        let head = ptx[from..begin].rsplit([';', '}']).next().unwrap_or_default();
        from = end;
        let (operations, is_plain) = operations(ptx, begin..end);
        Some(Function { name: name(head), operations, is_plain })
    })
}

/// `k` of `.visible .entry k(`, `f` of `.func  (.param .b64 func_retval0) f(`.
fn name(head: &str) -> &str {
    let Some((_, rest)) = head.split_once(".entry").or_else(|| head.split_once(".func")) else { return "" };
    let rest = rest.trim_start();
    let rest = if rest.starts_with('(') { rest.split_once(')').map_or("", |(_, rest)| rest) } else { rest };
    words(rest).next().unwrap_or_default()
}

/// The words of PTX: registers, names, numbers.
pub(super) fn words(text: &str) -> impl Iterator<Item = &str> {
    text.split(|c: char| !(c.is_ascii_alphanumeric() || "%_$.".contains(c))).filter(|word| !word.is_empty())
}

/// What else begins with a point there, beside places.
const DECLARATIONS: [&str; 5] = [".reg", ".param", ".shared", ".local", ".callprototype"];

/// The operations, and whether the body is plain.
fn operations(ptx: &str, body: Range<usize>) -> (Vec<Operation<'_>>, bool) {
    let mut found = Vec::new();
    let (mut is_plain, mut depth) = (true, 0_i64);
    let mut place = None;
    let mut at = body.start;
    // Where the statement that is being read begins, over several lines perhaps.
    let mut begun: Option<usize> = None;
    for line in ptx[body].split_inclusive('\n') {
        let code = line.split("//").next().unwrap_or_default();
        is_plain &=
            !line.contains("/*") && (!line.contains('"') || is_pragma(line.trim().trim_end_matches(';')));
        let mut from = 0;
        let new_place = Place::of(code).filter(|_| begun.is_none());
        if new_place.is_some() {
            place = new_place;
            is_plain &= is_place(code);
            from = code.len();
        }
        while from < code.len() {
            let rest = &code[from..];
            let skipped = rest.len() - rest.trim_start().len();
            match begun {
                None if skipped > 0 => from += skipped,
                // Around a call's parameters, or a scope of inline PTX.
                None if rest.starts_with(['{', '}']) => {
                    depth += if rest.starts_with('{') { 1 } else { -1 };
                    is_plain &= depth >= 0;
                    from += 1;
                }
                None => begun = Some(at + from),
                Some(start) => {
                    let label = rest.find(':').filter(|_| start == at + from).filter(|&colon| {
                        rest[..colon]
                            .trim_end()
                            .chars()
                            .all(|c| c.is_ascii_alphanumeric() || "_$%".contains(c))
                    });
                    let Some(end) = label.or_else(|| rest.find(';')) else { break };
                    let text = &ptx[start..at + from + end + usize::from(label.is_some())];
                    match operation(text, place, start) {
                        Some(operation) => found.push(operation),
                        None => is_plain &= is_declaration(text),
                    }
                    from += end + 1;
                    begun = None;
                }
            }
        }
        // A comment within a statement.
        is_plain &= begun.is_none() || code.len() == line.len();
        at += line.len();
    }
    (found, is_plain && depth == 0 && begun.is_none())
}

/// A `.loc` as NVRTC writes it, with nothing behind it.
fn is_place(code: &str) -> bool {
    let numbers = |text: &str, count: usize| {
        let is_number = |word: &str| word.bytes().all(|byte| byte.is_ascii_digit());
        text.split_whitespace().count() == count && text.split_whitespace().all(is_number)
    };
    let mut parts = code.trim_start().trim_start_matches(".loc").split(',');
    let (first, name, caller, more) = (parts.next(), parts.next(), parts.next(), parts.next());
    let is_name =
        |name: &str| name.trim().starts_with("function_name ") && name.split_whitespace().count() == 2;
    let is_caller = |at: &str| at.trim().strip_prefix("inlined_at ").is_some_and(|at| numbers(at, 3));
    first.is_some_and(|first| numbers(first, 3))
        && name.is_some() == caller.is_some()
        && name.is_none_or(is_name)
        && caller.is_none_or(is_caller)
        && more.is_none()
}

fn is_declaration(text: &str) -> bool {
    let first = text.split_whitespace().next().unwrap_or_default();
    DECLARATIONS.contains(&first) || is_pragma(text)
}

/// The only texts in what NVRTC writes into functions: `.pragma "nounroll"`, `.pragma "used_bytes_mask 15"`.
fn is_pragma(text: &str) -> bool {
    let of_words =
        |text: &str| text.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"_ ".contains(&byte));
    let text = text.strip_prefix(".pragma \"").and_then(|text| text.strip_suffix('"'));
    text.is_some_and(of_words)
}

/// None of a declaration, and of what cannot be read.
fn operation<'a>(text: &'a str, place: Option<Place<'a>>, at: usize) -> Option<Operation<'a>> {
    let (guard, text) = match text.strip_prefix('@') {
        Some(guarded) => {
            let (guard, text) = guarded.split_once(char::is_whitespace)?;
            let guard = guard.strip_prefix('!').unwrap_or(guard);
            if words(guard).next() != Some(guard) {
                return None;
            }
            (Some(guard), text.trim())
        }
        None => (None, text.trim()),
    };
    (!text.starts_with('.')).then_some(Operation { text, guard, place, at })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// As NVRTC 13.0.88 writes it.
    const PTX: &str = "\
.func  (.param .b64 func_retval0) clock64
()
;

.visible .entry k(
\t.param .u64 k_param_0
)
{
\t.reg .b64 \t%rd<4>;
\t.loc\t1 1 0
\tld.param.u64 \t%rd1, [k_param_0];
\t.loc\t3 49 13, function_name $L__info_string3, inlined_at 2 130 5
\t{ // callseq 0, 0
\t.param .b64 retval0;
\tcall.uni (retval0), 
\tclock64, 
\t(
\t);
\tld.param.b64 \t%rd2, [retval0+0];
\t} // callseq 0
$L__BB0_8:
\t@!%p4 bra \t$L__BB0_8;
\t// begin inline asm
\t{
\t.reg .pred p;
\tselp.b32 %r34, 1, 0, p;
\t}
\t// end inline asm
\tmov.b64 \t{%r1, %r2}, %rd1;
\tret;

}
.func  (.param .b64 func_retval0) clock64()
{
\tret;
}
";

    #[test]
    fn functions_operations_and_places_are_told() {
        let functions: Vec<Function<'_>> = functions(PTX).collect();
        assert_eq!(functions.iter().map(|function| function.name).collect::<Vec<_>>(), ["k", "clock64"]);
        let texts: Vec<&str> = functions[0].operations.iter().map(Operation::name).collect();
        let expected =
            ["ld.param.u64", "call.uni", "ld.param.b64", "$L__BB0_8:", "bra", "selp.b32", "mov.b64", "ret"];
        assert_eq!(texts, expected);
        let [load, call, _, label, branch, ..] = &functions[0].operations[..] else { panic!() };
        assert_eq!(call.called(), Some("clock64"));
        assert_eq!((label.label(), branch.guard), (Some("$L__BB0_8"), Some("%p4")));
        let place = |operation: &Operation<'_>| operation.place.map(|p| (p.file.to_owned(), p.line));
        assert_eq!(place(load), Some(("1".to_owned(), 1)));
        assert_eq!(call.place.and_then(|place| place.inlined_at), Some(("2", 130)));
        assert!(PTX[branch.at..].starts_with("@!%p4 bra"));
        assert!(functions[1].is_built_in() && !functions[0].is_built_in());
        assert!(functions.iter().all(|function| function.is_plain));
    }

    #[test]
    fn what_could_be_read_in_another_way_is_not_plain() {
        let is_plain = |inline: &str| {
            let ptx = PTX.replace("selp.b32 %r34, 1, 0, p;", inline);
            functions(&ptx).next().is_some_and(|function| function.is_plain)
        };
        for plain in [
            ".local .align 8 .b8 d[32];",
            "bar.sync 0;    // 2.",
            ".reg .b64 x;",
            ".pragma \"nounroll\";",
            ".pragma \"used_bytes_mask 15\";",
            "L1: bra L1;",
        ] {
            assert!(is_plain(plain), "{plain}");
        }
        for strange in [
            "/* // */ mov.u64 %rd1, 7;",
            "mov.u64 //,\n%rd1, 7;",
            "mov.u64 %rd1, 7; .pragma \"}\";",
            ".loc 1 1 1 mov.u64 %rd1, 7;",
            ".loc 1 1 1, function_name f, inlined_at 1 1 1 mov.u64 %rd1, 7;",
            ".alias f, g;",
            "@ %p1 bra L;",
            "@%p1{bra L;",
            "{",
            "}",
            "\n}\nmov.u64 %rd1, 7;\n\t{",
            "mov.u64 %rd1, 7",
        ] {
            assert!(!is_plain(strange), "{strange}");
        }
        let glued = PTX.replace("ld.param.u64 \t%rd1,", "ld.param.u64%rd1,");
        assert_eq!(functions(&glued).next().map(|f| f.operations[0].name()), Some("ld.param.u64"));
    }
}
