//! The element of weights: a number type that has vectors for every instruction set.

use super::scalar::Scalar;
use super::vector::Vector;
#[cfg(target_arch = "aarch64")]
use super::vector::neon;
#[cfg(target_arch = "x86_64")]
use super::vector::x86;

/// The number type of weights: `f64` or `f32`.
pub trait Element: Scalar {
    /// Vectors of AVX-512; on other architectures, portable vectors.
    type Avx512: Vector<Element = Self>;
    /// Vectors of AVX2; on other architectures, portable vectors.
    type Avx2: Vector<Element = Self>;
    /// Vectors of NEON; on other architectures, portable vectors.
    type Neon: Vector<Element = Self>;
    /// Vectors for any machine.
    type Portable: Vector<Element = Self>;
}

macro_rules! element {
    ($type:ty, $avx512:ty, $avx2:ty, $neon:ty, $lanes:literal) => {
        impl Element for $type {
            #[cfg(target_arch = "x86_64")]
            type Avx512 = $avx512;
            #[cfg(target_arch = "x86_64")]
            type Avx2 = $avx2;
            #[cfg(not(target_arch = "x86_64"))]
            type Avx512 = [$type; $lanes];
            #[cfg(not(target_arch = "x86_64"))]
            type Avx2 = [$type; $lanes];
            #[cfg(target_arch = "aarch64")]
            type Neon = $neon;
            #[cfg(not(target_arch = "aarch64"))]
            type Neon = [$type; $lanes];
            type Portable = [$type; $lanes];
        }
    };
}

element!(f64, x86::Pd512, x86::Pd256, neon::Pd128, 4);
element!(f32, x86::Ps512, x86::Ps256, neon::Ps128, 8);
