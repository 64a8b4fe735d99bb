//! Web servers on this machine, for a browser, an agent or kubectl. They listen on loopback only, and accept only host
//! names of loopback, so that web pages cannot read them with a name that leads here.

mod loopback;
mod ticket;

pub use loopback::{LoopbackServer, WebRequest, WebResponse, json_response, stream_response, text_response};
pub use ticket::Ticket;
