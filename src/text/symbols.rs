//! Which characters belong to words.

use std::str::FromStr;

use crate::error::{Error, Result};

/// A set of characters, written like the inside of a character class of a regular expression.
///
/// Single characters and ranges; `-` stands for itself where it is first or last; `\` makes the character after it
/// stand for itself, which letters and digits do anyway: classes such as `\w` are refused, not misread.
///
/// ```
/// use rescorla::text::corpus::Symbols;
///
/// let german: Symbols = r"a-zäöüß\--".parse()?;
/// assert!("straße-".chars().all(|c| german.contains(c)));
/// assert!(!german.contains('A'));
/// assert!("z-a".parse::<Symbols>().is_err());
/// # Ok::<(), rescorla::error::Error>(())
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Symbols {
    /// Bit c says whether the ASCII character c is in the set.
    ascii: u128,
    /// First and last characters of ranges: sorted, disjoint, ASCII included.
    ranges: Vec<(char, char)>,
}

impl Symbols {
    /// Whether a character is in the set.
    pub fn contains(&self, symbol: char) -> bool {
        if symbol.is_ascii() {
            return self.ascii >> u32::from(symbol) & 1 == 1;
        }
        let at = self.ranges.partition_point(|&(_, last)| last < symbol);
        self.ranges.get(at).is_some_and(|&(first, _)| first <= symbol)
    }

    fn of(mut ranges: Vec<(char, char)>) -> Self {
        ranges.sort_unstable();
        ranges.dedup_by(|next, kept| {
            let overlap = next.0 <= kept.1;
            if overlap {
                kept.1 = kept.1.max(next.1);
            }
            overlap
        });
        let is_in = |c: char| ranges.iter().any(|&(first, last)| first <= c && c <= last);
        let ascii = (0..128u8).filter(|&c| is_in(char::from(c))).fold(0, |set, c| set | 1 << c);
        Symbols { ascii, ranges }
    }
}

impl FromStr for Symbols {
    type Err = Error;

    fn from_str(text: &str) -> Result<Self> {
        let mut rest = text.chars();
        let mut ranges = Vec::new();
        while let Some(first) = symbol(&mut rest)? {
            let mut after = rest.clone();
            // A hyphen makes a range only where something follows it.
            let is_range = after.next() == Some('-') && !after.as_str().is_empty();
            if is_range {
                rest = after;
            }
            let last = if is_range { symbol(&mut rest)?.unwrap_or(first) } else { first };
            if last < first {
                return Err(wrong(
                    format!("a range that rises, such as {last:?} to {first:?}"),
                    format!("{first}-{last}"),
                    "turn it round, or write the hyphen last",
                ));
            }
            ranges.push((first, last));
        }
        if ranges.is_empty() {
            return Err(wrong("at least one character", "none", "leave symbols out to allow all"));
        }
        Ok(Symbols::of(ranges))
    }
}

/// The next character, freed of its backslash.
fn symbol(rest: &mut std::str::Chars<'_>) -> Result<Option<char>> {
    match rest.next() {
        Some('\\') => match rest.next() {
            None => Err(wrong("a character after \\", "the end", "write \\\\ for a backslash")),
            Some(c) if c.is_alphanumeric() => Err(wrong(
                "a character that needs a backslash, such as \\- or \\\\",
                format!("\\{c}"),
                "name the characters themselves, such as a-z",
            )),
            escaped => Ok(escaped),
        },
        plain => Ok(plain),
    }
}

fn wrong(expected: impl std::fmt::Display, found: impl std::fmt::Display, cure: &str) -> Error {
    Error::Argument(format!("symbols: expected {expected}, found {found}; {cure}"))
}
