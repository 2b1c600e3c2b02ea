//! The table of rules: who is called what, and has which parameters.

#![forbid(unsafe_code)]

use std::collections::BTreeMap;

use super::hybrid::Hybrid;
use super::le_pelley::LePelley;
use super::mackintosh::Mackintosh;
use super::no_competition::NoCompetition;
use super::pearce_kaye_hall::PearceKayeHall;
use super::rescorla_wagner::RescorlaWagner;
use super::rule::Rule;
use super::van_hamme_wasserman::VanHammeWasserman;
use crate::error::{Error, Result};
use crate::kernel::element::Element;

/// Work that any rule can do.
pub trait WithRule<E: Element> {
    /// What comes of it.
    type Output;

    /// Does it by a rule.
    ///
    /// # Errors
    /// Those of the work.
    fn run<R: Rule<E> + Send + 'static>(self, rule: R) -> Result<Self::Output>;
}

/// What a rule has besides saliences, learning rates and asymptotes: numbers from 0 to 1.
pub type RuleParameters = BTreeMap<String, f64>;

macro_rules! rules {
    ($($Rule:ident { $($parameter:ident),* }),* $(,)?) => {
        /// Does some work by the rule of a name, with all its parameters.
        ///
        /// # Errors
        /// [`Error::Argument`] for a name that no rule has, and for parameters that are not those of the rule; those of the work.
        pub fn by_name<E: Element, T: WithRule<E>>(name: &str, parameters: &RuleParameters, work: T) -> Result<T::Output> {
            $(if name == <$Rule as Rule<E>>::NAME {
                refuse_others(name, parameters, &[$(stringify!($parameter)),*])?;
                return work.run($Rule { $($parameter: taken(name, parameters, stringify!($parameter))?),* });
            })*
            Err(Error::Argument(format!("rule must be one of {}, not {name}", [$(<$Rule as Rule<E>>::NAME),*].join(", "))))
        }
    };
}

rules!(
    RescorlaWagner {},
    NoCompetition {},
    Hybrid { salience_rate },
    PearceKayeHall { salience_rate },
    Mackintosh { salience_rate },
    LePelley { salience_rate, excitatory_rate, inhibitory_rate },
    VanHammeWasserman { k },
);

/// Refuses parameters that the rule does not have.
fn refuse_others(rule: &str, parameters: &RuleParameters, names: &[&str]) -> Result<()> {
    let Some(unknown) = parameters.keys().find(|name| !names.contains(&name.as_str())) else { return Ok(()) };
    let has = if names.is_empty() { "has none".into() } else { format!("has only {}", names.join(", ")) };
    Err(Error::Argument(format!("rule_parameters has {unknown}, but the rule {rule} {has}")))
}

/// A parameter of a rule.
fn taken(rule: &str, parameters: &RuleParameters, name: &str) -> Result<f64> {
    match parameters.get(name) {
        Some(&value) if (0.0..=1.0).contains(&value) => Ok(value),
        Some(value) => {
            Err(Error::Argument(format!("rule_parameters of {name} must be from 0 to 1, not {value}")))
        }
        None => {
            Err(Error::Argument(format!("rule_parameters must have {name}, a parameter of the rule {rule}")))
        }
    }
}
