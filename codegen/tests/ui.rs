//! Mistakes that must not compile, with messages that say what is wrong.

#[test]
fn mistakes_do_not_compile() {
    trybuild::TestCases::new().compile_fail("tests/ui/*.rs");
}
