//! The delta rule and the perceptron on arrays against plain loops, whatever the tiles, threads and kernels.

#![allow(clippy::unwrap_used)]

use proptest::prelude::*;
use rescorla::internals::error::{Error, Result};
use rescorla::internals::monitor::Monitor;
use rescorla::internals::rules::delta::activation::{Activation, Loss};
use rescorla::internals::rules::delta::arrays;
use rescorla::internals::rules::delta::descent::{Descent, DescentReport};
use rescorla::internals::rules::planes::perceptron::{self, PerceptronPlan, Plane, Update};
use rescorla::internals::tiles::number_rows::NumberRows;
use rescorla::internals::tiles::result::Matrix;
use rescorla::kernel::element::Element;
use rescorla::kernel::isa::Isa;

const P: usize = 5;
const Q: usize = 21;
const KINDS: [(Activation, Loss); 6] = [
    (Activation::Identity, Loss::Squared),
    (Activation::Logistic, Loss::Squared),
    (Activation::Logistic, Loss::Log),
    (Activation::Tanh, Loss::Squared),
    (Activation::Relu, Loss::Squared),
    (Activation::Threshold, Loss::Squared),
];

/// A sparse matrix as its parts.
#[derive(Debug, Clone)]
struct Parts<E> {
    values: Vec<E>,
    starts: Vec<i64>,
    columns: Vec<u32>,
}

impl<E: Element> Parts<E> {
    /// What is not zero in a dense one.
    fn of(dense: &[E], p: usize) -> Self {
        let mut parts = Self { values: vec![], starts: vec![0], columns: vec![] };
        for row in dense.chunks(p) {
            for (column, value) in (0..).zip(row).filter(|(_, value)| value.to_f64() != 0.0) {
                parts.values.push(*value);
                parts.columns.push(column);
            }
            parts.starts.push(parts.values.len() as i64);
        }
        parts
    }

    fn rows(&self, p: usize) -> NumberRows<'_, E> {
        NumberRows::sparse(&self.values, &self.starts, &self.columns, [self.starts.len() - 1, p]).unwrap()
    }
}

fn of<E: Element>(numbers: &[f64]) -> Vec<E> {
    numbers.iter().map(|&number| E::from_f64(number)).collect()
}

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
    x: Vec<f64>,
    z: Vec<f64>,
    alpha: Vec<f64>,
    beta: f64,
    kind: (Activation, Loss),
    batch: Option<u64>,
    mean: bool,
    /// Whether batches have factors on the rate.
    scheduled: bool,
    passes: u64,
    /// Whether odd passes take the tokens backward.
    turned: bool,
    initial: Option<Vec<f64>>,
    sparse: [bool; 2],
    tile: Option<usize>,
    threads: usize,
}

fn cases() -> impl Strategy<Value = Case> {
    let value = || prop_oneof![Just(0.0), Just(1.0), -1.0..1.0_f64];
    (0_usize..30).prop_flat_map(move |n| {
        (
            prop::collection::vec(value(), n * P),
            prop::collection::vec(prop_oneof![Just(0.0), 0.0..1.0_f64], n * Q),
            prop_oneof![Just(vec![1.0; P]), prop::collection::vec(0.0..1.0_f64, P)],
            0.0..0.1_f64,
            prop::sample::select(KINDS.to_vec()),
            prop_oneof![Just(None), Just(Some(1)), (2_u64..19).prop_map(Some), Just(Some(u64::MAX))],
            (any::<[bool; 2]>(), 1_u64..4, any::<bool>(), any::<[bool; 2]>()),
            prop::option::of(prop::collection::vec(value(), P * Q)),
            (prop::option::of(1_usize..40), 1_usize..4),
        )
            .prop_map(
                |(
                    x,
                    z,
                    alpha,
                    beta,
                    kind,
                    batch,
                    ([mean, scheduled], passes, turned, sparse),
                    initial,
                    (tile, threads),
                )| Case {
                    x,
                    z,
                    alpha,
                    beta,
                    kind,
                    batch,
                    mean,
                    scheduled,
                    passes,
                    turned,
                    initial,
                    sparse,
                    tile,
                    threads,
                },
            )
    })
}

impl Case {
    fn order(&self) -> Vec<i64> {
        let n = (self.x.len() / P) as i64;
        let pass = |pass: u64| {
            if pass % 2 == 1 && self.turned { (0..n).rev().collect() } else { (0..n).collect::<Vec<_>>() }
        };
        (0..self.passes).flat_map(pass).collect()
    }

    fn learned<E: Element>(&self, kernel: Isa) -> Vec<E> {
        let (x, z, initial, order) =
            (of::<E>(&self.x), of::<E>(&self.z), self.initial.as_deref().map(of::<E>), self.order());
        let (sparse_x, sparse_z) = (Parts::of(&x, P), Parts::of(&z, Q));
        let n = self.x.len() / P;
        let factors = self.scheduled.then(|| factors(n, self.batch, self.passes));
        let x = if self.sparse[0] { sparse_x.rows(P) } else { NumberRows::dense(&x, [n, P]).unwrap() };
        let z = if self.sparse[1] { sparse_z.rows(Q) } else { NumberRows::dense(&z, [n, Q]).unwrap() };
        let descent = Descent {
            alpha: &self.alpha,
            beta: self.beta,
            activation: self.kind.0,
            loss: self.kind.1,
            batch: self.batch,
            mean: self.mean,
            factors: factors.as_deref(),
            passes: self.passes,
            order: self.turned.then_some(&order),
            initial: initial.as_deref(),
            threads: self.threads,
            kernel: Some(kernel),
            tile: self.tile,
        };
        let mut out = vec![E::default(); P * Q];
        let matrix = Matrix::new(&mut out, [P, Q]).unwrap();
        arrays::learn(&x, &z, &descent, None, None, &matrix, &Monitor::new()).unwrap();
        out
    }

    /// The operations in the order in which they are documented.
    fn plain<E: Element>(&self) -> Vec<E> {
        let (x, z, alpha, one) = (of::<E>(&self.x), of::<E>(&self.z), of::<E>(&self.alpha), E::from_f64(1.0));
        let mut weights = self.initial.as_deref().map_or(vec![E::default(); P * Q], of::<E>);
        let n = x.len() / P;
        let size = self.batch.map_or(n, |batch| batch.min(n as u64) as usize).max(1);
        let order = self.order();
        for (number, batch) in order.chunks(n.max(1)).flat_map(|pass| pass.chunks(size)).enumerate() {
            let before = weights.clone();
            let beta = self.beta * if self.scheduled { factor(number) } else { 1.0 };
            let beta = E::from_f64(beta).to_f64();
            let rate = E::from_f64(if self.mean { beta / batch.len() as f64 } else { beta });
            for &token in batch {
                let row = &x[token as usize * P..][..P];
                let stands = |i: &usize| !self.sparse[0] || row[*i].to_f64() != 0.0;
                for j in 0..Q {
                    let h = (0..P)
                        .filter(stands)
                        .fold(E::default(), |h, i| h.plus(before[i * Q + j].times(row[i])));
                    let y = E::from_f64(match self.kind.0 {
                        Activation::Identity => h.to_f64(),
                        Activation::Logistic => 1.0 / (1.0 + (-h.to_f64()).exp()),
                        Activation::Tanh => h.to_f64().tanh(),
                        Activation::Relu => h.to_f64().max(0.0),
                        Activation::Threshold => f64::from(h.to_f64() > 0.0),
                    });
                    let u = rate.times(z[token as usize * Q + j].minus(y));
                    let u = match self.kind {
                        (Activation::Identity | Activation::Threshold, _) | (_, Loss::Log) => u,
                        (Activation::Logistic, _) => u.times(y.times(one.minus(y))),
                        (Activation::Tanh, _) => u.times(one.minus(y.times(y))),
                        (Activation::Relu, _) if h.to_f64() < 0.0 => u.times(E::default()),
                        (Activation::Relu, _) => u,
                    };
                    for i in (0..P).filter(stands) {
                        weights[i * Q + j] = weights[i * Q + j].plus(alpha[i].times(row[i]).times(u));
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
    #![proptest_config(ProptestConfig::with_cases(1000))]

    #[test]
    fn the_delta_rule_has_the_bits_of_plain_loops(case in cases()) {
        for kernel in Isa::available() {
            prop_assert_eq!(bits(&case.learned::<f64>(kernel)), bits(&case.plain::<f64>()), "{}", kernel);
            prop_assert_eq!(bits(&case.learned::<f32>(kernel)), bits(&case.plain::<f32>()), "{}", kernel);
        }
    }
}

/// Learns two tokens of two cues and one outcome after a change of what is told.
fn with(monitor: &Monitor, change: impl FnOnce(&mut Descent<'_, f64>)) -> Result<DescentReport> {
    let mut descent = Descent { alpha: &[1.0, 1.0], batch: Some(1), ..descent() };
    change(&mut descent);
    let mut out = vec![0.0; 2];
    let matrix = Matrix::new(&mut out, [2, 1]).unwrap();
    let x = NumberRows::dense(&[1.0, 1.0, 1.0, 2.0], [2, 2])?;
    arrays::learn(&x, &NumberRows::dense(&[1.0, 1.5], [2, 1])?, &descent, None, None, &matrix, monitor)
}

#[test]
fn what_does_not_fit_is_refused() {
    type Change = fn(&mut Descent<'_, f64>);
    let changes: [(Change, &str); 9] = [
        (|told| told.alpha = &[1.0], "2 saliences, found 2 and 1"),
        (|told| told.alpha = &[-1.0, 1.0], "alpha"),
        (|told| told.beta = f64::NAN, "beta"),
        (|told| told.initial = Some(&[0.0]), "shape"),
        (|told| told.initial = Some(&[0.0, f64::INFINITY]), "finite initial"),
        (|told| told.order = Some(&[0]), "an order of 2 tokens"),
        (|told| told.order = Some(&[0, -1]), "found -1"),
        (|told| told.loss = Loss::Log, "logistic for the log loss"),
        (|told| (told.activation, told.loss) = (Activation::Logistic, Loss::Log), "targets between 0 and 1"),
    ];
    for (change, expected) in changes {
        let found = with(&Monitor::new(), change);
        assert!(matches!(&found, Err(Error::Argument(message)) if message.contains(expected)), "{found:?}");
    }
    assert!(with(&Monitor::new(), |told| told.order = Some(&[1, 0])).is_ok());
    let (two, three) =
        (NumberRows::dense(&[1.0; 2], [2, 1]).unwrap(), NumberRows::dense(&[1.0; 3], [3, 1]).unwrap());
    let mut out = vec![0.0; 1];
    let matrix = Matrix::new(&mut out, [1, 1]).unwrap();
    let descent = Descent { alpha: &[1.0], ..descent() };
    let found = arrays::learn(&two, &three, &descent, None, None, &matrix, &Monitor::new());
    assert!(found.unwrap_err().to_string().contains("targets for 2 tokens"));
}

fn descent() -> Descent<'static, f64> {
    Descent {
        alpha: &[],
        beta: 0.1,
        activation: Activation::Identity,
        loss: Loss::Squared,
        batch: None,
        mean: false,
        factors: None,
        passes: 1,
        order: None,
        initial: None,
        threads: 1,
        kernel: None,
        tile: None,
    }
}

#[test]
fn factors_are_on_the_rates_of_tokens() {
    // Three tokens of one cue and two outcomes, of which the second is half of the first.
    let x = NumberRows::dense(&[1.0, 2.0, 0.5], [3, 1]).unwrap();
    let z = NumberRows::dense(&[1.0, 0.5, -1.0, -0.5, 2.0, 1.0], [3, 2]).unwrap();
    let paces = [1.0, 0.25, 0.0];
    for (batch, tile, threads) in [(Some(1), None, 1), (Some(1), Some(1), 2), (None, None, 1)] {
        let order = [2, 0, 1, 1, 2, 0];
        let (passes, order) = (2, Some(&order[..]));
        let descent = Descent { alpha: &[1.0], batch, tile, threads, passes, order, ..descent() };
        let (mut out, mut squares) = (vec![0.0; 2], vec![9.0; 4]);
        let matrix = Matrix::new(&mut out, [1, 2]).unwrap();
        let (paces, room, monitor) = (Some(&paces[..]), Some(&mut squares[..]), Monitor::new());
        arrays::learn(&x, &z, &descent, paces, room, &matrix, &monitor).unwrap();
        let (mut weight, mut sums) = (0.0, vec![]);
        for pass in order.unwrap().chunks(3) {
            let (mut sum, before) = (0.0, weight);
            for &token in pass {
                let (x, z) = ([1.0, 2.0, 0.5][token as usize], [1.0, -1.0, 2.0][token as usize]);
                let error: f64 = z - if batch.is_some() { weight } else { before } * x;
                weight += x * (0.1 * [1.0, 0.25, 0.0][token as usize] * error);
                sum += error * error;
            }
            sums.extend([sum, sum / 4.0]);
        }
        assert_eq!(out, [weight, weight / 2.0]);
        assert_eq!(squares, sums);
    }
}

#[test]
fn factors_and_rooms_that_do_not_fit_are_refused() {
    let (x, z) =
        (NumberRows::dense(&[1.0; 2], [2, 1]).unwrap(), NumberRows::dense(&[1.0; 2], [2, 1]).unwrap());
    let descent = Descent { alpha: &[1.0], ..descent() };
    let refused = |factors: Option<&[f64]>, room: usize| {
        let (mut out, mut squares) = (vec![0.0; 1], vec![0.0; room]);
        let matrix = Matrix::new(&mut out, [1, 1]).unwrap();
        arrays::learn(&x, &z, &descent, factors, Some(&mut squares), &matrix, &Monitor::new())
            .unwrap_err()
            .to_string()
    };
    for factors in [&[1.0][..], &[1.0, -0.5], &[1.0, f64::NAN], &[f64::INFINITY, 1.0]] {
        let message = refused(Some(factors), 1);
        assert!(message.contains("a factor of 0 or more for each of 2 tokens"), "{factors:?}: {message}");
    }
    assert!(refused(None, 2).contains("room for the errors of every pass and column"));
}

#[test]
fn divergence_names_the_weight() {
    for batch in [Some(1), None] {
        let found = with(&Monitor::new(), |told| (told.batch, told.beta, told.passes) = (batch, 30.0, 1000));
        assert!(matches!(found, Err(Error::NotFinite { row: 0, column: 0, .. })), "{found:?}");
    }
}

#[test]
fn a_stopped_monitor_stops_passes() {
    for batch in [Some(1), None] {
        let monitor = Monitor::new();
        let begun = std::time::Instant::now();
        let look = |_, _| if begun.elapsed().as_millis() > 100 { Err("enough") } else { Ok(()) };
        let work = || with(&monitor, |told| (told.batch, told.passes) = (batch, u64::MAX >> 8)).is_err();
        assert_eq!(monitor.watch(work, |wait| wait(), look).unwrap(), Err("enough"), "{batch:?}");
    }
}

/// The perceptron, example by example.
fn plain_perceptron(x: &[f64], y: &[f64], plan: &PerceptronPlan<'_>) -> (Vec<f64>, f64, Vec<u64>) {
    let (mut weights, mut bias) = (plan.initial.to_vec(), plan.bias.unwrap_or(0.0));
    let mut errors = vec![];
    while (errors.len() as u64) < plan.max_sweeps && errors.last() != Some(&0) {
        let mut wrong = 0;
        let (before, bias_before) = (weights.clone(), bias);
        for (x, y) in x.chunks(P).zip(y) {
            let (by, and) = match plan.update {
                Update::Single => (&weights, bias),
                Update::Batch => (&before, bias_before),
            };
            let f = x.iter().zip(by).fold(0.0, |f, (x, w)| f + x * w) + and;
            if y * f <= 0.0 {
                wrong += 1;
                weights.iter_mut().zip(x).for_each(|(w, x)| *w += (plan.eta * y) * x);
                bias += if plan.bias.is_some() { plan.eta * y } else { 0.0 };
            }
        }
        errors.push(wrong);
    }
    (weights, bias, errors)
}

proptest! {
    #[test]
    fn the_perceptron_has_the_bits_of_plain_loops(
        examples in prop::collection::vec((prop::collection::vec(-1.0..1.0_f64, P), any::<bool>()), 0..40),
        initial in prop::collection::vec(-1.0..1.0_f64, P),
        bias in prop::option::of(-1.0..1.0_f64),
        update in prop::sample::select(vec![Update::Single, Update::Batch]),
        eta in 0.1..2.0_f64,
    ) {
        let x: Vec<f64> = examples.iter().flat_map(|(x, _)| x.clone()).collect();
        let y: Vec<f64> = examples.iter().map(|(_, yes)| if *yes { 1.0 } else { -1.0 }).collect();
        let plan = PerceptronPlan { update, eta, factors: None, initial: &initial, bias, max_sweeps: 20 };
        let (weights, bias, errors) = plain_perceptron(&x, &y, &plan);
        let parts = Parts::of(&x, P);
        for rows in [NumberRows::dense(&x, [y.len(), P]).unwrap(), parts.rows(P)] {
            let found = perceptron::learn(&rows, &y, &plan, &Monitor::new()).unwrap();
            prop_assert_eq!(bits(&found.weights), bits(&weights));
            prop_assert_eq!(found.bias.to_bits(), bias.to_bits());
            prop_assert_eq!(&found.errors, &errors);
        }
    }
}

/// Learns one example after a change of what is told.
fn perceive(y: &[f64], monitor: &Monitor, change: impl FnOnce(&mut PerceptronPlan<'_>)) -> Result<Plane> {
    let mut plan = PerceptronPlan {
        update: Update::Single,
        eta: 1.0,
        factors: None,
        initial: &[0.0],
        bias: None,
        max_sweeps: 9,
    };
    change(&mut plan);
    perceptron::learn(&NumberRows::dense(&[1.0, 1.0], [2, 1])?, y, &plan, monitor)
}

#[test]
fn a_perceptron_that_does_not_fit_is_refused() {
    type Change = fn(&mut PerceptronPlan<'_>);
    let changes: [(&[f64], Change, &str); 6] = [
        (&[1.0], |_| (), "2 classes and 1 initial weights, found 1 and 1"),
        (&[1.0, 1.0], |plan| plan.initial = &[], "found 2 and 0"),
        (&[1.0, 0.0], |_| (), "classes +1 and -1"),
        (&[1.0, 1.0], |plan| plan.eta = 0.0, "eta above 0"),
        (&[1.0, 1.0], |plan| plan.initial = &[f64::NAN], "finite numbers"),
        (&[1.0, 1.0], |plan| plan.bias = Some(f64::INFINITY), "finite numbers"),
    ];
    for (y, change, expected) in changes {
        let found = perceive(y, &Monitor::new(), change);
        assert!(matches!(&found, Err(Error::Argument(message)) if message.contains(expected)), "{found:?}");
    }
    for (name, update) in [("single", Update::Single), ("batch", Update::Batch)] {
        assert_eq!(name.parse::<Update>().unwrap(), update);
    }
    assert!("both".parse::<Update>().unwrap_err().to_string().contains("both"));
}

#[test]
fn a_perceptron_that_overflows_names_the_weight() {
    let found =
        perceive(&[1.0, 1.0], &Monitor::new(), |plan| (plan.eta, plan.update) = (1e308, Update::Batch));
    assert!(matches!(found, Err(Error::NotFinite { row: 0, column: 0, .. })), "{found:?}");
}

#[test]
fn a_stopped_monitor_stops_sweeps() {
    let monitor = Monitor::new();
    let begun = std::time::Instant::now();
    let look = |_, _| if begun.elapsed().as_millis() > 100 { Err("enough") } else { Ok(()) };
    let work = || perceive(&[1.0, -1.0], &monitor, |plan| plan.max_sweeps = 1 << 24).is_err();
    assert_eq!(monitor.watch(work, |wait| wait(), look).unwrap(), Err("enough"));
}
