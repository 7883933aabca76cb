//! String tables and hash tables, ordered as lld orders them.

use object::Endianness;
use object::elf;
use object::write::elf::{Encoder, GnuHashTable};

use super::super::spec::{CodeObject, LocalSymbol};
use super::was_global;

/// A string table in the order its names were added, each with a NUL behind.
pub(super) struct Strings {
    pub(super) bytes: Vec<u8>,
    pub(super) offsets: Vec<u32>,
}

impl Strings {
    fn of<'a>(names: impl IntoIterator<Item = &'a str>) -> Strings {
        let mut strings = Strings {
            bytes: vec![0],
            offsets: Vec::new(),
        };
        for name in names {
            strings.offsets.push(strings.bytes.len() as u32);
            strings.bytes.extend_from_slice(name.as_bytes());
            strings.bytes.push(0);
        }
        strings
    }
}

/// Every symbol's name with its place in the string tables.
pub(super) struct Names {
    /// Global symbols: each kernel's function, then its descriptor.
    pub(super) global: Vec<String>,
    pub(super) dynstr: Strings,
    pub(super) strtab: Strings,
    pub(super) dynamic_offset: u32,
    /// For each of `CodeObject::symbols`, its index in `strtab.offsets`.
    local_at: Vec<usize>,
    /// Index in `strtab.offsets` of the first global.
    global_at: usize,
}

impl Names {
    pub(super) fn of(object: &CodeObject) -> Names {
        let global: Vec<String> = object
            .kernels
            .iter()
            .flat_map(|k| [k.name.clone(), format!("{}.kd", k.name)])
            .collect();
        let indices = |late: bool| {
            let wanted = move |(_, s): &(usize, &LocalSymbol)| was_global(s) == late;
            object
                .symbols
                .iter()
                .enumerate()
                .filter(wanted)
                .map(|(i, _)| i)
        };
        let early: Vec<usize> = indices(false).collect();
        let mut local_at = vec![0; object.symbols.len()];
        for (at, i) in early.iter().enumerate() {
            local_at[*i] = at;
        }
        for (at, i) in indices(true).enumerate() {
            local_at[i] = early.len() + global.len() + at;
        }
        let global_at = early.len();
        let name = |i: usize| object.symbols[i].name.as_str();
        let all = early.into_iter().map(name);
        let all = all
            .chain(global.iter().map(String::as_str))
            .chain(indices(true).map(name))
            .chain(["_DYNAMIC"]);
        let strtab = Strings::of(all);
        let dynamic_offset = strtab.offsets.last().copied().unwrap_or(0);
        let dynstr = Strings::of(global.iter().map(String::as_str));
        Names {
            dynstr,
            strtab,
            dynamic_offset,
            local_at,
            global_at,
            global,
        }
    }

    pub(super) fn local_offset(&self, i: usize) -> u32 {
        self.strtab.offsets[self.local_at[i]]
    }

    pub(super) fn global_offset(&self, i: usize) -> u32 {
        self.strtab.offsets[self.global_at + i]
    }

    /// Local symbols in the order of the symbol table: those that were always local first.
    pub(super) fn locals_in_order<'a>(
        &self,
        object: &'a CodeObject,
    ) -> Vec<(usize, &'a LocalSymbol)> {
        let mut locals: Vec<_> = object.symbols.iter().enumerate().collect();
        locals.sort_by_key(|(_, s)| was_global(s));
        locals
    }
}

/// Sizes of the GNU hash table for `count` symbols: lld's choice of 4 symbols a bucket and 12 bloom bits a symbol.
fn gnu_table(count: usize) -> GnuHashTable {
    let words = ((count as u64 * 12).saturating_sub(1) / 64 + 1).next_power_of_two();
    GnuHashTable {
        bucket_count: (count as u32 / 4).max(1),
        bloom_count: words as u32,
        bloom_shift: 26,
        symbol_base: 1,
        symbol_count: count as u32,
    }
}

/// The order of global symbols in `.dynsym`: by bucket of the GNU hash, else as given.
pub(super) fn gnu_order(names: &[String]) -> Vec<usize> {
    let buckets = gnu_table(names.len()).bucket_count;
    let mut order: Vec<usize> = (0..names.len()).collect();
    order.sort_by_key(|&i| elf::gnu_hash(names[i].as_bytes()) % buckets);
    order
}

pub(super) fn gnu_hash(names: &[String], order: &[usize], encoder: Encoder<Endianness>) -> Vec<u8> {
    let mut bytes = Vec::new();
    let hash = |i: u32| elf::gnu_hash(names[order[i as usize]].as_bytes());
    encoder.gnu_hash_table(&mut bytes, &gnu_table(names.len()), hash);
    bytes
}

pub(super) fn sysv_hash(
    names: &[String],
    order: &[usize],
    encoder: Encoder<Endianness>,
) -> Vec<u8> {
    let mut bytes = Vec::new();
    let count = names.len() as u32 + 1;
    // Symbol 0 is the null symbol and hashes to nothing.
    let hash = |i: u32| (i > 0).then(|| elf::hash(names[order[i as usize - 1]].as_bytes()));
    encoder.hash_table(&mut bytes, count, count, hash);
    bytes
}

/// Sizes in bytes of the GNU and the SysV hash table for `count` symbols.
pub(super) fn hash_sizes(count: usize, encoder: Encoder<Endianness>) -> (u64, u64) {
    let table = gnu_table(count);
    let with_null = count as u32 + 1;
    (
        encoder.gnu_hash_size(table.bloom_count, table.bucket_count, table.symbol_count),
        encoder.hash_size(with_null, with_null),
    )
}
