//! Expressions: numbers, symbols and operators, with the precedence LLVM's assembler has (GNU's).

use super::lex::{Cursor, starts_name};

/// A symbol's index in the table.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(super) struct SymbolId(pub(super) usize);

/// A section's index.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(super) struct SectionId(pub(super) usize);

/// Which part of a symbol's distance is meant.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Part {
    /// `sym@rel32@lo` and `sym@rel32`: low half of the distance from the place of the literal.
    RelLo,
    /// `sym@rel32@hi`: high half.
    RelHi,
}

/// An expression whose `.set` symbols have their values already, where they had one.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Expr {
    Number(i64),
    Symbol(SymbolId),
    /// `.`: the place where the statement starts.
    Place(SectionId, u64),
    Relative(SymbolId, Part),
    /// With its height, as the next.
    Unary(u8, Box<Expr>, usize),
    Binary(Operator, Box<Expr>, Box<Expr>, usize),
    Call(Function, Vec<Expr>, usize),
}

/// What LLVM's compiler computes with in sources of code object v5 and later (`AMDGPUMCExpr`).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Function {
    /// The largest.
    Max,
    /// All bits.
    Or,
    /// The first, up to a multiple of the second.
    AlignTo,
    /// All vector registers, of a number of accumulation ones and a number of ordinary ones.
    TotalNumVgprs,
    /// Scalar registers kept behind the program's, whatever of them it uses.
    ExtraSgprs,
}

const FUNCTIONS: [(&str, Function); 5] = [
    ("max", Function::Max),
    ("or", Function::Or),
    ("alignto", Function::AlignTo),
    ("totalnumvgprs", Function::TotalNumVgprs),
    ("extrasgprs", Function::ExtraSgprs),
];

impl Function {
    fn value(self, of: &[i64]) -> Option<i64> {
        let align = |n: i64, to: i64| match (u64::try_from(n), u64::try_from(to)) {
            (Ok(n), Ok(to)) if to > 0 => Some(n.checked_next_multiple_of(to)? as i64),
            _ => None,
        };
        match (self, of) {
            (Function::Max, of) => of.iter().copied().max(),
            (Function::Or, of) => Some(of.iter().fold(0, |a, b| a | b)),
            (Function::AlignTo, [n, to]) => align(*n, *to),
            (Function::TotalNumVgprs, [0, vgprs]) => Some(*vgprs),
            (Function::TotalNumVgprs, [agprs, vgprs]) => align(*vgprs, 4)?.checked_add(*agprs),
            (Function::ExtraSgprs, [_, _, _]) => Some(
                crate::descriptor::RegisterLimits::GFX9_UNIFIED
                    .extra_sgprs
                    .into(),
            ),
            _ => None,
        }
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Operator {
    Or,
    And,
    Eq,
    Ne,
    Lt,
    Le,
    Gt,
    Ge,
    Add,
    Sub,
    BitOr,
    BitXor,
    BitAnd,
    Mul,
    Div,
    Rem,
    Shl,
    Shr,
}

/// What an expression is worth.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Value {
    /// A number.
    Absolute(i64),
    /// A place: section, and bytes from its start.
    Place(SectionId, i64),
    /// A distance from where the value is put, and the part of it that is wanted.
    Relative(SectionId, i64, Part),
}

/// Why an expression has no value.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum NoValue {
    /// A symbol that is not known, or not yet.
    Undefined(SymbolId),
    /// An operator that places cannot have.
    Places,
    /// Division by zero.
    Zero,
    /// A function with arguments it cannot have.
    Arguments,
    /// A `.set` that depends on itself.
    Circle(SymbolId),
}

/// What expressions need to know about symbols.
pub(super) trait Names {
    /// The symbol of that name, made if need be.
    fn symbol(&mut self, name: &str) -> SymbolId;
    /// The symbol `1b` or `1f` means.
    fn local(&mut self, number: u64, backward: bool) -> SymbolId;
    /// What `.set` made of it so far.
    fn set_value(&self, id: SymbolId) -> Option<Expr>;
    /// The current place.
    fn here(&self) -> (SectionId, u64);
}

const OPERATORS: [(&str, Operator, u8); 20] = [
    ("||", Operator::Or, 1),
    ("&&", Operator::And, 2),
    ("==", Operator::Eq, 3),
    ("!=", Operator::Ne, 3),
    ("<>", Operator::Ne, 3),
    ("<=", Operator::Le, 3),
    (">=", Operator::Ge, 3),
    ("<<", Operator::Shl, 6),
    (">>", Operator::Shr, 6),
    ("<", Operator::Lt, 3),
    (">", Operator::Gt, 3),
    ("+", Operator::Add, 4),
    ("-", Operator::Sub, 4),
    ("|", Operator::BitOr, 5),
    ("^", Operator::BitXor, 5),
    ("&", Operator::BitAnd, 5),
    ("!", Operator::BitOr, 0),
    ("*", Operator::Mul, 6),
    ("/", Operator::Div, 6),
    ("%", Operator::Rem, 6),
];

/// Nesting an expression may have, so that a hostile one ends in an error and not in a full stack.
const MAX_DEPTH: usize = 200;

/// Reads an expression; `Err` is where the cursor found none.
pub(super) fn parse(c: &mut Cursor<'_>, names: &mut dyn Names) -> Result<Expr, usize> {
    binary(c, names, 1, 0)
}

fn binary(
    c: &mut Cursor<'_>,
    names: &mut dyn Names,
    least: u8,
    depth: usize,
) -> Result<Expr, usize> {
    if depth > MAX_DEPTH {
        return Err(c.at);
    }
    let mut left = unary(c, names, depth + 1)?;
    loop {
        c.skip_space();
        let rest = c.rest();
        let Some(&(text, operator, level)) = OPERATORS
            .iter()
            .find(|(text, _, level)| *level > 0 && rest.starts_with(text))
        else {
            return Ok(left);
        };
        if level < least {
            return Ok(left);
        }
        c.at += text.len();
        let right = binary(c, names, level + 1, depth + 1)?;
        let height = left.height().max(right.height()) + 1;
        if height > MAX_DEPTH {
            return Err(c.at);
        }
        left = fold(Expr::Binary(
            operator,
            Box::new(left),
            Box::new(right),
            height,
        ));
    }
}

fn unary(c: &mut Cursor<'_>, names: &mut dyn Names, depth: usize) -> Result<Expr, usize> {
    if depth > MAX_DEPTH {
        return Err(c.at);
    }
    let at = {
        c.skip_space();
        c.at
    };
    match c.peek() {
        Some(b'(') => {
            c.at += 1;
            let inner = binary(c, names, 1, depth + 1)?;
            if c.eat(")") { Ok(inner) } else { Err(c.at) }
        }
        Some(op @ (b'-' | b'+' | b'~' | b'!')) => {
            c.at += 1;
            let inner = unary(c, names, depth + 1)?;
            let height = inner.height() + 1;
            if height > MAX_DEPTH {
                return Err(at);
            }
            Ok(fold(Expr::Unary(op, Box::new(inner), height)))
        }
        Some(b'0'..=b'9' | b'\'') => number(c, names).ok_or(at),
        Some(b'"') => {
            let name = c.name().ok_or(at)?;
            Ok(symbol(c, names, &name))
        }
        Some(first) if starts_name(first) => {
            let name = c.plain_name();
            if name == "." {
                let (section, offset) = names.here();
                return Ok(Expr::Place(section, offset));
            }
            if c.rest().starts_with('(')
                && let Some((_, function)) = FUNCTIONS.iter().find(|(n, _)| *n == name)
            {
                return call(c, names, *function, depth);
            }
            Ok(symbol(c, names, name))
        }
        _ => Err(at),
    }
}

fn call(
    c: &mut Cursor<'_>,
    names: &mut dyn Names,
    function: Function,
    depth: usize,
) -> Result<Expr, usize> {
    c.at += 1;
    let mut of = Vec::new();
    loop {
        of.push(binary(c, names, 1, depth + 1)?);
        if !c.eat(",") {
            break;
        }
    }
    if !c.eat(")") {
        return Err(c.at);
    }
    let height = of.iter().map(Expr::height).max().unwrap_or(0) + 1;
    if height > MAX_DEPTH {
        return Err(c.at);
    }
    Ok(fold(Expr::Call(function, of, height)))
}

fn number(c: &mut Cursor<'_>, names: &mut dyn Names) -> Option<Expr> {
    let rest = c.rest();
    let digits = rest.bytes().take_while(u8::is_ascii_digit).count();
    let mut behind = rest.bytes().skip(digits);
    // `0b1` is a binary number, `1b` and `0b` followed by no digit are labels.
    if let (Some(way @ (b'b' | b'f')), next) = (behind.next(), behind.next())
        && digits > 0
        && !next.is_some_and(super::lex::in_name)
    {
        let number = rest[..digits].parse().ok()?;
        c.at += digits + 1;
        return Some(Expr::Symbol(names.local(number, way == b'b')));
    }
    c.number().map(Expr::Number)
}

fn symbol(c: &mut Cursor<'_>, names: &mut dyn Names, name: &str) -> Expr {
    let id = names.symbol(name);
    for (suffix, part) in [
        ("@rel32@lo", Part::RelLo),
        ("@rel32@hi", Part::RelHi),
        ("@rel32", Part::RelLo),
    ] {
        if c.rest().starts_with(suffix) {
            c.at += suffix.len();
            return Expr::Relative(id, part);
        }
    }
    names.set_value(id).unwrap_or(Expr::Symbol(id))
}

/// Numbers are put together at once, so that long lists of `.set` stay small.
fn fold(expr: Expr) -> Expr {
    let number = |e: &Expr| match e {
        Expr::Number(n) => Some(*n),
        _ => None,
    };
    let value = match &expr {
        Expr::Unary(op, inner, _) => number(inner).map(|n| unary_value(*op, n)),
        Expr::Binary(op, a, b, _) => match (number(a), number(b)) {
            (Some(a), Some(b)) => binary_value(*op, a, b),
            _ => None,
        },
        Expr::Call(function, of, _) => {
            let of: Option<Vec<i64>> = of.iter().map(number).collect();
            of.and_then(|of| function.value(&of))
        }
        _ => None,
    };
    value.map_or(expr, Expr::Number)
}

fn unary_value(op: u8, n: i64) -> i64 {
    match op {
        b'-' => n.wrapping_neg(),
        b'~' => !n,
        b'!' => i64::from(n == 0),
        _ => n,
    }
}

/// `None` for a division by zero. Comparisons give −1 and 0, as in GNU's assembler and LLVM's.
fn binary_value(op: Operator, a: i64, b: i64) -> Option<i64> {
    let truth = |t: bool| -i64::from(t);
    Some(match op {
        Operator::Or => i64::from(a != 0 || b != 0),
        Operator::And => i64::from(a != 0 && b != 0),
        Operator::Eq => truth(a == b),
        Operator::Ne => truth(a != b),
        Operator::Lt => truth(a < b),
        Operator::Le => truth(a <= b),
        Operator::Gt => truth(a > b),
        Operator::Ge => truth(a >= b),
        Operator::Add => a.wrapping_add(b),
        Operator::Sub => a.wrapping_sub(b),
        Operator::BitOr => a | b,
        Operator::BitXor => a ^ b,
        Operator::BitAnd => a & b,
        Operator::Mul => a.wrapping_mul(b),
        Operator::Div => a.checked_div(b).or((b != 0).then_some(a))?,
        Operator::Rem => a.checked_rem(b).or((b != 0).then_some(0))?,
        // LLVM shifts right logically here, and by 64 or more gives 0.
        Operator::Shl => u32::try_from(b)
            .ok()
            .and_then(|b| a.checked_shl(b))
            .unwrap_or(0),
        Operator::Shr => u32::try_from(b)
            .ok()
            .and_then(|b| (a as u64).checked_shr(b))
            .map_or(0, |v| v as i64),
    })
}

impl Expr {
    /// Whether it is something less something else.
    pub(super) fn is_difference(&self) -> bool {
        matches!(self, Expr::Binary(Operator::Sub, ..))
    }

    fn height(&self) -> usize {
        match self {
            Expr::Unary(_, _, height)
            | Expr::Binary(_, _, _, height)
            | Expr::Call(_, _, height) => *height,
            _ => 0,
        }
    }

    /// The value, with `lookup` for symbols.
    pub(super) fn value(
        &self,
        lookup: &dyn Fn(SymbolId) -> Result<Value, NoValue>,
    ) -> Result<Value, NoValue> {
        match self {
            Expr::Number(n) => Ok(Value::Absolute(*n)),
            Expr::Symbol(id) => lookup(*id),
            Expr::Place(section, offset) => Ok(Value::Place(*section, *offset as i64)),
            Expr::Relative(id, part) => match lookup(*id)? {
                Value::Place(section, at) => Ok(Value::Relative(section, at, *part)),
                _ => Err(NoValue::Places),
            },
            Expr::Unary(op, inner, _) => match inner.value(lookup)? {
                Value::Absolute(n) => Ok(Value::Absolute(unary_value(*op, n))),
                place if *op == b'+' => Ok(place),
                _ => Err(NoValue::Places),
            },
            Expr::Binary(op, a, b, _) => combine(*op, a.value(lookup)?, b.value(lookup)?),
            Expr::Call(function, of, _) => {
                let mut numbers = Vec::with_capacity(of.len());
                for one in of {
                    match one.value(lookup)? {
                        Value::Absolute(n) => numbers.push(n),
                        _ => return Err(NoValue::Places),
                    }
                }
                function
                    .value(&numbers)
                    .map(Value::Absolute)
                    .ok_or(NoValue::Arguments)
            }
        }
    }
}

fn combine(op: Operator, a: Value, b: Value) -> Result<Value, NoValue> {
    use Value::{Absolute, Place, Relative};
    match (op, a, b) {
        (_, Absolute(a), Absolute(b)) => binary_value(op, a, b).map(Absolute).ok_or(NoValue::Zero),
        (Operator::Add, Place(s, at), Absolute(n)) | (Operator::Add, Absolute(n), Place(s, at)) => {
            Ok(Place(s, at.wrapping_add(n)))
        }
        (Operator::Sub, Place(s, at), Absolute(n)) => Ok(Place(s, at.wrapping_sub(n))),
        (Operator::Add, Relative(s, at, part), Absolute(n)) => {
            Ok(Relative(s, at.wrapping_add(n), part))
        }
        (Operator::Sub, Relative(s, at, part), Absolute(n)) => {
            Ok(Relative(s, at.wrapping_sub(n), part))
        }
        // Differences and comparisons of places in one section are numbers.
        (op, Place(s, a), Place(t, b)) if s == t && !matches!(op, Operator::Add) => match op {
            Operator::Sub
            | Operator::Eq
            | Operator::Ne
            | Operator::Lt
            | Operator::Le
            | Operator::Gt
            | Operator::Ge => binary_value(op, a, b).map(Absolute).ok_or(NoValue::Zero),
            _ => Err(NoValue::Places),
        },
        _ => Err(NoValue::Places),
    }
}
