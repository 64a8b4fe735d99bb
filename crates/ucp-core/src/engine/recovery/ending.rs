//! Ways in which errors end.

/// What ends an error.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Recovery {
    /// The next attempt of the engine, when another object or the network is ready.
    ByItself,
    /// A new version at the source, for which the engine looks again after its interval, or a change of the declaration.
    AtSource,
    /// A change of the declaration: the same attempt fails again.
    Change,
    /// A person who grants, raises, or approves something.
    Human,
}
