//! The terminal pictures of the pages. The text of each, `![kubectl ucp …](….svg)`, is the command that it is made from:
//! it is run, and must print the text of the picture. `SNAPSHOTS=overwrite` makes them again. The animated one is made in
//! `cast.rs`.

use std::collections::BTreeSet;
use std::path::PathBuf;

use anstyle::{Color, RgbColor, Style};
use anstyle_svg::{Palette, Term};

use crate::cast;
use crate::pages::{links, pages};
use crate::reader::Reader;
use crate::support::command::CANARY;

/// Dark on a light page, and a little lighter than a dark one.
const BACKGROUND: RgbColor = RgbColor(0x16, 0x1b, 0x22);
const TEXT: RgbColor = RgbColor(0xe6, 0xed, 0xf3);
/// Colours that are legible there: black to white, and then the bright ones.
const PALETTE: Palette = Palette([
    RgbColor(0x48, 0x4f, 0x58),
    RgbColor(0xff, 0x7b, 0x72),
    RgbColor(0x56, 0xd3, 0x64),
    RgbColor(0xe3, 0xb3, 0x41),
    RgbColor(0x79, 0xc0, 0xff),
    RgbColor(0xd2, 0xa8, 0xff),
    RgbColor(0x56, 0xd4, 0xdd),
    RgbColor(0xb1, 0xba, 0xc4),
    RgbColor(0x6e, 0x76, 0x81),
    RgbColor(0xff, 0xa1, 0x98),
    RgbColor(0x7e, 0xe7, 0x87),
    RgbColor(0xf2, 0xcc, 0x60),
    RgbColor(0xa5, 0xd6, 0xff),
    RgbColor(0xe2, 0xc5, 0xff),
    RgbColor(0xb3, 0xf0, 0xff),
    RgbColor(0xff, 0xff, 0xff),
]);
/// A picture that is wider is scaled down to the page until it cannot be read.
const WIDEST: usize = 105;
/// Ten columns in pixels, in the widest of the fonts that a browser may take.
const TEN_COLUMNS: usize = 87;

/// The pictures that pages show, each with the command that it is made from.
fn shown() -> BTreeSet<(PathBuf, String)> {
    let mut shown = BTreeSet::new();
    for page in pages() {
        let text = std::fs::read_to_string(&page).unwrap();
        for (command, target) in links(&text).into_iter().filter(|(_, target)| target.ends_with(".svg")) {
            shown.insert((page.parent().unwrap().join(target), command.to_owned()));
        }
    }
    shown
}

/// How pictures draw text.
pub(crate) const fn colors_of_pictures() -> Term {
    let colors = Term::new().palette(PALETTE).bg_color(Color::Rgb(BACKGROUND)).fg_color(Color::Rgb(TEXT));
    colors.min_width_px(WIDEST * TEN_COLUMNS / 10)
}

#[test]
fn every_picture_is_current() {
    let reader = Reader::create();
    let terminal = colors_of_pictures();
    let bold = Style::new().bold();
    for (path, command) in shown().into_iter().filter(|(_, command)| command != cast::COMMAND) {
        assert!(command.starts_with("kubectl ucp "), "{}: the text of a picture is its command", path.display());
        let printed = reader.sees_in_colour(&command);
        assert!(printed.contains('\u{1b}') && !printed.contains(CANARY), "{command} prints no colour\n{printed}");
        let plain = anstream::adapter::strip_str(&printed).to_string();
        assert!(plain.lines().all(|line| line.chars().count() <= WIDEST), "too wide:\n{plain}");
        let picture = terminal.render_svg(&format!("$ {bold}{command}{bold:#}\n{printed}"));
        // Parts of a text have no opacity of their own, only their paint has.
        let picture = picture.replace(".dimmed { opacity: 0.4; }", ".dimmed { fill-opacity: 0.65; }");
        snapbox::assert_data_eq!(picture, snapbox::Data::read_from(&path, None).raw());
    }
}

#[test]
fn every_picture_is_shown() {
    let shown: BTreeSet<PathBuf> = shown().into_iter().map(|(path, _)| path).collect();
    let there = std::fs::read_dir("docs/pictures").unwrap().map(|entry| entry.unwrap().path());
    assert_eq!(shown, there.collect());
}
