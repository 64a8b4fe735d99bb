//! `kubectl ucp ui --web`: who gets a page, the same documents as `-o html`, and a browser that follows a real API server.

use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::TcpStream;
use std::path::Path;
use std::process::{Child, Stdio};
use std::time::{Duration, Instant};

use regex::Regex;

use crate::browser::Browser;
use crate::html::hostile;
use crate::support::audit::Request;
use crate::support::command::{interruptible, run, signal, ucp, ucp_from};
use crate::support::hub::{BAD_DAY, QUOTES};
use crate::support::{self, Cluster, Options};

const DRIFT: &str = "tests/fixtures/drift";

/// A running `ui --web`; ended when dropped.
struct WebUi {
    process: Child,
    /// The address that it printed.
    url: String,
}

struct Answer {
    status: u16,
    head: String,
    body: String,
}

impl Answer {
    /// The value of a header, which may be absent.
    fn header(&self, name: &str) -> &str {
        let mut lines = self.head.lines().filter_map(|line| line.split_once(": "));
        lines.find(|(known, _)| known.eq_ignore_ascii_case(name)).map_or("", |(_, value)| value)
    }
}

impl WebUi {
    fn start(arguments: &[&str]) -> Self {
        Self::start_with(arguments, None)
    }

    fn follow(cluster: &Cluster) -> Self {
        Self::start_with(&[], Some(cluster))
    }

    fn start_with(arguments: &[&str], cluster: Option<&Cluster>) -> Self {
        let mut command = ucp(["ui", "--web"].iter().chain(arguments));
        if let Some(cluster) = cluster {
            command.env("KUBECONFIG", cluster.kubeconfig());
        }
        let mut process = interruptible(&command).stdout(Stdio::piped()).spawn().unwrap();
        let url = BufReader::new(process.stdout.take().unwrap()).lines().next().unwrap().unwrap();
        let form = Regex::new(r"^http://127\.0\.0\.1:\d+/#[\w-]{43}$").unwrap();
        assert!(form.is_match(&url), "{url}");
        Self { process, url }
    }

    fn address(&self) -> &str {
        self.url.strip_prefix("http://").unwrap().split('/').next().unwrap()
    }

    fn ticket(&self) -> &str {
        self.url.split('#').nth(1).unwrap()
    }

    fn send(&self, method: &str, path: &str, headers: &[(&str, &str)]) -> TcpStream {
        let mut stream = TcpStream::connect(self.address()).unwrap();
        stream.set_read_timeout(Some(Duration::from_secs(60))).unwrap();
        let own = [("Host", self.address()), ("Connection", "close")];
        let own = own.iter().filter(|(name, _)| !headers.iter().any(|(given, _)| given == name));
        let lines: String = own.chain(headers).map(|(name, value)| format!("{name}: {value}\r\n")).collect();
        write!(stream, "{method} {path} HTTP/1.1\r\n{lines}\r\n").unwrap();
        stream
    }

    fn ask(&self, method: &str, path: &str, headers: &[(&str, &str)]) -> Answer {
        let mut text = String::new();
        self.send(method, path, headers).read_to_string(&mut text).unwrap();
        let (head, body) = text.split_once("\r\n\r\n").unwrap();
        Answer {
            status: head.split(' ').nth(1).unwrap().parse().unwrap(),
            head: head.to_owned(),
            body: body.to_owned(),
        }
    }

    fn login(&self) -> Session<'_> {
        let answer = self.ask("GET", "/login", &[("Authorization", &format!("Bearer {}", self.ticket()))]);
        assert_eq!(answer.status, 200, "{}", answer.body);
        let cookie = answer.header("set-cookie").split(';').next().unwrap().to_owned();
        Session { ui: self, place: answer.body, cookie }
    }
}

impl Drop for WebUi {
    fn drop(&mut self) {
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

/// The session of one browser.
struct Session<'a> {
    ui: &'a WebUi,
    place: String,
    cookie: String,
}

impl Session<'_> {
    fn ask(&self, path: &str) -> Answer {
        self.ui.ask("GET", &format!("{}{path}", self.place), &[("Cookie", &self.cookie)])
    }

    fn page(&self, path: &str) -> String {
        let answer = self.ask(path);
        assert_eq!(answer.status, 200, "{path}: {}", answer.body);
        answer.body
    }

    /// Waits until a page fits.
    fn until(&self, path: &str, fits: impl Fn(&str) -> bool) -> String {
        let deadline = Instant::now() + Duration::from_secs(60);
        loop {
            let page = self.page(path);
            if fits(&page) {
                return page;
            }
            assert!(Instant::now() < deadline, "{path}: {page}");
            std::thread::sleep(Duration::from_millis(100));
        }
    }
}

/// The part of a page that is its document, without links and other marks of the live page, and without the line on the sources of
/// a file, which the live page has in its frame.
fn document(page: &str) -> String {
    let end = page.find("</main>").or_else(|| page.find("<script>")).unwrap();
    let marks = Regex::new(
        r#"<a href="tree\?[^"]*">|</a>| data-node="[^"]*"| data-role="[^"]*"|<p class="faint">snapshot [^<]*</p>\n"#,
    );
    let marks = marks.unwrap();
    marks.replace_all(&page[page.find("<h1>").unwrap()..end], "").into_owned()
}

/// The query of the link to an object with this text.
fn link(page: &str, text: &str) -> String {
    let end = page.find(&format!("\">{text}</a>")).unwrap_or_else(|| panic!("no link {text}: {page}"));
    let begin = page[..end].rfind("<a href=\"").unwrap() + 9;
    page[begin..end].replace("&amp;", "&")
}

#[test]
fn web_pages_have_the_documents_of_html_files() {
    let ui = WebUi::start(&["--from", BAD_DAY]);
    let session = ui.login();
    for view in ["status", "resources"] {
        let file = run(ucp_from(BAD_DAY, [view, "-o", "html"])).stdout;
        assert_eq!(document(&session.page(view)), document(&file), "{view}");
    }
    let page = session.page("resources");
    let tree = session.page(&link(&page, "network.compute.gcp.crossplane.io/crossplane-network-prod"));
    let network = ["tree", "network.compute.gcp.crossplane.io/crossplane-network-prod", "-o", "html"];
    assert_eq!(document(&tree), document(&run(ucp_from(BAD_DAY, network)).stdout));
    assert!(tree.contains(" data-role=\"root\""), "{tree}");
    // A tree of a snapshot is as old as the snapshot.
    let moment = |page: &str| page.split(" data-moment=\"").nth(1).unwrap().split('"').next().unwrap().to_owned();
    assert_eq!(moment(&tree), moment(&page));
    let ui = WebUi::start(&["--from", DRIFT]);
    let file = run(ucp_from(DRIFT, ["drift", "-o", "html"])).stdout;
    assert_eq!(document(&ui.login().page("drift")), document(&file));
}

#[test]
fn several_sources_are_a_single_document_and_links_name_the_source() {
    let ui = WebUi::start(&["--from", QUOTES, "--from", BAD_DAY]);
    let session = ui.login();
    let both = ["status", "--from", QUOTES, "--from", BAD_DAY, "-o", "html"];
    // Each source is read in its own thread, and the page shows those that were read.
    let is_complete = |page: &str| !page.contains("for the first time");
    assert_eq!(document(&session.until("status", is_complete)), document(&run(ucp(both)).stdout));
    let page = session.until("resources", is_complete);
    let first = page.split("href=\"").find(|rest| rest.starts_with("tree?source=1&amp;")).unwrap();
    let path = first[..first.find('"').unwrap()].replace("&amp;", "&");
    let tree = session.page(&path);
    assert!(tree.contains("tree?source=1&amp;") && !tree.contains("tree?source=0&amp;"), "{tree}");
    assert_eq!(session.ask(&path.replace("source=1", "source=2")).status, 400);
    assert_eq!(session.ask(&path.replace("source=1&", "")).status, 400, "the source is ambiguous");
    // One that cannot be read has its row.
    let directory = tempfile::tempdir().unwrap();
    let broken = directory.path().join("broken.yaml");
    std::fs::write(&broken, "a: [").unwrap();
    let ui = WebUi::start(&["--from", QUOTES, "--from", broken.to_str().unwrap()]);
    let page = ui.login().until("status", is_complete);
    assert!(page.contains("broken.yaml") && page.contains("Could not be read"), "{page}");
}

#[test]
fn unsupported_sources_and_occupied_ports_end_the_command() {
    let missing = run(ucp(["ui", "--web", "--from", "no-such-file.yaml"])).expect(3);
    assert!(missing.stdout.is_empty() && missing.stderr.contains("no-such-file.yaml"), "{missing:?}");
    let stdin = run(ucp(["ui", "--web", "--from", "-"])).expect(2);
    assert!(stdin.stderr.contains("standard input can be read only once"), "{stdin:?}");
    let first = WebUi::start(&["--from", QUOTES]);
    let port = first.address().rsplit(':').next().unwrap();
    let second = run(ucp(["ui", "--web", "--from", QUOTES, "--port", port])).expect(3);
    assert!(second.stdout.is_empty() && second.stderr.contains("another port"), "{second:?}");
    // A server that refuses connections is an error, and not an empty page.
    let dead = ["ui", "--web", "--server", "http://127.0.0.1:1", "--kubeconfig", "/dev/null"];
    let ran = run(ucp(dead)).expect(3);
    assert!(ran.stderr.contains("127.0.0.1:1"), "{ran:?}");
}

#[test]
fn ui_web_ends_with_ctrl_c() {
    use std::os::unix::process::ExitStatusExt as _;
    let mut ui = WebUi::start(&["--from", QUOTES]);
    let place = ui.login().place;
    signal(&ui.process, "INT");
    // A shell reports 130, as for `status --watch`.
    assert_eq!(ui.process.wait().unwrap().signal(), Some(2), "{place}");
    assert!(TcpStream::connect(ui.address()).is_err());
}

#[test]
fn only_the_browser_that_opened_the_address_gets_a_page() {
    let ui = WebUi::start(&["--from", QUOTES]);
    let door = ui.ask("GET", "/", &[]);
    assert!(door.status == 200 && !door.body.contains(ui.ticket()) && !door.body.contains("quotes"), "{}", door.body);
    for path in ["/status", "/events", "/resources", "/tree?kind=pod&name=a", "/favicon.ico", "/x/status"] {
        assert_eq!(ui.ask("GET", path, &[]).status, 401, "{path}");
    }
    let bearer = format!("Bearer {}", ui.ticket());
    let elsewhere = [("Authorization", bearer.as_str()), ("Sec-Fetch-Site", "same-site")];
    assert_eq!(ui.ask("GET", "/login", &elsewhere).status, 403);
    assert_eq!(ui.ask("GET", "/login", &[("Authorization", &bearer), ("Host", "evil.example.org")]).status, 403);
    assert_eq!(ui.ask("POST", "/login", &[("Authorization", &bearer)]).status, 405);
    let session = ui.login();
    let again = ui.ask("GET", "/login", &[("Authorization", &bearer)]);
    assert!(again.status == 403 && again.body.contains("works once") && again.header("set-cookie").is_empty());
    let status = format!("{}status", session.place);
    assert_eq!(ui.ask("GET", &status, &[]).status, 401, "the path is not enough");
    let cookie = ("Cookie", session.cookie.as_str());
    assert_eq!(ui.ask("GET", "/status", &[cookie]).status, 401, "the cookie is not enough");
    for (method, header, expected) in [
        ("GET", ("Host", "evil.example.org"), 403),
        ("GET", ("Host", "localhost:1"), 200),
        ("GET", ("Sec-Fetch-Site", "cross-site"), 403),
        ("GET", ("Sec-Fetch-Site", "same-origin"), 200),
        ("POST", ("Content-Length", "0"), 405),
        ("PUT", ("Content-Length", "0"), 405),
        ("DELETE", ("Accept", "*/*"), 405),
        ("OPTIONS", ("Origin", "http://127.0.0.1:1"), 405),
    ] {
        assert_eq!(ui.ask(method, &status, &[cookie, header]).status, expected, "{method} {header:?}");
    }
    let page = session.ask("status");
    assert_eq!(page.header("cache-control"), "no-store");
    assert_eq!(page.header("x-content-type-options"), "nosniff");
    assert_eq!(page.header("referrer-policy"), "no-referrer");
    let policy = page.header("content-security-policy");
    for part in ["default-src 'none'; ", "connect-src 'self'; ", "frame-ancestors 'none'", "script-src 'sha256-"] {
        assert!(policy.contains(part), "{policy}");
    }
    assert!(!policy.contains("unsafe") && !policy.contains("http"), "{policy}");
    assert_eq!(session.ask("nonsense").status, 404);
}

#[test]
fn a_query_accepts_only_the_name_of_an_object() {
    let ui = WebUi::start(&["--from", QUOTES]);
    let session = ui.login();
    let absent = session.ask("tree?kind=pod&name=absent");
    assert!(matches!(absent.status, 400 | 404), "{}", absent.body);
    for query in [
        "",
        "kind=pod",
        "kind=pod&name=..%2F..%2Fsecrets",
        "kind=pod&name=%3Cscript%3Ealert(1)%3C%2Fscript%3E",
        "kind=--from%3D%2Fetc%2Fpasswd&name=a",
        "kind=pod&name=a%2Cmetadata.namespace%3Db",
        "kind=pod&name=a&source=7",
    ] {
        let answer = session.ask(&format!("tree?{query}"));
        assert!(answer.status == 400 && !answer.body.contains("alert(1)"), "{query}: {}", answer.body);
        assert_eq!(answer.body.matches("<script").count(), 1, "{query}");
    }
}

/// The revision in the next event of a stream.
fn next_revision(stream: &mut impl Iterator<Item = String>) -> String {
    let data = stream.skip_while(|line| !line.contains("event: revision")).find(|line| line.contains("data: "));
    data.unwrap().trim().to_owned()
}

const NETWORK: &str = "network.compute.gcp.crossplane.io/crossplane-network-prod";

fn annotate(cluster: &Cluster, annotation: &str) {
    let output = cluster.kubectl(["annotate", NETWORK, annotation, "--overwrite"]).output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
}

#[test]
fn a_change_of_a_cluster_is_an_event_and_shown() {
    let Some(cluster) = support::start(Options::named("web")) else { return };
    support::load::load(&cluster, Path::new(QUOTES)).unwrap();
    let ui = WebUi::follow(&cluster);
    let session = ui.login();
    session.until("resources", |page| page.contains(NETWORK));
    let stream = ui.send("GET", &format!("{}events", session.place), &[("Cookie", &session.cookie)]);
    let mut events = BufReader::new(stream).lines().map_while(Result::ok);
    next_revision(&mut events);
    assert!(!session.page("status").contains("UCP114"));
    let mark = cluster.audit_mark();
    annotate(&cluster, "crossplane.io/paused=true");
    let deadline = Instant::now() + Duration::from_secs(60);
    while !session.page("status").contains("UCP114") {
        assert!(Instant::now() < deadline, "no event was followed by the finding");
        next_revision(&mut events);
    }
    let tree = session.page(&link(&session.page("status"), NETWORK));
    assert!(tree.contains("Paused"), "{tree}");
    let requests = cluster.requests_since(mark);
    let is_ours = |request: &&Request| !request.user_agent.starts_with("kubectl");
    let is_read = |request: &Request| ["get", "list", "watch"].contains(&request.verb.as_str());
    assert!(
        requests.iter().filter(is_ours).count() > 3 && requests.iter().filter(is_ours).all(is_read),
        "{requests:?}"
    );
    browse(&cluster);
}

/// Visits the pages as a person does, with a mouse and with keys, on a desktop and on a phone.
fn browse(cluster: &Cluster) {
    let ui = WebUi::follow(cluster);
    let Some(mut browser) = Browser::start("the live page was not shown") else { return };
    browser.resize(1280, 900);
    browser.go(&ui.url);
    browser.until("document.getElementById('live').dataset.state === 'live'");
    assert_eq!(browser.value("location.hash"), "", "the ticket is not in the address any more");
    assert!(!browser.value("document.cookie").as_str().unwrap().contains("ucp"), "scripts cannot read the cookie");

    // Search, sorting and focus stay when the page is read again.
    browser.click("nav a[href=resources]");
    browser.until("location.pathname.endsWith('resources') && document.querySelectorAll('tbody tr').length > 10");
    browser.click("th:nth-child(3) button");
    browser.click("input[type=search]");
    browser.write("network-prod");
    let visible = "[...document.querySelectorAll('tbody tr')].filter((row) => !row.hidden)";
    browser.until(&format!("{visible}.length < 5 && {visible}.length > 0"));
    browser.value("void (window.before = document.getElementById('report').firstElementChild)");
    annotate(cluster, "crossplane.io/paused=false");
    browser.until(&format!("!{visible}.some((row) => row.textContent.includes('Paused'))"));
    browser.until("!window.before.isConnected");
    assert_eq!(browser.value("document.activeElement.value"), "network-prod");
    assert!(browser.value(&format!("{visible}.length")).as_u64().unwrap() < 5);
    assert_eq!(browser.value("document.querySelector('th:nth-child(3)').getAttribute('aria-sort')"), "ascending");

    // A tree pans, zooms and folds, and stays folded.
    browser.click("tbody tr:not([hidden]) a");
    browser.until("document.querySelectorAll('#graph .node').length > 2");
    let transform = "document.querySelector('#graph > g').getAttribute('transform')";
    let before = browser.value(transform);
    let edge = browser.value("JSON.parse(JSON.stringify(document.getElementById('graph').getBoundingClientRect()))");
    let (x, y) = (edge["right"].as_f64().unwrap() - 20.0, edge["bottom"].as_f64().unwrap() - 20.0);
    for (event, x, y) in [
        ("mousePressed", x, y),
        ("mouseMoved", x - 40.0, y - 30.0),
        ("mouseMoved", x - 80.0, y - 60.0),
        ("mouseReleased", x - 80.0, y - 60.0),
    ] {
        browser.mouse(event, x, y);
    }
    let panned = browser.value(transform);
    assert_ne!(panned, before);
    browser.mouse("mouseWheel", x, y);
    browser.until(&format!("{transform} !== {panned}"));
    browser.click("#tools button:nth-child(4)");
    let nodes = browser.value("document.querySelectorAll('#graph .node').length").as_u64().unwrap();
    let fewer = format!("document.querySelectorAll('#graph .node').length < {nodes}");
    browser.click("#graph .node[aria-expanded=true]");
    browser.until(&fewer);
    browser.until("document.querySelector('#chosen').textContent.length > 3");
    browser.save("tree");
    browser.value("void (window.before = document.getElementById('graph'))");
    annotate(cluster, "crossplane.io/paused=true");
    browser.until("!window.before.isConnected && document.getElementById('graph')");
    assert_eq!(browser.value(&fewer), true, "a fold stays");
    browser.press("ArrowRight");
    browser.until(&format!("!({fewer})"));
    browser.press("ArrowDown");
    browser.press("Enter");
    browser.click("#tools button");
    browser.until("!document.getElementById('list').hidden");
    browser.click("#list summary span");
    browser.until("document.querySelectorAll('#list details:not([open])').length === 1");

    // Nothing is wider than a phone.
    browser.resize(390, 844);
    for path in ["status", "resources", "drift"] {
        browser.click(&format!("nav a[href={path}]"));
        browser.until(&format!(
            "location.pathname.endsWith('{path}') && document.getElementById('live').dataset.state === 'live'"
        ));
        assert_eq!(browser.value("document.documentElement.scrollWidth"), 390, "{path}");
        browser.save(&format!("phone-{path}"));
    }
    browser.value("history.go(-3)");
    browser.until("document.getElementById('list')");
    assert_eq!(browser.value("document.documentElement.scrollWidth"), 390, "tree");
    browser.save("phone-tree");

    let origin = format!("http://{}/", ui.address());
    let others: Vec<_> =
        browser.requests.iter().filter(|url| !url.starts_with(&origin) && *url != "about:blank").collect();
    assert!(others.is_empty() && browser.requests.len() > 10, "{others:?}");
    assert_eq!(browser.errors, Vec::<String>::new());

    // The page admits that it is old, and a second browser does not get in.
    let mut second = Browser::start("the second browser").unwrap();
    second.go(&ui.url);
    second.until("document.body.textContent.includes('was used before')");
    drop(ui);
    browser.until("document.getElementById('live').textContent.includes('This is an old state')");
    browser.prefer("dark");
    browser.save("ended");
}

#[test]
fn a_browser_executes_nothing_from_a_cluster() {
    let directory = tempfile::tempdir().unwrap();
    let ui = WebUi::start(&["--from", &hostile(directory.path())]);
    let Some(mut browser) = Browser::start("hostile names were not shown") else { return };
    browser.go(&ui.url);
    browser.until("document.querySelector('table')");
    for path in ["status", "resources", "drift", "tree?kind=bucket.s3.aws.upbound.io&name=plain"] {
        let address = format!("location.pathname.replace(/[^/]*$/, '') + {path:?}");
        browser.value(&format!("void location.assign({address})"));
        browser.until(&format!("location.href.endsWith({path:?}) && document.getElementById('live').textContent"));
        assert_ne!(browser.value("document.title"), "obeyed", "{path}");
        assert_eq!(browser.value("document.querySelectorAll('img').length"), 0, "{path}");
        assert!(
            browser.value("document.body.textContent").as_str().unwrap().contains("<script>document.title"),
            "{path}"
        );
    }
    assert_eq!(browser.errors, Vec::<String>::new());
}
