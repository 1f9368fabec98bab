//! Inputs: what a source is made of, read whole or, when large, in parts (`parts`) that end between documents, or
//! between the items of a list; standard input as it comes in (`stream`).

mod items;
mod parts;
mod stream;
mod yaml_list;

pub(crate) use stream::DocumentStream;

use crate::objects::ItemKind;
use crate::rendered::SourceMap;
use crate::source::read_file;
use anyhow::{Context as _, Result};
use crdkit_codec::json::{Documents, Framing};
use crdkit_codec::{DecodeError, DecodeOptions, Decoded, Format};
use parts::{List, Parts, ReadSeek, Start};
use std::fs::File;
use std::io::{Cursor, Read as _, Seek as _};
use std::path::{Path, PathBuf};
use std::sync::{Arc, OnceLock};

/// Text that has been read: all of a file, or a part of it.
pub(crate) struct Input {
    /// What to call it in findings.
    pub(crate) name: Arc<str>,
    pub(crate) format: Format,
    pub(crate) bytes: Vec<u8>,
    /// The number of its first line in the file.
    pub(crate) first_line: usize,
    /// How many characters stand before it on that line.
    pub(crate) first_column: usize,
    /// Whether its documents are the items of a list.
    pub(crate) is_inside_list: bool,
    /// What they are, if the list says it for all of them.
    pub(crate) item_kind: Option<Arc<ItemKind>>,
    pub(crate) role: Role,
    /// Whether there is more of its entry.
    pub(crate) is_part: bool,
    /// Where it comes from, if a program put it together.
    pub(crate) map: Option<Arc<SourceMap>>,
    /// What it was put together from.
    pub(crate) origin: Option<Arc<str>>,
}

/// What the documents of an input are taken for.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Role {
    /// Objects, or a file that happens to have none.
    #[default]
    File,
    /// Objects and nothing else.
    Stream,
    /// Parts of objects, which kustomize merges into others.
    Patch,
}

impl Input {
    /// Its documents, each decoded when it is asked for.
    pub(crate) fn documents<'a>(
        &'a self,
        options: &'a DecodeOptions,
    ) -> Box<dyn Iterator<Item = Result<Decoded, DecodeError>> + 'a> {
        if self.is_inside_list && self.format == Format::Json {
            return Box::new(Documents::from_slice(&self.bytes, Framing::Items, options));
        }
        self.format.documents(&self.bytes, options)
    }
}

/// Something that can be read, as often as needed.
pub(crate) struct InputEntry {
    pub(crate) name: Arc<str>,
    /// Its format, where that was said.
    pub(crate) format: Option<Format>,
    pub(crate) content: Content,
    pub(crate) role: Role,
    pub(crate) map: Option<Arc<SourceMap>>,
    pub(crate) origin: Option<Arc<str>>,
    /// Where the items are, if it is a list that is read in parts.
    pub(crate) list: OnceLock<Option<List>>,
}

/// Where the text of an entry is.
pub(crate) enum Content {
    File(PathBuf),
    /// Already here, because it cannot be read twice.
    Memory(Vec<u8>),
}

/// Larger files are read in parts.
const LARGE: usize = 2 << 20;
/// About the size of a part: small enough for workers to end at about the same time.
const PART: usize = 256 << 10;

impl InputEntry {
    pub(crate) fn file(path: PathBuf) -> Self {
        let name = name_of(&path);
        Self::new(name, Content::File(path))
    }

    pub(crate) fn memory(name: &str, bytes: Vec<u8>) -> Self {
        Self::new(name.into(), Content::Memory(bytes))
    }

    fn new(name: Arc<str>, content: Content) -> Self {
        let (format, role, map, origin) = (None, Role::default(), None, None);
        Self { name, format, content, role, map, origin, list: OnceLock::new() }
    }

    /// All of it.
    pub(crate) fn read(&self) -> Result<Input> {
        let bytes = match &self.content {
            Content::Memory(bytes) => bytes.clone(),
            Content::File(path) => read_file(path).with_context(|| self.unreadable())?,
        };
        Ok(self.input(bytes, Start::default()))
    }

    /// All of it, unless it is worth reading in parts.
    pub(crate) fn read_if_small(&self) -> Result<Option<Input>> {
        let Content::File(path) = &self.content else {
            return if self.is_large() { Ok(None) } else { self.read().map(Some) };
        };
        let unreadable = || self.unreadable();
        let file = File::open(path).with_context(unreadable)?;
        let size = file.metadata().with_context(unreadable)?.len();
        if size > LARGE as u64 {
            return Ok(None);
        }
        // With room for one byte more the end is seen without asking for more room.
        let mut bytes = Vec::with_capacity(usize::try_from(size).unwrap_or_default() + 1);
        file.take(2 * LARGE as u64).read_to_end(&mut bytes).with_context(unreadable)?;
        Ok(Some(self.input(bytes, Start::default())))
    }

    /// The file that it is, if it is one.
    pub(crate) fn path(&self) -> Option<&Path> {
        match &self.content {
            Content::File(path) => Some(path),
            Content::Memory(_) => None,
        }
    }

    fn open(&self) -> Result<Box<dyn ReadSeek + '_>> {
        Ok(match &self.content {
            Content::Memory(bytes) => Box::new(Cursor::new(bytes.as_slice())),
            Content::File(path) => Box::new(File::open(path).with_context(|| self.unreadable())?),
        })
    }

    /// All of it, in parts no larger than needed. A part ends where a document or an item of a list does.
    pub(crate) fn parts(&self) -> Result<Box<dyn Iterator<Item = Result<Input>> + '_>> {
        let mut reader = self.open()?;
        let list = if let Some(list) = self.list.get() {
            list
        } else {
            let found = List::find(self, &mut *reader).with_context(|| self.unreadable())?;
            reader.rewind().with_context(|| self.unreadable())?;
            self.list.get_or_init(|| found)
        };
        match list {
            Some(list) => list.parts(self, reader),
            None => Ok(Box::new(Parts::new(self, reader))),
        }
    }

    /// How large it is, as far as that is known.
    pub(crate) fn size(&self) -> usize {
        match &self.content {
            Content::Memory(bytes) => bytes.len(),
            Content::File(path) => {
                path.metadata().map_or(0, |it| usize::try_from(it.len()).unwrap_or(usize::MAX))
            }
        }
    }

    /// Whether it is worth reading in parts.
    pub(crate) fn is_large(&self) -> bool {
        self.size() > LARGE
    }

    fn input(&self, bytes: Vec<u8>, start: Start) -> Input {
        let format = self.format_of(&bytes);
        let bytes = if format == Format::Yaml { without_utf16(bytes) } else { bytes };
        let Start { line: first_line, column: first_column } = start;
        let name = Arc::clone(&self.name);
        Input { first_line, first_column, ..self.whole(name, format, bytes) }
    }

    fn whole(&self, name: Arc<str>, format: Format, bytes: Vec<u8>) -> Input {
        Input {
            name,
            format,
            bytes,
            first_line: 1,
            first_column: 0,
            is_inside_list: false,
            item_kind: None,
            role: self.role,
            is_part: false,
            map: self.map.clone(),
            origin: self.origin.clone(),
        }
    }

    fn format_of(&self, bytes: &[u8]) -> Format {
        let named = || Format::detect(self.name.as_ref().as_ref(), bytes);
        match self.format.unwrap_or_else(named) {
            // kubectl takes text that begins with a byte order mark for YAML, which JSON is as well.
            Format::Json if bytes.starts_with(b"\xEF\xBB\xBF") => Format::Yaml,
            format => format,
        }
    }

    fn unreadable(&self) -> String {
        format!("`{}` cannot be read", self.name)
    }
}

/// What a file is called in findings.
pub(crate) fn name_of(path: &Path) -> Arc<str> {
    let name = path.display().to_string();
    // `./a.yaml` and `a.yaml` are one file, and services that show findings know the latter.
    name.strip_prefix("./").unwrap_or(&name).into()
}

/// UTF-16 with a byte order mark as UTF-8, so that lines and columns can be found in it. What is not UTF-16
/// becomes what is not UTF-8, and is refused there.
fn without_utf16(bytes: Vec<u8>) -> Vec<u8> {
    let unit = match bytes.as_slice() {
        [0xFF, 0xFE, ..] => u16::from_le_bytes,
        [0xFE, 0xFF, ..] => u16::from_be_bytes,
        _ => return bytes,
    };
    let (pairs, odd) = bytes.as_chunks::<2>();
    let mut text = Vec::with_capacity(bytes.len());
    for outcome in char::decode_utf16(pairs.iter().skip(1).map(|pair| unit(*pair))) {
        match outcome {
            Ok(character) => {
                text.extend_from_slice(character.encode_utf8(&mut [0; 4]).as_bytes());
            }
            Err(_) => text.push(0xFF),
        }
    }
    text.extend(odd.iter().map(|_| 0xFF));
    text
}
