//! The verb `compile`, of running text.

use std::borrow::Borrow;
use std::collections::HashMap;
use std::fmt;
use std::hash::Hash;
use std::num::NonZeroUsize;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError};

use pyo3::exceptions::{PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyInt, PyString};

use super::compile::{each_item, short_repr};
use super::errors::Raised;
use super::exit::Call;
use super::file::PyEventFile;
use super::items::Items;
use super::keywords::Named;
use super::watch::{Progress, watched, watched_by};
use crate::error::{Error, Place, Result};
use crate::events::write::{Duplicates, EventWriter};
use crate::memory::{Grow, short};
use crate::monitor::Monitor;
use crate::text::corpus::{
    Allowed, Ask, Context, Corpus, Format, Letters, Lookup, Names, Normal, Occurred, Table, TextReader,
    Unknown, Window,
};
use crate::text::tables::split_names;

/// Running text, in files or as an iterable of lines or documents, becomes an event file.
///
/// Names are numbers (n-grams of so many letters; 0: the word), words (what CoNLL-U says), mappings from words to names, or
/// functions.
///
/// Besides the file come the options of which nothing came up in the text: "symbols", "vocabulary", "stop_words".
#[pyfunction]
#[pyo3(signature = (
    source, path, *, items, cues, outcomes, window, context, across, letters, symbols, lower, normalize, boundary,
    stop_words, vocabulary, sentence_end, mask, document_end, unknown, format, duplicates, background, progress, parameters=None
))]
#[expect(clippy::too_many_arguments, reason = "all keywords")]
pub(crate) fn compile_corpus(
    py: Python<'_>,
    source: &Bound<'_, PyAny>,
    path: Option<PathBuf>,
    items: &str,
    cues: Items<Bound<'_, PyAny>>,
    outcomes: Items<Bound<'_, PyAny>>,
    window: Option<(usize, Option<usize>)>,
    context: &str,
    across: bool,
    letters: &str,
    symbols: Option<Bound<'_, PyAny>>,
    lower: bool,
    normalize: Option<&str>,
    boundary: String,
    stop_words: Items<Bound<'_, PyString>>,
    vocabulary: Option<Items<Bound<'_, PyString>>>,
    sentence_end: String,
    mask: bool,
    document_end: String,
    unknown: &str,
    format: &str,
    duplicates: Named<Duplicates>,
    background: Option<&str>,
    progress: Progress,
    parameters: Option<&str>,
) -> PyResult<(PyEventFile, Told)> {
    let _call = Call::begin(py)?;
    let raised = Raised::default();
    let unknown = match unknown {
        "error" => Unknown::Error,
        "ignore" => Unknown::Ignore,
        "keep" => Unknown::Keep,
        _ => return Err(cannot_be("unknown", unknown)),
    };
    let given = |specs: Items<Bound<'_, PyAny>>, purpose| {
        specs.0.iter().map(|spec| names_of(spec, purpose, unknown, &raised)).collect::<PyResult<Vec<_>>>()
    };
    let corpus = Corpus {
        cues: given(cues, "cues")?,
        outcomes: given(outcomes, "outcomes")?,
        window: match window {
            None => Window::Context,
            Some((before, Some(after))) => Window::Around { before, after },
            Some((n, None)) => Window::Words(NonZeroUsize::new(n).ok_or_else(|| cannot_be("window", "0"))?),
        },
        context: match context {
            "line" => Context::Line,
            "sentence" => Context::Sentence,
            "paragraph" => Context::Paragraph,
            "document" => Context::Document,
            _ => return Err(cannot_be("context", context)),
        },
        mask,
        across,
        letters: match letters {
            "codepoints" => Letters::CodePoints,
            "graphemes" => Letters::Graphemes,
            _ => return Err(cannot_be("letters", letters)),
        },
        symbols: symbols.map(|symbols| symbols_of(&symbols, &raised)).transpose()?,
        lower,
        normalize: match normalize {
            None => None,
            Some("NFC") => Some(Normal::Nfc),
            Some("NFD") => Some(Normal::Nfd),
            Some("NFKC") => Some(Normal::Nfkc),
            Some("NFKD") => Some(Normal::Nfkd),
            Some(other) => return Err(cannot_be("normalize", other)),
        },
        boundary,
        stop_words: stop_words.vocab()?,
        vocabulary: vocabulary.map(|words| words.vocab()).transpose()?,
        sentence_end,
        document_end,
        format: match format {
            "text" => Format::Text,
            "subtitles" => Format::Subtitles,
            "conllu" => Format::Conllu,
            _ => return Err(cannot_be("format", format)),
        },
    };
    let mut writer = EventWriter::new(path.as_deref(), duplicates.0, background)?.of_text();
    let told = |writer: EventWriter, occurred: &Occurred| {
        let text = parameters.map(|text| with_left_out(text, occurred));
        writer.with_parameters(text.as_deref())
    };
    let made = match items {
        "files" => {
            let Items::<PathBuf>(sources) = source.extract()?;
            watched(py, &progress, |monitor| {
                let occurred = corpus.read(&sources, &mut writer, monitor)?;
                Ok((told(writer, &occurred)?.finish_watched(monitor)?, occurred))
            })
            .map(|(file, occurred)| (PyEventFile::from(file), occurred))
        }
        "lines" | "documents" => {
            let read = lines(py, source, items == "documents", &corpus, &mut writer, &progress);
            read.and_then(|occurred| {
                let n_events = writer.n_events();
                let writer = told(writer, &occurred)?;
                let finish = |monitor: &_| writer.finish_watched(monitor);
                Ok((PyEventFile::finished(py, n_events, finish)?, occurred))
            })
        }
        _ => Err(cannot_be("items", items)),
    };
    let (file, occurred) = made.map_err(|error| raised.or(error))?;
    let missed = missed(&corpus, &occurred);
    let unbroken = occurred.unbroken.filter(|_| 2 * occurred.n_unbroken > occurred.n_words);
    Ok((file, (missed, occurred.n_lettered, occurred.lettered, occurred.shared_cue, unbroken)))
}

/// What is to be told of a text: the options of which nothing occurred in it; how many words lost letters, and the first of them; a
/// cue that words gave in two ways; a word that is longer than words are, if most are.
type Told = (Vec<&'static str>, u64, Vec<String>, Option<String>, Option<String>);

/// Parameters, which are a JSON object, with the numbers of words that options left out or cut.
fn with_left_out(parameters: &str, occurred: &Occurred) -> String {
    let counts = [
        ("stop_words", occurred.n_stop_words),
        ("vocabulary", occurred.n_unknown),
        ("symbols", occurred.n_cut),
        ("window", occurred.n_alone),
    ];
    let counts = counts.iter().filter(|(_, n)| *n > 0).map(|(option, n)| format!("\"{option}\": {n}"));
    let counts = counts.collect::<Vec<_>>().join(", ");
    match parameters.strip_suffix('}') {
        Some(open) if !counts.is_empty() => format!("{open}, \"left_out\": {{{counts}}}}}"),
        _ => parameters.to_owned(),
    }
}

/// The options of which nothing occurred in a text that was not empty; `words` where the lists of words leave no word.
fn missed(corpus: &Corpus, occurred: &Occurred) -> Vec<&'static str> {
    [
        (corpus.symbols.is_some() && occurred.text && !occurred.word, "symbols"),
        (corpus.vocabulary.is_some() && occurred.word && !occurred.known_word, "vocabulary"),
        (!corpus.stop_words.is_empty() && occurred.word && !occurred.stop_word, "stop_words"),
        (occurred.known_word && !occurred.kept_word, "words"),
    ]
    .into_iter()
    .filter_map(|(is_missed, option)| is_missed.then_some(option))
    .collect()
}

/// So many words at once take longer than to start a thread.
const LONG: usize = 1 << 14;

/// Reads an iterable, each of whose items is a str or an iterable of words.
fn lines(
    py: Python<'_>,
    source: &Bound<'_, PyAny>,
    documents: bool,
    corpus: &Corpus,
    writer: &mut EventWriter,
    progress: &Progress,
) -> PyResult<Occurred> {
    let monitor = Monitor::new();
    let mut reader = TextReader::new(corpus, &monitor)?;
    let mut since = 0;
    each_item(py, source, None, progress, |number, item| {
        let at = |error: Error| error.at(None, Some(Place::Line { line: number + 1, column: 1 }));
        if let Ok(line) = item.cast::<PyString>() {
            let line = line.to_str().map_err(|_| {
                let found = short_repr(item);
                let cure = "replace the lone surrogate, which UTF-8 cannot hold";
                PyValueError::new_err(format!(
                    "line {number}: expected text in Unicode, found {found}; {cure}"
                ))
            })?;
            let size = line.len() / 4 + reader.waiting(false);
            attended(py, &monitor, &mut since, size, || reader.line(line, writer).map_err(at))?;
        } else {
            let words = words_of(item, || {
                format!("line {number}: expected a str or a list of words, found {}", short_repr(item))
            })?;
            let size = words.len() + reader.waiting(false);
            let words = words.iter().map(String::as_str);
            attended(py, &monitor, &mut since, size, || reader.words(words, writer).map_err(at))?;
        }
        if documents {
            let size = reader.waiting(true);
            attended(py, &monitor, &mut since, size, || reader.end_document(writer).map_err(at))?;
        }
        Ok(())
    })?;
    let size = reader.waiting(true);
    attended(py, &monitor, &mut since, size, || reader.end_document(writer))?;
    Ok(reader.occurred())
}

/// Does work of some size, in words: off the interpreter if that is worth a thread. Signals are looked at meanwhile, or after so
/// much work.
fn attended(
    py: Python<'_>,
    monitor: &Monitor,
    since: &mut usize,
    size: usize,
    work: impl FnOnce() -> Result<()> + Send,
) -> PyResult<()> {
    if size >= LONG {
        return watched_by(py, monitor, &None, work);
    }
    *since += size;
    if *since >= LONG {
        *since = 0;
        py.check_signals()?;
    }
    Ok(work()?)
}

/// The words of an iterable; TypeError with a message if it is not one of str.
fn words_of(item: &Bound<'_, PyAny>, message: impl Fn() -> String) -> PyResult<Vec<String>> {
    let wrong = |_: PyErr| PyTypeError::new_err(message());
    let word = |word: PyResult<Bound<'_, PyAny>>| Ok(word?.cast::<PyString>()?.to_str()?.to_owned());
    let call = Call::begin(item.py())?;
    let mut words = Vec::new();
    for each in item.try_iter().map_err(wrong)? {
        call.check()?;
        if words.len() % LONG == LONG - 1 {
            item.py().check_signals()?;
        }
        words.grow(word(each).map_err(wrong)?)?;
    }
    Ok(words)
}

fn cannot_be(argument: &str, found: &str) -> PyErr {
    PyValueError::new_err(format!("{argument} cannot be {found:?}"))
}

/// Characters given as text, or by a function.
fn symbols_of(symbols: &Bound<'_, PyAny>, raised: &Raised) -> PyResult<Allowed> {
    if let Ok(text) = symbols.cast::<PyString>() {
        return Ok(text.to_str()?.parse()?);
    }
    if !symbols.is_callable() {
        let found = short_repr(symbols);
        return Err(PyTypeError::new_err(format!(
            "symbols must be a str of characters, such as 'a-z', or a function of a character, not {found}"
        )));
    }
    Ok(Allowed::Asked(Arc::new(IsSymbol(Function::new(symbols, raised)))))
}

fn names_of(spec: &Bound<'_, PyAny>, purpose: &str, unknown: Unknown, raised: &Raised) -> PyResult<Names> {
    if spec.is_instance_of::<PyInt>() {
        return Ok(NonZeroUsize::new(spec.extract()?).map_or(Names::Words, Names::Letters));
    }
    if let Ok(kind) = spec.cast::<PyString>() {
        return match kind.to_str()? {
            "lemmas" => Ok(Names::Lemmas),
            "upos" => Ok(Names::Upos),
            "features" => Ok(Names::Features),
            other => Err(cannot_be("cues and outcomes", other)),
        };
    }
    if let Ok(mapping) = spec.cast::<PyDict>() {
        let mut table = Table::new(unknown, purpose);
        for (word, given) in mapping.iter() {
            let word = word.cast::<PyString>().map_err(|_| {
                PyTypeError::new_err(format!(
                    "{purpose}_from must map words of type str, not {}",
                    short_repr(&word)
                ))
            })?;
            let word = word.to_str()?;
            table.insert(word, collect(word, &given)?)?;
        }
        return Ok(Names::Looked(Arc::new(table)));
    }
    Ok(Names::Looked(Arc::new(NamesOf(Function::new(spec, raised)))))
}

/// The names that a word gives: of a str those that `_` joins.
fn collect(word: &str, given: &Bound<'_, PyAny>) -> PyResult<Vec<String>> {
    if let Ok(joined) = given.cast::<PyString>() {
        let joined = joined.to_str()?;
        let names: Result<_> = split_names(joined).map(|(_, name)| name.map(str::to_owned)).collect();
        return names.map_err(|_| {
            PyValueError::new_err(format!(
                "the word {word:?} gives {joined:?}, in which a name is empty; join names by one _ each, with none at \
                 the ends"
            ))
        });
    }
    words_of(given, || {
        format!(
            "the names of the word {word:?} must be a str or an iterable of str, not {}",
            short_repr(given)
        )
    })
}

/// A Python function of words or characters, called once for each.
struct Function<K, V> {
    function: Py<PyAny>,
    known: Mutex<HashMap<K, V>>,
    raised: Raised,
}

impl<K, V> fmt::Debug for Function<K, V> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Function")
    }
}

impl<K: Eq + Hash, V: Clone> Function<K, V> {
    fn new(function: &Bound<'_, PyAny>, raised: &Raised) -> Self {
        Self { function: function.clone().unbind(), known: Mutex::default(), raised: raised.clone() }
    }

    /// What it answers about something that is said to it in a text, of which `read` makes a value.
    fn ask<Q>(&self, about: &Q, said: &str, read: impl FnOnce(&Bound<'_, PyAny>) -> PyResult<V>) -> Result<V>
    where
        K: Borrow<Q>,
        Q: Eq + Hash + ToOwned<Owned = K> + ?Sized,
    {
        let known = self.known.lock().unwrap_or_else(PoisonError::into_inner).get(about).cloned();
        if let Some(known) = known {
            return Ok(known);
        }
        let answer = self.raised.attached(|py| read(&self.function.bind(py).call1((said,))?))?;
        let mut known = self.known.lock().unwrap_or_else(PoisonError::into_inner);
        let more = 2 * known.len() + 1;
        known.try_reserve(1).map_err(|_| short::<(K, V)>(more))?;
        Ok(known.entry(about.to_owned()).or_insert(answer).clone())
    }
}

/// A function from words to names.
#[derive(Debug)]
struct NamesOf(Function<String, Arc<[String]>>);

impl Lookup for NamesOf {
    fn names(&self, word: &str, take: &mut dyn FnMut(&str) -> Result<()>) -> Result<()> {
        let names = self.0.ask(word, word, |given| Ok(collect(word, given)?.into()))?;
        names.iter().try_for_each(|name| take(name))
    }
}

/// A function that says whether a character belongs to words.
#[derive(Debug)]
struct IsSymbol(Function<char, bool>);

impl Ask for IsSymbol {
    fn is_symbol(&self, c: char) -> Result<bool> {
        self.0.ask(&c, c.encode_utf8(&mut [0; 4]), |answer| answer.is_truthy())
    }
}
