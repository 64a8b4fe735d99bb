//! The moving picture at the top of the README: `kubectl ucp ui` on a snapshot, in a real terminal, with keys. The test fails if the
//! program shows something else; `SNAPSHOTS=overwrite` renews the picture.

use std::fmt::Write as _;
use std::time::Duration;

use anstyle::Style;

use crate::pages::links;
use crate::pictures::colors_of_pictures;
use crate::reader::Reader;
use crate::support::command::CANARY;

pub(crate) const COMMAND: &str = "kubectl ucp ui --from tests/fixtures/night";
const PICTURE: &str = "docs/pictures/ui.svg";
/// Columns and lines of the terminal.
const SIZE: (u16, u16) = (100, 24);
/// A larger picture takes long to load.
const MOST_BYTES: usize = 150_000;
/// The height of a line and the padding of a picture, in pixels.
const LINE: usize = 18;
const PADDING: usize = 10;

/// The pressed keys, the expected screen, and its duration in tenths of a second.
struct CastScene {
    keys: &'static [&'static str],
    title: &'static str,
    shows: &'static str,
    tenths: usize,
}

const SCENES: [CastScene; 8] = [
    CastScene { keys: &[], title: "what is wrong, worst first, with its cause", shows: "OBJECT (5)", tenths: 40 },
    CastScene {
        keys: &["Enter"],
        title: "its tree: what it belongs to, and what it needs",
        shows: "└─ provider",
        tenths: 40,
    },
    CastScene { keys: &["y"], title: "the object, with secrets hidden", shows: "apiVersion: ", tenths: 25 },
    CastScene { keys: &["Escape"], title: "back", shows: "└─ provider", tenths: 8 },
    CastScene { keys: &["7"], title: "what differs from its declaration", shows: "certain  UCP501", tenths: 30 },
    CastScene { keys: &["d"], title: "as a diff", shows: "+++ declared", tenths: 35 },
    CastScene { keys: &["Escape"], title: "back", shows: "certain  UCP501", tenths: 8 },
    CastScene { keys: &["C"], title: "the command that shows the same", shows: "kubectl ucp drift", tenths: 35 },
];

/// Presses the keys, and returns the screens with their colors.
fn film(reader: &Reader) -> Option<Vec<String>> {
    let terminal = reader.terminal(SIZE)?;
    terminal.enter(&format!("clear; exec {COMMAND}"));
    let screens = SCENES.iter().map(|scene| {
        terminal.press(scene.keys);
        terminal.until(scene.shows);
        loop {
            let colored = || terminal.tmux(&["capture-pane", "-p", "-e", "-N"]);
            let before = colored();
            // A frame may have been written in part.
            std::thread::sleep(Duration::from_millis(150));
            if before == colored() {
                return before;
            }
        }
    });
    Some(screens.collect())
}

/// Joins the screens to one long text: below each screen the keys that led to it, and an empty line.
fn strip_of(screens: &[String]) -> String {
    let (bold, dim) = (Style::new().bold(), Style::new().dimmed());
    let mut strip = String::new();
    for (screen, scene) in screens.iter().zip(&SCENES) {
        let keys = if scene.keys.is_empty() { format!("$ {COMMAND}") } else { scene.keys.join(" ") };
        let title = scene.title;
        let lines = screen.trim_end_matches('\n').lines().take(usize::from(SIZE.1));
        lines.for_each(|line| _ = writeln!(strip, "{line}\u{1b}[0m"));
        let _ = writeln!(strip, "\n  {bold}{keys}{bold:#}   {dim}{title}{dim:#}\n");
    }
    strip
}

/// Shows one screen after the other, by moving the strip.
fn animated(picture: &str) -> String {
    let lines = usize::from(SIZE.1) + 2;
    // One more line than is shown separates two screens.
    let step = (lines + 1) * LINE;
    let total: usize = SCENES.iter().map(|scene| scene.tenths).sum();
    let mut rules = String::new();
    let mut begin = 0;
    for (number, scene) in SCENES.iter().enumerate() {
        let percent = begin as f64 * 100.0 / total as f64;
        let _ = writeln!(rules, "      {percent:.2}% {{ transform: translateY(-{}px) }}", number * step);
        begin += scene.tenths;
    }
    let seconds = total as f64 / 10.0;
    let style = format!(
        "    .strip {{ animation: play {seconds}s step-end infinite; }}
    @media (prefers-reduced-motion: reduce) {{ .strip {{ animation: none; }} }}
    @keyframes play {{\n{rules}    }}\n  </style>"
    );
    let (head, rest) = picture.split_once("height=\"").unwrap();
    let (_, rest) = rest.split_once('"').unwrap();
    let picture = format!("{head}height=\"{}px\"{rest}", lines * LINE + 2 * PADDING);
    let picture = picture.replace("  </style>", &style).replacen("  <text ", "  <g class=\"strip\"><text ", 1);
    picture.replacen("</text>", "</text></g>", 1)
}

#[test]
fn the_cast_matches_the_screens_of_the_program() {
    let reader = Reader::create();
    let Some(screens) = film(&reader) else { return };
    let strip = strip_of(&screens);
    assert!(!strip.contains(CANARY) && !strip.contains("/tmp"), "{strip}");
    let picture = animated(&colors_of_pictures().render_svg(&strip));
    let picture = picture.replace(".dimmed { opacity: 0.4; }", ".dimmed { fill-opacity: 0.65; }");
    assert!(picture.len() < MOST_BYTES, "{} bytes", picture.len());
    snapbox::assert_data_eq!(picture, snapbox::Data::read_from(PICTURE.as_ref(), None).raw());
}

#[test]
fn the_cast_is_the_first_picture_of_the_readme() {
    let readme = std::fs::read_to_string("README.md").unwrap();
    let first = links(&readme).into_iter().find(|(_, target)| target.ends_with(".svg"));
    assert_eq!(first, Some((COMMAND, PICTURE)));
}
