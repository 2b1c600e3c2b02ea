//! The delta rule against plain loops over tokens, whatever the tiles, threads, kernels and budgets.

#![allow(clippy::unwrap_used)]

use proptest::prelude::*;
use rescorla::internals::error::{Error, Result};
use rescorla::internals::events::EventFile;
use rescorla::internals::events::write::{Duplicates, EventWriter};
use rescorla::internals::learn::BUDGET;
use rescorla::internals::monitor::Monitor;
use rescorla::internals::rules::delta::activation::{Activation, Loss};
use rescorla::internals::rules::delta::descent::{Descent, DescentReport};
use rescorla::internals::rules::delta::events::{DeltaPlan, learn};
use rescorla::internals::tiles::method::Method;
use rescorla::internals::tiles::result::Matrix;
use rescorla::kernel::element::Element;
use rescorla::kernel::isa::Isa;

const CUES: usize = 6;
const OUTCOMES: usize = 9;
const KINDS: [(Activation, Loss); 6] = [
    (Activation::Identity, Loss::Squared),
    (Activation::Logistic, Loss::Squared),
    (Activation::Logistic, Loss::Log),
    (Activation::Tanh, Loss::Squared),
    (Activation::Relu, Loss::Squared),
    (Activation::Threshold, Loss::Squared),
];

type Event = (Vec<u32>, Vec<u32>, u32);

/// The factor of a batch.
fn factor(batch: usize) -> f64 {
    [1.0, 0.5, 0.0, 0.3, 1.7][batch % 5]
}

/// Those of all batches of all passes through `n` tokens.
fn factors(n: usize, batch: Option<u64>, passes: u64) -> Vec<f64> {
    let of_pass = (n as u64).div_ceil(batch.unwrap_or(u64::MAX));
    (0..(of_pass * passes) as usize).map(factor).collect()
}

#[derive(Debug, Clone)]
struct Case {
    events: Vec<Event>,
    alpha: Vec<f64>,
    beta: f64,
    lambda: Vec<f64>,
    kind: (Activation, Loss),
    batch: Option<u64>,
    mean: bool,
    /// Whether batches have factors on the rate.
    scheduled: bool,
    passes: u64,
    /// What the tokens are sorted by, in each pass; if empty they come in the order of the events.
    keys: Vec<u32>,
    initial: Option<Vec<f64>>,
    tile: Option<usize>,
    threads: usize,
    budget: usize,
}

fn cases() -> impl Strategy<Value = Case> {
    let event = (
        prop::collection::vec(0..CUES as u32, 0..6),
        prop::collection::btree_set(0..OUTCOMES as u32, 0..4).prop_map(|set| set.into_iter().collect()),
        0_u32..4,
    );
    (
        (prop::collection::vec(event, 0..12), any::<bool>())
            .prop_map(|(events, twice)| if twice { [events.clone(), events].concat() } else { events }),
        prop_oneof![
            prop::collection::vec(0.0..1.0_f64, CUES),
            (0.0..1.0_f64).prop_map(|alpha| vec![alpha; CUES]),
        ],
        0.0..0.1_f64,
        prop_oneof![prop::collection::vec(0.0..1.0_f64, OUTCOMES), Just(vec![1.0; OUTCOMES])],
        prop::sample::select(KINDS.to_vec()),
        prop_oneof![Just(None), Just(Some(1)), (2_u64..9).prop_map(Some), Just(Some(u64::MAX))],
        (any::<[bool; 2]>(), 1_u64..4, prop_oneof![Just(vec![]), prop::collection::vec(0..9_u32, 7)]),
        prop::option::of(prop::collection::vec(prop_oneof![Just(0.0), -1.0..1.0_f64], CUES * OUTCOMES)),
        (prop::option::of(1_usize..40), 1_usize..4, prop::sample::select(vec![0, 100, BUDGET])),
    )
        .prop_map(
            |(
                events,
                alpha,
                beta,
                lambda,
                kind,
                batch,
                ([mean, scheduled], passes, keys),
                initial,
                (tile, threads, budget),
            )| {
                Case {
                    events,
                    alpha,
                    beta,
                    lambda,
                    kind,
                    batch,
                    mean,
                    scheduled,
                    passes,
                    keys,
                    initial,
                    tile,
                    threads,
                    budget,
                }
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

impl Case {
    fn tokens(&self) -> Vec<&Event> {
        self.events.iter().flat_map(|event| std::iter::repeat_n(event, event.2 as usize)).collect()
    }

    /// The tokens of all passes in their order.
    fn order(&self) -> Option<Vec<i64>> {
        let n = self.tokens().len() as u64;
        (!self.keys.is_empty()).then(|| {
            let pass = |pass: u64| {
                let mut tokens: Vec<u64> = (0..n).collect();
                tokens.sort_by_key(|token| self.keys[((token + pass) % self.keys.len() as u64) as usize]);
                tokens.into_iter().map(|token| token as i64)
            };
            (0..self.passes).flat_map(pass).collect()
        })
    }

    fn initial<E: Element>(&self) -> Option<Vec<E>> {
        Some(self.initial.as_ref()?.iter().map(|&weight| E::from_f64(weight)).collect())
    }

    fn learned<E: Element>(&self, kernel: Isa) -> Vec<E> {
        let (order, initial) = (self.order(), self.initial::<E>());
        let factors = self.scheduled.then(|| factors(self.tokens().len(), self.batch, self.passes));
        let plan = DeltaPlan {
            rows: &(0..CUES as u32).collect::<Vec<_>>(),
            // Other numbers than the file's.
            columns: &(0..OUTCOMES as u32).rev().collect::<Vec<_>>(),
            lambda: &self.lambda,
            descent: Descent {
                alpha: &self.alpha,
                beta: self.beta,
                activation: self.kind.0,
                loss: self.kind.1,
                batch: self.batch,
                mean: self.mean,
                factors: factors.as_deref(),
                passes: self.passes,
                order: order.as_deref(),
                initial: initial.as_deref(),
                threads: self.threads,
                kernel: Some(kernel),
                tile: self.tile,
            },
            budget: self.budget,
        };
        let mut out = vec![E::default(); CUES * OUTCOMES];
        let matrix = Matrix::new(&mut out, [CUES, OUTCOMES]).unwrap();
        learn(&file(&self.events), &plan, &matrix, &Monitor::new()).unwrap();
        out
    }

    /// Token by token, each with its own prediction.
    fn naive(&self) -> Vec<f64> {
        let mut weights = self.initial.clone().unwrap_or(vec![0.0; CUES * OUTCOMES]);
        let tokens = self.tokens();
        let in_order = (0..self.passes).flat_map(|_| 0..tokens.len() as i64).collect();
        let order = self.order().unwrap_or(in_order);
        let n = tokens.len().max(1);
        let size = self.batch.map_or(n, |batch| batch.min(n as u64) as usize);
        for (number, batch) in order.chunks(n).flat_map(|pass| pass.chunks(size)).enumerate() {
            let before = weights.clone();
            for &token in batch {
                let (cues, outcomes, _) = tokens[token as usize];
                for j in 0..OUTCOMES {
                    let h: f64 = cues.iter().map(|&cue| before[cue as usize * OUTCOMES + j]).sum();
                    let present = outcomes.contains(&((OUTCOMES - 1 - j) as u32));
                    let target = if present { self.lambda[j] } else { 0.0 };
                    let update = match self.kind {
                        (Activation::Identity, _) => target - h,
                        (Activation::Logistic, loss) => {
                            let y = 1.0 / (1.0 + (-h).exp());
                            (target - y) * if loss == Loss::Log { 1.0 } else { y * (1.0 - y) }
                        }
                        (Activation::Tanh, _) => {
                            let target = if present { self.lambda[j] } else { -self.lambda[j] };
                            (target - h.tanh()) / h.cosh().powi(2)
                        }
                        (Activation::Relu, _) if h < 0.0 => 0.0,
                        (Activation::Relu, _) => target - h,
                        (Activation::Threshold, _) => target - f64::from(h > 0.0),
                    };
                    let beta = self.beta * if self.scheduled { factor(number) } else { 1.0 };
                    let beta = if self.mean { beta / batch.len() as f64 } else { beta };
                    for &cue in cues {
                        weights[cue as usize * OUTCOMES + j] += self.alpha[cue as usize] * beta * update;
                    }
                }
            }
        }
        weights
    }
}

fn bits<E: Element>(weights: &[E]) -> Vec<u64> {
    weights.iter().map(|weight| weight.to_f64().to_bits()).collect()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(1500))]

    #[test]
    fn the_delta_rule_is_that_of_plain_loops(case in cases()) {
        let found = case.learned::<f64>(Isa::best());
        let expected = case.naive();
        let largest = expected.iter().fold(1.0, |largest: f64, weight| largest.max(weight.abs()));
        for (found, expected) in found.iter().zip(&expected) {
            prop_assert!((found - expected).abs() <= 1e-9 * largest, "{} for {}", found, expected);
        }
        let other = Case { threads: 1, tile: None, budget: BUDGET, ..case.clone() };
        for kernel in Isa::available() {
            prop_assert_eq!(bits(&other.learned::<f64>(kernel)), bits(&found), "{}", kernel);
            prop_assert_eq!(bits(&other.learned::<f32>(kernel)), bits(&case.learned::<f32>(Isa::best())));
        }
    }

    #[test]
    fn single_tokens_and_the_identity_are_the_forward_method(case in cases()) {
        let case = Case {
            kind: KINDS[0], batch: Some(1), passes: 1, keys: vec![], scheduled: false, initial: None, ..case
        };
        let plan = rescorla::internals::learn::Plan {
            rows: &(0..CUES as u32).collect::<Vec<_>>(),
            columns: &(0..OUTCOMES as u32).rev().map(Some).collect::<Vec<_>>(),
            alpha: &case.alpha,
            beta1: case.beta,
            beta2: case.beta,
            lambda: &case.lambda,
            method: Some(Method::Forward),
            ..rescorla::internals::learn::Plan::default()
        };
        let mut out = vec![0.0_f64; CUES * OUTCOMES];
        let matrix = Matrix::new(&mut out, [CUES, OUTCOMES]).unwrap();
        plan.learn(&file(&case.events), &matrix, &Monitor::new()).unwrap();
        prop_assert_eq!(bits(&case.learned::<f64>(Isa::best())), bits(&out));
    }
}

/// Learns events of two cues and one outcome after a change of the plan.
fn with(
    frequency: u32,
    monitor: &Monitor,
    change: impl FnOnce(&mut DeltaPlan<'_, f64>),
) -> Result<DescentReport> {
    let mut writer = EventWriter::new(None, Duplicates::Keep, None).unwrap();
    writer.add_names(["a", "b"].into_iter(), ["x"].into_iter()).unwrap();
    writer.push(&[0, 1], &[0], frequency).unwrap();
    let mut plan = DeltaPlan {
        rows: &[0, 1],
        columns: &[0],
        lambda: &[1.0],
        descent: Descent {
            alpha: &[1.0, 1.0],
            beta: 0.1,
            activation: Activation::Identity,
            loss: Loss::Squared,
            batch: Some(1),
            mean: false,
            factors: None,
            passes: 1,
            order: None,
            initial: None,
            threads: 1,
            kernel: None,
            tile: None,
        },
        budget: BUDGET,
    };
    change(&mut plan);
    let mut out = vec![0.0; 2];
    let matrix = Matrix::new(&mut out, [2, 1]).unwrap();
    learn(&writer.finish().unwrap(), &plan, &matrix, monitor)
}

#[test]
fn plans_that_do_not_fit_are_refused() {
    type Change = fn(&mut DeltaPlan<'_, f64>);
    let changes: [(Change, &str); 15] = [
        (|plan| plan.rows = &[0, 2], "a row for every cue"),
        (|plan| plan.rows = &[0], "a row for every cue"),
        (|plan| plan.columns = &[1], "a column for every outcome"),
        (|plan| plan.columns = &[], "a column for every outcome"),
        (|plan| plan.descent.alpha = &[1.0], "shape"),
        (|plan| plan.descent.alpha = &[-1.0, 1.0], "alpha"),
        (|plan| plan.descent.beta = f64::NAN, "beta"),
        (|plan| plan.descent.initial = Some(&[0.0]), "shape"),
        (|plan| plan.descent.initial = Some(&[0.0, f64::INFINITY]), "finite initial"),
        (|plan| plan.descent.order = Some(&[0, 0]), "an order of 3 tokens"),
        (|plan| plan.descent.order = Some(&[0, 3, 1]), "found 3"),
        (|plan| plan.descent.factors = Some(&[1.0]), "a factor for each of 3 batches"),
        (|plan| plan.descent.factors = Some(&[1.0, -1.0, 1.0]), "a factor for each of 3 batches"),
        (|plan| plan.descent.loss = Loss::Log, "logistic for the log loss"),
        (
            |plan| {
                (plan.descent.activation, plan.descent.loss, plan.lambda) =
                    (Activation::Logistic, Loss::Log, &[1.5]);
            },
            "lambda between 0 and 1",
        ),
    ];
    for (change, expected) in changes {
        let found = with(3, &Monitor::new(), change);
        assert!(matches!(&found, Err(Error::Argument(message)) if message.contains(expected)), "{found:?}");
    }
    assert!(with(3, &Monitor::new(), |plan| plan.descent.order = Some(&[0, 2, 1])).is_ok());
}

#[test]
fn names_are_what_they_print() {
    for activation in [
        Activation::Identity,
        Activation::Logistic,
        Activation::Tanh,
        Activation::Relu,
        Activation::Threshold,
    ] {
        assert_eq!(activation.to_string().parse::<Activation>().unwrap(), activation);
    }
    assert!("step".parse::<Activation>().unwrap_err().to_string().contains("step"));
    assert_eq!("log".parse::<Loss>().unwrap(), Loss::Log);
    assert!("hinge".parse::<Loss>().unwrap_err().to_string().contains("hinge"));
}

#[test]
fn divergence_names_the_weight() {
    for batch in [Some(1), Some(2), None] {
        let found = with(10, &Monitor::new(), |plan| {
            (plan.descent.batch, plan.descent.beta, plan.descent.passes) = (batch, 30.0, 1000);
        });
        assert!(matches!(found, Err(Error::NotFinite { row: 0, column: 0, .. })), "{found:?}");
    }
}

#[test]
fn a_stopped_monitor_stops_passes_batches_and_what_makes_them() {
    for (batch, frequency, passes) in
        [(Some(1), u32::MAX, 1), (Some(3), u32::MAX, 1), (None, 3, u64::MAX >> 8)]
    {
        let monitor = Monitor::new();
        let begun = std::time::Instant::now();
        let look = |_, _| if begun.elapsed().as_millis() > 100 { Err("enough") } else { Ok(()) };
        let work = || {
            with(frequency, &monitor, |plan| (plan.descent.batch, plan.descent.passes) = (batch, passes))
                .is_err()
        };
        assert_eq!(monitor.watch(work, |wait| wait(), look).unwrap(), Err("enough"), "{batch:?}");
    }
}
