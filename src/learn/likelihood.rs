//! The likelihood of a person's responses, and its gradient, by one forward and one backward pass through his trials.
//!
//! ```text
//! forward, token by token:   W = gamma W for the rows of the token (rows at rest shrink when they are needed);   a = W'c
//!                            at the first token of a trial: l = l + log p(response | a)
//!                            u_j = beta_j (lambda_j o_j - a_j);   W = W + D c u'
//! backward, G = 0, e = 0:    g = G'Dc;   dl/dalpha_i += c_i G_i.u
//!                            dl/dbeta1 += g_j (lambda_j - a_j) where j is present;   dl/dbeta2 += g_j (-a_j) where absent
//!                            dl/dlambda_j += beta1 g_j where present;   dl/dgamma += (e - g.u) / gamma
//!                            d = dlog p/da - beta g;   e = e - g.u + a.d;   G = gamma G + c d'
//! ```
//!
//! Other rules go forward in the same way. Where absent cues learn, too, c is c - k x in D c and in dl/dalpha, x being 1 where a cue is
//! expected. Of other rules the gradient has only what turns activations into responses.
//!
//! All in float64. A trial of frequency f is f tokens; its response counts once, before the first of them. Cues and outcomes count
//! once in a trial.

use crate::error::{Error, Result};
use crate::lists::Lists;
use crate::memory::{Grow, collected, copied, filled};
use crate::monitor::{Monitor, Pulse};
use crate::rules::rule::{At, Rule};
use crate::tiles::forgetting::Retention;

/// Marks a trial without a response.
pub const NO_RESPONSE: u32 = u32::MAX;

/// The trials of a person, by his own numbers of rows and columns.
///
/// Invariants, which [`PersonTrials::new`] sees to: rows are below the number of groups' places, columns below `n_columns`; there are as
/// many lists and numbers as trials; a choice is among the options of its trial.
pub struct PersonTrials {
    cues: Lists,
    outcomes: Lists,
    frequencies: Vec<u32>,
    responses: Responses,
    /// The weights that he starts from, row after row.
    start: Vec<f64>,
    n_columns: usize,
    /// The group of each row, whose cues have one salience.
    groups: Vec<u32>,
}

/// What a person did at each trial.
pub enum Responses {
    /// A choice among options.
    Choices {
        /// The columns that are options, of each trial.
        options: Lists,
        /// The place of the choice among them, or [`NO_RESPONSE`].
        chosen: Vec<u32>,
    },
    /// A number.
    Numbers {
        /// The column of each trial whose activation predicts it.
        columns: Vec<u32>,
        /// The number of each trial, NaN where there is none.
        numbers: Vec<f64>,
    },
}

/// What is fitted; or the derivatives by each of it.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Fitted {
    /// The salience of each group of cues.
    pub alpha: Vec<f64>,
    /// The learning rates, where the outcome is present and where it is absent.
    pub beta: [f64; 2],
    /// The asymptote of each column.
    pub lambda: Vec<f64>,
    /// What each token leaves of every weight.
    pub retention: f64,
    /// By what activations are multiplied.
    pub theta: f64,
    /// Of choices: what is added for each column. Of numbers: one number, their mean where the activation is 0.
    pub bias: Vec<f64>,
    /// Of choices: the part that is chosen at random. Of numbers: their standard deviation.
    pub spread: f64,
}

impl PersonTrials {
    /// Trials of `groups.len()` rows and `n_columns` columns.
    ///
    /// # Errors
    /// [`Error::Argument`] when the parts do not fit each other.
    pub fn new(
        (cues, outcomes, frequencies): (Lists, Lists, Vec<u32>),
        responses: Responses,
        (start, n_columns): (Vec<f64>, usize),
        groups: Vec<u32>,
    ) -> Result<Self> {
        let n = frequencies.len();
        let below = |items: &[u32], end: usize| items.iter().all(|&item| (item as usize) < end);
        let answered = match &responses {
            Responses::Choices { options, chosen } => {
                let is_option = |(trial, &place): (usize, &u32)| {
                    place == NO_RESPONSE || (place as usize) < options.get(trial).len()
                };
                options.len() == n
                    && chosen.len() == n
                    && below(options.items(), n_columns)
                    && chosen.iter().enumerate().all(is_option)
            }
            Responses::Numbers { columns, numbers } => {
                columns.len() == n && numbers.len() == n && below(columns, n_columns)
            }
        };
        let fits = cues.len() == n
            && outcomes.len() == n
            && below(cues.items(), groups.len())
            && below(outcomes.items(), n_columns)
            && start.len() == groups.len() * n_columns;
        if !fits || !answered {
            return Err(Error::Argument("expected trials whose parts fit each other".into()));
        }
        Ok(Self { cues, outcomes, frequencies, responses, start, n_columns, groups })
    }

    /// How many responses there are.
    pub fn n_responses(&self) -> usize {
        match &self.responses {
            Responses::Choices { chosen, .. } => chosen.iter().filter(|&&place| place != NO_RESPONSE).count(),
            Responses::Numbers { numbers, .. } => numbers.iter().filter(|number| !number.is_nan()).count(),
        }
    }

    /// The logarithm of the probability of all responses, and its gradient. Where the rule has no [`Rule::GRADIENT`], the derivatives by
    /// what concerns learning are zero.
    ///
    /// # Errors
    /// [`Error::Argument`] when there is not a parameter for each group and column; [`Error::Memory`], [`Error::Stopped`].
    pub fn evaluate<R: Rule<f64>>(&self, rule: &R, at: &Fitted, monitor: &Monitor) -> Result<Evaluated> {
        let mut gradient = self.zeros(at)?;
        let mut tape = Tape::default();
        let likelihood = self.forward(rule, at, &mut gradient, &mut tape, monitor)?;
        if R::GRADIENT {
            self.backward(rule, at, &mut gradient, &tape, monitor)?;
        }
        Ok(Evaluated { likelihood, gradient, activations: tape.activations })
    }

    /// The activations of all columns before each trial, trial after trial.
    ///
    /// # Errors
    /// [`Error::Memory`].
    pub fn predictions(&self, evaluated: &Evaluated) -> Result<Vec<f64>> {
        let (k, mut first, mut found) = (self.n_columns, 0, Vec::new());
        for &frequency in &self.frequencies {
            found.grow_by(&evaluated.activations[first..first + k])?;
            first += k * frequency.max(1) as usize;
        }
        Ok(found)
    }

    /// A gradient to begin with.
    fn zeros(&self, at: &Fitted) -> Result<Fitted> {
        let k = self.n_columns;
        let biases = match self.responses {
            Responses::Choices { .. } => k,
            Responses::Numbers { .. } => 1,
        };
        if self.groups.iter().any(|&group| group as usize >= at.alpha.len())
            || [at.lambda.len(), at.bias.len()] != [k, biases]
        {
            return Err(Error::Argument(
                "expected a parameter for each group of cues and each column".into(),
            ));
        }
        let (alpha, lambda) = (filled(0.0, at.alpha.len())?, filled(0.0, k)?);
        Ok(Fitted { alpha, lambda, bias: filled(0.0, biases)?, ..Fitted::default() })
    }

    /// Learns all trials, and keeps what the backward pass needs. What turns activations into responses has its gradient then.
    fn forward<R: Rule<f64>>(
        &self,
        rule: &R,
        at: &Fitted,
        gradient: &mut Fitted,
        tape: &mut Tape,
        monitor: &Monitor,
    ) -> Result<f64> {
        let k = self.n_columns;
        let retention = Retention::<f64>::new(at.retention);
        let mut weights = copied(&self.start)?;
        let mut states = collected(weights.iter().map(|&weight| rule.begun(weight)))?;
        let mut memory = R::Memory::default();
        rule.begin(&mut memory, self.groups.len())?;
        let mut last = filled(0_u64, self.groups.len())?;
        let (mut likelihood, mut token, mut pulse) = (0.0, 0, Pulse::default());
        let [beta1, beta2] = at.beta;
        let absent = At { sum: 0.0, target: 0.0, rate: beta2, betas: at.beta, update: 0.0 };
        let (mut activations, mut columns) = (filled(0.0, k)?, filled(absent, k)?);
        let (mut others, mut powers) = (Vec::new(), Vec::new());
        for (trial, &frequency) in self.frequencies.iter().enumerate() {
            let (cues, outcomes) = (self.cues.get(trial), self.outcomes.get(trial));
            for repeat in 0..frequency.max(1) {
                activations.fill(0.0);
                for &row in cues {
                    let rest = retention.power(token - last[row as usize]);
                    last[row as usize] = token;
                    let place = row as usize * k;
                    let (weights, states) = (&mut weights[place..][..k], &states[place..][..k]);
                    for ((sum, weight), state) in activations.iter_mut().zip(weights).zip(states) {
                        *weight *= rest;
                        *sum += rule.term(*weight, state);
                    }
                }
                tape.activations.grow_by(&activations)?;
                tape.slopes.grow_to(tape.activations.len(), 0.0)?;
                if repeat == 0 {
                    let place = tape.slopes.len() - k;
                    let slopes = &mut tape.slopes[place..];
                    likelihood += self.respond(trial, at, &activations, gradient, slopes, &mut powers)?;
                }
                if frequency == 0 {
                    pulse.beat((cues.len() + 4) * k + 1, monitor)?;
                    break;
                }
                others.clear();
                rule.others(&mut memory, cues, &mut others)?;
                tape.others.push(&others)?;
                pulse.beat((2 * cues.len() + others.len() + 4) * k + 1, monitor)?;
                for (column, sum) in columns.iter_mut().zip(&activations) {
                    *column = At { sum: *sum, ..absent };
                }
                for &column in outcomes {
                    let column = column as usize;
                    (columns[column].target, columns[column].rate) = (at.lambda[column], beta1);
                }
                columns.iter_mut().for_each(|column| column.update = rule.update(column));
                for (number, &row) in cues.iter().chain(&others).enumerate() {
                    let rest = retention.power(token - last[row as usize]) * at.retention;
                    last[row as usize] = token + 1;
                    let alpha = at.alpha[self.groups[row as usize] as usize];
                    let factor = rule.factor(&memory, row, alpha, number < cues.len());
                    let place = row as usize * k;
                    let (weights, states) = (&mut weights[place..][..k], &mut states[place..][..k]);
                    for ((weight, state), column) in weights.iter_mut().zip(states).zip(&columns) {
                        *weight = rule.changed(rest * *weight, state, factor, column);
                    }
                }
                rule.after(&mut memory, cues)?;
                token += 1;
            }
        }
        Ok(likelihood)
    }

    /// The log probability of a response. Adds to the gradient of what turns activations into responses, and to the derivatives by the
    /// activations. `powers` is room.
    fn respond(
        &self,
        trial: usize,
        at: &Fitted,
        activations: &[f64],
        gradient: &mut Fitted,
        slopes: &mut [f64],
        powers: &mut Vec<f64>,
    ) -> Result<f64> {
        Ok(match &self.responses {
            Responses::Numbers { columns, numbers } => {
                let (column, y, sigma) = (columns[trial] as usize, numbers[trial], at.spread);
                if y.is_nan() {
                    return Ok(0.0);
                }
                let a = activations[column];
                let z = (y - at.bias[0] - at.theta * a) / sigma;
                slopes[column] += at.theta * z / sigma;
                gradient.bias[0] += z / sigma;
                gradient.theta += a * z / sigma;
                gradient.spread += (z * z - 1.0) / sigma;
                -0.5 * (z * z + std::f64::consts::TAU.ln()) - sigma.ln()
            }
            Responses::Choices { options, chosen } => {
                let (options, place) = (options.get(trial), chosen[trial]);
                if place == NO_RESPONSE {
                    return Ok(0.0);
                }
                let logit = |column: u32| at.theta * activations[column as usize] + at.bias[column as usize];
                let greatest = options.iter().map(|&column| logit(column)).fold(f64::NEG_INFINITY, f64::max);
                powers.clear();
                powers.make_room(options.len())?;
                powers.extend(options.iter().map(|&column| (logit(column) - greatest).exp()));
                let total: f64 = powers.iter().sum();
                let n = options.len() as f64;
                let share = powers[place as usize] / total;
                let p = (1.0 - at.spread) * share + at.spread / n;
                let r = (1.0 - at.spread) * share / p;
                powers[place as usize] -= total;
                for (&column, power) in options.iter().zip(&*powers) {
                    let (slope, column) = (-r * power / total, column as usize);
                    slopes[column] += at.theta * slope;
                    gradient.bias[column] += slope;
                    gradient.theta += slope * activations[column];
                }
                gradient.spread += (1.0 / n - share) / p;
                p.ln()
            }
        })
    }

    /// Goes back through the trials, and adds the gradient of what was learned.
    fn backward<R: Rule<f64>>(
        &self,
        rule: &R,
        at: &Fitted,
        gradient: &mut Fitted,
        tape: &Tape,
        monitor: &Monitor,
    ) -> Result<()> {
        let (k, memory) = (self.n_columns, R::Memory::default());
        let share = |row: u32, number, cues: &[u32]| rule.factor(&memory, row, 1.0, number < cues.len());
        let retention = Retention::<f64>::new(at.retention);
        let mut adjoint = filled(0.0, self.groups.len() * k)?;
        // Each row of the adjoint is as it was just before this token.
        let mut before = filled(tape.others.len() as u64 + 1, self.groups.len())?;
        let (mut g, mut u, mut d) = (filled(0.0, k)?, filled(0.0, k)?, filled(0.0, k)?);
        let (mut token, mut eta, mut pulse) = (tape.others.len() as u64, 0.0, Pulse::default());
        let mut place = tape.activations.len();
        for (trial, &frequency) in self.frequencies.iter().enumerate().rev() {
            let (cues, outcomes) = (self.cues.get(trial), self.outcomes.get(trial));
            for _ in 0..frequency.max(1) {
                let learned = token.checked_sub(1).filter(|_| frequency > 0);
                let others = learned.map_or(&[][..], |token| tape.others.get(token as usize));
                pulse.beat((3 * (cues.len() + others.len()) + 6) * k + 1, monitor)?;
                place -= k;
                let (a, slopes) = (&tape.activations[place..][..k], &tape.slopes[place..][..k]);
                g.fill(0.0);
                for (number, &row) in cues.iter().chain(others).enumerate() {
                    let rest = retention.power(before[row as usize] - token - 1);
                    before[row as usize] = token + 1;
                    let alpha = share(row, number, cues) * at.alpha[self.groups[row as usize] as usize];
                    for (sum, value) in g.iter_mut().zip(&mut adjoint[row as usize * k..][..k]) {
                        *value *= rest;
                        *sum += alpha * *value;
                    }
                }
                if frequency == 0 {
                    // Read between two tokens, nothing is learned of it.
                    for &row in cues {
                        let adjoint = &mut adjoint[row as usize * k..][..k];
                        adjoint.iter_mut().zip(slopes).for_each(|(value, slope)| *value += slope);
                    }
                    eta += a.iter().zip(slopes).map(|(a, slope)| a * slope).sum::<f64>();
                    continue;
                }
                let mut moved = 0.0;
                for (column, j) in (0..).zip(0..k) {
                    let is_present = outcomes.contains(&column);
                    let (beta, error) =
                        if is_present { (at.beta[0], at.lambda[j] - a[j]) } else { (at.beta[1], 0.0 - a[j]) };
                    u[j] = beta * error;
                    gradient.beta[usize::from(!is_present)] += g[j] * error;
                    if is_present {
                        gradient.lambda[j] += beta * g[j];
                    }
                    d[j] = slopes[j] - beta * g[j];
                    moved += g[j] * u[j];
                }
                gradient.retention += (eta - moved) / at.retention;
                eta += a.iter().zip(&d).map(|(a, d)| a * d).sum::<f64>() - moved;
                for (number, &row) in cues.iter().chain(others).enumerate() {
                    let adjoint = &mut adjoint[row as usize * k..][..k];
                    let moved = adjoint.iter().zip(&u).map(|(value, u)| value * u).sum::<f64>();
                    let group = self.groups[row as usize] as usize;
                    gradient.alpha[group] += share(row, number, cues) * moved;
                    // An absent cue adds nothing to activations.
                    let part = f64::from(u8::from(number < cues.len()));
                    adjoint
                        .iter_mut()
                        .zip(&d)
                        .for_each(|(value, d)| *value = at.retention * *value + part * d);
                    before[row as usize] = token;
                }
                token -= 1;
            }
        }
        Ok(())
    }
}

/// What came of one pass through the trials.
pub struct Evaluated {
    /// The logarithm of the probability of all responses.
    pub likelihood: f64,
    /// Its derivatives.
    pub gradient: Fitted,
    /// The activations of all columns before each token, and before each trial that is not learned.
    activations: Vec<f64>,
}

/// What the forward pass keeps of each token, and of each trial that is not learned: activations, and the derivatives of the
/// likelihood by these; of each token the rows that changed besides those of its cues.
#[derive(Default)]
struct Tape {
    activations: Vec<f64>,
    slopes: Vec<f64>,
    others: Lists,
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::rules::rescorla_wagner::RescorlaWagner;
    use crate::rules::van_hamme_wasserman::VanHammeWasserman;

    const ROWS: usize = 3;
    const COLUMNS: usize = 2;

    /// Everything that is fitted, number by number.
    fn numbers(at: &mut Fitted) -> Vec<&mut f64> {
        let Fitted { alpha, beta, lambda, retention, theta, bias, spread } = at;
        let lists = alpha.iter_mut().chain(beta).chain(lambda).chain(bias);
        lists.chain([retention, theta, spread]).collect()
    }

    proptest! {
        #[test]
        fn gradients_are_those_of_differences(
            trials in prop::collection::vec((1_u32..8, 0_u32..3, 0_u32..3, 0_u32..3), 1..12),
            are_choices: bool,
            absent_learn: bool,
            by in prop::collection::vec(-0.2..0.2, 11),
        ) {
            let monitor = Monitor::new();
            let (mut cues, mut outcomes, mut options) = (Lists::default(), Lists::default(), Lists::default());
            let (mut frequencies, mut chosen, mut columns, mut values) = (vec![], vec![], vec![], vec![]);
            for &(members, outcome, frequency, response) in &trials {
                let own: Vec<u32> = (0..ROWS as u32).filter(|row| members >> row & 1 == 1).collect();
                cues.push(&own).unwrap();
                outcomes.push(if outcome < 2 { std::slice::from_ref(&outcome) } else { &[] }).unwrap();
                options.push(&[0, 1]).unwrap();
                frequencies.push(frequency);
                chosen.push(if response < 2 { response } else { NO_RESPONSE });
                columns.push(outcome % 2);
                values.push(if response < 2 { f64::from(response) * 0.4 } else { f64::NAN });
            }
            let responses = if are_choices {
                Responses::Choices { options, chosen }
            } else {
                Responses::Numbers { columns, numbers: values }
            };
            let start = vec![0.1, -0.2, 0.3, 0.0, 0.2, -0.1];
            let person =
                PersonTrials::new((cues, outcomes, frequencies), responses, (start, COLUMNS), vec![0, 1, 0]).unwrap();
            let mut at = Fitted {
                alpha: vec![0.6, 0.9],
                beta: [0.4, 0.3],
                lambda: vec![1.0, 0.8],
                retention: 0.75,
                theta: 1.5,
                bias: vec![0.1; if are_choices { COLUMNS } else { 1 }],
                spread: 0.3,
            };
            numbers(&mut at).into_iter().zip(&by).for_each(|(number, by)| *number += by);
            let evaluate = |at: &Fitted| {
                let found = if absent_learn {
                    person.evaluate(&VanHammeWasserman { k: 0.7 }, at, &monitor)
                } else {
                    person.evaluate(&RescorlaWagner, at, &monitor)
                };
                found.unwrap()
            };
            let mut gradient = evaluate(&at).gradient;
            let exact: Vec<f64> = numbers(&mut gradient).into_iter().map(|each| *each).collect();
            for (place, exact) in exact.into_iter().enumerate() {
                let beside = |by: f64| {
                    let mut moved = at.clone();
                    *numbers(&mut moved)[place] += by;
                    evaluate(&moved).likelihood
                };
                let difference = (beside(1e-6) - beside(-1e-6)) / 2e-6;
                prop_assert!(
                    (exact - difference).abs() <= 1e-6 * (1.0 + exact.abs()),
                    "number {place}: {exact} is not {difference}"
                );
            }
        }
    }
}
