//! What goes over the wire: one JSON line each way, and memory files for bulk. Before the worker's answer there may be
//! lines of parts, for a judge that does not want to wait for all of it; the answer is whole without them.
//!
//! Both memory files are the judge's; the worker never chooses what the judge reads from. The judge copies an
//! answer out once and only then looks at it.

use std::{
    fs::File,
    io::{self, IoSlice, IoSliceMut, Seek as _, Write as _},
    mem::MaybeUninit,
    os::{
        fd::{AsFd, OwnedFd},
        unix::{fs::FileExt as _, net::UnixStream},
    },
};

use rustix::net::{
    RecvAncillaryBuffer, RecvAncillaryMessage, RecvFlags, SendAncillaryBuffer, SendAncillaryMessage,
    SendFlags,
};
use serde::{Deserialize, Serialize, de::DeserializeOwned};

use super::{Limits, Payload, SandboxStatus, ValueError, WorkerKind, spent::Taken};

/// The judge's line. With it come two descriptors: the request's bulk and the file for the answer's.
#[derive(Debug, Serialize, Deserialize)]
pub(super) struct Ask {
    pub kind: WorkerKind,
    pub limits: Limits,
    pub layout: Layout,
}

/// The worker's line.
#[derive(Debug, Serialize, Deserialize)]
pub(super) struct Reply {
    pub layout: Layout,
    pub sandbox: Option<SandboxStatus>,
    /// Where in its standard output this request began.
    pub output_start: u64,
    /// A panic's message instead of an answer.
    pub panic: Option<String>,
    /// The answer is still to come.
    #[serde(default)]
    pub is_part: bool,
    /// What its process has taken so far.
    #[serde(default)]
    pub taken: Taken,
}

/// How a payload lies in a memory file: the value first, then each attachment.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub(super) struct Layout {
    /// Where in the file it begins.
    #[serde(default)]
    pub start: u64,
    pub value: u64,
    pub attachments: Vec<u64>,
}

/// Longest line accepted.
pub(super) const LINE_BYTES: usize = 1 << 20;

/// An anonymous file in memory.
pub(super) fn memory_file(name: &str) -> io::Result<File> {
    let file = memfd::MemfdOptions::default()
        .close_on_exec(true)
        .create(name)
        .map_err(|error| io::Error::other(format!("memfd_create: {error}")))?;
    Ok(file.into_file())
}

/// Serialises a value compactly. MessagePack, because JSON has no NaN and no bytes.
pub(super) fn encode<T: Serialize>(value: &T) -> Result<Vec<u8>, ValueError> {
    Ok(rmp_serde::to_vec_named(value)?)
}

/// The inverse of [`encode`].
pub(super) fn decode<T: DeserializeOwned>(bytes: &[u8]) -> Result<T, ValueError> {
    Ok(rmp_serde::from_slice(bytes)?)
}

/// Writes a payload behind what was written to the file before.
pub(super) fn write_payload(file: &mut File, value: &[u8], attachments: &[&[u8]]) -> io::Result<Layout> {
    let start = file.stream_position()?;
    file.write_all(value)?;
    let attachment_lengths = Vec::with_capacity(attachments.len());
    let mut layout = Layout { start, value: value.len() as u64, attachments: attachment_lengths };
    for attachment in attachments {
        file.write_all(attachment)?;
        layout.attachments.push(attachment.len() as u64);
    }
    Ok(layout)
}

/// Reads a payload, trusting neither the layout nor the file to agree with each other.
pub(super) fn read_payload(file: &File, layout: &Layout) -> io::Result<Payload> {
    let size = file.metadata()?.len();
    let lengths = std::iter::once(layout.value).chain(layout.attachments.iter().copied());
    let total = lengths.clone().try_fold(layout.start, u64::checked_add);
    if total.is_none_or(|total| total > size) {
        return Err(io::Error::other(format!("a layout of {total:?} bytes in a file of {size}")));
    }
    let mut offset = layout.start;
    let mut parts = lengths.map(|length| {
        let mut part = vec![0; usize::try_from(length).map_err(io::Error::other)?];
        file.read_exact_at(&mut part, offset)?;
        offset += length;
        Ok::<_, io::Error>(part)
    });
    let value = parts.next().transpose()?.unwrap_or_default();
    let attachments = parts.collect::<io::Result<_>>()?;
    Ok(Payload { value, attachments })
}

/// Sends the judge's line with its two files.
pub(super) fn send_ask(socket: &UnixStream, ask: &Ask, request: &File, answer: &File) -> io::Result<()> {
    let mut line = serde_json::to_vec(ask)?;
    line.push(b'\n');
    let files = [request.as_fd(), answer.as_fd()];
    let mut space = [MaybeUninit::uninit(); rustix::cmsg_space!(ScmRights(2))];
    let mut ancillary = SendAncillaryBuffer::new(&mut space);
    ancillary.push(SendAncillaryMessage::ScmRights(&files));
    let sent = rustix::net::sendmsg(socket, &[IoSlice::new(&line)], &mut ancillary, SendFlags::NOSIGNAL)?;
    (&*socket).write_all(&line[sent..])
}

/// Receives the judge's line with its two files; nothing if the judge closed the socket.
pub(super) fn receive_ask(socket: &UnixStream) -> io::Result<Option<(Ask, File, File)>> {
    let mut line = Vec::new();
    let mut files: Vec<OwnedFd> = Vec::new();
    let mut buffer = vec![0; 64 << 10];
    while line.last() != Some(&b'\n') {
        let mut space = [MaybeUninit::uninit(); rustix::cmsg_space!(ScmRights(2))];
        let mut ancillary = RecvAncillaryBuffer::new(&mut space);
        let flags = RecvFlags::CMSG_CLOEXEC;
        let message =
            rustix::net::recvmsg(socket, &mut [IoSliceMut::new(&mut buffer)], &mut ancillary, flags)?;
        if message.bytes == 0 {
            return Ok(None);
        }
        line.extend_from_slice(&buffer[..message.bytes]);
        for part in ancillary.drain() {
            if let RecvAncillaryMessage::ScmRights(received) = part {
                files.extend(received);
            }
        }
    }
    let ask = serde_json::from_slice(&line)?;
    let mut files = files.into_iter().map(File::from);
    match (files.next(), files.next()) {
        (Some(request), Some(answer)) => Ok(Some((ask, request, answer))),
        _ => Err(io::Error::other("a request without its files")),
    }
}
