//! How near the kernels come to the machine's limit.
//!
//! The limit is a loop that loads and stores the same rows, tile after tile, with one addition of a constant in between: no row
//! waits for another, nothing is decided. It has the kernels' vectors, huge pages and widths. It goes in the order of the events
//! and, where the kernels take them in another that changes no bit, once more in theirs: then this is the limit of the same loads
//! and stores, and the first says how fast they would be without that order.
//! All run in turn, on one thread; a share is the ratio of the medians of their times. What is timed of learning are the
//! passes over the tiles alone, without reading events and writing weights.
//!
//!     cargo bench --bench ceiling                     # synthetic events, tiles that stay in the second cache
//!     cargo bench --bench ceiling -- kjv.rw           # and the events of a binary event file
//!     cargo bench --bench ceiling -- --kernel=avx2    # with shorter vectors than the machine has
//!     cargo bench --bench ceiling -- --test           # small, once: does it work
//!
//! Repeated events and cues that always come together, which learning takes as one, are taken out first, and the last tile is as
//! wide for the limit as for the kernel, so that both visit the same rows.

#![allow(clippy::unwrap_used, unsafe_code, missing_docs)]

use std::collections::HashMap;
use std::path::Path;
use std::time::Instant;

use rescorla::events::EventFile;
use rescorla::events::map::{self, Bytes};
use rescorla::events::write::{Duplicates, EventWriter};
use rescorla::kernel::dispatch;
use rescorla::kernel::dispatch::{Task, run};
use rescorla::kernel::element::Element;
use rescorla::kernel::isa::Isa;
use rescorla::kernel::vector::Vector;
use rescorla::learn::{BUDGET, Kernels, Plan, order};
use rescorla::monitor::Monitor;
use rescorla::tiles::buffer::Buffer;
use rescorla::tiles::method::Method;
use rescorla::tiles::result::Matrix;

/// Cues of the synthetic events.
const CUES: usize = 384;
/// Their outcomes: many for columns; for rows few, so that their sums stay in the second cache beside them.
const OUTCOMES: [usize; 2] = [1024, 128];

/// Cues and outcomes.
type Event = (Vec<u32>, Vec<u32>);

/// A number below `n`, in no order.
fn random(state: &mut u64, n: usize) -> u32 {
    *state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
    ((*state >> 33) as usize % n) as u32
}

/// Events of `slots` different cues and one of some outcomes, all equally frequent. The first and the last have all cues and
/// outcomes, so that no tile starts late.
fn synthetic(n: usize, slots: usize, outcomes: usize) -> Vec<Event> {
    let mut state = slots as u64;
    let whole = ((0..CUES as u32).collect(), (0..outcomes as u32).collect());
    let mut events = vec![whole.clone()];
    for _ in 0..n {
        let mut cues: Vec<u32> = Vec::new();
        while cues.len() < slots {
            let cue = random(&mut state, CUES);
            if !cues.contains(&cue) {
                cues.push(cue);
            }
        }
        events.push((cues, vec![random(&mut state, outcomes)]));
    }
    events.push(whole);
    events
}

/// The events without the cues that always come together with one before them.
fn without_twins(mut events: Vec<Event>) -> Vec<Event> {
    let mut events_of: HashMap<u32, Vec<u32>> = HashMap::new();
    for (i, (cues, _)) in (0..).zip(&events) {
        cues.iter().for_each(|&cue| events_of.entry(cue).or_default().push(i));
    }
    let mut first: HashMap<&[u32], u32> = HashMap::new();
    for (&cue, events) in &events_of {
        let first = first.entry(events).or_insert(cue);
        *first = cue.min(*first);
    }
    for (cues, _) in &mut events {
        cues.retain(|cue| first[events_of[cue].as_slice()] == *cue);
    }
    events
}

/// The events of a file, those left out that repeat one with no cue in common with any in between.
fn once(file: &EventFile<Bytes>) -> Vec<Event> {
    let mut events: Vec<Event> = Vec::new();
    let mut last_with: HashMap<u32, usize> = HashMap::new();
    file.for_each(0..file.len(), |_, cues, outcomes, frequency| {
        let last = cues.first().and_then(|cue| last_with.get(cue)).copied();
        let repeated = last.is_some_and(|last| {
            events[last].0 == cues
                && events[last].1 == outcomes
                && cues.iter().all(|cue| last_with.get(cue) == Some(&last))
        });
        if !repeated && frequency > 0 {
            last_with.extend(cues.iter().map(|&cue| (cue, events.len())));
            events.push((cues.to_vec(), outcomes.to_vec()));
        }
        Ok(())
    })
    .unwrap();
    without_twins(events)
}

fn written(events: &[Event]) -> EventFile<Bytes> {
    let mut writer = EventWriter::new(None, Duplicates::Keep, None).unwrap();
    let names = |ids: fn(&Event) -> &Vec<u32>| {
        let n = events.iter().flat_map(ids).max().map_or(0, |&id| id + 1);
        (0..n).map(|id| id.to_string()).collect::<Vec<_>>()
    };
    let (cues, outcomes) = (names(|event| &event.0), names(|event| &event.1));
    writer.with_names(cues.iter().map(String::as_str), outcomes.iter().map(String::as_str)).unwrap();
    for (cues, outcomes) in events {
        writer.push(cues, outcomes, 1).unwrap();
    }
    writer.finish().unwrap()
}

/// Seconds in the passes of one thread, and how wide its tiles were.
fn kernel<E: Kernels>(file: &EventFile<Bytes>, method: Method, kernel: Isa, out: &mut [E]) -> (f64, usize) {
    let (n_cues, n_outcomes) = (file.cues().len(), file.outcomes().len());
    let plan = Plan {
        rows: &(0..n_cues as u32).collect::<Vec<_>>(),
        columns: &(0..n_outcomes as u32).map(Some).collect::<Vec<_>>(),
        alpha: &vec![1e-3; n_cues],
        beta1: 0.1,
        beta2: 0.1,
        schedule: None,
        lambda: &vec![1.0; n_outcomes],
        initial: None,
        average: false,
        keep: None,
        method: Some(method),
        threads: 1,
        kernel: Some(kernel),
        tile: None,
        budget: BUDGET,
    };
    let matrix = Matrix::new(out, [n_cues, n_outcomes]).unwrap();
    let report = plan.learn(file, &matrix, &Monitor::new()).unwrap();
    (report.busy.as_secs_f64(), report.tile)
}

/// The rows of some events in the order of a method's visits, those of outcomes behind those of cues; and for each tile how many
/// lanes it has and how many events it sees.
#[derive(Clone)]
struct Visits {
    rows: Vec<Vec<u32>>,
    tiles: Vec<[usize; 2]>,
    n_rows: usize,
}

impl Visits {
    fn of(events: &[Event], method: Method, width: usize) -> Self {
        let n_cues = events.iter().flat_map(|event| &event.0).max().map_or(0, |&cue| cue + 1);
        let n_outcomes = events.iter().flat_map(|event| &event.1).max().map_or(0, |&outcome| outcome + 1);
        // How many events the column of an outcome, or the row of a cue, takes part in.
        let mut seen = vec![0; if method == Method::Forward { n_outcomes } else { n_cues } as usize];
        for (i, (cues, outcomes)) in events.iter().enumerate() {
            match method {
                Method::Forward => {
                    outcomes.iter().for_each(|&o| seen[o as usize] = seen[o as usize].max(events.len() - i))
                }
                Method::Adjoint => cues.iter().for_each(|&c| seen[c as usize] = i + 1),
            }
        }
        seen.sort_unstable_by(|a, b| b.cmp(a));
        let visited = |(cues, outcomes): &Event| match method {
            Method::Forward => cues.clone(),
            Method::Adjoint => cues.iter().copied().chain(outcomes.iter().map(|o| n_cues + o)).collect(),
        };
        let mut rows: Vec<Vec<u32>> = events.iter().map(visited).collect();
        if method == Method::Adjoint {
            rows.reverse();
        }
        Self {
            rows,
            tiles: seen.chunks(width).map(|tile| [tile.len(), tile[0]]).collect(),
            n_rows: (n_cues + if method == Method::Forward { 0 } else { n_outcomes }) as usize,
        }
    }

    /// The same events in the order in which learning takes them, if it is another. They change places within runs.
    fn ordered<E>(&self, runs: &[usize], width: usize) -> Option<Self> {
        if !order::pays::<E>(self.tiles.len(), self.n_rows, width) {
            return None;
        }
        let mut ordered = Self { rows: Vec::new(), ..self.clone() };
        let mut blocks = Vec::new();
        for &len in runs {
            let run = &self.rows[ordered.rows.len()..][..len];
            for block in run.chunks(order::BLOCK) {
                blocks.push(ordered.rows.len());
                let rows = block.iter().map(|rows| rows.iter().map(|&row| row as usize));
                let order = order::order(rows, self.n_rows, block.iter().map(Vec::len).sum()).unwrap();
                ordered.rows.extend(order.iter().map(|&event| block[event as usize].clone()));
            }
        }
        // A tile begins at a block.
        for [_, events] in ordered.tiles.iter_mut().filter(|[_, events]| *events > 0) {
            let skip = self.rows.len() - *events;
            let block = blocks.partition_point(|&block| block <= skip) - 1;
            *events = self.rows.len() - blocks[block];
        }
        Some(ordered)
    }

    /// Seconds for the loads and stores alone.
    fn limit<E: Element>(&self, kernel: Isa, width: usize) -> f64 {
        let mut tile = Buffer::<E>::zeros(self.n_rows * width).unwrap();
        let words: Vec<u32> = self
            .rows
            .iter()
            .flat_map(|rows| std::iter::once(rows.len() as u32).chain(rows.iter().copied()))
            .collect();
        let mut starts = vec![0];
        for rows in &self.rows {
            starts.push(starts.last().unwrap() + 1 + rows.len());
        }
        let mut seconds = 0.0;
        for &[lanes, events] in self.tiles.iter().filter(|[_, events]| *events > 0) {
            // As `learn` pads a tile.
            let width = lanes.next_multiple_of(8 * dispatch::lanes::<E>(kernel));
            let tile = &mut tile[..self.n_rows * width];
            let words = &words[starts[self.rows.len() - events]..];
            tile.fill(E::default());
            let begun = Instant::now();
            run(kernel, width, Touch { tile, width, words });
            seconds += begun.elapsed().as_secs_f64();
            assert!(tile.iter().any(|&value| value != E::default()));
        }
        seconds
    }
}

/// Loads and stores rows.
struct Touch<'a, E> {
    tile: &'a mut [E],
    width: usize,
    /// The number of rows of each event, and the rows.
    words: &'a [u32],
}

impl<E: Element> Task<E> for Touch<'_, E> {
    type Output = ();

    #[inline(always)]
    unsafe fn run<V: Vector<Element = E>, const B: usize>(self) {
        let mut words = self.words;
        // SAFETY: rows are below the number of rows of the tile, and the width is a multiple of B vectors.
        unsafe {
            let one = V::splat(E::from_f64(1e-9));
            while let [n, rest @ ..] = words {
                let (rows, rest) = rest.split_at(*n as usize);
                words = rest;
                for &row in rows {
                    let at = self.tile.as_mut_ptr().add(row as usize * self.width);
                    let mut column = 0;
                    while column < self.width {
                        for b in 0..B {
                            let at = at.add(column + b * V::LANES);
                            V::load(at).plus(one).store(at);
                        }
                        column += B * V::LANES;
                    }
                }
            }
        }
    }
}

fn median(mut values: Vec<f64>) -> f64 {
    values.sort_by(f64::total_cmp);
    values[values.len() / 2]
}

fn compare<E: Kernels>(name: &str, vectors: Isa, events: [&[Event]; 2], repetitions: usize) {
    for (method, events) in [Method::Forward, Method::Adjoint].into_iter().zip(events) {
        let file = written(events);
        let mut out = vec![E::default(); file.cues().len() * file.outcomes().len()];
        let (_, width) = kernel(&file, method, vectors, &mut out);
        let visits = Visits::of(events, method, width);
        let mut runs: Vec<usize> = (0..file.n_chunks()).map(|run| file.events_of(run).count()).collect();
        if method == Method::Adjoint {
            runs.reverse();
        }
        let ordered = visits.ordered::<E>(&runs, width);
        let (mut kernels, mut limits, mut in_order) = (Vec::new(), Vec::new(), Vec::new());
        for _ in 0..repetitions {
            kernels.push(kernel(&file, method, vectors, &mut out).0);
            limits.push(visits.limit::<E>(vectors, width));
            in_order.extend(ordered.as_ref().map(|visits| visits.limit::<E>(vectors, width)));
        }
        let kernel = median(kernels);
        print!("{name:20} {:8} {method:8} width {width:4}   kernel {kernel:7.3} s", E::NAME);
        for (limits, order) in [(limits, "limit"), (in_order, "in the kernels' order")] {
            if !limits.is_empty() {
                let limit = median(limits);
                print!("   {order} {limit:7.3} s {:4.0} %", 100.0 * limit / kernel);
            }
        }
        println!();
    }
}

fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).filter(|argument| argument != "--bench").collect();
    let smoke = arguments.iter().any(|argument| argument == "--test");
    let (n, repetitions) = if smoke { (500, 1) } else { (200_000, 21) };
    let wanted = arguments.iter().find_map(|argument| argument.strip_prefix("--kernel="));
    let vectors = wanted.map_or(Isa::best(), |name| name.parse().unwrap());
    println!("{vectors} kernels, one thread, medians of {repetitions}");
    for slots in [5, 10, 20] {
        let name = format!("{slots} cues an event");
        let [columns, rows] = OUTCOMES.map(|outcomes| synthetic(n, slots, outcomes));
        compare::<f64>(&name, vectors, [&columns, &rows], repetitions);
        compare::<f32>(&name, vectors, [&columns, &rows], repetitions);
    }
    for path in arguments.iter().filter(|argument| !argument.starts_with("--")) {
        let events = once(&map::open(Path::new(path)).unwrap());
        compare::<f64>(path, vectors, [&events, &events], repetitions);
        compare::<f32>(path, vectors, [&events, &events], repetitions);
    }
}
