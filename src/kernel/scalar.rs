//! Arithmetic on one number; every operation rounds to its type.

use std::fmt::Debug;

mod sealed {
    pub trait Sealed {}
    impl Sealed for f32 {}
    impl Sealed for f64 {}
}

/// `f64` or `f32`. Every bit pattern is a valid value.
pub trait Scalar: sealed::Sealed + Copy + PartialOrd + Debug + Default + Send + Sync + 'static {
    /// The name numpy gives it.
    const NAME: &'static str;
    /// Rounds to the type.
    fn from_f64(value: f64) -> Self;
    /// Converts without loss.
    fn to_f64(self) -> f64;
    /// Neither infinite nor NaN.
    fn is_finite(self) -> bool;
    /// +0.0 itself, not -0.0.
    fn is_positive_zero(self) -> bool;
    /// `self + other`, rounded.
    fn plus(self, other: Self) -> Self;
    /// `self - other`, rounded.
    fn minus(self, other: Self) -> Self;
    /// `self * other`, rounded.
    fn times(self, other: Self) -> Self;
    /// Without its sign.
    fn magnitude(self) -> Self;
    /// The nearest number that is not below `least` nor above `most`.
    #[inline(always)]
    fn within(self, least: Self, most: Self) -> Self {
        let low = if self < least { least } else { self };
        if low > most { most } else { low }
    }
}

macro_rules! scalar {
    ($type:ty, $name:literal) => {
        impl Scalar for $type {
            const NAME: &'static str = $name;
            #[inline(always)]
            fn from_f64(value: f64) -> Self {
                value as $type
            }
            #[inline(always)]
            fn to_f64(self) -> f64 {
                self.into()
            }
            fn is_finite(self) -> bool {
                <$type>::is_finite(self)
            }
            fn is_positive_zero(self) -> bool {
                self.to_bits() == 0
            }
            #[inline(always)]
            fn plus(self, other: Self) -> Self {
                self + other
            }
            #[inline(always)]
            fn minus(self, other: Self) -> Self {
                self - other
            }
            #[inline(always)]
            fn times(self, other: Self) -> Self {
                self * other
            }
            #[inline(always)]
            fn magnitude(self) -> Self {
                self.abs()
            }
        }
    };
}

scalar!(f64, "float64");
scalar!(f32, "float32");
