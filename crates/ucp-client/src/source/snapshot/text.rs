//! The text of a file as a stream, without logs, and split into YAML documents.

use std::io::{self, Read};

/// Header of the logs of pods that `kubectl cluster-info dump` writes between its lists.
const LOGS: &[u8] = b"==== START logs for container ";
const LOGS_END: &[u8] = b"==== END logs for container ";
const BYTE_ORDER_MARK: &[u8] = b"\xef\xbb\xbf";
const CHUNK: usize = 64 << 10;
/// The error of a file that is not text.
pub(super) const NOT_TEXT: &str = "it is not UTF-8";

/// The current position in a line or document.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum TextPosition {
    /// At the first byte of a line, which was not checked yet.
    Line,
    /// Within a line.
    Within,
    /// At a separator line that ends a document.
    Separator,
}

/// The text of a file.
pub(super) struct TextReader<'a> {
    reader: &'a mut dyn Read,
    buffer: Vec<u8>,
    /// Number of bytes in the buffer that were passed on.
    taken: usize,
    /// Number of bytes in the buffer that are valid UTF-8.
    sound: usize,
    is_at_end: bool,
    at: TextPosition,
    /// Number of lines so far.
    line: usize,
    /// Number of documents so far.
    documents: usize,
    /// The read error, which parsers would report in other words.
    failure: Option<String>,
}

impl<'a> TextReader<'a> {
    pub(super) fn new(reader: &'a mut dyn Read) -> io::Result<Self> {
        let buffer = Vec::with_capacity(2 * CHUNK);
        let (at, failure) = (TextPosition::Line, None);
        let mut text =
            Self { reader, buffer, taken: 0, sound: 0, is_at_end: false, at, line: 0, documents: 0, failure };
        if text.peek(BYTE_ORDER_MARK.len())?.starts_with(BYTE_ORDER_MARK) {
            text.taken += BYTE_ORDER_MARK.len();
        }
        Ok(text)
    }

    /// The number of the next line, from 1.
    pub(super) fn line(&self) -> usize {
        self.line + usize::from(self.at != TextPosition::Within)
    }

    /// Returns true for JSON: few YAML documents begin with a brace or bracket, and of several ones, a line separates the
    /// first from the next. The spaces before it are limited, since they are kept in memory.
    pub(super) fn is_json(&mut self) -> io::Result<bool> {
        let ahead = self.peek(CHUNK)?;
        let first = ahead.iter().find(|byte| !byte.is_ascii_whitespace());
        // A log may have such a line, too.
        let lines = ahead.split(|byte| *byte == b'\n').take_while(|line| !line.starts_with(LOGS));
        let is_separated = lines.filter(|line| line.starts_with(b"---")).count() > 0;
        Ok(matches!(first, Some(b'{' | b'[')) && !is_separated)
    }

    /// Returns true if another document follows; always true for the first one.
    pub(super) fn next_document(&mut self) -> bool {
        let follows = self.at == TextPosition::Separator || self.documents == 0;
        if self.at == TextPosition::Separator {
            // The separator is the first line of the next document.
            self.begin_line();
        }
        self.documents += usize::from(follows);
        follows
    }

    /// Takes the read error, if any.
    pub(super) fn failure(&mut self) -> Option<String> {
        self.failure.take()
    }

    /// Returns a reader for the rest of the document.
    pub(super) fn document(&mut self) -> YamlDocumentReader<'_, 'a> {
        YamlDocumentReader(self)
    }

    /// Returns at least this many bytes, or all until the end.
    fn peek(&mut self, number: usize) -> io::Result<&[u8]> {
        while self.buffer.len() - self.taken < number && !self.is_at_end {
            self.fill()?;
        }
        Ok(&self.buffer[self.taken..])
    }

    fn fill(&mut self) -> io::Result<()> {
        self.buffer.drain(..self.taken);
        self.sound = self.sound.saturating_sub(self.taken);
        self.taken = 0;
        let held = self.buffer.len();
        (&mut *self.reader).take(CHUNK as u64).read_to_end(&mut self.buffer)?;
        self.is_at_end = self.buffer.len() == held;
        let not_text = || io::Error::new(io::ErrorKind::InvalidData, NOT_TEXT);
        match std::str::from_utf8(&self.buffer[self.sound..]) {
            Ok(_) => self.sound = self.buffer.len(),
            // A character may be split between two chunks.
            Err(error) if error.error_len().is_none() && !self.is_at_end => self.sound += error.valid_up_to(),
            Err(_) => return Err(not_text()),
        }
        Ok(())
    }

    fn begin_line(&mut self) {
        self.at = TextPosition::Within;
        self.line += 1;
    }

    /// Skips the lines of a log.
    fn skip_logs(&mut self) -> io::Result<()> {
        loop {
            let is_last = self.peek(LOGS_END.len())?.starts_with(LOGS_END);
            if self.skip_line()? == 0 || is_last {
                return Ok(());
            }
        }
    }

    /// Skips one line, and returns its length.
    fn skip_line(&mut self) -> io::Result<usize> {
        let mut skipped = 0;
        loop {
            let ahead = self.peek(1)?;
            let end = ahead.iter().position(|byte| *byte == b'\n');
            let length = end.map_or(ahead.len(), |end| end + 1);
            (self.taken, skipped) = (self.taken + length, skipped + length);
            if end.is_some() || length == 0 {
                return Ok(skipped);
            }
        }
    }

    /// Reads a part of one line; none at the end, and in YAML at the end of a document.
    fn read_part(&mut self, buffer: &mut [u8], ends_at_separators: bool) -> io::Result<usize> {
        let read = self.try_read_part(buffer, ends_at_separators);
        read.inspect_err(|error| self.failure = Some(error.to_string()))
    }

    fn try_read_part(&mut self, buffer: &mut [u8], ends_at_separators: bool) -> io::Result<usize> {
        while self.at == TextPosition::Line {
            let ends_here = ends_at_separators && self.line > 0;
            let ahead = self.peek(LOGS.len())?;
            if ahead.starts_with(LOGS) {
                self.skip_logs()?;
            } else if ends_here && is_separator(ahead) {
                self.at = TextPosition::Separator;
            } else if !ahead.is_empty() {
                self.begin_line();
            } else {
                return Ok(0);
            }
        }
        if self.at == TextPosition::Separator {
            return Ok(0);
        }
        let ahead = self.peek(1)?;
        // A long line is read in several parts.
        let ahead = &ahead[..ahead.len().min(buffer.len())];
        let end = ahead.iter().position(|byte| *byte == b'\n').map(|end| end + 1);
        let length = end.unwrap_or(ahead.len());
        buffer[..length].copy_from_slice(&ahead[..length]);
        self.taken += length;
        if Some(length) == end {
            self.at = TextPosition::Line;
        }
        Ok(length)
    }
}

/// Returns true for a document separator. In the first column it is always a separator, even within a block scalar.
fn is_separator(line: &[u8]) -> bool {
    line.strip_prefix(b"---").is_some_and(|rest| rest.first().is_none_or(u8::is_ascii_whitespace))
}

impl Read for TextReader<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        self.read_part(buffer, false)
    }
}

/// One YAML document.
pub(super) struct YamlDocumentReader<'t, 'a>(&'t mut TextReader<'a>);

impl Read for YamlDocumentReader<'_, '_> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        self.0.read_part(buffer, true)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A reader as slow as a pipe may be, with one byte at a time.
    struct ByteReader<'a>(&'a [u8]);

    impl Read for ByteReader<'_> {
        fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
            let length = self.0.len().min(buffer.len()).min(1);
            buffer[..length].copy_from_slice(&self.0[..length]);
            self.0 = &self.0[length..];
            Ok(length)
        }
    }

    #[test]
    fn spaces_before_a_document_are_not_kept() {
        let mut spaces = io::repeat(b' ').take(64 * CHUNK as u64);
        let mut text = TextReader::new(&mut spaces).unwrap();
        assert!(!text.is_json().unwrap());
        assert!(text.buffer.len() <= 2 * CHUNK, "{}", text.buffer.len());
        let mut json = " \n\t{}".as_bytes();
        assert!(TextReader::new(&mut json).unwrap().is_json().unwrap());
        let mut flow = "{a: b}\n---\n{c: d}\n".as_bytes();
        assert!(!TextReader::new(&mut flow).unwrap().is_json().unwrap(), "several YAML documents");
        let mut dump = "{}\n==== START logs for container a\n--- b\n".as_bytes();
        assert!(TextReader::new(&mut dump).unwrap().is_json().unwrap());
    }

    fn documents(text: &str) -> Vec<(usize, String)> {
        let read = |reader: &mut dyn Read| {
            let mut text = TextReader::new(reader).unwrap();
            let mut documents = Vec::new();
            while text.next_document() {
                let line = text.line();
                let mut document = String::new();
                text.document().read_to_string(&mut document).unwrap();
                documents.push((line, document));
            }
            documents
        };
        let whole = read(&mut text.as_bytes());
        assert_eq!(whole, read(&mut ByteReader(text.as_bytes())));
        whole
    }

    #[test]
    fn documents_begin_at_their_separators() {
        let text = |documents: &[(usize, &str)]| -> Vec<(usize, String)> {
            documents.iter().map(|(line, text)| (*line, (*text).to_owned())).collect()
        };
        assert_eq!(
            documents("a: 1\n--- # b\nb: |\n  ---\n---x: 2\n---"),
            text(&[(1, "a: 1\n"), (2, "--- # b\nb: |\n  ---\n---x: 2\n"), (6, "---"),])
        );
        assert_eq!(documents("\u{feff}---\nü: é\n"), text(&[(1, "---\nü: é\n")]));
        assert_eq!(documents(""), text(&[(1, "")]));
    }

    #[test]
    fn logs_are_omitted() {
        let text = "{\"a\":\n==== START logs for container x of pod y ====\nkind: [\n---\n==== END logs for container x of pod y ====\n1}";
        assert_eq!(documents(text), [(1, "{\"a\":\n1}".to_owned())]);
    }

    #[test]
    fn invalid_utf8_is_refused_at_any_position() {
        let long = [&b"a: "[..], &vec![b'x'; 3 * CHUNK], &b"\xc3\n"[..]].concat();
        for bytes in [&b"\xff\xfe\x00"[..], b"a: \xc3", &long] {
            let mut reader = bytes;
            let read = TextReader::new(&mut reader).and_then(|mut text| io::copy(&mut text, &mut io::sink()));
            assert_eq!(read.unwrap_err().to_string(), "it is not UTF-8");
        }
    }
}
