//! How much memory a launch takes to know what it finds.

/// Bytes that a launch took at its peak. Zero for launches that were not measured.
///
/// Data are what the kernel works on; shadow is what the simulator remembers about them: who touched each
/// word last, which bytes are initialised, what blocks did that have not been published yet. Not among it:
/// registers, local memory (a byte of shadow for eight), the module's code, and what threads know of each
/// other through flags, which depends on how they communicate and not on the data.
///
/// # How much to expect
///
/// Typically one to four times the data (`tests/footprint.rs` asserts it for ten kernels on one host thread).
/// Where blocks do not communicate, the last writer and the first reader of each word are kept: 12 bytes for
/// each row of words that neighbouring threads touched, or, where blocks race or rows are short, 4 to 8 bytes
/// a word of each kind that there is. Beside that stand the pages of the blocks that run at this moment, one
/// for each host thread; those of the blocks that wait for an earlier one to finish, in brief; and the words
/// written by up to 64 blocks for every two host threads, until they are published. Where blocks communicate
/// it is 8 bytes a word that is only read or only written, 16 if both, and 9 for atomics. Each word has
/// another byte for initialisation, and each page some hundred bytes for its books.
///
/// The worst case is data touched byte by byte. Where blocks communicate, plain writes, several readers and
/// atomics on every byte take 50 times the data; and where fences or flags order some threads and not others,
/// each of up to 64 readers of a byte that do not know of each other takes 12 bytes more, which makes 800
/// times and some slack of growing lists. Where blocks do not, each of up to 64 finished blocks takes 7 bytes
/// for a word of which it wrote a part: up to 112 times, twice that while lists grow, and as much again for
/// every two host threads more. One that waits for an earlier one to finish takes 8 bytes for a byte that it
/// read and as many for one that it wrote. Only what the kernel touches counts, so such kernels hit a budget
/// of instructions long before they fill memory.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Footprint {
    /// Bytes of data: the pages of 256 bytes of global memory that the kernel touched, and the shared memory
    /// of the blocks that were there at once.
    pub data_bytes: u64,
    /// Bytes of shadow that belong to them.
    pub shadow_bytes: u64,
}

impl Footprint {
    /// Bytes of shadow for each byte of data.
    pub fn ratio(&self) -> f64 {
        self.shadow_bytes as f64 / self.data_bytes.max(1) as f64
    }

    /// Both with those of another part.
    pub(crate) fn plus(self, other: Self) -> Self {
        Self {
            data_bytes: self.data_bytes + other.data_bytes,
            shadow_bytes: self.shadow_bytes + other.shadow_bytes,
        }
    }
}
