//! Size limits of responses, after decompression. A response over the limit results in an error, and uses no more
//! memory.

const MEBI: usize = 1 << 20;

/// The size limit of a response.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ResponseLimit {
    /// Versions, errors and reviews: 1 MiB.
    Small,
    /// One object: 16 MiB. An API server stores at most 1.5 MiB, unless it is configured otherwise.
    Object,
    /// All kinds of a server: 16 MiB, which suffice for some ten thousand.
    Discovery,
    /// A page of a list: 128 MiB.
    Page,
    /// A page that is decoded as a stream, and never buffered as a whole: 1 GiB.
    StreamedPage,
}

impl ResponseLimit {
    pub(super) const fn bytes(self) -> usize {
        match self {
            Self::Small => MEBI,
            Self::Object | Self::Discovery => 16 * MEBI,
            Self::Page => 128 * MEBI,
            Self::StreamedPage => 1024 * MEBI,
        }
    }

    pub(super) const fn mebibytes(self) -> usize {
        self.bytes() / MEBI
    }
}
