//! Rules: what happens to the weights of a token's cues.
//!
//! [`rule`] says what a rule must say. Each other file is a rule, in plain numbers, one column at a time. The driver
//! (`learn::forward`) has everything else: events, tiles, threads, schedules, means, records, results. It compiles the rule for
//! each instruction set; where a rule is that of Rescorla and Wagner, the kernel does its work.

#![deny(unsafe_code)]

pub mod rescorla_wagner;
pub mod rule;
