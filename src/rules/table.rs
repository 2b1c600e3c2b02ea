//! The table of rules: who is called what.

#![forbid(unsafe_code)]

use super::no_competition::NoCompetition;
use super::rescorla_wagner::RescorlaWagner;
use super::rule::Rule;
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

macro_rules! rules {
    ($($Rule:ident),*) => {
        /// Does some work by the rule of a name.
        ///
        /// # Errors
        /// [`Error::Argument`] for a name that no rule has; those of the work.
        pub fn by_name<E: Element, T: WithRule<E>>(name: &str, work: T) -> Result<T::Output> {
            $(if name == <$Rule as Rule<E>>::NAME {
                return work.run($Rule);
            })*
            Err(Error::Argument(format!("rule must be one of {}, not {name}", [$(<$Rule as Rule<E>>::NAME),*].join(", "))))
        }
    };
}

rules!(RescorlaWagner, NoCompetition);
