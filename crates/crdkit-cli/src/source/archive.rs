//! Packed directories, such as Helm charts: `.tgz` and `.tar.gz`, and layers of registries, which may be plain `.tar`.

use super::FoundEntries;
use crate::input::InputEntry;
use crate::report::LeftOut;
use anyhow::{Result, bail};
use crdkit_codec::Format;
use flate2::read::GzDecoder;
use std::io::Read;
use std::path::Path;
use std::sync::atomic::{AtomicU64, Ordering};

/// More than this does not come out of all archives together, however small they are.
const LARGEST: u64 = 512 << 20;

/// Whether a file name or URL is that of an archive.
pub(crate) fn is_archive(name: &str) -> bool {
    let name = name.split(['?', '#']).next().unwrap_or_default();
    let (stem, ending) = name.rsplit_once('.').unwrap_or((name, ""));
    let packed_tar = || stem.get(stem.len().saturating_sub(4)..) == Some(".tar");
    ending.eq_ignore_ascii_case("tgz") || (ending.eq_ignore_ascii_case("gz") && packed_tar())
}

/// The files of an archive that have a known ending, without templates that are not plain YAML; `unpacked` counts
/// the bytes of all archives.
pub(super) fn unpack(name: &str, bytes: &[u8], unpacked: &AtomicU64) -> Result<FoundEntries> {
    let is_packed = bytes.starts_with(&[0x1F, 0x8B]);
    let plain: Box<dyn Read + '_> =
        if is_packed { Box::new(GzDecoder::new(bytes)) } else { Box::new(bytes) };
    let mut archive = tar::Archive::new(plain.take(LARGEST));
    let mut found = FoundEntries::default();
    for file in archive.entries()? {
        let mut file = file?;
        let path = file.path()?.into_owned();
        let size = file.size().min(LARGEST + 1);
        if unpacked.fetch_add(size, Ordering::Relaxed).saturating_add(size) > LARGEST {
            bail!("archives hold more than {} MiB together, which is the limit", LARGEST >> 20);
        }
        let hidden = |part: &std::ffi::OsStr| part.as_encoded_bytes().starts_with(b".");
        let is_hidden = path.components().any(|part| match part {
            std::path::Component::Normal(part) => hidden(part),
            _ => false,
        });
        if !file.header().entry_type().is_file() || is_hidden || Format::of_name(&path).is_none() {
            continue;
        }
        let mut bytes = Vec::new();
        file.read_to_end(&mut bytes)?;
        let full = Path::new(name).join(&path);
        if path.components().any(|part| part.as_os_str() == "templates") && has_actions(&bytes) {
            found.left_out.push((full, LeftOut::Template));
        } else {
            found.entries.push(InputEntry::memory(&full.display().to_string(), bytes));
        }
    }
    found.entries.sort_by(|left, right| left.name.cmp(&right.name));
    Ok(found)
}

/// Whether what was found in the archive at `path` is a chart that can be rendered.
pub(super) fn is_chart(path: &Path, found: &FoundEntries) -> bool {
    let is_own = |entry: &&InputEntry| {
        let inside = Path::new(&*entry.name).strip_prefix(path);
        inside.is_ok_and(|it| it.iter().count() == 2 && it.ends_with("Chart.yaml"))
    };
    let chart = found.entries.iter().find(is_own).and_then(|entry| entry.read().ok());
    chart.is_some_and(|chart| !super::files::is_library(&chart.bytes))
}

/// The text of the file called `name`, if an archive has one.
pub(super) fn file(bytes: &[u8], name: &str) -> Option<String> {
    let mut archive = tar::Archive::new(GzDecoder::new(bytes).take(LARGEST));
    let is_wanted = |path: &Path| path == Path::new(name);
    let mut files = archive.entries().ok()?.filter_map(Result::ok);
    let mut file = files.find(|file| file.path().is_ok_and(|path| is_wanted(&path)))?;
    let mut text = String::new();
    file.read_to_string(&mut text).ok()?;
    Some(text)
}

/// Whether a template has anything to fill in.
pub(crate) fn has_actions(bytes: &[u8]) -> bool {
    memchr::memmem::find(bytes, b"{{").is_some()
}
