//! Control that leaves the text, and words that are no instruction, where something can reach them.

use super::{Finding, Report, Rule, Severity, Subject};
use crate::flow::End;

const TEXT: Rule = Rule {
    id: "C01",
    says: "control stays within the text",
    source: "CDNA3 ISA 4.1",
};
const WORD: Rule = Rule {
    id: "C02",
    says: "every word that is reached is an instruction of the target",
    source: "CDNA3 ISA 12",
};

pub fn check(s: &Subject<'_>, report: &mut Report) {
    for b in &s.flow.order {
        let block = &s.flow.blocks[*b as usize];
        let last = block.end as usize - 1;
        if block.exit == End::OutOfText {
            report.add(Severity::Finding, TEXT, || Finding {
                rule: TEXT,
                severity: Severity::Finding,
                kernel: s.owner(last).to_owned(),
                at: last,
                offset: s.program.lines[last].offset,
                text: s.text(last),
                cause: None,
                path: Vec::new(),
                required: "a target at an instruction of the text".to_owned(),
                found: "outside, or within an instruction".to_owned(),
                fix: "end with s_endpgm, or correct the target".to_owned(),
            });
        }
        for i in block.start as usize..block.end as usize {
            if s.program.lines[i].inst.is_none() {
                report.add(Severity::Finding, WORD, || Finding {
                    rule: WORD,
                    severity: Severity::Finding,
                    kernel: s.owner(i).to_owned(),
                    at: i,
                    offset: s.program.lines[i].offset,
                    text: s.text(i),
                    cause: None,
                    path: Vec::new(),
                    required: format!("an instruction of {}", s.program.target),
                    found: "a word that is none".to_owned(),
                    fix: "build the code for this target".to_owned(),
                });
            }
            match s.program.lines[i]
                .inst
                .as_ref()
                .map(|x| x.op.info().mnemonic)
            {
                Some(wavesmith_isa::Mnemonic::S_WAITCNT) => report.counts.waits += 1,
                Some(wavesmith_isa::Mnemonic::S_NOP) => report.counts.nops += 1,
                _ => {}
            }
        }
    }
}
