//! A rule that uses every door of the driver, against the same rule as loops, bit for bit; and the first rule by the loop of any rule
//! against its own.

#![allow(clippy::unwrap_used)]

use proptest::prelude::*;
use rescorla::internals::error::{Error, Result};
use rescorla::internals::events::EventFile;
use rescorla::internals::events::write::{Duplicates, EventWriter};
use rescorla::internals::learn::trajectory::{Cells, Probes, Recording, Records};
use rescorla::internals::learn::{BUDGET, Initial, Kernels, Plan};
use rescorla::internals::lists::Lists;
use rescorla::internals::monitor::Monitor;
use rescorla::internals::rules::le_pelley::LePelley;
use rescorla::internals::rules::rescorla_wagner::RescorlaWagner;
use rescorla::internals::rules::rule::{At, Rule};
use rescorla::internals::rules::table::{RuleParameters, WithRule, by_name};
use rescorla::internals::tiles::method::Method;
use rescorla::internals::tiles::result::Matrix;
use rescorla::internals::tiles::rule::Schedule;
use rescorla::kernel::element::Element;
use rescorla::kernel::isa::Isa;
use rescorla::kernel::scalar::Scalar;

const CUES: usize = 5;
const OUTCOMES: usize = 7;

/// A rule without meaning. Cues that were with a present one before change as well; strengths have a part that only sums, and
/// interest falls with the error that is left.
#[derive(Clone, Copy)]
struct EveryDoor {
    share: f64,
}

/// Which cues were together.
#[derive(Default)]
struct Met(Vec<Vec<bool>>);

impl<E: Element> Rule<E> for EveryDoor {
    const NAME: &'static str = "every_door";
    const LATE_START: bool = false;
    type State = [E; 2];
    type Memory = Met;

    fn state(&self) -> [E; 2] {
        [E::from_f64(0.9), E::from_f64(0.25)]
    }

    fn begin(&self, memory: &mut Met, n_rows: usize) -> Result<()> {
        memory.0 = vec![vec![false; n_rows]; n_rows];
        Ok(())
    }

    fn others(&self, memory: &mut Met, cues: &[u32], rows: &mut Vec<u32>) -> Result<()> {
        for absent in (0..memory.0.len() as u32).filter(|row| !cues.contains(row)) {
            if cues.iter().any(|&cue| memory.0[cue as usize][absent as usize]) {
                rows.push(absent);
            }
        }
        Ok(())
    }

    fn factor(&self, memory: &Met, row: u32, salience: E, present: bool) -> E {
        assert!((row as usize) < memory.0.len());
        if present { salience } else { E::from_f64(-self.share).times(salience) }
    }

    #[inline(always)]
    fn term(&self, weight: E, [interest, rest]: &[E; 2]) -> E {
        weight.plus(interest.times(*rest))
    }

    #[inline(always)]
    fn update(&self, at: &At<E>) -> E {
        at.rate.times(at.target.minus(at.sum).within(E::from_f64(-1.0), E::from_f64(1.0)))
    }

    #[inline(always)]
    fn changed(&self, weight: E, [interest, rest]: &mut [E; 2], factor: E, at: &At<E>) -> E {
        let error = at.target.minus(at.sum);
        let learned = factor.times(interest.times(at.update));
        let rate = if error > E::default() { at.betas[0] } else { at.betas[1] };
        *interest = interest
            .plus(rate.times(error.magnitude().minus(*interest)))
            .within(E::from_f64(0.05), E::from_f64(1.0));
        *rest = rest.times(E::from_f64(0.5)).plus(at.rate);
        weight.plus(learned)
    }

    fn after(&self, memory: &mut Met, cues: &[u32]) -> Result<()> {
        for (&one, &other) in cues.iter().flat_map(|one| cues.iter().map(move |other| (one, other))) {
            memory.0[one as usize][other as usize] = true;
        }
        Ok(())
    }
}

/// The rule of Rescorla and Wagner by the loop of any rule.
struct InPlainNumbers;

impl<E: Element> Rule<E> for InPlainNumbers {
    const NAME: &'static str = "in_plain_numbers";
    const LATE_START: bool = true;
    type State = [E; 0];
    type Memory = ();

    fn state(&self) -> [E; 0] {
        []
    }
}

type Event = (Vec<u32>, Vec<u32>, u32);

#[derive(Debug, Clone)]
struct Case {
    events: Vec<Event>,
    alpha: Vec<f64>,
    betas: [f64; 2],
    lambda: Vec<f64>,
    share: f64,
    /// Weights to begin with, and states: three columns of four rows.
    initial: Option<[Vec<f64>; 3]>,
    /// Whether the states are those given.
    states: bool,
    factors: Option<[Vec<f64>; 2]>,
    tile: Option<usize>,
    threads: usize,
    budget: usize,
}

/// Where the columns are in the initial weights.
const COLUMNS: [Option<u32>; OUTCOMES] = [None, Some(2), None, Some(0), None, None, Some(1)];

fn cases() -> impl Strategy<Value = Case> {
    let event = (
        prop::collection::vec(0..CUES as u32, 0..5),
        prop::collection::btree_set(0..OUTCOMES as u32, 0..4).prop_map(|set| set.into_iter().collect()),
        0_u32..4,
    );
    let numbers = || prop::collection::vec(prop_oneof![Just(0.0), Just(-0.0), -1.0..1.0_f64], 12);
    let factors = || prop::collection::vec(prop_oneof![Just(1.0), 0.0..2.0_f64], 3 * 16);
    let alpha = prop_oneof![
        prop::collection::vec(0.0..1.0_f64, CUES),
        (0.0..1.0_f64).prop_map(|alpha| vec![alpha; CUES]),
    ];
    let betas = prop_oneof![[0.0..0.5_f64, 0.0..0.5_f64], (0.0..0.5_f64).prop_map(|beta| [beta; 2])];
    (
        prop::collection::vec(event, 0..16),
        (alpha, betas, prop::collection::vec(-2.0..2.0_f64, OUTCOMES), 0.0..1.0_f64),
        (prop::option::of([numbers(), numbers(), numbers()]), any::<bool>()),
        prop::option::of([factors(), factors()]),
        prop::option::of(1_usize..9),
        1_usize..4,
        prop::sample::select(vec![BUDGET, 0]),
    )
        .prop_map(
            |(events, (alpha, betas, lambda, share), (initial, states), factors, tile, threads, budget)| {
                Case { events, alpha, betas, lambda, share, initial, states, factors, tile, threads, budget }
            },
        )
}

/// The rule as loops. All tokens with the weights after them, from before the first on; and the states in the end.
fn naive<E: Element>(case: &Case) -> (Vec<Vec<E>>, [Vec<E>; 2]) {
    let e = E::from_f64;
    let mut weights = vec![E::default(); CUES * OUTCOMES];
    let mut states = [vec![e(0.9); CUES * OUTCOMES], vec![e(0.25); CUES * OUTCOMES]];
    if let Some([initial, first, second]) = &case.initial {
        for (row, j) in (0..4).flat_map(|row| (0..OUTCOMES).map(move |j| (row, j))) {
            let Some(column) = COLUMNS[j] else { continue };
            let (from, to) = (row * 3 + column as usize, row * OUTCOMES + j);
            weights[to] = e(initial[from]);
            if case.states {
                (states[0][to], states[1][to]) = (e(first[from]), e(second[from]));
            }
        }
    }
    let mut met = [[false; CUES]; CUES];
    let (mut steps, mut token) = (vec![weights.clone()], 0);
    for (cues, outcomes, frequency) in &case.events {
        for _ in 0..*frequency {
            let betas = [0, 1].map(|k| match &case.factors {
                Some(factors) => e(case.betas[k] * factors[k][token]),
                None => e(case.betas[k]),
            });
            let expected = |absent: &usize| {
                !cues.contains(&(*absent as u32)) && cues.iter().any(|&cue| met[cue as usize][*absent])
            };
            let others: Vec<usize> = (0..CUES).filter(expected).collect();
            for j in 0..OUTCOMES {
                let present = outcomes.contains(&(j as u32));
                let target = if present { e(case.lambda[j]) } else { e(0.0) };
                let rate = if present { betas[0] } else { betas[1] };
                let mut sum = e(0.0);
                for &cue in cues {
                    let at = cue as usize * OUTCOMES + j;
                    sum = sum.plus(weights[at].plus(states[0][at].times(states[1][at])));
                }
                let error = target.minus(sum);
                let bounded = if error < e(-1.0) {
                    e(-1.0)
                } else if error > e(1.0) {
                    e(1.0)
                } else {
                    error
                };
                let update = rate.times(bounded);
                let present = cues.iter().map(|&cue| (cue as usize, e(case.alpha[cue as usize])));
                let absent = others.iter().map(|&row| (row, e(-case.share).times(e(case.alpha[row]))));
                for (row, factor) in present.chain(absent) {
                    let at = row * OUTCOMES + j;
                    weights[at] = weights[at].plus(factor.times(states[0][at].times(update)));
                    let rate_of_interest = if error > e(0.0) { betas[0] } else { betas[1] };
                    let size = if error < e(0.0) { e(0.0).minus(error) } else { error };
                    let interest = states[0][at].plus(rate_of_interest.times(size.minus(states[0][at])));
                    states[0][at] = if interest < e(0.05) {
                        e(0.05)
                    } else if interest > e(1.0) {
                        e(1.0)
                    } else {
                        interest
                    };
                    states[1][at] = states[1][at].times(e(0.5)).plus(rate);
                }
            }
            for &one in cues {
                cues.iter().for_each(|&other| met[one as usize][other as usize] = true);
            }
            steps.push(weights.clone());
            token += 1;
        }
    }
    (steps, states)
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

/// Calls `work` with the plan of a case.
fn planned<E: Kernels, R>(case: &Case, kernel: Isa, work: impl FnOnce(Plan<'_, E>) -> R) -> R {
    let rounded = |numbers: &[f64]| -> Vec<E> { numbers.iter().map(|&number| E::from_f64(number)).collect() };
    let initial = case.initial.as_ref().map(|[weights, first, second]| Initial {
        weights: rounded(weights).into(),
        width: 3,
        columns: (&COLUMNS[..]).into(),
        states: if case.states {
            [rounded(first), rounded(second)].concat().into()
        } else {
            Vec::new().into()
        },
    });
    work(Plan {
        rows: &(0..CUES as u32).collect::<Vec<_>>(),
        columns: &(0..OUTCOMES as u32).map(Some).collect::<Vec<_>>(),
        alpha: &case.alpha,
        beta1: case.betas[0],
        beta2: case.betas[1],
        schedule: case
            .factors
            .as_ref()
            .map(|[present, absent]| Schedule { present: present.into(), absent: Some(absent.into()) }),
        lambda: &case.lambda,
        initial,
        method: Some(Method::Forward),
        threads: case.threads,
        kernel: Some(kernel),
        tile: case.tile,
        budget: case.budget,
        ..Plan::default()
    })
}

fn bits<E: Element>(weights: &[E]) -> Vec<u64> {
    weights.iter().map(|weight| weight.to_f64().to_bits()).collect()
}

/// Learns with a matrix for the weights and one for each state.
fn learned<E: Kernels, R: Rule<E>>(plan: &Plan<'_, E>, rule: R, file: &EventFile) -> Result<Vec<Vec<E>>> {
    let mut out = vec![vec![E::default(); CUES * OUTCOMES]; 1 + rule.state().as_ref().len()];
    let mut matrices: Vec<_> =
        out.iter_mut().map(|out| Matrix::new(out, [CUES, OUTCOMES]).unwrap()).collect();
    let states = matrices.split_off(1);
    plan.learn_by(rule, file, &matrices[0], &states, &Monitor::new())?;
    drop((matrices, states));
    Ok(out)
}

fn check<E: Kernels>(case: &Case, kernel: Isa) {
    let (file, rule) = (file(&case.events), EveryDoor { share: case.share });
    let (steps, states) = naive::<E>(case);
    let found = planned::<E, _>(case, kernel, |plan| learned(&plan, rule, &file).unwrap());
    assert_eq!(bits(&found[0]), bits(steps.last().unwrap()), "{kernel}: weights");
    for (k, state) in states.iter().enumerate() {
        assert_eq!(bits(&found[1 + k]), bits(state), "{kernel}: state {k}");
    }

    let mean = planned::<E, _>(case, kernel, |plan| {
        learned(&Plan { average: true, ..plan }, rule, &file).unwrap().swap_remove(0)
    });
    for (i, found) in mean.iter().enumerate() {
        let total: f64 = steps[1..].iter().map(|weights| weights[i].to_f64()).sum();
        let expected = if steps.len() > 1 { total / (steps.len() - 1) as f64 } else { steps[0][i].to_f64() };
        let largest = steps.iter().map(|weights| weights[i].to_f64().abs()).fold(1.0, f64::max);
        let rounding = largest * if E::NAME == f64::NAME { 1e-14 } else { 1e-7 };
        assert!((found.to_f64() - expected).abs() <= rounding, "{kernel}: {} for {expected}", found.to_f64());
    }

    let tokens: Vec<u64> = (0..steps.len() as u64).step_by(2).collect();
    let (rows, mut out) = ([3, 0], vec![E::default(); 2 * OUTCOMES * tokens.len()]);
    let probes = Probes { tokens: &[], cues: &Lists::default() };
    let recording = Recording { tokens: &tokens, cells: Cells::Block(&rows), predictions: false, probes };
    planned::<E, _>(case, kernel, |plan| {
        let out = Records { weights: &mut out, saliences: &mut [], predicted: &mut [], probed: &mut [] };
        plan.trajectories(rule, &file, &recording, out, &Monitor::new()).unwrap();
    });
    let mut expected = Vec::new();
    for column in 0..OUTCOMES {
        for &token in &tokens {
            expected.extend(rows.map(|row| steps[token as usize][row as usize * OUTCOMES + column]));
        }
    }
    assert_eq!(bits(&out), bits(&expected), "{kernel}: records");
}

fn check_plain<E: Kernels>(case: &Case, kernel: Isa) {
    let file = file(&case.events);
    let case = Case { states: false, ..case.clone() };
    for average in [false, true] {
        let found = planned::<E, _>(&case, kernel, |plan| {
            learned(&Plan { average, ..plan }, InPlainNumbers, &file).unwrap().swap_remove(0)
        });
        let expected = planned::<E, _>(&case, kernel, |plan| {
            learned(&Plan { average, ..plan }, RescorlaWagner, &file).unwrap().swap_remove(0)
        });
        assert_eq!(bits(&found), bits(&expected), "{kernel}, mean {average}");
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2000))]

    #[test]
    fn every_door_is_what_the_loops_say(case in cases()) {
        for kernel in Isa::available() {
            check::<f64>(&case, kernel);
            check::<f32>(&case, kernel);
        }
    }

    #[test]
    fn the_loop_of_any_rule_is_that_of_the_first(case in cases()) {
        for kernel in Isa::available() {
            check_plain::<f64>(&case, kernel);
            check_plain::<f32>(&case, kernel);
        }
    }
}

fn small() -> Case {
    Case {
        events: vec![(vec![0, 1], vec![0], 1), (vec![0], vec![1], 2)],
        alpha: vec![0.1; CUES],
        betas: [0.1; 2],
        lambda: vec![1.0; OUTCOMES],
        share: 0.5,
        initial: None,
        states: false,
        factors: None,
        tile: None,
        threads: 1,
        budget: BUDGET,
    }
}

#[test]
fn what_a_rule_cannot_do_is_refused() {
    struct Outside;
    impl Rule<f64> for Outside {
        const NAME: &'static str = "outside";
        const LATE_START: bool = true;
        type State = [f64; 0];
        type Memory = ();
        fn state(&self) -> [f64; 0] {
            []
        }
        fn others(&self, (): &mut (), _: &[u32], rows: &mut Vec<u32>) -> Result<()> {
            rows.push(CUES as u32);
            Ok(())
        }
    }
    struct Many;
    impl Rule<f64> for Many {
        const NAME: &'static str = "many";
        const LATE_START: bool = true;
        type State = [f64; 5];
        type Memory = ();
        fn state(&self) -> [f64; 5] {
            [0.0; 5]
        }
    }
    let (case, door) = (small(), EveryDoor { share: 0.5 });
    let file = file(&case.events);
    let message = |result: Result<Vec<Vec<f64>>>| match result {
        Err(Error::Argument(message)) => message,
        other => format!("{other:?}"),
    };
    planned::<f64, _>(&case, Isa::best(), |plan| {
        assert!(message(learned(&plan, Outside, &file)).contains("expected one of 5 rows, found 5"));
        assert!(message(learned(&plan, Many, &file)).contains("expected 4 states at most"));
        let adjoint = Plan { method: Some(Method::Adjoint), ..plan };
        let refused = message(learned(&adjoint, door, &file));
        assert!(refused.contains("method must be forward for the rule every_door"), "{refused}");
    });
    planned::<f64, _>(&case, Isa::best(), |plan| {
        let initial = Some(Initial {
            weights: vec![0.0; 4].into(),
            width: 2,
            columns: vec![None; OUTCOMES].into(),
            states: vec![0.0; 4].into(),
        });
        assert!(message(learned(&Plan { initial, ..plan }, door, &file)).contains("as many of them"));
    });
    planned::<f64, _>(&case, Isa::best(), |plan| {
        let mut out = [vec![0.0; CUES * OUTCOMES], vec![0.0; CUES * OUTCOMES]];
        let [weights, state] = out.each_mut().map(|out| Matrix::new(out, [CUES, OUTCOMES]).unwrap());
        let refused = plan.learn_by(door, &file, &weights, &[state], &Monitor::new());
        assert!(refused.unwrap_err().to_string().contains("expected results for 2 states, found 1"));
    });
}

/// Names the rule.
struct Naming;

impl WithRule<f64> for Naming {
    type Output = &'static str;

    fn run<R: Rule<f64> + Send + 'static>(self, _: R) -> Result<&'static str> {
        Ok(R::NAME)
    }
}

#[test]
fn a_rule_is_found_with_its_parameters() {
    let called = |name: &str, given: &[(&str, f64)]| {
        let given: RuleParameters = given.iter().map(|&(name, value)| (name.to_string(), value)).collect();
        by_name::<f64, _>(name, &given, Naming).map_err(|error| error.to_string())
    };
    assert_eq!(called("van_hamme_wasserman", &[("k", 1.0)]), Ok("van_hamme_wasserman"));
    assert_eq!(called("rescorla_wagner", &[]), Ok("rescorla_wagner"));
    for (name, given, expected) in [
        ("hybird", &[][..], "rule must be one of rescorla_wagner, no_competition, hybrid, "),
        ("no_competition", &[("k", 0.5)], "rule_parameters has k, but the rule no_competition has none"),
        ("hybrid", &[("k", 0.5)], "rule_parameters has k, but the rule hybrid has only salience_rate"),
        ("hybrid", &[], "rule_parameters must have salience_rate, a parameter of the rule hybrid"),
        (
            "hybrid",
            &[("salience_rate", 1.5)],
            "rule_parameters of salience_rate must be from 0 to 1, not 1.5",
        ),
        (
            "hybrid",
            &[("salience_rate", f64::NAN)],
            "rule_parameters of salience_rate must be from 0 to 1, not",
        ),
    ] {
        let refused = called(name, given).unwrap_err();
        assert!(refused.starts_with(expected), "{refused}");
    }
}

#[test]
fn an_asymptote_may_not_exceed_what_the_rule_allows() {
    let case = Case { lambda: vec![1.5; OUTCOMES], ..small() };
    let file = file(&case.events);
    let rule = LePelley { salience_rate: 0.1, excitatory_rate: 0.1, inhibitory_rate: 0.1 };
    planned::<f64, _>(&case, Isa::best(), |plan| {
        let refused = learned(&plan, rule, &file).unwrap_err().to_string();
        assert!(refused.contains("lambda_ must be at most 1 for the rule le_pelley, not 1.5"), "{refused}");
    });
}

#[test]
fn without_a_method_a_rule_learns_forward() {
    let case = small();
    let file = file(&case.events);
    let found = planned::<f64, _>(&case, Isa::best(), |plan| {
        learned(&Plan { method: None, ..plan }, EveryDoor { share: 0.5 }, &file).unwrap()
    });
    assert_eq!(bits(&found[0]), bits(naive::<f64>(&Case { share: 0.5, ..case }).0.last().unwrap()));
}
