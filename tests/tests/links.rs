//! Every relative link of the documentation leads somewhere.

use std::path::{Path, PathBuf};

fn markdown(dir: &Path, found: &mut Vec<PathBuf>) {
    for entry in std::fs::read_dir(dir).expect("a directory") {
        let path = entry.expect("an entry").path();
        if path.is_dir() {
            markdown(&path, found);
        } else if path.extension().is_some_and(|e| e == "md") {
            found.push(path);
        }
    }
}

/// What stands between `open` and `close`.
fn between<'a>(text: &'a str, open: &'static str, close: char) -> impl Iterator<Item = &'a str> {
    text.split(open)
        .skip(1)
        .filter_map(move |rest| rest.split(close).next())
}

#[test]
fn relative_links_lead_somewhere() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    let mut files = vec![root.join("README.md"), root.join("CONTRIBUTING.md")];
    markdown(&root.join("docs"), &mut files);
    let mut checked = 0;
    for file in &files {
        let text = std::fs::read_to_string(file).expect("a page");
        let dir = file.parent().expect("a directory");
        let includes = between(&text, "{{#include ", '}');
        for link in between(&text, "](", ')').chain(includes) {
            let target = link.split('#').next().unwrap_or("");
            if target.is_empty() || target.contains("://") {
                continue;
            }
            checked += 1;
            assert!(
                dir.join(target).exists(),
                "{}: `{link}` leads nowhere",
                file.display()
            );
        }
    }
    assert!(checked >= 10, "only {checked} links found");
}

#[test]
fn every_page_is_in_the_summary() {
    let src = Path::new(env!("CARGO_MANIFEST_DIR")).join("../docs/src");
    let summary = std::fs::read_to_string(src.join("SUMMARY.md")).expect("the summary");
    let mut pages = Vec::new();
    markdown(&src, &mut pages);
    for page in pages {
        let name = page
            .strip_prefix(&src)
            .expect("below src")
            .to_string_lossy()
            .into_owned();
        assert!(
            name == "SUMMARY.md" || summary.contains(&format!("({name})")),
            "{name} is not in SUMMARY.md"
        );
    }
}
