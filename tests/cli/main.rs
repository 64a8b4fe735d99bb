//! The command line as users see it, one file a command.
