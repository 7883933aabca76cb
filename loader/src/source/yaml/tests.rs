//! Both ways.

use rmpv::Value;

use super::{parse, print};

fn back(text: &str) -> Value {
    let lines: Vec<&str> = text.lines().collect();
    parse(&lines).unwrap_or_else(|e| panic!("line {}: {}", e.line, e.expected))
}

fn map(entries: Vec<(Value, Value)>) -> Value {
    Value::Map(entries)
}

#[test]
fn scalars_are_guessed_as_llvm_does() {
    let cases: [(&str, Value); 17] = [
        ("12", 12.into()),
        ("-3", (-3).into()),
        ("0x1f", 31.into()),
        ("017", 15.into()),
        ("true", true.into()),
        ("No", false.into()),
        ("n", false.into()),
        ("1.5", 1.5.into()),
        ("OpenCL C", "OpenCL C".into()),
        ("'1'", "1".into()),
        ("'it''s'", "it's".into()),
        ("\"a\\n\\x41\"", "a\nA".into()),
        ("!str n", "n".into()),
        ("!str 12", "12".into()),
        (
            "[ 1, a, [2] ]",
            Value::Array(vec![1.into(), "a".into(), Value::Array(vec![2.into()])]),
        ),
        ("{3: 512}", map(vec![(3.into(), 512.into())])),
        ("a.coerce # not this", "a.coerce".into()),
    ];
    for (text, value) in cases {
        assert_eq!(
            back(&format!("k: {text}")),
            map(vec![("k".into(), value)]),
            "{text}"
        );
    }
}

#[test]
fn what_is_written_is_read_back() {
    let strings = [
        "",
        " ",
        "a: b",
        "a #b",
        "-",
        "- a",
        "1",
        "0x1",
        "true",
        "y",
        "~",
        "[",
        "]",
        "{}",
        "'",
        "\"",
        "\\",
        "a\nb",
        "tab\there",
        "T*",
        "*p",
        "&p",
        "!x",
        "%s: %d\n",
        "a,b",
        "a:",
        ":a",
        "float4<a, b>",
        "ünï",
        "\u{1}",
        "a ",
        "1e3",
    ];
    let strings: Vec<Value> = strings.iter().map(|s| Value::from(*s)).collect();
    let inner = map(strings.iter().map(|s| (s.clone(), s.clone())).collect());
    let value = map(vec![
        ("list".into(), Value::Array(strings)),
        ("numbers".into(), Value::Array(vec![1.into(), 2.into()])),
        (
            "mixed".into(),
            Value::Array(vec![(-1).into(), true.into(), 0.25.into(), Value::Nil]),
        ),
        (
            "nested".into(),
            Value::Array(vec![
                Value::Array(vec!["a".into()]),
                inner.clone(),
                Value::Array(vec![]),
            ]),
        ),
        (7.into(), map(vec![])),
        ("map".into(), inner),
    ]);
    let text = print(&value).expect("all of it has words");
    assert_eq!(back(&text), value, "{text}");
}

#[test]
fn refusals_have_a_place() {
    for (text, line, expected) in [
        ("a: 1\nb", 1, "a key with a colon"),
        ("a: 1\na: 2", 1, "each key once"),
        ("a: [1, 2", 0, "`,` or `]`"),
        ("a: 'x", 0, "a closing quote"),
        ("a: 1\n  b: 2", 1, "a key or the end"),
        (
            "a: !int x",
            0,
            "a value of its tag: !str, !int, !bool, !float or !nil",
        ),
    ] {
        let lines: Vec<&str> = text.lines().collect();
        let error = parse(&lines).expect_err(text);
        assert_eq!((error.line, error.expected), (line, expected), "{text}");
    }
}
