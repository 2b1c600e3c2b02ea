//! Instruction sets for the hot loops, and which of them this machine has.

use std::fmt;
use std::str::FromStr;

use crate::error::{Error, Result};

/// An instruction set for the hot loops.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Isa {
    /// 512-bit vectors.
    Avx512,
    /// 256-bit vectors.
    Avx2,
    /// 128-bit vectors of 64-bit ARM.
    Neon,
    /// Whatever the compiler's baseline has.
    Portable,
}

impl Isa {
    const ALL: [Isa; 4] = [Isa::Avx512, Isa::Avx2, Isa::Neon, Isa::Portable];

    /// The fastest that this machine has.
    pub fn best() -> Self {
        Self::available().next().unwrap_or(Isa::Portable)
    }

    /// All that this machine has, fastest first.
    pub fn available() -> impl Iterator<Item = Self> {
        Self::ALL.into_iter().filter(|kernel| kernel.is_available())
    }

    pub(super) fn is_available(self) -> bool {
        match self {
            #[cfg(target_arch = "x86_64")]
            Isa::Avx512 => is_x86_feature_detected!("avx512f"),
            #[cfg(target_arch = "x86_64")]
            Isa::Avx2 => is_x86_feature_detected!("avx2"),
            #[cfg(not(target_arch = "x86_64"))]
            Isa::Avx512 | Isa::Avx2 => false,
            // Part of the baseline there.
            Isa::Neon => cfg!(target_arch = "aarch64"),
            Isa::Portable => true,
        }
    }
}

impl fmt::Display for Isa {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Isa::Avx512 => "avx512",
            Isa::Avx2 => "avx2",
            Isa::Neon => "neon",
            Isa::Portable => "portable",
        })
    }
}

impl FromStr for Isa {
    type Err = Error;

    fn from_str(name: &str) -> Result<Self> {
        Self::available().find(|kernel| kernel.to_string() == name).ok_or_else(|| {
            let available: Vec<String> = Self::available().map(|kernel| kernel.to_string()).collect();
            Error::Argument(format!(
                "expected a kernel of this machine ({}), found {name:?}",
                available.join(", ")
            ))
        })
    }
}
