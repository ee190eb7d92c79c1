//! Reports, compressed: those of one exercise are much alike, so the first one is the dictionary of all that follow.
//!
//! A dictionary is one more thing that can be damaged, and all reports of an exercise need it. It is kept twice.

use flate2::{Compress, Compression, Decompress, FlushCompress, FlushDecompress, Status};

/// What zlib looks back at.
const WINDOW: usize = 32 << 10;
/// A report has some 30 kB; more than this is none.
const GREATEST: usize = 256 << 20;

/// The part of a text that helps to compress others like it.
pub fn dictionary(text: &[u8]) -> &[u8] {
    // What is at the end is the cheapest to refer to, and what is before the window can't be referred to at all.
    &text[text.len().saturating_sub(WINDOW)..]
}

/// Packs a text.
pub fn pack(text: &[u8], dictionary: &[u8]) -> Vec<u8> {
    let mut deflate = Compress::new(Compression::best(), false);
    if !dictionary.is_empty() {
        // It can be refused only by a stream that has begun.
        let _ = deflate.set_dictionary(dictionary);
    }
    let mut packed = (text.len() as u64).to_le_bytes().to_vec();
    loop {
        packed.reserve(text.len() / 8 + 512);
        let read = deflate.total_in() as usize;
        match deflate.compress_vec(&text[read..], &mut packed, FlushCompress::Finish) {
            Ok(Status::StreamEnd) | Err(_) => return packed,
            Ok(_) => {}
        }
    }
}

/// Unpacks it; none where it is damaged. What damage leaves readable, a hash of the text finds.
pub fn unpack(packed: &[u8], dictionary: &[u8]) -> Option<Vec<u8>> {
    let (length, packed) = packed.split_first_chunk()?;
    let length = usize::try_from(u64::from_le_bytes(*length)).ok().filter(|length| *length <= GREATEST)?;
    let mut inflate = Decompress::new(false);
    if !dictionary.is_empty() {
        inflate.set_dictionary(dictionary).ok()?;
    }
    // One more, or a text that goes on could not be told from one that ends.
    let mut text = Vec::with_capacity(length + 1);
    let ended = inflate.decompress_vec(packed, &mut text, FlushDecompress::Finish).ok()?;
    (ended == Status::StreamEnd && text.len() == length).then_some(text)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sample::{failed, passed};

    #[test]
    fn what_is_packed_comes_back_and_damage_is_found() {
        let first = serde_json::to_vec(&passed()).unwrap();
        let second = serde_json::to_vec(&failed()).unwrap();
        let long = b"0123456789".repeat(20_000);
        for (text, words) in [(&first, &b""[..]), (&second, &first), (&long, &second), (&Vec::new(), b"")] {
            let packed = pack(text, dictionary(words));
            assert_eq!(unpack(&packed, dictionary(words)).as_ref(), Some(text));
            for at in 0..packed.len() {
                let mut damaged = packed.clone();
                damaged[at] ^= 0x10;
                let found = unpack(&damaged, dictionary(words));
                assert!(found.is_none_or(|found| found.len() == text.len()));
            }
            assert_eq!(unpack(&packed[..packed.len() - 1], dictionary(words)), None);
        }
        let alike = pack(&first, dictionary(&first)).len();
        assert!(alike * 10 < pack(&first, b"").len(), "{alike}");
    }
}
