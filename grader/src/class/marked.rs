//! The byte order mark of a CSV. Excel reads a file without it in the letters of the system's language, in which `Müller`
//! is `MÃ¼ller`: <https://donatstudios.com/CSV-An-Encoding-Nightmare>, as updated in 2022.
//!
//! A file of ASCII is the same either way, and gets no mark: a program that knows of none reads it as part of the first
//! heading. Canvas and Moodle read files with a mark and without one, as their modules in `lms` say.

/// What UTF-8 begins with where it is marked.
pub const MARK: &[u8] = b"\xef\xbb\xbf";

/// A CSV with the mark, if it needs one.
pub fn marked(csv: Vec<u8>) -> Vec<u8> {
    match csv.is_ascii() {
        true => csv,
        false => [MARK, &csv].concat(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_letters_beyond_ascii_need_a_mark() {
        assert_eq!(marked(b"id,name\n7,Ada\n".to_vec()), b"id,name\n7,Ada\n");
        assert_eq!(marked("id,name\n7,Zoë\n".into()), "\u{feff}id,name\n7,Zoë\n".as_bytes());
    }
}
