//! Which characters belong to words, and which separate them.

use std::collections::HashMap;
use std::fmt;
use std::str::FromStr;
use std::sync::Arc;

use regex_syntax::hir::{Class, Hir, HirKind};
use unicode_normalization::char::is_combining_mark;

use crate::error::{Error, Result};
use crate::memory::short;

/// The characters of words.
#[derive(Debug, Clone)]
pub enum Allowed {
    /// Those of a set.
    Set(Symbols),
    /// Those that an [`Ask`] accepts. It is asked about each character that occurs.
    Asked(Arc<dyn Ask>),
}

/// Decides whether a character belongs to words.
///
/// The answer about a character must never change.
pub trait Ask: fmt::Debug + Send + Sync {
    /// Whether a character belongs to words.
    ///
    /// # Errors
    /// When there is no answer.
    fn is_symbol(&self, c: char) -> Result<bool>;
}

impl FromStr for Allowed {
    type Err = Error;

    fn from_str(text: &str) -> Result<Self> {
        text.parse().map(Allowed::Set)
    }
}

/// What separates words in a text: white space, `_`, the characters of the boundary and those that are not allowed.
pub(super) struct Separators<'c> {
    /// The characters of words; `None`: all that need not separate words.
    allowed: Option<&'c Allowed>,
    boundary: &'c str,
    /// The answers of an [`Ask`] about the characters that occurred.
    answers: HashMap<char, bool>,
}

impl<'c> Separators<'c> {
    pub(super) fn new(allowed: Option<&'c Allowed>, boundary: &'c str) -> Self {
        Self { allowed, boundary, answers: HashMap::new() }
    }

    /// Asks about the characters of a text that did not occur before.
    ///
    /// # Errors
    /// When there is no answer.
    pub(super) fn meet(&mut self, text: &str) -> Result<()> {
        let Some(Allowed::Asked(ask)) = self.allowed else { return Ok(()) };
        for c in text.chars().filter(|&c| !always_separates(self.boundary, c)) {
            if !self.answers.contains_key(&c) {
                let answer = ask.is_symbol(c)?;
                let more = 2 * self.answers.len() + 1;
                self.answers.try_reserve(1).map_err(|_| short::<(char, bool)>(more))?;
                self.answers.insert(c, answer);
            }
        }
        Ok(())
    }

    /// Whether a character separates words, where the character before it does, or there is none (`true`), or does not. It must have
    /// occurred in a text given to [`Separators::meet`].
    pub(super) fn contain_behind(&self, before: bool, c: char) -> bool {
        always_separates(self.boundary, c)
            || match self.allowed {
                None => false,
                Some(Allowed::Set(symbols)) => !symbols.contains_behind(!before, c),
                Some(Allowed::Asked(_)) => self.answers.get(&c) != Some(&true),
            }
    }
}

/// Whether a character separates words in any case, whatever is allowed.
fn always_separates(boundary: &str, c: char) -> bool {
    c.is_whitespace() || c == '_' || boundary.contains(c)
}

/// A set of characters, written like the inside of a character class of a regular expression.
///
/// Single characters and ranges; `-` stands for itself where it is first or last; `\` makes the character after it
/// stand for itself, except in the classes `\w`, `\d`, `\s` (those of Unicode's regular expressions, UTS 18), `\p{...}`
/// (a script, category or property of Unicode) and their complements `\W`, `\D`, `\S`, `\P{...}`. A script has the characters
/// that it shares with others, too (its Script_Extensions): `\p{Katakana}` has the mark of a long vowel. With such a class a
/// combining mark belongs to the character before it.
///
/// ```
/// use rescorla::internals::text::corpus::Symbols;
///
/// let german: Symbols = r"a-zäöüß\--".parse()?;
/// assert!("straße-".chars().all(|c| german.contains(c)));
/// assert!(!german.contains('A'));
/// let greek: Symbols = r"\p{Greek}\d".parse()?;
/// assert!("αω7".chars().all(|c| greek.contains(c)) && !greek.contains('a'));
/// assert!("z-a".parse::<Symbols>().is_err());
/// # Ok::<(), rescorla::internals::error::Error>(())
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Symbols {
    /// First and last characters of ranges: sorted, disjoint.
    ranges: Vec<(char, char)>,
    /// Whether a combining mark belongs to the character before it: where classes such as `\p{Latin}` are named.
    with_marks: bool,
}

impl Symbols {
    /// Whether a character is in the set.
    pub fn contains(&self, symbol: char) -> bool {
        let at = self.ranges.partition_point(|&(_, last)| last < symbol);
        self.ranges.get(at).is_some_and(|&(first, _)| first <= symbol)
    }

    /// Whether a character is in the set, or is a combining mark that belongs to one that is.
    pub(super) fn contains_behind(&self, before: bool, symbol: char) -> bool {
        if self.with_marks && is_combining_mark(symbol) { before } else { self.contains(symbol) }
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
            let (first, last) = match first {
                Symbol::Class(class) => {
                    ranges.extend(class);
                    continue;
                }
                Symbol::One(first) if is_range => {
                    rest = after;
                    match symbol(&mut rest)? {
                        Some(Symbol::Class(_)) => {
                            return Err(wrong(
                                "a character at the end of a range",
                                "a class",
                                "write the hyphen last",
                            ));
                        }
                        Some(Symbol::One(last)) => (first, last),
                        None => (first, first),
                    }
                }
                Symbol::One(first) => (first, first),
            };
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
            return Err(wrong("at least one character", "none", "leave it out to allow all"));
        }
        ranges.sort_unstable();
        ranges.dedup_by(|next, kept| {
            let overlap = next.0 <= kept.1;
            if overlap {
                kept.1 = kept.1.max(next.1);
            }
            overlap
        });
        Ok(Symbols { ranges, with_marks: text.contains(r"\p") || text.contains(r"\P") })
    }
}

/// What stands between two places of the text.
enum Symbol {
    One(char),
    Class(Vec<(char, char)>),
}

/// The next character, without its backslash, or the next class.
fn symbol(rest: &mut std::str::Chars<'_>) -> Result<Option<Symbol>> {
    match rest.next() {
        Some('\\') => match rest.next() {
            None => Err(wrong("a character after \\", "the end", "write \\\\ for a backslash")),
            Some(c @ ('w' | 'W' | 'd' | 'D' | 's' | 'S' | 'p' | 'P')) => class(c, rest).map(Some),
            Some(c) if c.is_alphanumeric() => Err(wrong(
                "a class such as \\w or \\p{Greek}, or a character that needs a backslash, such as \\-",
                format!("\\{c}"),
                "name the characters themselves, such as a-z",
            )),
            escaped => Ok(escaped.map(Symbol::One)),
        },
        plain => Ok(plain.map(Symbol::One)),
    }
}

/// A class of characters. Its backslash and its letter have been read.
fn class(letter: char, rest: &mut std::str::Chars<'_>) -> Result<Symbol> {
    let mut class = format!("\\{letter}");
    if letter.eq_ignore_ascii_case(&'p') {
        let name = rest.as_str();
        let end = match name.strip_prefix('{') {
            Some(_) => name.find('}').map_or(name.len(), |at| at + 1),
            None => name.chars().next().map_or(0, char::len_utf8),
        };
        let name = &name[..end];
        if let Some(script) = name.strip_prefix('{') {
            let not = if letter == 'P' { "^" } else { "" };
            class = format!("[{not}\\p{name}\\p{{scx={script}]");
        }
        if regex_syntax::parse(&class).is_err() {
            class = format!("\\{letter}{name}");
        }
        *rest = rest.as_str()[end..].chars();
    }
    let known = regex_syntax::parse(&class).ok();
    match known.as_ref().map(Hir::kind) {
        Some(HirKind::Class(Class::Unicode(ranges))) => {
            Ok(Symbol::Class(ranges.iter().map(|range| (range.start(), range.end())).collect()))
        }
        // A class of one character.
        Some(HirKind::Literal(literal)) => {
            let only = std::str::from_utf8(&literal.0).unwrap_or_default().chars();
            Ok(Symbol::Class(only.map(|c| (c, c)).collect()))
        }
        _ => Err(wrong(
            "a script, category or property that Unicode has, such as \\p{Greek} or \\p{L}",
            class,
            "see the names of scripts and categories of Unicode",
        )),
    }
}

fn wrong(expected: impl std::fmt::Display, found: impl std::fmt::Display, cure: &str) -> Error {
    Error::Argument(format!("symbols must have {expected}, not {found}; {cure}"))
}
