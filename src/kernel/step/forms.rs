//! Chooses the body of a step by the number of its rows and the instruction set, from measurements.

use std::marker::PhantomData;

use super::bodies::{Any, Held, StepBody, Woven};
use super::method::Step;
use crate::kernel::isa::Isa;
use crate::kernel::vector::Vector;

/// Where a body keeps its rows.
#[derive(Clone, Copy)]
enum Form {
    /// In registers, between the sum and the change.
    Held,
    /// In memory: a block is summed while the block before it is changed.
    Woven,
}
use Form::{Held as H, Woven as W};

/// The form for 1, 2, 3 ... rows, and how many vectors are side by side. More rows have [`Any`].
type Forms = &'static [(Form, usize)];

/// Measured end to end against [`Any`] alone: where each cue has a salience of its own, learning King James takes 18 % less time
/// forward and 11 % less adjoint. Bodies for more rows, and other forms, made no difference beyond noise, of some 3 %.
const AVX512: Forms =
    &[(H, 4), (H, 4), (H, 4), (H, 4), (H, 4), (H, 4), (H, 2), (H, 2), (H, 2), (H, 2), (H, 2), (H, 2)];

/// Here registers hold fewer rows than those of AVX-512. Measured end to end against a table with [`Any`] from 6 rows on: learning
/// King James takes 5 % less time forward and 8 % less adjoint.
const AVX2: Forms =
    &[(H, 4), (H, 4), (H, 2), (H, 2), (H, 2), (W, 2), (W, 2), (W, 2), (W, 2), (W, 2), (W, 2), (W, 2)];

/// Only steps with fewer rows than this have a body of their own.
pub(super) const ROWS: usize = 13;

/// A body as a function, with the arguments of [`StepBody::run`].
type BodyFunction<V, S> = unsafe fn(*mut <V as Vector>::Element, usize, &[u32], &mut S);

/// Bodies as separate functions, so that the compiler allocates registers for each body alone.
pub(super) struct Apart<V, S>(PhantomData<(V, S)>);

impl<V: Vector, S: Step<V>> Apart<V, S> {
    /// At index n the body for n rows; at 0 the body for any number of rows.
    pub(super) const ALL: [BodyFunction<V, S>; ROWS] = {
        let mut all = [Self::any::<4>(); ROWS];
        let mut n = 1;
        while n < ROWS {
            all[n] = Self::of(n);
            n += 1;
        }
        all
    };

    /// The body for any number of rows, with `B` vectors side by side.
    pub(super) const fn any<const B: usize>() -> BodyFunction<V, S> {
        Self::apart::<Any<B>>()
    }

    const fn of(n: usize) -> BodyFunction<V, S> {
        macro_rules! by_rows {
            ($($rows:literal)*) => {
                match n {
                    $($rows => Self::with_rows::<$rows>(),)*
                    _ => Self::any::<4>(),
                }
            };
        }
        by_rows!(1 2 3 4 5 6 7 8 9 10 11 12)
    }

    /// The body for `K` rows.
    const fn with_rows<const K: usize>() -> BodyFunction<V, S> {
        let table = match V::ISA {
            // NEON has 32 registers, as AVX-512 has, so it holds as many rows. Not measured on ARM.
            Isa::Avx512 | Isa::Neon => AVX512,
            Isa::Avx2 => AVX2,
            Isa::Portable => &[],
        };
        if K > table.len() {
            return Self::any::<4>();
        }
        match table[K - 1] {
            (Form::Held, 4) => Self::apart::<Held<K, 4>>(),
            (Form::Held, _) => Self::apart::<Held<K, 2>>(),
            (Form::Woven, _) if S::UNIFORM => Self::apart::<Woven<K, 2>>(),
            (Form::Woven, _) => Self::any::<4>(),
        }
    }

    const fn apart<F: StepBody<V, S>>() -> BodyFunction<V, S> {
        match V::ISA {
            Isa::Avx512 => with_avx512::<V, S, F>,
            Isa::Avx2 => with_avx2::<V, S, F>,
            Isa::Neon | Isa::Portable => baseline::<V, S, F>,
        }
    }
}

/// Functions that run a body, each compiled for an instruction set.
macro_rules! apart {
    ($($(#[$compiled:meta])* $name:ident,)*) => {$(
        /// # Safety
        /// As [`StepBody::run`], for a machine that has the instruction set.
        $(#[$compiled])*
        #[inline(never)]
        #[expect(unsafe_code, reason = "the hot loop, over rows that the caller validated")]
        unsafe fn $name<V: Vector, S: Step<V>, F: StepBody<V, S>>(
            weights: *mut V::Element,
            width: usize,
            rows: &[u32],
            step: &mut S,
        ) {
            // SAFETY: by the contract of this function.
            unsafe { F::run(weights, width, rows, step) }
        }
    )*};
}

apart!(
    #[cfg_attr(target_arch = "x86_64", target_feature(enable = "avx512f"))]
    with_avx512,
    #[cfg_attr(target_arch = "x86_64", target_feature(enable = "avx2"))]
    with_avx2,
    baseline,
);
