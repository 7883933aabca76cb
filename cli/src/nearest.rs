//! "Did you mean".

/// The candidate fewest edits away from `word`, if that is few enough to be a slip.
pub fn nearest<'a>(word: &str, candidates: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    let limit = (word.chars().count() / 3).max(2);
    candidates
        .into_iter()
        .map(|c| (distance(word, c), c))
        .filter(|(d, _)| *d <= limit)
        .min_by_key(|(d, _)| *d)
        .map(|(_, c)| c)
}

/// Edits (insert, delete, replace) between two words, case ignored.
fn distance(a: &str, b: &str) -> usize {
    let (a, b): (Vec<char>, Vec<char>) = (
        a.chars().flat_map(char::to_lowercase).collect(),
        b.chars().flat_map(char::to_lowercase).collect(),
    );
    let mut row: Vec<usize> = (0..=b.len()).collect();
    for (i, ca) in a.iter().enumerate() {
        let mut diagonal = row[0];
        row[0] = i + 1;
        for (j, cb) in b.iter().enumerate() {
            let replaced = diagonal + usize::from(ca != cb);
            diagonal = row[j + 1];
            row[j + 1] = replaced.min(diagonal + 1).min(row[j] + 1);
        }
    }
    row[b.len()]
}

/// Whether `text` matches a pattern of `*` (any run) and `?` (any one character).
pub fn glob(pattern: &str, text: &str) -> bool {
    let (p, t) = (pattern.as_bytes(), text.as_bytes());
    let (mut i, mut j) = (0, 0);
    let mut star = None;
    while j < t.len() {
        match p.get(i) {
            Some(b'*') => {
                star = Some((i, j));
                i += 1;
            }
            Some(&c) if c == b'?' || c == t[j] => {
                i += 1;
                j += 1;
            }
            _ => match star {
                Some((at, from)) => {
                    i = at + 1;
                    j = from + 1;
                    star = Some((at, from + 1));
                }
                None => return false,
            },
        }
    }
    p[i..].iter().all(|&c| c == b'*')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn slips_are_found_and_strangers_are_not() {
        let names = ["gemm", "attention", "layernorm"];
        assert_eq!(nearest("gem", names), Some("gemm"));
        assert_eq!(nearest("GEMM", names), Some("gemm"));
        assert_eq!(nearest("atention", names), Some("attention"));
        assert_eq!(nearest("softmax", names), None);
    }

    #[test]
    fn globs() {
        for (pattern, text, matches) in [
            ("*", "", true),
            ("v_*", "v_mov_b32", true),
            ("*mfma*bf16", "v_mfma_f32_16x16x32_bf16", true),
            ("v_mov_b?2", "v_mov_b32", true),
            ("v_mov", "v_mov_b32", false),
            ("*x", "v_mov_b32", false),
        ] {
            assert_eq!(glob(pattern, text), matches, "{pattern} {text}");
        }
    }
}
