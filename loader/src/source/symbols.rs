//! Symbols and sections while a source is read.

use std::collections::HashMap;
use std::ops::Range;

use super::assemble::Origin;
use super::expr::{Expr, NoValue, SectionId, SymbolId, Value};
use crate::object::Visibility;

/// How a symbol came to its value.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Definition {
    /// A label.
    Label(SectionId, u64),
    /// `.set`, `=`.
    Set(Expr),
}

/// One symbol.
#[derive(Debug, Clone)]
pub(super) struct Symbol {
    pub(super) name: String,
    pub(super) definition: Option<Definition>,
    pub(super) line: usize,
    pub(super) global: bool,
    pub(super) kind: u8,
    pub(super) visibility: Visibility,
    pub(super) size: Option<(Expr, (Origin, Range<usize>))>,
    /// Whether it goes into the symbol table, and where: as LLVM, by its first appearance.
    pub(super) order: Option<usize>,
    /// Given by `.wavesmith_symbol`: it is in the symbol table whatever its name, and nothing can refer to it.
    pub(super) nameless: bool,
    /// Where the source says it stands in the symbol table, instead of `order`.
    pub(super) index: Option<usize>,
}

/// All symbols.
#[derive(Debug, Default)]
pub(super) struct Symbols {
    pub(super) list: Vec<Symbol>,
    by_name: HashMap<String, SymbolId>,
    appeared: usize,
    /// For each number, how often `N:` was defined.
    locals: HashMap<u64, usize>,
}

impl Symbols {
    pub(super) fn id(&mut self, name: &str) -> SymbolId {
        if let Some(id) = self.by_name.get(name) {
            return *id;
        }
        let id = self.push(name, false);
        self.by_name.insert(name.to_owned(), id);
        id
    }

    /// A symbol that no name leads to.
    pub(super) fn nameless(&mut self, name: &str) -> SymbolId {
        let id = self.push(name, true);
        self.appear(id);
        id
    }

    fn push(&mut self, name: &str, nameless: bool) -> SymbolId {
        let id = SymbolId(self.list.len());
        self.list.push(Symbol {
            name: name.to_owned(),
            definition: None,
            line: 0,
            global: false,
            kind: 0,
            visibility: Visibility::Default,
            size: None,
            order: None,
            nameless,
            index: None,
        });
        id
    }

    pub(super) fn find(&self, name: &str) -> Option<SymbolId> {
        self.by_name.get(name).copied()
    }

    pub(super) fn get(&self, id: SymbolId) -> &Symbol {
        &self.list[id.0]
    }

    pub(super) fn get_mut(&mut self, id: SymbolId) -> &mut Symbol {
        &mut self.list[id.0]
    }

    /// The symbol appears here: its place in the symbol table is taken.
    pub(super) fn appear(&mut self, id: SymbolId) {
        let symbol = &mut self.list[id.0];
        if symbol.order.is_none() {
            symbol.order = Some(self.appeared);
            self.appeared += 1;
        }
    }

    /// The symbol behind `1b` or `1f`. Its name has a character no source can write.
    pub(super) fn local(&mut self, number: u64, backward: bool) -> SymbolId {
        let defined = self.locals.get(&number).copied().unwrap_or(0);
        let which = if backward { defined } else { defined + 1 };
        self.id(&format!(".L{number}\u{1}{which}"))
    }

    /// The symbol that `1:` defines.
    pub(super) fn define_local(&mut self, number: u64) -> SymbolId {
        *self.locals.entry(number).or_insert(0) += 1;
        self.local(number, true)
    }

    /// A symbol's value as far as it is known.
    pub(super) fn value(&self, id: SymbolId) -> Result<Value, NoValue> {
        self.value_at(id, 0)
    }

    fn value_at(&self, id: SymbolId, depth: usize) -> Result<Value, NoValue> {
        if depth > 100 {
            return Err(NoValue::Circle(id));
        }
        match &self.get(id).definition {
            None => Err(NoValue::Undefined(id)),
            Some(Definition::Label(section, offset)) => Ok(Value::Place(*section, *offset as i64)),
            Some(Definition::Set(expr)) => expr.value(&|id| self.value_at(id, depth + 1)),
        }
    }

    /// An expression's value as far as it is known.
    pub(super) fn evaluate(&self, expr: &Expr) -> Result<Value, NoValue> {
        expr.value(&|id| self.value(id))
    }

    /// Symbols that the expression names appear.
    pub(super) fn appear_in(&mut self, expr: &Expr) {
        match expr {
            Expr::Number(_) | Expr::Place(..) => {}
            Expr::Symbol(id) | Expr::Relative(id, _) => self.appear(*id),
            Expr::Unary(_, inner, _) => self.appear_in(inner),
            Expr::Call(_, of, _) => of.iter().for_each(|e| self.appear_in(e)),
            Expr::Binary(_, a, b, _) => {
                self.appear_in(a);
                self.appear_in(b);
            }
        }
    }

    /// What to call a symbol in a message.
    pub(super) fn shown(&self, id: SymbolId) -> String {
        let name = &self.get(id).name;
        match name.split_once('\u{1}') {
            Some((number, _)) => number.trim_start_matches(".L").to_owned(),
            None => name.clone(),
        }
    }
}

/// A section while it grows.
#[derive(Debug, Clone)]
pub(super) struct Section {
    pub(super) name: String,
    pub(super) kind: u32,
    pub(super) flags: u64,
    pub(super) align: u64,
    pub(super) entry_size: u64,
    pub(super) data: Vec<u8>,
}

impl Section {
    pub(super) fn is_code(&self) -> bool {
        self.flags & 4 != 0
    }
}
