//! Reads the lines of a watch, each of which is one event.

use futures::{AsyncBufRead, AsyncBufReadExt as _, AsyncReadExt as _};

use super::limit::ResponseLimit;
use super::read_error::ReadError;

/// A reader of lines with a length limit.
pub(super) struct WatchLines<R> {
    reader: R,
    line: String,
}

impl<R: AsyncBufRead + Unpin> WatchLines<R> {
    pub(super) fn new(reader: R) -> Self {
        Self { reader, line: String::new() }
    }

    /// Returns the next line; `None` at the end.
    ///
    /// # Errors
    /// Fails when the connection breaks, or the line exceeds the size limit of an object.
    pub(super) async fn next(&mut self) -> Result<Option<&str>, ReadError> {
        let limit = ResponseLimit::Object;
        self.line.clear();
        let mut limited = (&mut self.reader).take(limit.bytes() as u64 + 1);
        let read = limited.read_line(&mut self.line).await.map_err(|error| ReadError::Transport(error.to_string()))?;
        ReadError::check_limit(limit, self.line.len())?;
        Ok((read > 0).then_some(self.line.as_str()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn a_watch_is_read_line_by_line_and_no_line_is_endless() {
        let mut lines = WatchLines::new("{}\n{\"a\":1}\n".as_bytes());
        assert_eq!(lines.next().await.unwrap(), Some("{}\n"));
        assert_eq!(lines.next().await.unwrap(), Some("{\"a\":1}\n"));
        assert_eq!(lines.next().await.unwrap(), None);
        let endless = "x".repeat(ResponseLimit::Object.bytes() + 10);
        let error = WatchLines::new(endless.as_bytes()).next().await.map(|_| ()).unwrap_err();
        assert_eq!(error, ReadError::TooLarge { mebibytes: 16 });
    }
}
