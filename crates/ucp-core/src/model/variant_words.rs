//! Words for the variants of an enum.

/// Defines `as_str` for an enum.
#[macro_export]
macro_rules! variant_words {
    ($name:ident { $($variant:ident = $word:literal),+ $(,)? }) => {
        impl $name {
            /// Returns the word for this value in output, documents, and arguments.
            pub const fn as_str(self) -> &'static str {
                match self {
                    $(Self::$variant => $word),+
                }
            }
        }
    };
}

pub use variant_words;
