//! The equilibrium against its definition: no change is expected, and the solution is the one of least norm.

#![allow(clippy::unwrap_used)]

use proptest::prelude::*;
use rescorla::internals::equilibrium::{Problem, RowSolver, Solution, Solver, equilibrium};
use rescorla::internals::error::Error;
use rescorla::internals::events::EventFile;
use rescorla::internals::events::data::Data;
use rescorla::internals::events::write::{Duplicates, EventWriter};
use rescorla::internals::monitor::Monitor;
use rescorla::internals::tiles::number_rows::NumberRows;

const CUES: usize = 14;
const OUTCOMES: usize = 9;

type Event = (Vec<u32>, Vec<u32>, u32);

fn events() -> impl Strategy<Value = Vec<Event>> {
    let cues = prop::collection::vec(0..CUES as u32, 0..6);
    let outcomes = prop::collection::btree_set(0..OUTCOMES as u32, 0..3);
    let event = (cues, outcomes.prop_map(|set| set.into_iter().collect()), 0_u32..4);
    // Repeated, most events become tokens of types: the other form in which files have them.
    (prop::collection::vec(event, 0..40), 1..4_usize)
        .prop_map(|(events, times)| (0..times).flat_map(|_| events.clone()).collect())
}

fn rates() -> impl Strategy<Value = [f64; 2]> {
    prop_oneof![Just([1.0, 1.0]), Just([0.2, 0.05]), Just([0.01, 0.1]), Just([0.3, 0.0])]
}

fn methods() -> impl Strategy<Value = Solver> {
    prop_oneof![Just(Solver::Dense), Just(Solver::Iterative)]
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

fn solved(events: &[Event], problem: &Problem<'_>, threads: usize) -> (Vec<f64>, Solution) {
    let mut weights = vec![f64::NAN; CUES * OUTCOMES];
    let report =
        equilibrium(Data::Events(&file(events)), problem, &mut weights, threads, &Monitor::new()).unwrap();
    (weights, report)
}

/// The sum over all tokens of what each would change, by the rule; and how large its terms are.
fn mean_update(events: &[Event], problem: &Problem<'_>, weights: &[f64], ridge: f64) -> Vec<f64> {
    let mut mean: Vec<f64> = weights.iter().map(|weight| -ridge * weight).collect();
    for (cues, outcomes, frequency) in events {
        for j in 0..OUTCOMES {
            let activation: f64 = cues.iter().map(|&cue| weights[cue as usize * OUTCOMES + j]).sum();
            let update = if outcomes.contains(&(j as u32)) {
                problem.beta1 * (problem.lambda[j] - activation)
            } else {
                problem.beta2 * (0.0 - activation)
            };
            for &cue in cues {
                mean[cue as usize * OUTCOMES + j] += f64::from(*frequency) * update;
            }
        }
    }
    mean
}

proptest! {
    #[test]
    fn the_mean_update_is_zero(
        events in events(),
        [beta1, beta2] in rates(),
        method in methods(),
        ridge in prop_oneof![Just(0.0), 0.1..2.0_f64],
        lambda in prop::collection::vec(-1.0..2.0_f64, OUTCOMES),
    ) {
        let problem = Problem { beta1, beta2, lambda: &lambda, ridge, method: Some(method), ..Problem::default() };
        let (weights, report) = solved(&events, &problem, 1);
        // The ridge is on the scale on which the larger rate is 1.
        for value in mean_update(&events, &problem, &weights, ridge * beta1.max(beta2)) {
            prop_assert!(value.abs() < 1e-9, "{}", value);
        }
        prop_assert!(report.converged);
        prop_assert!(report.residual < 1e-10);
    }

    #[test]
    fn no_other_solution_is_shorter(events in events(), rates in rates(), method in methods(), step in -1.0..1.0_f64) {
        let [beta1, beta2] = rates;
        let alpha: Vec<f64> = (0..CUES).map(|i| [1.0, 0.5, 2.0][i % 3]).collect();
        let lambda = vec![1.0; OUTCOMES];
        let problem = Problem { beta1, beta2, lambda: &lambda, alpha: Some(&alpha), method: Some(method), ..Problem::default() };
        let (weights, _) = solved(&events, &problem, 1);
        // w = D C'x has a product of 0 with all that C, and so every prediction, maps to zero. A pair of cues that
        // always come together, once each, is such a direction.
        let count = |cue: u32| events.iter().map(move |(cues, _, f)| if *f > 0 { cues.iter().filter(|&&c| c == cue).count() } else { 0 });
        for (a, b) in (0..CUES as u32).flat_map(|a| (0..a).map(move |b| (a, b))).filter(|&(a, b)| count(a).eq(count(b))) {
            for j in 0..OUTCOMES {
                let of = |cue: u32, more: f64| (weights[cue as usize * OUTCOMES + j] + more).powi(2) / alpha[cue as usize];
                prop_assert!(of(a, 0.0) + of(b, 0.0) <= of(a, step) + of(b, -step) + 1e-9);
            }
        }
    }

    #[test]
    fn from_weights_it_goes_to_the_nearest_solution(
        events in events(),
        [beta1, beta2] in prop_oneof![rates(), Just([0.0, 0.3])],
        method in methods(),
        ridge in prop_oneof![Just(0.0), 0.1..2.0_f64],
        lambda in prop::collection::vec(-1.0..2.0_f64, OUTCOMES),
        start in prop::collection::vec(-2.0..2.0_f64, CUES * OUTCOMES),
        step in -1.0..1.0_f64,
    ) {
        // Cue 0 is frozen, and predicts.
        let alpha: Vec<f64> = (0..CUES).map(|i| [0.0, 1.0, 1.0, 0.5, 2.0][i % 5]).collect();
        let problem = Problem { beta1, beta2, lambda: &lambda, alpha: Some(&alpha), initial: true, ridge, method: Some(method), ..Problem::default() };
        let mut weights = start.clone();
        let report = equilibrium(Data::Events(&file(&events)), &problem, &mut weights, 1, &Monitor::new()).unwrap();
        prop_assert!(report.converged);
        prop_assert!(report.residual < 1e-10);
        let change: Vec<f64> = weights.iter().zip(&start).map(|(weight, start)| weight - start).collect();
        let mean = mean_update(&events, &problem, &weights, 0.0);
        let times = |cue: usize| events.iter().map(move |(cues, _, f)| if *f > 0 { cues.iter().filter(|&&c| c as usize == cue).count() } else { 0 });
        for (cue, &salience) in alpha.iter().enumerate() {
            for place in cue * OUTCOMES..(cue + 1) * OUTCOMES {
                if salience == 0.0 || times(cue).sum::<usize>() == 0 {
                    prop_assert_eq!(weights[place].to_bits(), start[place].to_bits());
                } else {
                    // Tokens weigh relative to the larger rate where a ridge stands beside them.
                    let held = ridge * beta1.max(beta2) * change[place];
                    prop_assert!((mean[place] - held).abs() < 1e-8, "{} {}", mean[place], held);
                }
            }
        }
        let free = |cue: usize| alpha[cue] > 0.0;
        for (a, b) in (0..CUES).flat_map(|a| (0..a).map(move |b| (a, b))).filter(|&(a, b)| free(a) && free(b) && times(a).eq(times(b))) {
            for j in 0..OUTCOMES {
                let alpha = |cue: usize| if ridge > 0.0 { 1.0 } else { alpha[cue] };
                let of = |cue: usize, more: f64| (change[cue * OUTCOMES + j] + more).powi(2) / alpha(cue);
                prop_assert!(of(a, 0.0) + of(b, 0.0) <= of(a, step) + of(b, -step) + 1e-9);
            }
        }
    }

    #[test]
    fn outcomes_that_no_event_has_are_absent_ones(events in events(), [beta1, beta2] in rates(), method in methods()) {
        // The last columns are those of outcomes that the file does not know.
        let (more, wide) = (2, OUTCOMES + 2);
        let lambda = vec![1.0; wide];
        let start: Vec<f64> = (0..CUES * wide).map(|i| (i % 7) as f64 / 4.0).collect();
        let problem = Problem { beta1, beta2, lambda: &lambda, initial: true, method: Some(method), ..Problem::default() };
        let mut weights = start.clone();
        equilibrium(Data::Events(&file(&events)), &problem, &mut weights, 2, &Monitor::new()).unwrap();
        for (cues, _, frequency) in &events {
            for j in OUTCOMES..OUTCOMES + more {
                let activation: f64 = cues.iter().map(|&cue| weights[cue as usize * wide + j]).sum();
                prop_assert!(*frequency == 0 || beta2 == 0.0 || activation.abs() < 1e-8);
            }
        }
        if beta2 == 0.0 {
            let kept = (0..CUES * wide).filter(|i| i % wide >= OUTCOMES);
            prop_assert!(kept.into_iter().all(|i| weights[i].to_bits() == start[i].to_bits()));
        }
    }

    #[test]
    fn threads_do_not_change_a_bit(events in events(), [beta1, beta2] in rates(), method in methods(), threads in 2..4_usize) {
        let lambda = vec![1.0; OUTCOMES];
        let problem = Problem { beta1, beta2, lambda: &lambda, method: Some(method), ..Problem::default() };
        let (one, several) = (solved(&events, &problem, 1), solved(&events, &problem, threads));
        let bits = |weights: &[f64]| weights.iter().map(|weight| weight.to_bits()).collect::<Vec<_>>();
        prop_assert_eq!(bits(&one.0), bits(&several.0));
        prop_assert_eq!(one.1, several.1);
    }
}

#[test]
fn arguments_that_do_not_fit_are_refused() {
    let lambda = vec![1.0; OUTCOMES];
    let problem = Problem { lambda: &lambda, ..Problem::default() };
    let file = file(&[(vec![0], vec![0], 1)]);
    let solve = |problem: &Problem<'_>, length| {
        equilibrium(Data::Events(&file), problem, &mut vec![0.0; length], 1, &Monitor::new())
    };
    assert!(matches!(solve(&problem, 3), Err(Error::Argument(_))));
    for (beta1, beta2) in [(0.0, 0.0), (-0.5, 1.0), (1.0, -0.5), (f64::INFINITY, 1.0), (f64::NAN, f64::NAN)] {
        let rates = Problem { beta1, beta2, ..problem };
        assert!(matches!(solve(&rates, CUES * OUTCOMES), Err(Error::Argument(_))), "{beta1} {beta2}");
    }
    let saliences = Problem { alpha: Some(&[1.0; CUES - 1]), ..problem };
    assert!(matches!(solve(&saliences, CUES * OUTCOMES), Err(Error::Argument(_))));
    let table = vec![1.0; CUES.max(OUTCOMES)];
    let vectors = |n: usize| Some(NumberRows::dense(&table[..n], [n, 1]).unwrap());
    let one = [1.0];
    let of_cues = Problem { cue_vectors: vectors(CUES), ..problem };
    assert!(solve(&of_cues, OUTCOMES).is_ok());
    assert!(matches!(solve(&of_cues, OUTCOMES + 1), Err(Error::Argument(_))));
    let few = Problem { cue_vectors: vectors(CUES - 1), ..problem };
    assert!(matches!(solve(&few, OUTCOMES), Err(Error::Argument(_))));
    assert!(matches!(
        solve(&Problem { alpha: Some(&[1.0; CUES]), ..of_cues }, OUTCOMES),
        Err(Error::Argument(_))
    ));
    let of_outcomes = Problem { outcome_vectors: vectors(OUTCOMES), lambda: &one, ..problem };
    assert!(solve(&of_outcomes, CUES).is_ok());
    assert!(matches!(
        solve(&Problem { lambda: &[1.0; 2], ..of_outcomes }, 2 * CUES),
        Err(Error::Argument(_))
    ));
    assert!(matches!(solve(&Problem { beta2: 0.5, ..of_outcomes }, CUES), Err(Error::Argument(_))));
    assert!(matches!(solve(&Problem { lambda: &[0.5], ..of_outcomes }, CUES), Err(Error::Argument(_))));
    assert!("svd".parse::<Solver>().is_err());
    assert_eq!("iterative".parse::<Solver>().unwrap().to_string(), "iterative");
}

#[test]
fn rows_are_solved_for_and_others_refused() {
    let x = [1.0, 1.0, 1.0, 2.0, 2.0, 1.0];
    let (rows, monitor) = (NumberRows::dense(&x, [3, 2]).unwrap(), Monitor::new());
    let factorised = |tokens: &[f64]| RowSolver::new(&rows, tokens, 0.0, 1, &monitor);
    for tokens in [&[1.0, 1.0][..], &[1.0, 0.0, 1.0], &[1.0, -1.0, 1.0], &[1.0, f64::INFINITY, 1.0]] {
        assert!(matches!(factorised(tokens), Err(Error::Argument(_))), "{tokens:?}");
    }
    // The normal equations are 7 7; 7 10.
    let solver = factorised(&[1.0, 2.0, 1.0]).unwrap();
    let mut out = [0.0; 4];
    solver.solve(1..3, &mut out, 1, &monitor).unwrap();
    for (found, expected) in out.iter().zip([-4.0, 7.0, 13.0, -7.0]) {
        assert!((21.0 * found - expected).abs() < 1e-12, "{out:?}");
    }
    assert_eq!(solver.rank(), 2);
    for rows in [2..4, 0..1, 0..3] {
        assert!(matches!(solver.solve(rows, &mut out, 1, &monitor), Err(Error::Argument(_))));
    }
}

#[test]
fn it_stops_when_asked() {
    let lambda = vec![1.0; OUTCOMES];
    let monitor = Monitor::new();
    monitor.stop();
    for method in [Solver::Dense, Solver::Iterative] {
        let problem = Problem { beta2: 0.5, lambda: &lambda, method: Some(method), ..Problem::default() };
        let found = equilibrium(
            Data::Events(&file(&[(vec![0], vec![0], 1)])),
            &problem,
            &mut [0.0; CUES * OUTCOMES],
            1,
            &monitor,
        );
        assert!(matches!(found, Err(Error::Stopped)));
    }
}

/// Events with so many pairs of cues, which come together so many times more than apart, and with more outcomes than cues.
fn many_outcomes(pairs: u32, times: u32) -> EventFile {
    let wide = 8 * pairs + 4;
    let mut writer = EventWriter::new(None, Duplicates::Keep, None).unwrap();
    let names: Vec<String> = (0..wide).map(|i| format!("n{i}")).collect();
    let names = || names.iter().map(String::as_str);
    writer.add_names(names().take(2 * pairs as usize), names()).unwrap();
    for i in 0..60 * pairs {
        let pair = [i % pairs, pairs + i % pairs];
        writer.push(&pair, &[i % wide, i * 7 % wide], times).unwrap();
        writer.push(&pair[..1], &[i * 11 % wide], 1).unwrap();
    }
    writer.finish().unwrap()
}

#[test]
fn products_with_the_pseudo_inverse_are_solutions_or_are_not_taken() {
    // Threads make 256 columns of the pseudo-inverse at a time; 300 cues have more.
    for (pairs, times, is_taken) in [(7, 1, true), (7, 5_000_000, false), (150, 1, true)] {
        let file = many_outcomes(pairs, times);
        let lambda = vec![1.0; file.outcomes().len()];
        let problem = Problem { lambda: &lambda, method: Some(Solver::Dense), ..Problem::default() };
        let solve = |problem: &Problem<'_>| {
            let mut weights = vec![0.0; file.cues().len() * lambda.len()];
            let report = equilibrium(Data::Events(&file), problem, &mut weights, 2, &Monitor::new()).unwrap();
            (weights, report)
        };
        let (found, report) = solve(&problem);
        assert_eq!(report.multiplied > 0, is_taken, "{report:?}");
        // From initial weights, here zero, nothing is multiplied.
        let (expected, report) = solve(&Problem { initial: true, ..problem });
        assert_eq!(report.multiplied, 0);
        let most = expected.iter().fold(0.0_f64, |most, weight| weight.abs().max(most));
        for (found, expected) in found.iter().zip(&expected) {
            assert!((found - expected).abs() <= 1e-11 * most, "{found} {expected}");
        }
    }
}
