//! MinOver against plain loops, whatever the kernel and the room for products; dense and sparse rows.

#![allow(clippy::unwrap_used)]

use proptest::prelude::*;
use rescorla::internals::error::Error;
use rescorla::internals::monitor::Monitor;
use rescorla::internals::rules::planes::minover::{MinOverFit, MinOverPlan, learn};
use rescorla::internals::rules::planes::patterns::Patterns;
use rescorla::internals::rules::planes::{adatron, students};
use rescorla::internals::tiles::number_rows::NumberRows;
use rescorla::kernel::isa::Isa;

#[derive(Debug, Clone)]
struct Case {
    features: usize,
    rows: Vec<f64>,
    signs: Vec<f64>,
    bias: bool,
    steps: u64,
}

/// Small integers, so that every sum is exact and ties are many.
fn cases() -> impl Strategy<Value = Case> {
    (0_usize..20, 0_usize..150, any::<bool>(), 0_u64..40).prop_flat_map(|(features, n, bias, steps)| {
        let rows = prop::collection::vec((-2_i8..3).prop_map(f64::from), n * features);
        let signs = prop::collection::vec(prop_oneof![Just(-1.0), Just(1.0)], n);
        (rows, signs).prop_map(move |(rows, signs)| Case { features, rows, signs, bias, steps })
    })
}

/// The algorithm as published, but for the division by N: w, counts, errors and the least field before each step.
fn reference(case: &Case) -> (Vec<f64>, Vec<u64>, Vec<i64>) {
    let width = case.features + usize::from(case.bias);
    let pattern = |m: usize| -> Vec<f64> {
        let row = &case.rows[m * case.features..][..case.features];
        row.iter().copied().chain(case.bias.then_some(1.0)).map(|x| case.signs[m] * x).collect()
    };
    let patterns: Vec<Vec<f64>> = (0..case.signs.len()).map(pattern).collect();
    let (mut w, mut counts, mut errors) = (vec![0.0; width], vec![0; patterns.len()], Vec::new());
    for _ in 0..case.steps {
        let fields: Vec<f64> =
            patterns.iter().map(|z| z.iter().zip(&w).map(|(z, w)| z * w).sum::<f64>()).collect();
        let Some(least) = fields.iter().copied().reduce(f64::min) else { break };
        let at = fields.iter().position(|&field| field == least).unwrap();
        if patterns[at].iter().all(|&z| z == 0.0) {
            break;
        }
        errors.push(fields.iter().filter(|&&field| field <= 0.0).count() as i64);
        counts[at] += 1;
        w.iter_mut().zip(&patterns[at]).for_each(|(w, z)| *w += z);
    }
    (w, counts, errors)
}

fn dense(case: &Case) -> NumberRows<'_, f64> {
    NumberRows::dense(&case.rows, [case.signs.len(), case.features]).unwrap()
}

fn learned(case: &Case, rows: NumberRows<'_, f64>, plan: MinOverPlan) -> MinOverFit {
    let patterns = Patterns::new(rows, &case.signs, case.bias).unwrap();
    learn(&patterns, &plan, &Monitor::new()).unwrap()
}

/// Every number that is not 0, and some that are.
fn sparse(case: &Case) -> (Vec<i64>, Vec<u32>, Vec<f64>) {
    let (mut starts, mut columns, mut values) = (vec![0], Vec::new(), Vec::new());
    for m in 0..case.signs.len() {
        for i in 0..case.features {
            let value = case.rows[m * case.features + i];
            if value != 0.0 || (i + m).is_multiple_of(5) {
                columns.push(i as u32);
                values.push(value);
            }
        }
        starts.push(values.len() as i64);
    }
    (starts, columns, values)
}

proptest! {
    #[test]
    fn steps_are_those_of_plain_loops(case in cases()) {
        let (w, counts, errors) = reference(&case);
        let width = w.len() as f64;
        let (starts, columns, values) = sparse(&case);
        for kernel in Isa::available() {
            for budget in [0, 8 * 64, usize::MAX] {
                let shape = [case.signs.len(), case.features];
                for rows in [dense(&case), NumberRows::sparse(&values, &starts, &columns, shape).unwrap()] {
                    let plan = MinOverPlan { max_steps: case.steps, tolerance: None, record: true, budget, kernel: Some(kernel) };
                    let fit = learned(&case, rows, plan);
                    prop_assert_eq!(&fit.counts, &counts);
                    prop_assert_eq!(&fit.errors, &errors);
                    prop_assert_eq!(fit.steps, errors.len() as u64);
                    prop_assert_eq!(fit.weights, w.iter().map(|w| w / width).collect::<Vec<_>>());
                }
            }
        }
    }

    #[test]
    fn no_stability_is_above_what_is_proven(case in cases(), tolerance in 0.01_f64..0.9) {
        let plan = MinOverPlan { max_steps: 3000, tolerance: Some(tolerance), record: false, budget: usize::MAX, kernel: None };
        let fit = learned(&case, dense(&case), plan);
        let patterns = Patterns::new(dense(&case), &case.signs, case.bias).unwrap();
        let plan = adatron::AdaTronPlan { max_sweeps: 300, gamma: 1.0, tolerance: 1e-9 };
        let other = adatron::learn(&patterns, &plan, &Monitor::new()).unwrap();
        if fit.converged && !case.signs.is_empty() {
            prop_assert!(fit.stability > 0.0);
            prop_assert!(other.stability * (1.0 - tolerance) <= fit.stability * (1.0 + 1e-12));
        }
        if other.converged {
            prop_assert!(fit.stability <= other.stability * (1.0 + 2e-9) || case.signs.is_empty());
        }
    }
}

#[test]
fn what_does_not_fit_is_refused() {
    let refused = |values: &[f64], shape, signs: &[f64]| {
        let rows = NumberRows::dense(values, shape).unwrap();
        matches!(Patterns::new(rows, signs, false), Err(Error::Argument(_)))
    };
    assert!(refused(&[1.0, 2.0], [1, 2], &[1.0, 1.0]));
    assert!(refused(&[1.0, f64::NAN], [1, 2], &[1.0]));
    assert!(refused(&[1.0, 2.0], [1, 2], &[0.5]));
    assert!(refused(&[1e200, 2.0], [1, 2], &[1.0]));
    assert!(!refused(&[1.0, 2.0], [1, 2], &[1.0]));
}

#[test]
fn a_long_search_stops_when_asked() {
    let monitor = Monitor::new();
    monitor.stop();
    let rows = NumberRows::dense(&[1.0, 0.0, -1.0, 0.5], [2, 2]).unwrap();
    let patterns = Patterns::new(rows, &[1.0, 1.0], false).unwrap();
    let plan = MinOverPlan { max_steps: u64::MAX, tolerance: None, record: false, budget: 0, kernel: None };
    assert!(matches!(learn(&patterns, &plan, &monitor), Err(Error::Stopped)));
    let plan = adatron::AdaTronPlan { max_sweeps: u64::MAX, gamma: 1.0, tolerance: 1e-300 };
    assert!(matches!(adatron::learn(&patterns, &plan, &monitor), Err(Error::Stopped)));
}

#[test]
fn draws_of_other_lengths_are_refused() {
    let draws = students::Draws {
        features: 2,
        examples: 1,
        inputs: &[1.0, 2.0, 3.0],
        labels: &[1.0],
        teachers: &[1.0, 1.0],
        starts: &[0.0, 0.0],
    };
    let plan =
        students::StudentsPlan { students: &[students::Student::Hebb], n_max: 1, stop: None, threads: 1 };
    assert!(matches!(students::study(&draws, &plan, &Monitor::new()), Err(Error::Argument(_))));
}
