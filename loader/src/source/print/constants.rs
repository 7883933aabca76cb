//! `.rodata` and other bytes.

use super::super::describe;
use super::Printer;
use crate::object::{LocalSymbol, Place};

impl<'a> Printer<'a> {
    pub(super) fn rodata(&mut self) {
        let object = self.object;
        let mut kernels: Vec<usize> = (0..object.kernels.len()).collect();
        kernels.sort_by_key(|i| object.kernels[*i].descriptor_offset);
        let mut symbols: Vec<(u64, &LocalSymbol)> = Vec::new();
        for symbol in &object.symbols {
            match symbol.place {
                Place::Rodata(at) => symbols.push((at, symbol)),
                Place::Absolute(_) => self.absolute.push(symbol),
                Place::Text(_) => {}
            }
        }
        symbols.sort_by_key(|(at, _)| *at);
        self.line("");
        self.line("\t.section .rodata,\"a\",@progbits");
        let mut symbols = symbols.into_iter().peekable();
        let mut at = 0;
        for i in kernels {
            let kernel = &object.kernels[i];
            let to = kernel.descriptor_offset;
            self.constants(&mut at, to, &mut symbols);
            while let Some((_, symbol)) = symbols.next_if(|(place, _)| *place == at) {
                self.define(symbol, None);
            }
            self.line("\t.p2align 6");
            let about = object.metadata.kernel(&kernel.name);
            describe::print(kernel, about, self.used[i], &mut self.out.text);
            at = to + 64;
            while let Some((place, symbol)) = symbols.next_if(|(place, _)| *place < at) {
                self.define(symbol, Some(format!(".-{}", at - place)));
            }
        }
        self.constants(&mut at, object.rodata.len() as u64, &mut symbols);
        if let Some(label) = self.constants.remove(&at) {
            self.line(format_args!("{label}:"));
        }
        for (_, symbol) in symbols {
            self.define(symbol, None);
        }
    }

    /// Constants from `at` up to `to`, with the symbols there.
    fn constants(
        &mut self,
        at: &mut u64,
        to: u64,
        symbols: &mut std::iter::Peekable<std::vec::IntoIter<(u64, &'a LocalSymbol)>>,
    ) {
        while *at < to {
            if let Some(label) = self.constants.remove(at) {
                self.line(format_args!("{label}:"));
            }
            while let Some((_, symbol)) = symbols.next_if(|(place, _)| *place <= *at) {
                self.define(symbol, None);
            }
            let stop = symbols.peek().map_or(to, |(place, _)| (*place).min(to));
            let label = self.constants.range(*at + 1..).next();
            let stop = label.map_or(stop, |(place, _)| stop.min(*place));
            let data = self.object.rodata.get(*at as usize..stop as usize);
            self.data(data.unwrap_or_default());
            *at = stop;
        }
    }

    /// Bytes, eight dwords a line.
    pub(super) fn data(&mut self, bytes: &[u8]) {
        let mut rest = bytes;
        while !rest.is_empty() {
            let zeros = rest.iter().take_while(|b| **b == 0).count();
            if zeros >= 16 {
                self.line(format_args!("\t.zero {zeros}"));
                rest = &rest[zeros..];
                continue;
            }
            let (name, size) = if rest.len() >= 4 {
                (".long", 4)
            } else {
                (".byte", 1)
            };
            let take = (rest.len() / size).min(8) * size;
            let values: Vec<String> = rest[..take]
                .chunks(size)
                .map(|c| c.iter().rev().fold(0u32, |w, b| w << 8 | u32::from(*b)))
                .map(|w| format!("{w:#x}"))
                .collect();
            self.line(format_args!("\t{name} {}", values.join(", ")));
            rest = &rest[take..];
        }
    }
}
