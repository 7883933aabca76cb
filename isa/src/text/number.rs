//! Numbers into text, without the formatting machinery: this is most of what a listing is.

const PAIRS: [u8; 200] = {
    let mut t = [0; 200];
    let mut i = 0;
    while i < 100 {
        t[2 * i] = b'0' + (i / 10) as u8;
        t[2 * i + 1] = b'0' + (i % 10) as u8;
        i += 1;
    }
    t
};

fn push_ascii(digits: &[u8], out: &mut String) {
    // Digits are ASCII: the check is cheap and cannot fail.
    out.push_str(std::str::from_utf8(digits).unwrap_or_default());
}

/// `0` to `255`, one behind the other, and where each starts.
const SMALL_BYTES: ([u8; 658], [u16; 257]) = {
    let (mut text, mut starts) = ([0; 658], [0; 257]);
    let (mut n, mut at) = (0, 0);
    while n < 256 {
        starts[n] = at as u16;
        if n >= 100 {
            text[at] = b'0' + (n / 100) as u8;
            at += 1;
        }
        if n >= 10 {
            text[at] = b'0' + (n / 10 % 10) as u8;
            at += 1;
        }
        text[at] = b'0' + (n % 10) as u8;
        at += 1;
        n += 1;
    }
    starts[256] = at as u16;
    (text, starts)
};
static STARTS: [u16; 257] = SMALL_BYTES.1;
static SMALL: &str = match std::str::from_utf8(&SMALL_BYTES.0) {
    Ok(s) => s,
    Err(_) => panic!("digits are ASCII"),
};

/// Decimal.
#[inline]
pub fn push_u32(v: u32, out: &mut String) {
    match v {
        0..=255 => {
            let v = v as usize;
            out.push_str(&SMALL[STARTS[v] as usize..STARTS[v + 1] as usize]);
        }
        _ => push_large(v, out),
    }
}

fn push_large(mut v: u32, out: &mut String) {
    let mut buffer = [0u8; 10];
    let mut at = 10;
    while v >= 10 {
        let pair = (v % 100) as usize * 2;
        v /= 100;
        at -= 2;
        buffer[at] = PAIRS[pair];
        buffer[at + 1] = PAIRS[pair + 1];
    }
    if v > 0 {
        at -= 1;
        buffer[at] = b'0' + v as u8;
    }
    push_ascii(&buffer[at..], out);
}

/// Decimal with its sign.
#[inline]
pub fn push_i32(v: i32, out: &mut String) {
    if v < 0 {
        out.push('-');
    }
    push_u32(v.unsigned_abs(), out);
}

/// `0x…`, lower case, no leading zeros.
#[inline]
pub fn push_hex(v: u32, out: &mut String) {
    const DIGITS: &[u8; 16] = b"0123456789abcdef";
    let mut buffer = *b"0x00000000";
    let n = (8 - v.leading_zeros() as usize / 4).max(1);
    for i in 0..n {
        buffer[2 + i] = DIGITS[(v >> (4 * (n - 1 - i)) & 15) as usize];
    }
    push_ascii(&buffer[..2 + n], out);
}

/// `0x…` with a sign in front.
#[inline]
pub fn push_signed_hex(v: i32, out: &mut String) {
    if v < 0 {
        out.push('-');
    }
    push_hex(v.unsigned_abs(), out);
}
