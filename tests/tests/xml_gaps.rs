//! The table of AMD's gaps in the book: no row is left out, and the tests that it names exist.

use std::collections::HashSet;
use std::path::Path;

fn functions(dir: &Path, found: &mut HashSet<String>) {
    for path in std::fs::read_dir(dir)
        .into_iter()
        .flatten()
        .flatten()
        .map(|e| e.path())
    {
        let name = path
            .file_name()
            .and_then(|n| n.to_str())
            .unwrap_or_default();
        if path.is_dir() && !["target", ".git", "fuzz"].contains(&name) {
            functions(&path, found);
        } else if name.ends_with(".rs") {
            let text = std::fs::read_to_string(&path).unwrap_or_default();
            for line in text.lines().map(str::trim_start) {
                let name = line.strip_prefix("fn ").and_then(|l| l.split('(').next());
                found.extend(name.map(str::to_owned));
            }
        }
    }
}

#[test]
fn every_row_has_a_position_and_its_tests_exist() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    let page = std::fs::read_to_string(root.join("docs/src/xml-gaps.md")).expect("the page");
    let mut known = HashSet::new();
    functions(&root, &mut known);
    let mut rows = Vec::new();
    for line in page.lines().filter(|l| l.starts_with("| CDNA")) {
        let cells: Vec<&str> = line.trim_matches('|').split('|').map(str::trim).collect();
        let [row, position, test] = cells[..] else {
            panic!("three cells: {line}")
        };
        assert!(!position.is_empty(), "{row}");
        let names: Vec<&str> = test.split('`').skip(1).step_by(2).collect();
        assert!(
            !names.is_empty() || test.starts_with("none"),
            "{row}: {test}"
        );
        for name in names {
            assert!(known.contains(name), "{row}: there is no test {name}");
        }
        rows.push(row.to_owned());
    }
    let expected: Vec<String> = (1..=92)
        .map(|n| format!("CDNA4-XML-{n:03}"))
        .chain((1..=4).map(|n| format!("CDNA3-NOTE-{n}")))
        .chain(["CDNA4-X-1".to_owned()])
        .collect();
    assert_eq!(rows, expected);
}
