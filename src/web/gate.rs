//! The gate in front of pages: a ticket that works once, and then the session of one browser.
//!
//! The ticket is in the fragment of a URL, which browsers do not send, and is exchanged for a cookie. Browsers send cookies
//! to all ports of a host, so the cookie is limited to a random path: a server of another user on this machine would
//! have to know the path to receive it.

use std::sync::atomic::{AtomicBool, Ordering};

use http::header::{AUTHORIZATION, COOKIE, HeaderName, SET_COOKIE};
use http::{HeaderValue, Method, StatusCode};

use super::loopback::{WebRequest, WebResponse, html_response, text_response};
use super::ticket::Ticket;
use ucp_core::error::Result;

/// The path of the login page. It contains nothing of a cluster.
const DOOR: &str = "/";
/// The path where a ticket is exchanged.
const LOGIN: &str = "/login";
/// The name of the cookie.
const SESSION: &str = "ucp-session";
/// The relation of the page that sent a request to this server, in all current browsers.
const FETCH_SITE: HeaderName = HeaderName::from_static("sec-fetch-site");

const LOGIN_STYLE: &str = include_str!("login.css");
const LOGIN_SCRIPT: &str = include_str!("login.js");

const USED: &str = "This address works once, and was used before. Go on in the browser in which it was opened first. If that \
    was not you, end the command with Ctrl-C. To get a new address, start the command again.\n";
const WRONG: &str =
    "This address is not complete, or belongs to another run. Open the address that the command has printed.\n";
const OUTSIDE: &str = "This page needs a session: open the address that 'kubectl ucp ui --web' has printed. It works once, in one \
    browser, while the command runs.\n";

/// A ticket that works once, and the session that it opens.
pub struct LoginGate {
    ticket: Ticket,
    is_used: AtomicBool,
    /// The first segment of every path in the session.
    place: Ticket,
    cookie: Ticket,
}

/// The decision about a request.
pub enum Admission<'request> {
    /// It belongs to the session. The path has no slash at its start.
    Inside(&'request str),
    /// It does not, and has this response.
    Outside(Box<WebResponse>),
}

impl LoginGate {
    /// Draws the random texts.
    ///
    /// # Errors
    /// Fails when the system has no random numbers.
    pub fn draw() -> Result<Self> {
        let (ticket, place, cookie) = (Ticket::draw()?, Ticket::draw()?, Ticket::draw()?);
        Ok(Self { ticket, is_used: AtomicBool::new(false), place, cookie })
    }

    /// Returns the address with the ticket, for the person and for nothing else.
    pub fn address(&self, server: &str) -> String {
        format!("{server}{DOOR}#{}", self.ticket.expose())
    }

    /// Decides about a request: the path inside of the session, or a response for everything else.
    pub fn admit<'request>(&self, request: &'request WebRequest) -> Admission<'request> {
        let outside = |response| Admission::Outside(Box::new(response));
        let path = request.uri.path();
        // A terminal in a browser links to the door from another site.
        if path == DOOR {
            return outside(html_response(StatusCode::OK, login_page(), LOGIN_STYLE, LOGIN_SCRIPT));
        }
        if !is_of_same_origin(request) {
            return outside(text_response(StatusCode::FORBIDDEN, "a page of another site sent this request\n"));
        }
        if path == LOGIN {
            return outside(self.login(request));
        }
        let segments = path.strip_prefix('/').and_then(|path| path.split_once('/'));
        let inside = segments.filter(|(place, _)| self.place.is(place)).map(|(_, rest)| rest);
        match inside {
            Some(rest) if self.has_session(request) => Admission::Inside(rest),
            _ => outside(text_response(StatusCode::UNAUTHORIZED, OUTSIDE)),
        }
    }

    fn login(&self, request: &WebRequest) -> WebResponse {
        if request.method != Method::GET {
            return text_response(StatusCode::METHOD_NOT_ALLOWED, "a login is a GET request\n");
        }
        // Another site can open a URL here, but cannot set this header.
        let header = request.headers.get(AUTHORIZATION).and_then(|value| value.to_str().ok());
        let text = header.and_then(|value| value.strip_prefix("Bearer ")).unwrap_or_default();
        if !self.ticket.is(text) {
            return text_response(StatusCode::FORBIDDEN, WRONG);
        }
        if self.is_used.swap(true, Ordering::SeqCst) {
            return text_response(StatusCode::FORBIDDEN, USED);
        }
        let place = format!("/{}/", self.place.expose());
        let cookie = format!("{SESSION}={}; Path={place}; HttpOnly; SameSite=Strict", self.cookie.expose());
        let mut response = text_response(StatusCode::OK, place);
        if let Ok(mut value) = HeaderValue::from_str(&cookie) {
            value.set_sensitive(true);
            response.headers_mut().insert(SET_COOKIE, value);
        }
        response
    }

    fn has_session(&self, request: &WebRequest) -> bool {
        let cookies = request.headers.get_all(COOKIE).into_iter().filter_map(|value| value.to_str().ok());
        let mut pairs = cookies.flat_map(|value| value.split(';')).filter_map(|pair| pair.trim().split_once('='));
        pairs.any(|(name, value)| name == SESSION && self.cookie.is(value))
    }
}

/// Returns true for requests of this server's own pages, of the address bar, and of programs without this header.
fn is_of_same_origin(request: &WebRequest) -> bool {
    let mut sites = request.headers.get_all(FETCH_SITE).into_iter();
    sites.all(|site| [&b"same-origin"[..], b"none"].contains(&site.as_bytes()))
}

fn login_page() -> String {
    format!(
        "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n\
         <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n\
         <title>kubectl ucp</title>\n<style>{LOGIN_STYLE}</style>\n</head>\n<body>\n<h1>kubectl ucp</h1>\n\
         <p id=\"note\">Opening the session …</p>\n<noscript><p>This page needs JavaScript.</p></noscript>\n\
         <script>{LOGIN_SCRIPT}</script>\n</body>\n</html>\n"
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use http::Request;

    struct Visitor<'a> {
        gate: &'a LoginGate,
        headers: Vec<(&'static str, String)>,
    }

    impl Visitor<'_> {
        fn with(&self, name: &'static str, value: &str) -> Visitor<'_> {
            let headers = self.headers.iter().cloned().chain([(name, value.to_owned())]).collect();
            Visitor { gate: self.gate, headers }
        }

        fn ask<T>(&self, method: &str, path: &str, take: impl Fn(Result<&str, &WebResponse>) -> T) -> T {
            let mut request = Request::builder().method(method).uri(path);
            for (name, value) in &self.headers {
                request = request.header(*name, value);
            }
            let request = request.body(()).unwrap().into_parts().0;
            match self.gate.admit(&request) {
                Admission::Inside(path) => take(Ok(path)),
                Admission::Outside(response) => take(Err(&*response)),
            }
        }

        /// The status of the response; 0 for a request inside of the session.
        fn status(&self, path: &str) -> u16 {
            self.ask("GET", path, |admission| admission.map_or_else(|response| response.status().as_u16(), |_| 0))
        }
    }

    fn cookie_of(response: &WebResponse) -> String {
        response.headers().get(SET_COOKIE).map(|value| value.to_str().unwrap().to_owned()).unwrap_or_default()
    }

    #[test]
    fn a_ticket_opens_only_one_session() {
        let gate = LoginGate::draw().unwrap();
        let visitor = Visitor { gate: &gate, headers: Vec::new() };
        assert_eq!(visitor.status("/"), 200);
        assert_eq!(visitor.status("/login"), 403);
        assert_eq!(visitor.with("authorization", "Bearer ").status("/login"), 403);
        let place = format!("/{}/", gate.place.expose());
        assert_eq!((visitor.status(&place), visitor.status("/status"), visitor.status("/x/y")), (401, 401, 401));
        let ticket = format!("Bearer {}", gate.ticket.expose());
        let holder = visitor.with("authorization", &ticket);
        // A preview of the link is no login.
        assert_eq!(holder.ask("HEAD", "/login", |admission| admission.unwrap_err().status().as_u16()), 405);
        let cookie = holder.ask("GET", "/login", |admission| cookie_of(admission.unwrap_err()));
        for part in ["; HttpOnly", "; SameSite=Strict", &format!("; Path={place}")] {
            assert!(cookie.contains(part), "{part}");
        }
        assert!(!cookie.contains(gate.ticket.expose()));
        let again = holder.ask("GET", "/login", |admission| {
            let response = admission.unwrap_err();
            (response.status().as_u16(), cookie_of(response))
        });
        assert_eq!(again, (403, String::new()));
        let session = visitor.with("cookie", &format!("a=b; {}", cookie.split(';').next().unwrap()));
        assert!(session.ask("GET", &format!("{place}tree?name=x"), |path| path.is_ok_and(|path| path == "tree")));
        assert_eq!(session.status("/status"), 401, "only below the path of the session");
        assert_eq!(visitor.with("cookie", &format!("{SESSION}={}", gate.ticket.expose())).status(&place), 401);
        assert_eq!(visitor.with("cookie", "ucp-session=").status(&place), 401);
    }

    #[test]
    fn pages_of_other_sites_and_ports_are_refused() {
        let gate = LoginGate::draw().unwrap();
        let ticket = format!("Bearer {}", gate.ticket.expose());
        let cookie = format!("{SESSION}={}", gate.cookie.expose());
        let session = Visitor { gate: &gate, headers: vec![("authorization", ticket), ("cookie", cookie)] };
        let page = format!("/{}/status", gate.place.expose());
        for site in ["cross-site", "same-site", "", "None"] {
            let from_elsewhere = session.with("sec-fetch-site", site);
            assert_eq!((from_elsewhere.status(&page), from_elsewhere.status("/login")), (403, 403), "{site}");
            assert_eq!(from_elsewhere.status("/"), 200, "the door has no content");
        }
        assert_eq!(
            session.with("sec-fetch-site", "same-origin").with("sec-fetch-site", "cross-site").status(&page),
            403
        );
        for site in ["same-origin", "none"] {
            assert_eq!(session.with("sec-fetch-site", site).status(&page), 0, "{site}");
        }
        assert_eq!(session.with("sec-fetch-site", "same-origin").status("/login"), 200, "the ticket was not used yet");
    }

    #[test]
    fn the_login_page_contains_no_ticket_and_loads_nothing() {
        let page = login_page();
        for asked in ["http:", "https:", "src=", "href=", "@import", "url("] {
            assert!(!page.contains(asked), "{asked}");
        }
        let gate = LoginGate::draw().unwrap();
        assert!(gate.address("http://127.0.0.1:1").starts_with("http://127.0.0.1:1/#"));
    }
}
