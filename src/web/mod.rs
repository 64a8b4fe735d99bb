//! Web servers on this machine, for a browser, an agent or kubectl. They listen on loopback only, and accept only host
//! names of loopback, so that web pages cannot read them with a name that leads here.

mod feed;
mod gate;
mod loopback;
mod policy;
mod ticket;

pub use feed::{ChangeFeed, FeedRevision};
pub use gate::{Admission, LoginGate};
pub use loopback::{
    LoopbackServer, WebRequest, WebResponse, html_response, json_response, stream_response, text_response,
};
pub use policy::hash_source;
pub use ticket::Ticket;
