//! The register plan never hands out a register twice, and never loses one.

use proptest::prelude::*;
use wavesmith_codegen::RegisterPlan;
use wavesmith_codegen::plan::File;
use wavesmith_isa::Target;

#[derive(Clone, Debug)]
enum Step {
    Allocate(File, usize),
    Pin(File, usize, usize),
    GiveBack(usize),
}

fn step() -> impl Strategy<Value = Step> {
    let file = prop_oneof![Just(File::Sgpr), Just(File::Vgpr), Just(File::Agpr)];
    prop_oneof![
        3 => (file.clone(), 1usize..=32).prop_map(|(f, n)| Step::Allocate(f, n)),
        1 => (file, 0usize..256, 1usize..=16).prop_map(|(f, i, n)| Step::Pin(f, i, n)),
        2 => any::<usize>().prop_map(Step::GiveBack),
    ]
}

proptest! {
    #[test]
    fn never_overlaps(steps in prop::collection::vec(step(), 1..120)) {
        let plan = RegisterPlan::new(Target::Gfx950);
        let total = |f| plan.free(f);
        let all = [File::Sgpr, File::Vgpr, File::Agpr].map(total);
        let mut held: Vec<(File, usize, usize)> = Vec::new();
        for s in steps {
            let got = match s {
                Step::Allocate(f, n) => plan.allocate(f, n).ok().map(|i| (f, i, n)),
                Step::Pin(f, i, n) => plan.pin(f, i, n).ok().map(|i| (f, i, n)),
                Step::GiveBack(i) => {
                    if !held.is_empty() {
                        let (f, first, n) = held.swap_remove(i % held.len());
                        plan.release(f, first, n);
                    }
                    None
                }
            };
            if let Some((f, i, n)) = got {
                prop_assert_eq!(i % f.alignment(n), 0);
                for (g, j, m) in &held {
                    prop_assert!(*g != f || i + n <= *j || *j + m <= i, "{:?} {}+{} and {}+{}", f, i, n, j, m);
                }
                held.push((f, i, n));
            }
            for (f, size) in [File::Sgpr, File::Vgpr, File::Agpr].into_iter().zip(all) {
                let taken: usize = held.iter().filter(|h| h.0 == f).map(|h| h.2).sum();
                prop_assert_eq!(plan.free(f) + taken, size);
            }
        }
    }
}
