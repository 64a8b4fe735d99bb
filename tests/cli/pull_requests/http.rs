//! HTTP for tests of forges: one request per connection, a server that answers by a function, and a client.

use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::{TcpListener, TcpStream};
use std::sync::{Arc, Mutex};

/// A request as it came in.
#[derive(Debug, Clone)]
pub(crate) struct Request {
    pub(crate) method: String,
    pub(crate) path: String,
    pub(crate) headers: Vec<(String, String)>,
    pub(crate) body: Vec<u8>,
}

impl Request {
    pub(crate) fn header(&self, name: &str) -> Option<&str> {
        self.headers.iter().find(|(known, _)| known.eq_ignore_ascii_case(name)).map(|(_, value)| value.as_str())
    }

    fn read(stream: &TcpStream) -> Option<Self> {
        let mut reader = BufReader::new(stream);
        let mut line = String::new();
        reader.read_line(&mut line).ok()?;
        let mut words = line.split_whitespace().map(str::to_owned);
        let (method, path) = (words.next()?, words.next()?);
        let mut headers = Vec::new();
        loop {
            let mut line = String::new();
            reader.read_line(&mut line).ok()?;
            let Some((name, value)) = line.trim_end().split_once(':') else { break };
            headers.push((name.to_owned(), value.trim().to_owned()));
        }
        let mut request = Self { method, path, headers, body: Vec::new() };
        let length = request.header("content-length").and_then(|text| text.parse().ok()).unwrap_or(0);
        request.body.resize(length, 0);
        reader.read_exact(&mut request.body).ok()?;
        Some(request)
    }
}

/// A server on loopback.
pub(crate) struct Server {
    pub(crate) port: u16,
    seen: Arc<Mutex<Vec<Request>>>,
}

impl Server {
    /// Answers every request with the bytes that the function returns; none closes the connection.
    pub(crate) fn start(answer: impl Fn(&Request) -> Option<Vec<u8>> + Send + Sync + 'static) -> Self {
        let listener = TcpListener::bind(("127.0.0.1", 0)).unwrap();
        let port = listener.local_addr().unwrap().port();
        let (seen, answer) = (Arc::<Mutex<Vec<Request>>>::default(), Arc::new(answer));
        let log = Arc::clone(&seen);
        std::thread::spawn(move || {
            for stream in listener.incoming().flatten() {
                let (log, answer) = (Arc::clone(&log), Arc::clone(&answer));
                std::thread::spawn(move || {
                    let Some(request) = Request::read(&stream) else { return };
                    log.lock().unwrap().push(request.clone());
                    if let Some(bytes) = answer(&request) {
                        let _ = (&stream).write_all(&bytes);
                    }
                });
            }
        });
        Self { port, seen }
    }

    pub(crate) fn url(&self) -> String {
        format!("http://127.0.0.1:{}", self.port)
    }

    pub(crate) fn seen(&self) -> Vec<Request> {
        self.seen.lock().unwrap().clone()
    }
}

/// A response with a body of JSON.
pub(crate) fn respond(status: u16, headers: &str, body: &str) -> Vec<u8> {
    let length = body.len();
    format!("HTTP/1.1 {status} X\r\nconnection: close\r\n{headers}content-length: {length}\r\n\r\n{body}").into_bytes()
}

/// Sends a request as HTTP/1.0, so that the response ends with the connection, and returns the whole response.
pub(crate) fn forward(port: u16, request: &Request) -> Vec<u8> {
    let mut stream = TcpStream::connect(("127.0.0.1", port)).unwrap();
    let mut text = format!("{} {} HTTP/1.0\r\n", request.method, request.path);
    for (name, value) in &request.headers {
        if !["connection", "expect", "accept-encoding"].contains(&name.to_ascii_lowercase().as_str()) {
            text.push_str(&format!("{name}: {value}\r\n"));
        }
    }
    stream.write_all(format!("{text}\r\n").as_bytes()).unwrap();
    stream.write_all(&request.body).unwrap();
    let mut response = Vec::new();
    stream.read_to_end(&mut response).unwrap();
    // The client must not keep the connection.
    let end = response.iter().position(|byte| *byte == b'\n').map_or(0, |at| at + 1);
    response.splice(end..end, b"Connection: close\r\n".iter().copied());
    response
}
