//! A headless Chromium, driven by the DevTools protocol, <https://chromedevtools.github.io/devtools-protocol/>.

use std::io::{BufRead as _, BufReader};
use std::net::TcpStream;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD as BASE64;
use serde_json::{Value, json};
use tokio_tungstenite::tungstenite::{Message, WebSocket, client};

/// Debian's and Google's names of the browser.
const NAMES: [&str; 3] = ["chromium", "chromium-browser", "google-chrome"];
/// A page that does not reach the expected state in this time has failed.
const LIMIT: Duration = Duration::from_secs(40);

/// The program, if a browser is installed; otherwise prints that something was not tested.
pub(crate) fn program(untested: &str) -> Option<&'static str> {
    let is_there =
        |name: &&&str| Command::new(name).arg("--version").output().is_ok_and(|output| output.status.success());
    let found = NAMES.iter().find(is_there).copied();
    if found.is_none() {
        crate::support::print_notice(&format!("no browser is installed: {untested}"));
    }
    found
}

/// A browser with one page; ended when dropped.
pub(crate) struct Browser {
    process: Child,
    socket: WebSocket<TcpStream>,
    session: String,
    number: u64,
    /// URLs of all requests since the beginning.
    pub requests: Vec<String>,
    /// Errors that the page logged.
    pub errors: Vec<String>,
    _profile: tempfile::TempDir,
}

impl Browser {
    /// Starts a browser, if one is installed.
    pub(crate) fn start(untested: &str) -> Option<Self> {
        let program = program(untested)?;
        let profile = tempfile::tempdir().unwrap();
        let mut process = Command::new(program)
            .args(["--headless", "--no-sandbox", "--disable-gpu", "--remote-debugging-port=0", "--no-first-run"])
            .args(["--disable-background-networking", "--disable-component-update", "--hide-scrollbars"])
            .arg(format!("--user-data-dir={}", profile.path().display()))
            .arg("about:blank")
            .stderr(Stdio::piped())
            .stdout(Stdio::null())
            .spawn()
            .unwrap();
        let mut lines = BufReader::new(process.stderr.take().unwrap()).lines();
        let url = lines
            .by_ref()
            .map_while(Result::ok)
            .find_map(|line| line.strip_prefix("DevTools listening on ").map(str::to_owned))
            .expect("the browser listens");
        // A full pipe would stop the browser.
        std::thread::spawn(move || lines.for_each(drop));
        let address = url.strip_prefix("ws://").unwrap().split('/').next().unwrap();
        let stream = TcpStream::connect(address).unwrap();
        stream.set_read_timeout(Some(LIMIT)).unwrap();
        let (socket, _) = client(&url, stream).unwrap();
        let mut browser = Self {
            process,
            socket,
            session: String::new(),
            number: 0,
            requests: Vec::new(),
            errors: Vec::new(),
            _profile: profile,
        };
        let target = browser.command("Target.createTarget", json!({"url": "about:blank"}))["targetId"].clone();
        let attached = browser.command("Target.attachToTarget", json!({"targetId": target, "flatten": true}));
        browser.session = attached["sessionId"].as_str().unwrap().to_owned();
        for domain in ["Page", "Runtime", "Network", "Log"] {
            browser.command(&format!("{domain}.enable"), json!({}));
        }
        Some(browser)
    }

    /// Sends a command and returns its result.
    pub(crate) fn command(&mut self, method: &str, parameters: Value) -> Value {
        self.number += 1;
        let mut message = json!({"id": self.number, "method": method, "params": parameters});
        if !self.session.is_empty() {
            message["sessionId"] = self.session.clone().into();
        }
        self.socket.send(Message::text(message.to_string())).unwrap();
        loop {
            let Message::Text(text) = self.socket.read().unwrap() else { continue };
            let mut answer: Value = serde_json::from_str(&text).unwrap();
            if answer["id"] == self.number {
                assert!(answer["error"].is_null(), "{method}: {}", answer["error"]);
                return answer["result"].take();
            }
            self.note(&answer);
        }
    }

    fn note(&mut self, event: &Value) {
        let parameters = &event["params"];
        match event["method"].as_str() {
            Some("Network.requestWillBeSent") => {
                self.requests.push(parameters["request"]["url"].as_str().unwrap_or_default().to_owned());
            }
            Some("Runtime.exceptionThrown") => self.errors.push(parameters["exceptionDetails"].to_string()),
            Some("Log.entryAdded") if parameters["entry"]["level"] == "error" => {
                self.errors.push(parameters["entry"].to_string());
            }
            _ => {}
        }
    }

    /// Opens a URL.
    pub(crate) fn go(&mut self, url: &str) {
        self.command("Page.navigate", json!({"url": url}));
    }

    /// Returns the value of an expression in the page.
    pub(crate) fn value(&mut self, expression: &str) -> Value {
        let parameters = json!({"expression": expression, "returnByValue": true, "awaitPromise": true});
        let mut result = self.command("Runtime.evaluate", parameters);
        assert!(result["exceptionDetails"].is_null(), "{expression}: {}", result["exceptionDetails"]);
        result["result"]["value"].take()
    }

    /// Waits until an expression is true.
    pub(crate) fn until(&mut self, expression: &str) {
        let deadline = Instant::now() + LIMIT;
        // The page may be between two documents.
        let guarded = format!("(() => {{ try {{ return Boolean({expression}); }} catch {{ return false; }} }})()");
        while self.value(&guarded) != true {
            if Instant::now() > deadline {
                let page = self.value("document.body.innerText");
                panic!("never: {expression}\n{}\n{:?}", page.as_str().unwrap_or_default(), self.errors);
            }
            std::thread::sleep(Duration::from_millis(50));
        }
    }

    /// Sets the size of the window; a narrow one is that of a phone.
    pub(crate) fn resize(&mut self, width: u32, height: u32) {
        let metrics = json!({"width": width, "height": height, "deviceScaleFactor": 1, "mobile": width < 500});
        self.command("Emulation.setDeviceMetricsOverride", metrics);
    }

    /// Presses or moves the mouse: `mousePressed`, `mouseMoved`, `mouseReleased`, `mouseWheel`.
    pub(crate) fn mouse(&mut self, event: &str, x: f64, y: f64) {
        let is_move = event == "mouseMoved";
        self.command(
            "Input.dispatchMouseEvent",
            json!({
                "type": event, "x": x, "y": y, "button": if is_move { "none" } else { "left" }, "clickCount": 1,
                "buttons": u8::from(event != "mouseReleased"), "deltaX": 0, "deltaY": if event == "mouseWheel" { -240 } else { 0 },
            }),
        );
    }

    /// Clicks the middle of the first line of the first element that a selector finds.
    pub(crate) fn click(&mut self, selector: &str) {
        let edge = format!("JSON.parse(JSON.stringify(document.querySelector({selector:?}).getClientRects()[0]))");
        let edge = self.value(&edge);
        let middle = |start: &str, length: &str| edge[start].as_f64().unwrap() + edge[length].as_f64().unwrap() / 2.0;
        let (x, y) = (middle("x", "width"), middle("y", "height"));
        for event in ["mouseMoved", "mousePressed", "mouseReleased"] {
            self.mouse(event, x, y);
        }
    }

    /// Presses a key that is not a letter.
    pub(crate) fn press(&mut self, key: &str) {
        for event in ["rawKeyDown", "keyUp"] {
            self.command("Input.dispatchKeyEvent", json!({"type": event, "key": key}));
        }
    }

    /// Types a text into the focused element.
    pub(crate) fn write(&mut self, text: &str) {
        self.command("Input.insertText", json!({"text": text}));
    }

    /// Shows the page as a person prefers: `dark` or `light`.
    pub(crate) fn prefer(&mut self, scheme: &str) {
        let feature = json!({"features": [{"name": "prefers-color-scheme", "value": scheme}]});
        self.command("Emulation.setEmulatedMedia", feature);
    }

    /// Saves a picture of the window in the directory `WEB_PICTURES`, for a person who looks at it.
    pub(crate) fn save(&mut self, name: &str) {
        let Some(directory) = std::env::var_os("WEB_PICTURES") else { return };
        let picture = self.command("Page.captureScreenshot", json!({"format": "png"}));
        let path = Path::new(&directory).join(format!("{name}.png"));
        std::fs::write(path, BASE64.decode(picture["data"].as_str().unwrap()).unwrap()).unwrap();
    }
}

impl Drop for Browser {
    fn drop(&mut self) {
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}
