//! Double-double numbers: the sum of two numbers, of which the second is the rounding error of the first.
//!
//! The rounding error of a sum or a product of two numbers is itself a number, and can be computed (Dekker, Knuth).

/// `head + tail`, |tail| at most half a unit in the last place of head.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub(super) struct Double {
    pub(super) head: f64,
    pub(super) tail: f64,
}

impl Double {
    /// a + b, exactly.
    pub(super) fn sum(a: f64, b: f64) -> Self {
        let head = a + b;
        let of_b = head - a;
        Self { head, tail: (a - (head - of_b)) + (b - of_b) }
    }

    /// a b, exactly.
    pub(super) fn product(a: f64, b: f64) -> Self {
        let head = a * b;
        Self { head, tail: a.mul_add(b, -head) }
    }

    /// This and `other`.
    pub(super) fn plus(self, other: Self) -> Self {
        let heads = Self::sum(self.head, other.head);
        let tails = Self::sum(self.tail, other.tail);
        let first = Self::sum(heads.head, heads.tail + tails.head);
        Self::sum(first.head, first.tail + tails.tail)
    }

    pub(super) fn minus(self, other: Self) -> Self {
        self.plus(Self { head: -other.head, tail: -other.tail })
    }

    pub(super) fn times(self, other: Self) -> Self {
        let product = Self::product(self.head, other.head);
        Self::sum(product.head, product.tail + (self.head * other.tail + self.tail * other.head))
    }
}

impl From<f64> for Double {
    fn from(head: f64) -> Self {
        Self { head, tail: 0.0 }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_one_number_rounds_off_two_keep() {
        assert_eq!(Double::sum(1e16, 1.0), Double { head: 1e16, tail: 1.0 });
        assert_eq!(Double::product(1.0 + f64::EPSILON, 1.0 - f64::EPSILON).tail, -f64::EPSILON.powi(2));
        let near = Double::sum(1.0, 1e-20);
        assert_eq!(near.times(near).minus(1.0.into()).head, 2e-20);
        assert_eq!(near.plus(near).minus(2.0.into()).head, 2e-20);
        let third = Double { head: 1.0 / 3.0, tail: (1.0_f64 / 3.0).mul_add(-3.0, 1.0) / 3.0 };
        let zero = third.plus(third).plus(third).minus(1.0.into());
        assert!(zero.head.abs() < 1e-31, "{zero:?}");
    }
}
