//! Properties for all styles of files: only the intended line changes, edits are idempotent, and reverting restores the
//! text.

use proptest::prelude::*;

use super::tests::set;
use ucp_core::model::image::ImageVersion;

/// Style of one entry.
#[derive(Debug, Clone)]
struct EntryStyle {
    quote: &'static str,
    comment: &'static str,
    flow: bool,
    name_last: bool,
    extra: &'static str,
}

/// Style of a whole file.
#[derive(Debug, Clone)]
struct FileStyle {
    entries: Vec<EntryStyle>,
    indent: usize,
    gap: usize,
    newline: &'static str,
    start: &'static str,
    before: &'static str,
    after: &'static str,
    flow_list: bool,
    final_newline: bool,
}

fn entry_style() -> impl Strategy<Value = EntryStyle> {
    let quote = prop::sample::select(vec!["", "'", "\""]);
    let comment = prop::sample::select(vec![
        "",
        " # plain",
        "   # {\"$imagepolicy\": \"a:b:tag\"}",
        " #'\"quotes\"",
        "  # grüße",
    ]);
    let extra = prop::sample::select(vec!["", "newName: registry:5000/x/y", "tagSuffix: -arm", "'newName': \"ü\""]);
    (quote, comment, any::<bool>(), any::<bool>(), extra)
        .prop_map(|(quote, comment, flow, name_last, extra)| EntryStyle { quote, comment, flow, name_last, extra })
}

fn file_style() -> impl Strategy<Value = FileStyle> {
    let parts = (
        prop::collection::vec(entry_style(), 1..5),
        0_usize..4,
        1_usize..4,
        prop::sample::select(vec!["\n", "\r\n"]),
        prop::sample::select(vec!["", "\u{feff}", "---\n", "# grüße\n---\n", "\u{feff}# c\n", "%YAML 1.1\n---\n"]),
        prop::sample::select(vec!["", "resources:\n- ../../base # b\n", "x: &a {b: c}\ny: *a\n"]),
        prop::sample::select(vec![
            "",
            "\n# end\n",
            "patches:\n- patch: |-\n    images:\n    - name: image0\n      newTag: v1\n",
        ]),
        any::<bool>(),
        any::<bool>(),
    );
    parts.prop_map(|(entries, indent, gap, newline, start, before, after, flow_list, final_newline)| FileStyle {
        entries,
        indent,
        gap,
        newline,
        start,
        before,
        after,
        flow_list,
        final_newline,
    })
}

impl FileStyle {
    fn write(&self, tags: &[String]) -> String {
        let mut text = format!("{}{}", self.start, self.before);
        let flow = |index: usize, entry: &EntryStyle| {
            let extra = if entry.extra.is_empty() { String::new() } else { format!(", {}", entry.extra) };
            format!("{{name: image{index},  newTag: {}{}{}{extra} }}", entry.quote, tags[index], entry.quote)
        };
        if self.flow_list {
            let items: Vec<String> = self.entries.iter().enumerate().map(|(index, entry)| flow(index, entry)).collect();
            text.push_str(&format!("images: [ {} ]{}\n", items.join(" , "), self.entries[0].comment));
        } else {
            text.push_str("images: # all of them\n");
            let (dash, space) = (" ".repeat(self.indent), " ".repeat(self.gap));
            for (index, entry) in self.entries.iter().enumerate() {
                if entry.flow {
                    text.push_str(&format!("{dash}-{space}{}{}\n", flow(index, entry), entry.comment));
                    continue;
                }
                let tag = format!("newTag:  {}{}{}{}", entry.quote, tags[index], entry.quote, entry.comment);
                let name = format!("name: image{index} # the name");
                let mut lines = if entry.name_last { vec![tag, name] } else { vec![name, tag] };
                lines.extend((!entry.extra.is_empty()).then(|| entry.extra.to_owned()));
                text.push_str(&format!("{dash}-{space}{}\n", lines.join(&format!("\n{dash} {space}"))));
                text.push_str(&format!("{dash}# between\n"));
            }
        }
        text.push_str(self.after);
        if !self.final_newline {
            text.truncate(text.trim_end().len());
        }
        text.replace('\n', self.newline)
    }
}

fn tag() -> impl Strategy<Value = String> {
    "v[0-9]{1,3}(\\.[0-9]{1,3}){0,2}(-x86)?|[a-f][0-9a-f]{39}"
}

proptest! {
    #[test]
    fn only_the_value_changes_and_changing_it_back_restores_the_file(
        style in file_style(), old in prop::collection::vec(tag(), 5), new in tag(), which in 0_usize..5,
    ) {
        let which = which % style.entries.len();
        let before = style.write(&old);
        let mut tags = old.clone();
        tags[which] = new.clone();
        let expected = style.write(&tags);

        let set = |text: &str, tag: &str| set(text, &format!("image{which}"), ImageVersion::tag(tag));
        let after = set(&before, &new).unwrap();
        prop_assert_eq!(&after, &expected);
        prop_assert_eq!(&set(&after, &new).unwrap(), &after, "twice is once");
        prop_assert_eq!(&set(&after, &old[which]).unwrap(), &before, "and back");
    }

    #[test]
    fn an_added_entry_adds_lines_and_touches_none(style in file_style(), tags in prop::collection::vec(tag(), 5), new in tag()) {
        let before = style.write(&tags);
        let add = |text: &str| set(text, "added/image", ImageVersion::tag(&new));
        let after = add(&before).unwrap();
        prop_assert_eq!(&add(&after).unwrap(), &after, "twice is once");
        let diff = similar::TextDiff::from_lines(&before, &after);
        let removed: String = diff.iter_all_changes().filter(|c| c.tag() == similar::ChangeTag::Delete).map(|c| c.value().to_owned()).collect();
        // A list in flow style is one line, and a last line without a newline receives one.
        prop_assert!(style.flow_list || removed.is_empty() || !style.final_newline, "{}", after);
        prop_assert_eq!(after.ends_with('\n'), before.ends_with('\n'));
    }

    #[test]
    fn no_text_makes_an_edit_panic(text in "[ \\-:#&*!|>'\"{}\\[\\],~a-c\n\r\t\u{feff}ü]{0,60}") {
        let source = format!("images:\n- name: a\n  newTag: {text}\n");
        let set = |source: &str| set(source, "a", ImageVersion::tag("v1"));
        for source in [text.as_str(), source.as_str()] {
            if let Ok(after) = set(source) {
                prop_assert_eq!(set(&after).unwrap(), after);
            }
        }
    }
}
