//! Learning against the rule written as three loops, whatever the tiles, threads, kernels and budgets.

#![allow(clippy::unwrap_used)]

use std::collections::BTreeSet;

use proptest::prelude::*;
use rescorla::internals::activate::{KnownWeights, ReadWeights, Which, activate};
use rescorla::internals::error::Error;
use rescorla::internals::events::EventFile;
use rescorla::internals::events::write::{Duplicates, EventWriter};
use rescorla::internals::learn::in_place::{InPlace, Slab};
use rescorla::internals::learn::{BUDGET, Initial, Kernels, Plan};
use rescorla::internals::monitor::Monitor;
use rescorla::internals::tiles::method::Method;
use rescorla::internals::tiles::result::Matrix;
use rescorla::internals::tiles::rule::Schedule;
use rescorla::kernel::dispatch::lanes;
use rescorla::kernel::element::Element;
use rescorla::kernel::isa::Isa;

const CUES: usize = 6;
const OUTCOMES: usize = 9;

type Event = (Vec<u32>, Vec<u32>, u32);

#[derive(Debug, Clone)]
struct Case {
    events: Vec<Event>,
    alpha: Vec<f64>,
    betas: [f64; 2],
    lambda: Vec<f64>,
    retention: f64,
    continued: bool,
    initial: Vec<f64>,
    initial_columns: Vec<Option<u32>>,
    tile: Option<usize>,
    threads: usize,
    room: Room,
    repeated: bool,
    /// The rows and columns to learn, in this order.
    rows: Vec<u32>,
    columns: Vec<u32>,
}

/// Room for events as methods read them.
#[derive(Debug, Clone, Copy, PartialEq)]
enum Room {
    Enough,
    /// One byte less than they take: then they are decoded again in each pass, by some tiles together.
    Short,
    Nothing,
}

impl Room {
    const ALL: [Self; 3] = [Self::Enough, Self::Short, Self::Nothing];

    /// The plan with so much room.
    fn given<'a, E: Kernels>(self, plan: Plan<'a, E>, file: &EventFile) -> Plan<'a, E> {
        let budget = match self {
            Self::Enough => BUDGET,
            Self::Short => {
                let memory = plan.forecast(file, &Monitor::new()).unwrap().memory;
                // All but the chunks that threads decode.
                (memory.events - plan.threads * (32 << 20)).saturating_sub(1)
            }
            Self::Nothing => 0,
        };
        Plan { budget, ..plan }
    }
}

/// All, or some in another order.
fn some_of(n: usize) -> impl Strategy<Value = Vec<u32>> {
    let all: Vec<u32> = (0..n as u32).collect();
    let some = (Just(all.clone()).prop_shuffle(), 0..=n).prop_map(|(mut some, n)| {
        some.truncate(n);
        some
    });
    prop_oneof![Just(all), some]
}

fn cases() -> impl Strategy<Value = Case> {
    let event = (
        prop::collection::vec(0..CUES as u32, 0..6),
        prop::collection::btree_set(0..OUTCOMES as u32, 0..4).prop_map(|set| set.into_iter().collect()),
        0_u32..4,
    );
    let initial_column = prop::option::of(0..4_u32);
    (
        (prop::collection::vec(event, 0..20), any::<bool>()).prop_map(|(events, paired)| {
            if paired { events.into_iter().map(pair).collect() } else { events }
        }),
        prop_oneof![
            prop::collection::vec(0.0..1.0_f64, CUES),
            (0.0..1.0_f64).prop_map(|alpha| vec![alpha; CUES]),
        ],
        ([0.0..0.5_f64, 0.0..0.5_f64], prop_oneof![Just(1.0), 0.1..1.0_f64]),
        prop_oneof![prop::collection::vec(-2.0..2.0_f64, OUTCOMES), Just(vec![1.0; OUTCOMES])],
        prop::collection::vec(prop_oneof![Just(0.0), Just(-0.0), -1.0..1.0_f64], 4 * (CUES - 1)),
        prop::collection::vec(initial_column, OUTCOMES),
        prop::option::of(1_usize..40),
        1_usize..4,
        (
            prop::sample::select(&Room::ALL[..]),
            any::<bool>(),
            any::<bool>(),
            some_of(CUES),
            some_of(OUTCOMES),
        ),
    )
        .prop_map(
            |(
                events,
                alpha,
                (betas, retention),
                lambda,
                initial,
                initial_columns,
                tile,
                threads,
                (room, repeated, continued, rows, columns),
            )| {
                Case {
                    events,
                    alpha,
                    betas,
                    lambda,
                    retention,
                    continued,
                    initial,
                    initial_columns,
                    tile,
                    threads,
                    room,
                    repeated,
                    rows,
                    columns,
                }
            },
        )
}

/// An event in which cue 5 comes with cue 4, as often, and outcome 7 with outcome 8.
fn pair((cues, outcomes, frequency): Event) -> Event {
    let twins = |ids: Vec<u32>, [one, other]: [u32; 2]| {
        let without = ids.into_iter().filter(|&id| id != other);
        without.flat_map(|id| std::iter::once(id).chain((id == one).then_some(other))).collect()
    };
    (twins(cues, [4, 5]), twins(outcomes, [8, 7]), frequency)
}

fn file(case: &Case) -> EventFile {
    let mut writer = EventWriter::new(None, Duplicates::Keep, None).unwrap();
    let names: Vec<String> = (0..CUES.max(OUTCOMES)).map(|i| format!("n{i}")).collect();
    let names = || names.iter().map(String::as_str);
    writer.add_names(names().take(CUES), names().take(OUTCOMES)).unwrap();
    for _ in 0..if case.repeated { 3 } else { 1 } {
        for (cues, outcomes, frequency) in &case.events {
            writer.push(cues, outcomes, *frequency).unwrap();
        }
    }
    writer.finish().unwrap()
}

/// gamma^n by repeated squaring.
fn power<E: Element>(gamma: E, mut n: u64) -> E {
    let (mut power, mut square) = (E::from_f64(1.0), gamma);
    while n > 0 {
        if n % 2 == 1 {
            power = power.times(square);
        }
        square = square.times(square);
        n /= 2;
    }
    power
}

/// The rule: for each token and outcome sum, then update, cue by cue.
fn naive<E: Element>(case: &Case) -> Vec<E> {
    let mut weights = [E::default(); CUES * OUTCOMES];
    for (column, source) in case.initial_columns.iter().enumerate() {
        if let Some(source) = source.filter(|_| case.continued) {
            for row in 0..CUES - 1 {
                weights[row * OUTCOMES + column] = E::from_f64(case.initial[row * 4 + source as usize]);
            }
        }
    }
    // Rows are kept as they were after the last token that changed them.
    let gamma = E::from_f64(case.retention);
    let (mut token, mut last) = (0, [0; CUES]);
    for _ in 0..if case.repeated { 3 } else { 1 } {
        for (cues, outcomes, frequency) in &case.events {
            for _ in 0..*frequency {
                let distinct: BTreeSet<usize> = cues.iter().map(|&cue| cue as usize).collect();
                for &cue in &distinct {
                    let power = power(gamma, token - last[cue]);
                    weights[cue * OUTCOMES..][..OUTCOMES]
                        .iter_mut()
                        .for_each(|weight| *weight = power.times(*weight));
                }
                token += 1;
                distinct.iter().for_each(|&cue| last[cue] = token);
                for j in 0..OUTCOMES {
                    let mut sum = E::default();
                    for &cue in cues {
                        sum = sum.plus(weights[cue as usize * OUTCOMES + j]);
                    }
                    let update = if outcomes.contains(&(j as u32)) {
                        E::from_f64(case.betas[0]).times(E::from_f64(case.lambda[j]).minus(sum))
                    } else {
                        E::from_f64(case.betas[1]).times(E::default().minus(sum))
                    };
                    for &cue in &distinct {
                        let weight = &mut weights[cue * OUTCOMES + j];
                        *weight = gamma.times(*weight);
                    }
                    for &cue in cues {
                        let weight = &mut weights[cue as usize * OUTCOMES + j];
                        *weight = weight.plus(E::from_f64(case.alpha[cue as usize]).times(update));
                    }
                }
            }
        }
    }
    for (row, last) in weights.chunks_mut(OUTCOMES).zip(last) {
        row.iter_mut().for_each(|weight| *weight = power(gamma, token - last).times(*weight));
    }
    let part = |&row: &u32| case.columns.iter().map(move |&column| row as usize * OUTCOMES + column as usize);
    case.rows.iter().flat_map(part).map(|place| weights[place]).collect()
}

fn learned<E: Kernels>(case: &Case, kernel: Isa, method: Method) -> Vec<E> {
    let shape = [case.rows.len(), case.columns.len()];
    let place = |outcome| case.columns.iter().position(|&column| column == outcome).map(|place| place as u32);
    let of_columns = |column: &u32| *column as usize;
    let initial_columns: Vec<_> =
        case.columns.iter().map(of_columns).map(|column| case.initial_columns[column]).collect();
    let initial: Vec<E> = case.initial.iter().map(|&weight| E::from_f64(weight)).collect();
    let plan = Plan {
        rows: &(0..CUES as u32).collect::<Vec<_>>(),
        columns: &(0..OUTCOMES as u32).map(place).collect::<Vec<_>>(),
        alpha: &case.alpha,
        beta1: case.betas[0],
        beta2: case.betas[1],
        lambda: &case.columns.iter().map(of_columns).map(|column| case.lambda[column]).collect::<Vec<_>>(),
        initial: case.continued.then_some(Initial {
            weights: (&initial).into(),
            width: 4,
            columns: (&initial_columns).into(),
            states: (&[]).into(),
        }),
        retention: case.retention,
        keep: Some(&case.rows),
        method: Some(method),
        threads: case.threads,
        kernel: Some(kernel),
        tile: case.tile,
        ..Plan::default()
    };
    let mut out = vec![E::default(); shape[0] * shape[1]];
    let matrix = Matrix::new(&mut out, shape).unwrap();
    let file = file(case);
    let report = case.room.given(plan, &file).learn(&file, &matrix, &Monitor::new()).unwrap();
    assert_eq!(report.kernel, kernel);
    // Whole blocks of at most 8 vectors.
    assert!(case.tile.is_none_or(|tile| (tile..tile + 8 * lanes::<E>(kernel)).contains(&report.tile)));
    out
}

fn bits<E: Element>(weights: &[E]) -> Vec<u64> {
    weights.iter().map(|weight| weight.to_f64().to_bits()).collect()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(10_000))]

    #[test]
    fn the_adjoint_method_is_the_rule_up_to_rounding(mut case in cases(), rate in 0.0..1.0_f64) {
        // At beta * kappa <= retention, and with saliences within a factor of 1000 or zero.
        let kappa = |cues: &Vec<u32>| -> f64 {
            let mentions = |cue: u32| cues.iter().filter(|&&other| other == cue).count() as f64;
            cues.iter().map(|&cue| case.alpha[cue as usize] * mentions(cue)).sum()
        };
        let max_kappa = case.events.iter().map(|event| kappa(&event.0)).fold(0.1, f64::max);
        case.alpha.iter_mut().for_each(|alpha| *alpha = if *alpha < 1e-3 { 0.0 } else { *alpha });
        case.betas = [rate * case.retention / max_kappa; 2];
        let largest = |numbers: &[f64]| numbers.iter().fold(0.0, |largest: f64, number| largest.max(number.abs()));
        let first = learned::<f64>(&case, Isa::Portable, Method::Adjoint);
        let exact = naive::<f64>(&case);
        let initial = if case.continued { largest(&case.initial) } else { 0.0 };
        let scale = largest(&case.lambda).max(initial).max(largest(&exact));
        for (found, expected) in first.iter().zip(&exact) {
            prop_assert!((found - expected).abs() <= 1e-12 * scale, "{} for {}", found, expected);
        }
        let rounded = learned::<f32>(&case, Isa::best(), Method::Adjoint);
        for (found, expected) in rounded.iter().zip(&exact) {
            prop_assert!((f64::from(*found) - expected).abs() <= 1e-5 * scale, "{} for {}", found, expected);
        }
        let room = if case.room == Room::Enough { Room::Short } else { Room::Enough };
        let other = Case { threads: case.threads % 3 + 1, tile: None, room, ..case };
        prop_assert_eq!(bits(&first), bits(&learned::<f64>(&other, Isa::best(), Method::Adjoint)));
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(1500))]

    #[test]
    fn learning_is_the_rule_bit_for_bit(case in cases()) {
        for kernel in Isa::available() {
            prop_assert_eq!(bits(&learned::<f64>(&case, kernel, Method::Forward)), bits(&naive::<f64>(&case)), "{}", kernel);
            prop_assert_eq!(bits(&learned::<f32>(&case, kernel, Method::Forward)), bits(&naive::<f32>(&case)), "{}", kernel);
        }
    }
}

fn plan<'a>(alpha: &'a [f64], lambda: &'a [f64], beta: f64) -> Plan<'a, f64> {
    Plan {
        rows: &[0, 1],
        columns: &[Some(0)],
        alpha,
        beta1: beta,
        beta2: beta,
        lambda,
        method: Some(Method::Forward),
        ..Plan::default()
    }
}

fn two_cues(frequency: u32) -> EventFile {
    let mut writer = EventWriter::new(None, Duplicates::Keep, None).unwrap();
    writer.add_names(["a", "b"].into_iter(), ["x"].into_iter()).unwrap();
    writer.push(&[0, 1], &[0], frequency).unwrap();
    writer.finish().unwrap()
}

#[test]
fn divergence_names_the_weight() {
    let mut out = vec![0.0; 2];
    let matrix = Matrix::new(&mut out, [2, 1]).unwrap();
    let result = plan(&[1.0, 1.0], &[1.0], 5.0).learn(&two_cues(100_000), &matrix, &Monitor::new());
    assert!(matches!(result, Err(Error::NotFinite { row: 0, column: 0, .. })), "{result:?}");
}

#[test]
fn the_adjoint_method_needs_one_learning_rate() {
    let (alpha, lambda) = ([0.1, 0.1], [1.0]);
    let plan = Plan { method: Some(Method::Adjoint), beta2: 0.2, ..plan(&alpha, &lambda, 0.1) };
    let mut out = vec![0.0; 2];
    let matrix = Matrix::new(&mut out, [2, 1]).unwrap();
    let message = plan.learn(&two_cues(1), &matrix, &Monitor::new()).unwrap_err().to_string();
    assert!(
        message.starts_with("beta must be one learning rate") && message.contains("not 0.1 and 0.2"),
        "{message}"
    );
}

#[test]
fn what_meets_no_outcome_has_no_sign() {
    let mut writer = EventWriter::new(None, Duplicates::Keep, None).unwrap();
    writer.add_names(["a", "b"].into_iter(), ["x"].into_iter()).unwrap();
    writer.push(&[0], &[0], 1).unwrap();
    writer.push(&[1], &[], 1).unwrap();
    let file = writer.finish().unwrap();
    for method in [Method::Forward, Method::Adjoint] {
        let plan = Plan { method: Some(method), ..plan(&[0.5, 0.5], &[-2.0], 0.5) };
        let mut out = vec![0.0; 2];
        plan.learn(&file, &Matrix::new(&mut out, [2, 1]).unwrap(), &Monitor::new()).unwrap();
        assert_eq!(bits(&out), bits(&[-0.5, 0.0]), "{method}");
    }
}

#[test]
fn kappa_counts_multiplicities_squared() {
    let mut writer = EventWriter::new(None, Duplicates::Keep, None).unwrap();
    writer.add_names(["a", "b"].into_iter(), ["x"].into_iter()).unwrap();
    writer.push(&[0, 1, 0, 0], &[0], 1).unwrap();
    writer.push(&[1, 1, 1, 1], &[], 0).unwrap();
    let file = writer.finish().unwrap();
    let mut out = vec![0.0; 2];
    let matrix = Matrix::new(&mut out, [2, 1]).unwrap();
    let report = plan(&[0.5, 0.25], &[1.0], 0.1).learn(&file, &matrix, &Monitor::new()).unwrap();
    assert_eq!(report.facts.max_kappa, 0.5 * 9.0 + 0.25);
    assert_eq!(report.facts.slots, 4);
}

#[test]
fn the_order_in_which_events_are_taken_changes_no_bit() {
    // So many that events change places, names that come early and late, and cues that come twice.
    const N: usize = 3_000;
    const TILE: usize = 128;
    let mut writer = EventWriter::new(None, Duplicates::Keep, None).unwrap();
    let names: Vec<String> = (0..N).map(|i| i.to_string()).collect();
    let names = || names.iter().map(String::as_str);
    writer.add_names(names(), names()).unwrap();
    let mut state = 1_u64;
    let mut random = |n: usize| {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 33) as usize % n
    };
    let n_events = 5_000;
    let mut events_of = vec![[Vec::new(), Vec::new()]; N];
    for i in 0..n_events {
        let known = 20 + i * (N - 20) / n_events;
        let mut cues = vec![random(known) as u32];
        cues.extend((0..random(6)).map(|_| (random(known) * random(known) / known) as u32));
        let outcomes: BTreeSet<u32> = (0..random(5)).map(|_| random(known) as u32).collect();
        let outcomes: Vec<u32> = outcomes.into_iter().collect();
        for (names, which) in [(&cues, 0), (&outcomes, 1)] {
            names.iter().for_each(|&name| events_of[name as usize][which].push(i));
        }
        writer.push(&cues, &outcomes, 1).unwrap();
    }
    for which in [0, 1] {
        let learned: BTreeSet<_> = events_of.iter().map(|events| &events[which]).collect();
        assert!(learned.len() > 8 * TILE, "too few tiles: {}", learned.len());
    }
    let file = writer.finish().unwrap();
    let same = vec![0.03; N];
    let different: Vec<f64> = (0..N).map(|i| 0.01 + 0.02 * i as f64 / N as f64).collect();
    let (rows, columns) = ((0..N as u32).collect::<Vec<_>>(), (0..N as u32).map(Some).collect::<Vec<_>>());
    for (alpha, method) in [(&same, Method::Forward), (&same, Method::Adjoint), (&different, Method::Adjoint)]
    {
        // Where events are decoded anew for every tile they are taken as they come.
        let [ordered, plain] = [BUDGET, 0].map(|budget| {
            let monitor = Monitor::new();
            let mut out = vec![0.0; N * N];
            let matrix = Matrix::new(&mut out, [N, N]).unwrap();
            let plan = Plan {
                rows: &rows,
                columns: &columns,
                method: Some(method),
                threads: 2,
                tile: Some(TILE),
                budget,
                ..plan(alpha, &same, 0.1)
            };
            plan.learn(&file, &matrix, &monitor).unwrap();
            let (done, total) = monitor.progress();
            assert_eq!(done, total, "{method:?}, {budget}");
            assert!(total > 0);
            bits(&out)
        });
        assert!(ordered == plain, "{method:?}");
        assert!(plain.iter().any(|&bits| bits != 0));
    }
}

/// How many cues there are in three chunks, and how many outcomes: enough for several tiles on each thread.
const NAMES: usize = 64;

/// Events in three chunks. Some outcomes are met late, and some cues no more from some event on.
fn three_chunks() -> EventFile {
    let mut writer = EventWriter::new(None, Duplicates::Keep, None).unwrap();
    let names: Vec<String> = (0..NAMES).map(|i| i.to_string()).collect();
    let names = || names.iter().map(String::as_str);
    writer.add_names(names(), names()).unwrap();
    let mut state = 1_u64;
    let mut random = |n: usize| {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 33) as usize % n
    };
    let n_events = 140_000;
    for i in 0..n_events {
        let (met, gone) = (2 + i * (NAMES - 2) / n_events, i * (NAMES - 2) / n_events);
        let cues: Vec<u32> = (0..=random(3)).map(|_| (gone + random(NAMES - gone)) as u32).collect();
        writer.push(&cues, &[random(met + 1) as u32], 1).unwrap();
    }
    let file = writer.finish().unwrap();
    assert_eq!(file.n_chunks(), 3);
    file
}

fn tiles_that_share_chunks_learn_as_alone<E: Kernels>(file: &EventFile) {
    let alpha: Vec<f64> = (0..NAMES).map(|i| 0.05 + i as f64 / 1024.0).collect();
    let (rows, columns) =
        ((0..NAMES as u32).collect::<Vec<_>>(), (0..NAMES as u32).map(Some).collect::<Vec<_>>());
    let start: Vec<E> = (0..NAMES * NAMES).map(|i| E::from_f64(i as f64 / 8192.0 - 0.25)).collect();
    let factors: Vec<f64> = (0..140_000).map(|token| 1.0 / (1.0 + f64::from(token)).sqrt()).collect();
    // Some columns start at zero, and so late.
    let initial_columns: Vec<_> =
        columns.iter().map(|column| column.filter(|column| column % 3 == 0)).collect();
    let initial = || Initial {
        weights: (&start).into(),
        width: NAMES,
        columns: (&initial_columns).into(),
        states: (&[]).into(),
    };
    let schedule = || Schedule { present: (&factors).into(), absent: None };
    let (forward, adjoint) = (Method::Forward, Method::Adjoint);
    let mut forgotten = Vec::new();
    for (method, scheduled, average, continued, retention) in [
        (forward, false, false, false, 1.0),
        (forward, true, false, true, 1.0),
        (forward, false, true, true, 1.0),
        (forward, true, true, false, 1.0),
        (forward, true, false, true, 0.9998),
        (forward, false, false, true, 0.9998),
        (adjoint, false, false, false, 1.0),
        (adjoint, false, false, true, 1.0),
        (adjoint, false, false, true, 0.9998),
    ] {
        let [whole, short, nothing] = Room::ALL.map(|room| {
            let monitor = Monitor::new();
            let mut out = vec![E::default(); NAMES * NAMES];
            let matrix = Matrix::new(&mut out, [NAMES, NAMES]).unwrap();
            let plan = Plan {
                rows: &rows,
                columns: &columns,
                alpha: &alpha,
                schedule: scheduled.then(schedule),
                lambda: &[1.0; NAMES],
                initial: continued.then(initial),
                average,
                retention,
                method: Some(method),
                threads: 2,
                tile: Some(1),
                ..Plan::default()
            };
            let report = room.given(plan, file).learn(file, &matrix, &monitor).unwrap();
            assert!(NAMES.div_ceil(report.tile) > report.threads, "{} lanes a tile", report.tile);
            let (done, total) = monitor.progress();
            assert!(done == total && total > 0, "{method:?}, {room:?}: {done} of {total}");
            bits(&out)
        });
        let what = format!("{} {method:?}, {scheduled}, {average}, {continued}, {retention}", E::NAME);
        assert!(whole.iter().any(|&bits| bits != 0), "{what}");
        assert!(whole == short, "short: {what}");
        assert!(whole == nothing, "nothing: {what}");
        if retention < 1.0 && !scheduled {
            forgotten.push(whole);
        }
    }
    let small = if E::NAME == "float64" { 1e-12 } else { 1e-4 };
    for (forward, adjoint) in forgotten[0].iter().zip(&forgotten[1]) {
        let [forward, adjoint] = [forward, adjoint].map(|&bits| f64::from_bits(bits));
        assert!((forward - adjoint).abs() <= small, "{forward} and {adjoint}");
    }
}

#[test]
fn tiles_that_share_the_decoding_of_events_learn_as_alone() {
    let file = three_chunks();
    tiles_that_share_chunks_learn_as_alone::<f64>(&file);
    tiles_that_share_chunks_learn_as_alone::<f32>(&file);
}

/// A stream that is the same everywhere: events of 3 to 16 cues, some of them twice, and of up to 3 outcomes. All have cue 0, so
/// that the adjoint method takes no events together: for those it asks the machine's library for powers.
fn fixed_stream(cues: usize, outcomes: usize) -> EventFile {
    let mut writer = EventWriter::new(None, Duplicates::Keep, None).unwrap();
    let names: Vec<String> = (0..cues.max(outcomes)).map(|i| i.to_string()).collect();
    let names = || names.iter().map(String::as_str);
    writer.add_names(names().take(cues), names().take(outcomes)).unwrap();
    let mut state = 1_u64;
    let mut random = |n: usize| {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 33) as usize % n
    };
    for _ in 0..1_000 {
        let others: Vec<usize> = (0..2 + random(14)).map(|_| 1 + random(cues - 1)).collect();
        let cues: Vec<u32> = std::iter::once(0).chain(others).map(|cue| cue as u32).collect();
        let outcomes: BTreeSet<u32> = (0..random(4)).map(|_| random(outcomes) as u32).collect();
        writer.push(&cues, &Vec::from_iter(outcomes), 1).unwrap();
    }
    writer.finish().unwrap()
}

/// The checksum of the bits of weights, the lowest byte of each first.
fn checksum<E: Kernels>(alpha: &[f64], method: Method, kernel: Isa) -> u32 {
    let (cues, outcomes) = (alpha.len(), 150);
    let plan = Plan {
        rows: &(0..cues as u32).collect::<Vec<_>>(),
        columns: &(0..outcomes as u32).map(Some).collect::<Vec<_>>(),
        alpha,
        lambda: &vec![1.0; outcomes],
        method: Some(method),
        threads: 2,
        kernel: Some(kernel),
        ..Plan::default()
    };
    let mut out = vec![E::default(); cues * outcomes];
    let matrix = Matrix::new(&mut out, [cues, outcomes]).unwrap();
    plan.learn(&fixed_stream(cues, outcomes), &matrix, &Monitor::new()).unwrap();
    // A float32 is a float64 without loss.
    bits(&out).iter().fold(0, |sum, bits| crc32c::crc32c_append(sum, &bits.to_le_bytes()))
}

#[test]
fn weights_have_the_same_bits_on_every_machine() {
    const CUES: usize = 200;
    let same = vec![0.3; CUES];
    let different: Vec<f64> = (0..CUES).map(|i| 0.1 + i as f64 / 1024.0).collect();
    for kernel in Isa::available() {
        let found = [&same, &different].map(|alpha| {
            [Method::Forward, Method::Adjoint].map(|method| {
                [checksum::<f64>(alpha, method, kernel), checksum::<f32>(alpha, method, kernel)]
            })
        });
        let expected = [
            [[2_706_250_642, 3_979_478_003], [2_069_989_667, 3_500_712_201]],
            [[2_337_676_110, 2_726_946_435], [1_470_042_528, 2_679_609_095]],
        ];
        assert_eq!(found, expected, "{kernel}");
    }
}

#[test]
fn a_stopped_monitor_stops_even_inside_one_event() {
    let file = two_cues(u32::MAX);
    let (alpha, lambda) = ([0.1, 0.1], [1.0]);
    // The adjoint method takes the tokens of an event one by one only where they do not decay.
    for (method, rate) in [(Method::Forward, 0.1), (Method::Adjoint, 11.0)] {
        let monitor = Monitor::new();
        let mut out = vec![0.0; 2];
        let matrix = Matrix::new(&mut out, [2, 1]).unwrap();
        let plan = Plan { method: Some(method), ..plan(&alpha, &lambda, rate) };
        let begun = std::time::Instant::now();
        let look = |_, _| if begun.elapsed().as_millis() > 100 { Err("enough") } else { Ok(()) };
        let result = monitor.watch(|| plan.learn(&file, &matrix, &monitor).is_err(), |wait| wait(), look);
        let result = result.unwrap();
        assert_eq!(result, Err("enough"), "{method:?}");
    }
}

#[test]
fn plans_that_do_not_fit_are_refused() {
    let file = two_cues(1);
    let good = |out: &mut [f64], shape, plan: &Plan<'_, f64>| {
        Matrix::new(out, shape).and_then(|matrix| plan.learn(&file, &matrix, &Monitor::new()))
    };
    let (alpha, lambda) = ([0.1, 0.1], [1.0]);
    assert!(good(&mut [0.0; 2], [2, 1], &plan(&alpha, &lambda, 0.1)).is_ok());
    assert!(good(&mut [0.0; 2], [1, 2], &plan(&alpha, &lambda, 0.1)).is_err());
    assert!(good(&mut [0.0; 1], [1, 1], &plan(&alpha, &lambda, 0.1)).is_err());
    let missing_row = Plan { keep: Some(&[0, 2]), ..plan(&alpha, &lambda, 0.1) };
    assert!(good(&mut [0.0; 2], [2, 1], &missing_row).is_err());
    assert!(good(&mut [0.0; 2], [2, 1], &plan(&alpha[..1], &lambda, 0.1)).is_err());
    assert!(good(&mut [0.0; 2], [2, 1], &plan(&alpha, &lambda, -0.1)).is_err());
    let wrong_row = Plan { rows: &[0, 2], ..plan(&alpha, &lambda, 0.1) };
    assert!(good(&mut [0.0; 2], [2, 1], &wrong_row).is_err());
    let wrong_column = Plan { columns: &[Some(1)], ..plan(&alpha, &lambda, 0.1) };
    assert!(good(&mut [0.0; 2], [2, 1], &wrong_column).is_err());
    for retention in [0.0, -0.5, 1.5, f64::NAN] {
        assert!(good(&mut [0.0; 2], [2, 1], &Plan { retention, ..plan(&alpha, &lambda, 0.1) }).is_err());
    }
    let mean = Plan { retention: 0.9, average: true, ..plan(&alpha, &lambda, 0.1) };
    assert!(good(&mut [0.0; 2], [2, 1], &mean).unwrap_err().to_string().contains("mean"));
    let initial = Some(Initial {
        weights: vec![f64::INFINITY].into(),
        width: 1,
        columns: vec![Some(0)].into(),
        states: (&[]).into(),
    });
    let infinite = Plan { initial, ..plan(&alpha, &lambda, 0.1) };
    assert!(matches!(good(&mut [0.0; 2], [2, 1], &infinite), Err(Error::Argument(_))));
}

#[test]
fn two_outcomes_in_one_column_are_refused() {
    let mut writer = EventWriter::new(None, Duplicates::Keep, None).unwrap();
    writer.add_names(["a", "b"].into_iter(), ["x", "y"].into_iter()).unwrap();
    writer.push(&[0, 1], &[0, 1], 1).unwrap();
    let mut out = [0.0; 2];
    let matrix = Matrix::new(&mut out, [2, 1]).unwrap();
    let file = writer.finish().unwrap();
    let initial = || {
        Some(Initial {
            weights: vec![1.0].into(),
            width: 1,
            columns: vec![Some(0)].into(),
            states: (&[]).into(),
        })
    };
    for initial in [None, initial()] {
        let plan = Plan { columns: &[Some(0), Some(0)], initial, ..plan(&[0.1, 0.1], &[1.0], 0.1) };
        let result = plan.learn(&file, &matrix, &Monitor::new());
        assert!(matches!(result, Err(Error::Argument(_))), "{result:?}");
    }
}

/// Weights in a slice, row after row.
struct RowByRow<'a, S> {
    values: &'a [S],
    width: usize,
}

impl<S: Copy + Default + Sync> ReadWeights<S> for RowByRow<'_, S> {
    fn shape(&self) -> [usize; 2] {
        [self.values.len().checked_div(self.width).unwrap_or(0), self.width]
    }

    fn row(&self, row: usize) -> Option<&[S]> {
        self.values.get(row * self.width..)?.get(..self.width)
    }

    fn at(&self, row: usize, column: usize) -> S {
        self.row(row).and_then(|row| row.get(column)).copied().unwrap_or_default()
    }

    fn pick(&self, column: usize, rows: &[u32], put: impl FnMut(S)) {
        rows.iter().map(|&row| self.at(row as usize, column)).for_each(put);
    }
}

#[test]
fn activations_fill_the_result_exactly() {
    let file = two_cues(1);
    let table = RowByRow { values: &[0.5, 0.25], width: 1 };
    let weights = KnownWeights { table, rows: &[Some(0), Some(1)] };
    let activations =
        |out: &mut [f64]| activate(&file, &weights, &Which::Columns(&[0]), out, 1, &Monitor::new());
    let mut out = [9.0];
    activations(&mut out).unwrap();
    assert_eq!(out, [0.75]);
    for mut wrong in [vec![], vec![9.0; 2]] {
        assert!(matches!(activations(&mut wrong), Err(Error::Argument(_))));
    }
}

/// Weights column after column: so many rows.
struct Columns<'a>(usize, &'a mut [f64]);

impl Slab<f64> for Columns<'_> {
    fn shape(&self) -> [usize; 2] {
        [self.0, self.1.len() / self.0]
    }

    fn cut(self, width: usize) -> Result<Vec<Self>, Error> {
        Ok(self.1.chunks_mut(width * self.0).map(|columns| Columns(self.0, columns)).collect())
    }

    fn load(&self, row: usize, to: &mut [f64]) {
        to.iter_mut().zip(self.1.iter().skip(row).step_by(self.0)).for_each(|(to, from)| *to = *from);
    }

    fn store(&mut self, row: usize, from: &[f64]) {
        self.1.iter_mut().skip(row).step_by(self.0).zip(from).for_each(|(to, from)| *to = *from);
    }
}

#[test]
fn in_place_rows_of_names_without_events_are_not_looked_at() {
    let mut writer = EventWriter::new(None, Duplicates::Keep, None).unwrap();
    writer.add_names(["a", "b", "c"].into_iter(), ["x"].into_iter()).unwrap();
    writer.push(&[0, 2], &[0], 1).unwrap();
    writer.push(&[1], &[0], 0).unwrap();
    let file = writer.finish().unwrap();
    let alpha = [0.5, 1.0, 0.25];
    let plan = Plan { rows: &[0, 1, 2], ..plan(&alpha, &[1.0], 0.5) };
    let mut weights = [0.0, f64::NAN, 0.5];
    let columns = Columns(3, &mut weights);
    InPlace::new(&file, &plan, &[0, 1, 2], None, columns, &Monitor::new()).unwrap().learn().unwrap();
    assert_eq!([weights[0], weights[2]], [0.125, 0.5625]);
    assert!(weights[1].is_nan());
}

#[test]
fn in_place_rows_of_no_event_are_not_looked_at() {
    let (file, monitor) = (two_cues(3), Monitor::new());
    let plan = Plan { columns: &[Some(1)], ..plan(&[0.1, 0.2], &[1.0, 2.0], 0.5) };
    let mut weights = [0.25, f64::NAN, 0.5, -0.5, f64::INFINITY, 1.0];
    // Cue b is in the first row, cue a in the last.
    InPlace::new(&file, &plan, &[2, 0], None, Columns(3, &mut weights), &monitor).unwrap().learn().unwrap();
    let initial = Initial {
        weights: vec![0.5, 1.0, 0.25, -0.5].into(),
        width: 2,
        columns: vec![Some(0), Some(1)].into(),
        states: (&[]).into(),
    };
    let mut expected = [0.0; 4];
    let matrix = Matrix::new(&mut expected, [2, 2]).unwrap();
    Plan { initial: Some(initial), ..plan }.learn(&file, &matrix, &monitor).unwrap();
    let [first, second] = [[expected[2], f64::NAN, expected[0]], [expected[3], f64::INFINITY, expected[1]]];
    let expected = [first, second].concat();
    assert!(
        weights.iter().zip(&expected).all(|(found, expected)| found.to_bits() == expected.to_bits()),
        "{weights:?}"
    );
}

#[test]
fn in_place_rows_must_exist_and_differ_and_be_finite() {
    let (file, monitor) = (two_cues(1), Monitor::new());
    let (alpha, lambda) = ([0.1, 0.1], [1.0]);
    let refused = |plan: &Plan<'_, f64>, rows: &[u32]| {
        let mut weights = [0.5, 0.5, f64::NAN];
        let found = InPlace::new(&file, plan, rows, None, Columns(3, &mut weights), &monitor).err();
        found.map(|error| error.to_string())
    };
    let good = plan(&alpha, &lambda, 0.1);
    assert_eq!(refused(&good, &[1, 0]), None);
    for rows in [&[1, 1][..], &[0, 3], &[0], &[0, 1, 2]] {
        assert!(refused(&good, rows).unwrap().contains("a row of the weights for every cue"), "{rows:?}");
    }
    assert!(refused(&good, &[2, 0]).is_some());
    assert!(refused(&plan(&alpha, &[1.0, 1.0], 0.1), &[1, 0]).is_some());
    assert!(refused(&plan(&alpha, &lambda, -0.1), &[1, 0]).is_some());
    for other in
        [Plan { average: true, ..plan(&alpha, &lambda, 0.1) }, Plan { method: Some(Method::Adjoint), ..good }]
    {
        assert!(refused(&other, &[1, 0]).unwrap().contains("by the forward method"));
    }
}
