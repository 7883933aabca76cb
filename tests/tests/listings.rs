//! Approved listings of our kernels, and that their text is their code.

use wavesmith_isa::{encode, text};
use wavesmith_kernels::{Params, build};
use wavesmith_loader::Target;
use wavesmith_loader::object::AbiVersion;

#[test]
fn gemm_listings() {
    let mut settings = insta::Settings::clone_current();
    settings.set_snapshot_path("../../snapshots");
    settings.set_prepend_module_to_snapshot(false);
    settings.set_omit_expression(true);
    for target in Target::ALL {
        let built = build("gemm", &Params::default(), target, AbiVersion::V5).unwrap();
        settings.bind(|| {
            insta::assert_snapshot!(format!("gemm_bf16_{target}"), built.kernel.listing())
        });
    }
}

#[test]
fn listings_assemble_to_the_same_code() {
    for target in Target::ALL {
        let kernel = build("gemm", &Params::default(), target, AbiVersion::V5)
            .unwrap()
            .kernel;
        let insts = text::assemble(&kernel.listing(), target).unwrap();
        let mut code = Vec::new();
        for i in insts {
            let text::SourceInst::Inst { inst, .. } = i else {
                panic!("a raw dword")
            };
            code.extend(encode::encode(&inst, target).unwrap().to_bytes());
        }
        assert_eq!(code, kernel.code());
    }
}
