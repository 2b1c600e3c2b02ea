//! Schedules, means and trajectories against the rule written as loops, whatever the tiles, threads, kernels and budgets.

#![allow(clippy::unwrap_used)]

use std::collections::BTreeSet;

use proptest::prelude::*;
use rescorla::internals::error::Error;
use rescorla::internals::events::EventFile;
use rescorla::internals::events::write::{Duplicates, EventWriter};
use rescorla::internals::learn::trajectory::{Cells, Probes, Recording, Records};
use rescorla::internals::learn::{BUDGET, Initial, Kernels, Plan};
use rescorla::internals::lists::Lists;
use rescorla::internals::monitor::Monitor;
use rescorla::internals::rules::rescorla_wagner::RescorlaWagner;
use rescorla::internals::tiles::method::Method;
use rescorla::internals::tiles::result::Matrix;
use rescorla::internals::tiles::rule::Schedule;
use rescorla::kernel::element::Element;
use rescorla::kernel::isa::Isa;
use rescorla::kernel::scalar::Scalar;

const CUES: usize = 5;
const OUTCOMES: usize = 9;
const TOKENS: usize = 60;

#[derive(Debug, Clone)]
struct Case {
    events: Vec<(Vec<u32>, Vec<u32>, u32)>,
    alpha: Vec<f64>,
    factors: Option<[Vec<f64>; 2]>,
    retention: f64,
    initial: Vec<f64>,
    continued: bool,
    /// The tokens to record.
    tokens: Vec<u64>,
    /// After how many tokens to probe, and which cues.
    probes: Vec<(u64, Vec<u32>)>,
    tile: Option<usize>,
    threads: usize,
    budget: usize,
}

const BETAS: [f64; 2] = [0.3, 0.1];

fn cases() -> impl Strategy<Value = Case> {
    let event = (
        prop::collection::vec(0..CUES as u32, 0..5),
        prop::collection::btree_set(0..OUTCOMES as u32, 0..4).prop_map(|set| set.into_iter().collect()),
        0_u32..4,
    );
    let factors = || prop::collection::vec(prop_oneof![Just(1.0), 0.0..2.0_f64], TOKENS);
    (
        prop::collection::vec(event, 0..20),
        prop_oneof![
            prop::collection::vec(0.0..1.0_f64, CUES),
            (0.0..1.0_f64).prop_map(|alpha| vec![alpha; CUES])
        ],
        (prop::option::of([factors(), factors()]), prop_oneof![Just(1.0), 0.1..1.0_f64]),
        prop::collection::vec(prop_oneof![Just(0.0), Just(-0.0), -1.0..1.0_f64], CUES * 3),
        any::<bool>(),
        (
            prop::collection::btree_set(0..=TOKENS as u64, 0..9),
            prop::collection::vec((0..=TOKENS as u64, prop::collection::vec(0..CUES as u32, 0..4)), 0..6),
        ),
        prop::option::of(1_usize..20),
        1_usize..4,
        // In between there is room for a tile more, and not always for the events.
        prop_oneof![Just(0), 100_usize..1500, Just(BUDGET)],
    )
        .prop_map(
            |(events, alpha, (factors, retention), initial, continued, asked, tile, threads, budget)| {
                let last = events.iter().map(|event| u64::from(event.2)).sum();
                let (tokens, mut probes) = asked;
                let tokens = tokens.into_iter().filter(|&token| token <= last).collect();
                probes.retain(|probe| probe.0 <= last);
                probes.sort();
                Case {
                    events,
                    alpha,
                    factors,
                    retention,
                    initial,
                    continued,
                    tokens,
                    probes,
                    tile,
                    threads,
                    budget,
                }
            },
        )
}

/// The initial weights are those of three outcomes.
fn initial_columns() -> Vec<Option<u32>> {
    (0..OUTCOMES as u32).map(|column| column.checked_sub(2).filter(|&source| source < 3)).collect()
}

/// gamma^n by repeated squaring.
fn power<E: Element>(gamma: E, mut n: usize) -> E {
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

/// The weights before the first token and after each.
fn naive<E: Element>(case: &Case) -> Vec<Vec<E>> {
    let mut weights = vec![E::default(); CUES * OUTCOMES];
    for (column, source) in initial_columns().into_iter().enumerate() {
        if let Some(source) = source.filter(|_| case.continued) {
            for row in 0..CUES {
                weights[row * OUTCOMES + column] = E::from_f64(case.initial[row * 3 + source as usize]);
            }
        }
    }
    // Rows are kept as they were after the last token that changed them; what is recorded are the weights now.
    let (gamma, mut last) = (E::from_f64(case.retention), [0; CUES]);
    let mut steps = vec![weights.clone()];
    for (cues, outcomes, frequency) in &case.events {
        for _ in 0..*frequency {
            let token = steps.len() - 1;
            let rate = |kind: usize| {
                let factor = case.factors.as_ref().map_or(1.0, |factors| factors[kind][token]);
                E::from_f64(BETAS[kind] * factor)
            };
            let distinct: BTreeSet<usize> = cues.iter().map(|&cue| cue as usize).collect();
            for &cue in &distinct {
                let power = power(gamma, token - last[cue]);
                weights[cue * OUTCOMES..][..OUTCOMES]
                    .iter_mut()
                    .for_each(|weight| *weight = power.times(*weight));
                last[cue] = token + 1;
            }
            for j in 0..OUTCOMES {
                let sum =
                    cues.iter().fold(E::default(), |sum, &c| sum.plus(weights[c as usize * OUTCOMES + j]));
                let update = if outcomes.contains(&(j as u32)) {
                    rate(0).times(E::from_f64(1.0).minus(sum))
                } else {
                    rate(1).times(E::default().minus(sum))
                };
                for &cue in &distinct {
                    weights[cue * OUTCOMES + j] = gamma.times(weights[cue * OUTCOMES + j]);
                }
                for &cue in cues {
                    let weight = &mut weights[cue as usize * OUTCOMES + j];
                    *weight = weight.plus(E::from_f64(case.alpha[cue as usize]).times(update));
                }
            }
            let now = |at: usize| power(gamma, token + 1 - last[at / OUTCOMES]).times(weights[at]);
            steps.push((0..weights.len()).map(now).collect());
        }
    }
    steps
}

fn file(case: &Case) -> EventFile {
    let mut writer = EventWriter::new(None, Duplicates::Keep, None).unwrap();
    let names: Vec<String> = (0..CUES.max(OUTCOMES)).map(|i| format!("n{i}")).collect();
    let names = || names.iter().map(String::as_str);
    writer.add_names(names().take(CUES), names().take(OUTCOMES)).unwrap();
    for (cues, outcomes, frequency) in &case.events {
        writer.push(cues, outcomes, *frequency).unwrap();
    }
    writer.finish().unwrap()
}

/// Calls `work` with the plan of a case.
fn planned<E: Kernels, R>(case: &Case, kernel: Isa, work: impl FnOnce(Plan<'_, E>) -> R) -> R {
    let initial: Vec<E> = case.initial.iter().map(|&weight| E::from_f64(weight)).collect();
    let columns = initial_columns();
    work(Plan {
        rows: &(0..CUES as u32).collect::<Vec<_>>(),
        columns: &(0..OUTCOMES as u32).map(Some).collect::<Vec<_>>(),
        alpha: &case.alpha,
        beta1: BETAS[0],
        beta2: BETAS[1],
        schedule: case
            .factors
            .as_ref()
            .map(|[present, absent]| Schedule { present: present.into(), absent: Some(absent.into()) }),
        lambda: &[1.0; OUTCOMES],
        retention: case.retention,
        initial: case.continued.then_some(Initial {
            weights: (&initial).into(),
            width: 3,
            columns: (&columns).into(),
            states: (&[]).into(),
        }),
        method: Some(Method::Forward),
        threads: case.threads,
        kernel: Some(kernel),
        tile: case.tile,
        budget: case.budget,
        ..Plan::default()
    })
}

fn bits<E: Element>(weights: impl IntoIterator<Item = E>) -> Vec<u64> {
    weights.into_iter().map(|weight| weight.to_f64().to_bits()).collect()
}

fn check<E: Kernels>(case: &Case, kernel: Isa) {
    let (file, steps) = (file(case), naive::<E>(case));
    let last = steps.last().unwrap();

    let mut out = vec![E::default(); CUES * OUTCOMES];
    planned::<E, _>(case, kernel, |plan| {
        let matrix = Matrix::new(&mut out, [CUES, OUTCOMES]).unwrap();
        plan.learn(&file, &matrix, &Monitor::new()).unwrap();
    });
    assert_eq!(bits(out), bits(last.iter().copied()), "{kernel}: learned");

    if case.retention == 1.0 {
        let mut mean = vec![E::default(); CUES * OUTCOMES];
        planned::<E, _>(case, kernel, |plan| {
            let matrix = Matrix::new(&mut mean, [CUES, OUTCOMES]).unwrap();
            Plan { average: true, retention: 1.0, ..plan }.learn(&file, &matrix, &Monitor::new()).unwrap();
        });
        for (i, found) in mean.iter().enumerate() {
            let total: f64 = steps[1..].iter().map(|weights| weights[i].to_f64()).sum();
            let expected =
                if steps.len() > 1 { total / (steps.len() - 1) as f64 } else { steps[0][i].to_f64() };
            let largest = steps.iter().map(|weights| weights[i].to_f64().abs()).fold(1.0, f64::max);
            let rounding = largest * if E::NAME == f64::NAME { 1e-14 } else { 1e-7 };
            assert!(
                (found.to_f64() - expected).abs() <= rounding,
                "{kernel}: {} for {expected}",
                found.to_f64()
            );
        }
    }

    let (rows, pairs) = ([4, 0, 2], [[1, 8], [3, 0], [1, 2]]);
    let cell = |token: u64, [row, column]: [u32; 2]| {
        steps[token as usize][row as usize * OUTCOMES + column as usize]
    };
    let (probes, mut sets) = (case.probes.iter().map(|probe| probe.0).collect::<Vec<_>>(), Lists::default());
    case.probes.iter().for_each(|probe| sets.gather(probe.1.iter().copied()).unwrap());
    let activation = |token: u64, cues: &[u32], column: u32| {
        cues.iter().fold(E::default(), |sum, &cue| sum.plus(cell(token, [cue, column])))
    };
    let each: Vec<_> = case.events.iter().flat_map(|event| (0..event.2).map(move |_| event)).collect();
    for predictions in [false, true] {
        let recorded = |cells: Cells<'_>, n: usize| {
            let mut out = vec![E::default(); n * case.tokens.len()];
            let mut predicted = vec![E::default(); usize::from(predictions) * OUTCOMES * case.tokens.len()];
            let mut probed = vec![E::default(); OUTCOMES * probes.len()];
            let probes = Probes { tokens: &probes, cues: &sets };
            let recording = Recording { tokens: &case.tokens, cells, predictions, probes };
            let (_, table) = planned::<E, _>(case, kernel, |plan| {
                let out = Records {
                    weights: &mut out,
                    saliences: &mut [],
                    predicted: &mut predicted,
                    probed: &mut probed,
                };
                plan.trajectories(RescorlaWagner, &file, &recording, out, &Monitor::new()).unwrap()
            });
            (out, table, predicted, probed)
        };
        let (block, table, predicted, probed) = recorded(Cells::Block(&rows), 3 * OUTCOMES);
        let of_probes = (0..OUTCOMES as u32)
            .flat_map(|column| case.probes.iter().map(move |(token, cues)| activation(*token, cues, column)));
        assert_eq!(bits(probed), bits(of_probes), "{kernel}: probes");
        if predictions {
            let before = |token: u64, column| match token.checked_sub(1) {
                Some(before) => activation(before, &each[before as usize].0, column),
                None => E::default(),
            };
            let before = (0..OUTCOMES as u32)
                .flat_map(|column| case.tokens.iter().map(move |&token| before(token, column)));
            assert_eq!(bits(predicted), bits(before), "{kernel}: predictions");
        }
        let mut expected = Vec::new();
        for column in 0..OUTCOMES as u32 {
            for &token in &case.tokens {
                expected.extend(rows.map(|row| cell(token, [row, column])));
            }
        }
        assert_eq!(bits(block), bits(expected), "{kernel}: block");
        let (traces, ..) = recorded(Cells::Pairs(&pairs), 3);
        let expected = pairs.iter().flat_map(|&pair| case.tokens.iter().map(move |&token| cell(token, pair)));
        assert_eq!(bits(traces), bits(expected), "{kernel}: pairs");

        assert_eq!(table.is_some(), predictions);
        let Some(table) = table else { continue };
        let mut asked = Vec::new();
        for (record, &token) in (0..).zip(&case.tokens).filter(|(_, token)| **token > 0) {
            let (cues, outcomes, _) = each[token as usize - 1];
            for &column in outcomes {
                let activation = activation(token - 1, cues, column);
                asked.push((record, column, activation, E::from_f64(1.0).minus(activation)));
            }
        }
        assert_eq!(table.records, asked.iter().map(|row| row.0).collect::<Vec<u32>>());
        assert_eq!(table.columns, asked.iter().map(|row| row.1).collect::<Vec<_>>());
        assert_eq!(bits(table.activations), bits(asked.iter().map(|row| row.2)), "{kernel}: activations");
        assert_eq!(bits(table.errors), bits(asked.iter().map(|row| row.3)), "{kernel}: errors");
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(500))]

    #[test]
    fn every_kernel_learns_and_records_the_rule(case in cases()) {
        for kernel in Isa::available() {
            check::<f64>(&case, kernel);
            check::<f32>(&case, kernel);
        }
    }
}

fn one_event(frequency: u32) -> Case {
    Case {
        events: vec![(vec![0, 1], vec![0], frequency)],
        alpha: vec![0.1; CUES],
        factors: None,
        retention: 1.0,
        initial: vec![0.0; CUES * 3],
        continued: false,
        tokens: vec![1],
        probes: Vec::new(),
        tile: None,
        threads: 1,
        budget: BUDGET,
    }
}

#[test]
fn recordings_that_do_not_fit_are_refused() {
    let case = one_event(3);
    let file = file(&case);
    let refused = |recording: Recording<'_>, [n, n_predicted, n_probed]: [usize; 3], average: bool| {
        planned::<f64, _>(&case, Isa::best(), |plan| {
            let (mut weights, mut predicted, mut probed) =
                (vec![0.0; n], vec![0.0; n_predicted], vec![0.0; n_probed]);
            let out = Records {
                weights: &mut weights,
                saliences: &mut [],
                predicted: &mut predicted,
                probed: &mut probed,
            };
            Plan { average, ..plan }.trajectories(RescorlaWagner, &file, &recording, out, &Monitor::new())
        })
        .err()
        .is_some_and(|error| matches!(error, Error::Argument(_)))
    };
    let sets = |sets: &[u32]| {
        let mut lists = Lists::default();
        sets.iter().for_each(|&row| lists.gather([row].into_iter()).unwrap());
        lists
    };
    let (one, two, unknown) = (sets(&[0]), sets(&[0, 1]), sets(&[CUES as u32]));
    let probes = Probes { tokens: &[3], cues: &one };
    let fits = Recording { tokens: &[0, 3], cells: Cells::Pairs(&[[1, 8]]), predictions: true, probes };
    let right = [2, 2 * OUTCOMES, OUTCOMES];
    assert!(!refused(fits, right, false));
    assert!(!refused(fits, [2, 0, OUTCOMES], false));
    for wrong in [[3, 0, OUTCOMES], [2, OUTCOMES, OUTCOMES], [2, 0, 0], [2, 0, 2 * OUTCOMES]] {
        assert!(refused(fits, wrong, false), "{wrong:?}");
    }
    assert!(refused(fits, right, true));
    assert!(refused(Recording { tokens: &[3, 3], ..fits }, right, false));
    assert!(refused(Recording { tokens: &[0, 4], ..fits }, right, false));
    assert!(refused(Recording { cells: Cells::Pairs(&[[CUES as u32, 0]]), ..fits }, right, false));
    assert!(refused(Recording { cells: Cells::Pairs(&[[0, OUTCOMES as u32]]), ..fits }, right, false));
    let block = [2 * OUTCOMES, 0, OUTCOMES];
    assert!(!refused(Recording { cells: Cells::Block(&[0]), ..fits }, block, false));
    assert!(refused(Recording { cells: Cells::Block(&[CUES as u32]), ..fits }, block, false));
    assert!(refused(Recording { probes: Probes { tokens: &[4], ..probes }, ..fits }, right, false));
    assert!(refused(Recording { probes: Probes { cues: &unknown, ..probes }, ..fits }, right, false));
    assert!(refused(Recording { probes: Probes { tokens: &[], ..probes }, ..fits }, [2, 0, 0], false));
    let falling = Probes { tokens: &[2, 1], cues: &two };
    assert!(refused(Recording { probes: falling, ..fits }, [2, 0, 2 * OUTCOMES], false));
}

#[test]
fn a_stopped_monitor_stops_the_recording() {
    let case = one_event(u32::MAX);
    let file = file(&case);
    let tokens: Vec<u64> = (1..).step_by(1000).take(1_000_000).collect();
    let probes = Probes { tokens: &[], cues: &Lists::default() };
    let recording = Recording { tokens: &tokens, cells: Cells::Pairs(&[[0, 0]]), predictions: true, probes };
    let monitor = Monitor::new();
    let mut out = vec![0.0; tokens.len()];
    let result = monitor.watch(
        || {
            planned::<f64, _>(&case, Isa::best(), |plan| {
                let out =
                    Records { weights: &mut out, saliences: &mut [], predicted: &mut [], probed: &mut [] };
                plan.trajectories(RescorlaWagner, &file, &recording, out, &monitor).map(drop)
            })
        },
        |wait| wait(),
        |done, total| {
            // A total of 0 says that it is not known: a slow machine looks before the work has begun.
            assert!(total == tokens.last().copied().unwrap() && done <= total || (done, total) == (0, 0));
            if done > 0 { Err("enough") } else { Ok(()) }
        },
    );
    assert_eq!(result.unwrap().err(), Some("enough"));
}

#[test]
fn only_the_forward_method_has_schedules_and_means() {
    let case = Case { factors: Some([vec![1.0; TOKENS], vec![1.0; TOKENS]]), ..one_event(3) };
    let file = file(&case);
    for (schedule, average) in [(true, false), (false, true)] {
        let case = Case { factors: case.factors.clone().filter(|_| schedule), ..case.clone() };
        planned::<f64, _>(&case, Isa::best(), |plan| {
            let mut out = vec![0.0; CUES * OUTCOMES];
            let matrix = Matrix::new(&mut out, [CUES, OUTCOMES]).unwrap();
            let plan = Plan { average, beta2: plan.beta1, method: Some(Method::Adjoint), ..plan };
            let result = plan.learn(&file, &matrix, &Monitor::new());
            assert!(matches!(result, Err(Error::Argument(_))), "{result:?}");
        });
    }
}
