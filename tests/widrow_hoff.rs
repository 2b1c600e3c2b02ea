//! Widrow-Hoff learning against plain loops over tokens, whatever the method, blocks, tiles, threads and kernels.

#![allow(clippy::unwrap_used)]

use proptest::prelude::*;
use rescorla::internals::error::{Error, Result};
use rescorla::internals::events::EventFile;
use rescorla::internals::events::data::Data;
use rescorla::internals::events::write::{Duplicates, EventWriter};
use rescorla::internals::monitor::Monitor;
use rescorla::internals::rules::widrow_hoff::{BUDGET, Coding, WidrowHoffPlan, WidrowHoffReport, learn};
use rescorla::internals::tiles::method::Method;
use rescorla::internals::tiles::result::Matrix;
use rescorla::internals::tiles::rule::Schedule;
use rescorla::kernel::isa::Isa;

const CUES: usize = 5;
const OUTCOMES: usize = 4;
/// Places of names: of another size and in another order than the names.
const CUE_PLACES: [u32; CUES] = [6, 0, 3, 2, 4];
const OUTCOME_PLACES: [u32; OUTCOMES] = [2, 5, 0, 1];
const ROWS: usize = 7;
const COLUMNS: usize = 6;

type Event = (Vec<u32>, Vec<u32>, u32);

#[derive(Debug, Clone)]
struct Case {
    events: Vec<Event>,
    eta: f64,
    /// Whether rates are divided by x'x, where cues have vectors; where they have none, whether there is a schedule.
    changing: bool,
    /// Vectors of cues and of outcomes, with their size; names that stand for themselves where there are none.
    cues: Option<(usize, Vec<f64>)>,
    outcomes: Option<(usize, Vec<f64>)>,
    initial: bool,
    method: Option<Method>,
    tile: Option<usize>,
    block: Option<usize>,
    threads: usize,
    budget: usize,
}

fn vectors(names: usize) -> impl Strategy<Value = Option<(usize, Vec<f64>)>> {
    let sized = (1_usize..5).prop_flat_map(move |size| {
        let numbers = prop::collection::vec(prop_oneof![Just(0.0), -0.7..0.7_f64], names * size);
        numbers.prop_map(move |numbers| (size, numbers))
    });
    prop::option::of(sized)
}

fn cases() -> impl Strategy<Value = Case> {
    let event = (
        prop::collection::vec(0..CUES as u32, 0..4),
        prop::collection::btree_set(0..OUTCOMES as u32, 0..3).prop_map(|set| set.into_iter().collect()),
        0_u32..4,
    );
    (
        prop::collection::vec(event, 0..14),
        0.0..0.2_f64,
        any::<bool>(),
        vectors(CUES),
        vectors(OUTCOMES),
        any::<bool>(),
        prop::sample::select(vec![None, Some(Method::Forward), Some(Method::Adjoint)]),
        (
            prop::option::of(1_usize..9),
            prop::option::of(1_usize..6),
            1_usize..4,
            prop::sample::select(vec![0, BUDGET]),
        ),
    )
        .prop_map(
            |(events, eta, changing, cues, outcomes, initial, method, (tile, block, threads, budget))| Case {
                events,
                eta,
                changing,
                cues,
                outcomes,
                initial,
                method,
                tile,
                block,
                threads,
                budget,
            },
        )
}

fn file(events: &[Event]) -> EventFile {
    let mut writer = EventWriter::new(None, Duplicates::Keep, None).unwrap();
    let names: Vec<String> = (0..CUES.max(OUTCOMES)).map(|i| format!("n{i}")).collect();
    let names = || names.iter().map(String::as_str);
    writer.add_names(names().take(CUES), names().take(OUTCOMES)).unwrap();
    for (cues, outcomes, frequency) in events {
        writer.push(cues, outcomes, *frequency).unwrap();
    }
    writer.finish().unwrap()
}

/// What a schedule makes of the rate of a token.
fn factor(token: usize) -> f64 {
    [1.0, 0.25, 0.0, 2.0][token % 4]
}

/// A side of a plan.
fn side<'a>(vectors: Option<&'a (usize, Vec<f64>)>, places: &'a [u32], size: usize) -> Coding<'a, f64> {
    match vectors {
        Some((size, vectors)) => Coding::Vectors { vectors, size: *size },
        None => Coding::Names { places, size },
    }
}

/// The sum of what some names stand for.
fn sum(side: Coding<'_, f64>, names: &[u32]) -> Vec<f64> {
    let mut sum = vec![0.0; side.size()];
    for &name in names {
        match side {
            Coding::Names { places, .. } => sum[places[name as usize] as usize] += 1.0,
            Coding::Vectors { vectors, size } => {
                for (i, sum) in sum.iter_mut().enumerate() {
                    *sum += vectors[name as usize * size + i];
                }
            }
        }
    }
    sum
}

impl Case {
    fn sides(&self) -> [Coding<'_, f64>; 2] {
        [side(self.cues.as_ref(), &CUE_PLACES, ROWS), side(self.outcomes.as_ref(), &OUTCOME_PLACES, COLUMNS)]
    }

    fn initial(&self) -> Option<Vec<f64>> {
        let [p, q] = self.sides().map(|side| side.size());
        self.initial.then(|| (0..p * q).map(|i| (i * 7 % 11) as f64 / 11.0 - 0.4).collect())
    }

    fn plan<'a>(&'a self, initial: Option<&'a [f64]>, kernel: Isa) -> WidrowHoffPlan<'a, f64> {
        let [cues, outcomes] = self.sides();
        let Self { eta, changing, method, tile, block, threads, budget, .. } = *self;
        let kernel = Some(kernel);
        let normalized = changing && self.cues.is_some();
        let factors: Vec<f64> = (0..self.n_tokens()).map(factor).collect();
        let schedule = (changing && !normalized).then(|| Schedule { present: factors.into(), absent: None });
        WidrowHoffPlan {
            cues,
            outcomes,
            eta,
            schedule,
            normalized,
            initial,
            method,
            threads,
            kernel,
            tile,
            block,
            budget,
        }
    }

    fn n_tokens(&self) -> usize {
        self.events.iter().map(|(.., frequency)| *frequency as usize).sum()
    }

    /// The rate of a token.
    fn rate(&self, token: usize, x: &[f64]) -> f64 {
        let k: f64 = x.iter().map(|x| x * x).sum();
        match (self.changing, self.cues.is_some()) {
            (false, _) => self.eta,
            (true, false) => self.eta * factor(token),
            (true, true) if k == 0.0 => 0.0,
            (true, true) => self.eta / k,
        }
    }

    fn learn(&self, kernel: Isa) -> Result<(WidrowHoffReport, Vec<f64>)> {
        let initial = self.initial();
        let plan = self.plan(initial.as_deref(), kernel);
        let shape = [plan.cues.size(), plan.outcomes.size()];
        let mut out = vec![0.0; shape[0] * shape[1]];
        let matrix = Matrix::new(&mut out, shape).unwrap();
        let report = learn(&Data::Events(&file(&self.events)), &plan, &matrix, &Monitor::new())?;
        Ok((report, out))
    }

    fn plain(&self) -> Vec<f64> {
        let [cues, outcomes] = self.sides();
        let (p, q) = (cues.size(), outcomes.size());
        let mut weights = self.initial().unwrap_or_else(|| vec![0.0; p * q]);
        let mut token = 0;
        for (names, results, frequency) in &self.events {
            let (x, z) = (sum(cues, names), sum(outcomes, results));
            for _ in 0..*frequency {
                let rate = self.rate(token, &x);
                token += 1;
                for j in 0..q {
                    let predicted: f64 = (0..p).map(|i| x[i] * weights[i * q + j]).sum();
                    let error = rate * (z[j] - predicted);
                    for i in 0..p {
                        weights[i * q + j] += x[i] * error;
                    }
                }
            }
        }
        weights
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2000))]

    #[test]
    fn weights_are_those_of_plain_loops(case in cases()) {
        for kernel in Isa::available() {
            let (report, found) = case.learn(kernel).unwrap();
            let expected = case.plain();
            prop_assert_eq!(report.threads, 1, "so little work is done by one thread");
            let method = if case.cues.is_none() { Method::Forward } else { case.method.unwrap_or(report.method) };
            prop_assert_eq!(report.method, method);
            let size = expected.iter().fold(10.0_f64, |size, weight| size.max(weight.abs()));
            for (found, expected) in found.iter().zip(&expected) {
                prop_assert!((found - expected).abs() <= 1e-12 * size, "{found}, not {expected}");
            }
            let [cues, _] = case.sides();
            let squares = |(names, _, frequency): &Event| {
                if *frequency == 0 { 0.0 } else { sum(cues, names).iter().map(|x| x * x).sum::<f64>() }
            };
            let greatest = match case.changing && case.cues.is_none() {
                true => (0..case.n_tokens()).map(factor).fold(0.0, f64::max),
                false => 1.0,
            };
            let kappa = case.events.iter().map(squares).fold(0.0, f64::max) * greatest;
            prop_assert!((report.max_kappa - kappa).abs() <= 1e-12 * kappa);
        }
    }

    #[test]
    fn rows_of_matrices_are_events_with_names_of_their_own(
        x in prop::collection::vec(-1.0..1.0_f64, 3 * 5),
        z in prop::collection::vec(-1.0..1.0_f64, 2 * 5),
        method in prop::sample::select(vec![Method::Forward, Method::Adjoint]),
    ) {
        let plan = WidrowHoffPlan {
            cues: Coding::Vectors { vectors: &x, size: 3 },
            outcomes: Coding::Vectors { vectors: &z, size: 2 },
            eta: 0.1,
            schedule: None,
            normalized: false,
            initial: None,
            method: Some(method),
            threads: 1,
            kernel: None,
            tile: None,
            block: None,
            budget: BUDGET,
        };
        let run = |data: &Data<'_>| {
            let mut out = vec![0.0; 6];
            learn(data, &plan, &Matrix::new(&mut out, [3, 2]).unwrap(), &Monitor::new()).unwrap();
            out
        };
        let mut writer = EventWriter::new(None, Duplicates::Keep, None).unwrap();
        let names = ["a", "b", "c", "d", "e"];
        writer.add_names(names.into_iter(), names.into_iter()).unwrap();
        for i in 0..5 {
            writer.push(&[i], &[i], 1).unwrap();
        }
        prop_assert_eq!(run(&Data::Rows(5)), run(&Data::Events(&writer.finish().unwrap())));
    }
}

fn schedule(factors: &'static [f64]) -> Option<Schedule<'static>> {
    Some(Schedule { present: factors.into(), absent: None })
}

#[test]
fn what_does_not_fit_is_refused() {
    let case = Case {
        events: vec![(vec![0], vec![0], 1)],
        eta: 0.1,
        changing: false,
        cues: None,
        outcomes: None,
        initial: false,
        method: None,
        tile: None,
        block: None,
        threads: 1,
        budget: BUDGET,
    };
    let refused = |change: &dyn Fn(&mut WidrowHoffPlan<'_, f64>), n: usize| {
        let mut plan = case.plan(None, Isa::best());
        change(&mut plan);
        let mut out = vec![0.0; n];
        let shape = [n / COLUMNS, COLUMNS];
        let matrix = Matrix::new(&mut out, shape).unwrap();
        let found = learn(&Data::Events(&file(&case.events)), &plan, &matrix, &Monitor::new());
        assert!(matches!(found, Err(Error::Argument(_))), "{found:?}");
    };
    refused(&|_| (), (ROWS - 1) * COLUMNS);
    refused(&|plan| plan.eta = -0.1, ROWS * COLUMNS);
    refused(&|plan| plan.eta = f64::NAN, ROWS * COLUMNS);
    refused(&|plan| plan.normalized = true, ROWS * COLUMNS);
    refused(&|plan| plan.schedule = schedule(&[]), ROWS * COLUMNS);
    refused(&|plan| plan.schedule = schedule(&[-1.0]), ROWS * COLUMNS);
    let vectors = |plan: &mut WidrowHoffPlan<'_, f64>| {
        plan.cues = Coding::Vectors { vectors: &[0.5; CUES * ROWS], size: ROWS };
        plan.schedule = schedule(&[1.0]);
    };
    refused(&vectors, ROWS * COLUMNS);
    refused(&|plan| plan.initial = Some(&[0.0]), ROWS * COLUMNS);
    refused(&|plan| plan.initial = Some(&[f64::INFINITY; ROWS * COLUMNS]), ROWS * COLUMNS);
    refused(&|plan| plan.cues = Coding::Names { places: &[7; CUES], size: ROWS }, ROWS * COLUMNS);
    refused(&|plan| plan.cues = Coding::Names { places: &[0], size: ROWS }, ROWS * COLUMNS);
    refused(&|plan| plan.outcomes = Coding::Vectors { vectors: &[0.0], size: COLUMNS }, ROWS * COLUMNS);
}

#[test]
fn work_stops_when_asked() {
    let (x, monitor) = (vec![0.5; 4000], Monitor::new());
    monitor.stop();
    for method in [Method::Forward, Method::Adjoint] {
        let side = Coding::Vectors { vectors: &x, size: 2 };
        let plan = WidrowHoffPlan {
            cues: side,
            outcomes: side,
            eta: 0.1,
            schedule: None,
            normalized: false,
            initial: None,
            method: Some(method),
            threads: 2,
            kernel: None,
            tile: None,
            block: None,
            budget: BUDGET,
        };
        let mut out = vec![0.0; 4];
        let found = learn(&Data::Rows(2000), &plan, &Matrix::new(&mut out, [2, 2]).unwrap(), &monitor);
        assert!(matches!(found, Err(Error::Stopped)), "{found:?}");
    }
}
