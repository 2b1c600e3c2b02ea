//! The Cholesky factorisation, with complete pivoting and without, in steps between which the stop flag is looked at.
//!
//! One call of the library for a large matrix takes minutes. So blocks of it are factorised, and the stop flag is looked at between
//! them: the same operations in the same order as in one call, except that updates are cut into stripes,
//! which threads share.

use faer::dyn_stack::{MemBuffer, MemStack};
use faer::linalg::cholesky::llt::factor::{cholesky_in_place, cholesky_in_place_scratch};
use faer::linalg::matmul::matmul;
use faer::linalg::matmul::triangular::{BlockStructure, matmul as matmul_triangular};
use faer::linalg::triangular_solve::solve_lower_triangular_in_place;
use faer::{Accum, MatMut, MatRef, Par};
use rayon::prelude::*;

use crate::error::Result;
use crate::memory::{empty, filled, short};
use crate::monitor::Monitor;
use crate::tiles::product::packing;

/// Columns that are factorised before the others are updated.
const PANEL: usize = 128;
/// Columns of an update that a thread takes at a time.
const STRIPE: usize = 192;
/// Matrices of no more columns are factorised without pivoting at once.
const WHOLE: usize = 256;

/// Replaces the lower triangle of a symmetric matrix G by L, where P'GP = L L' and pivots fall. Returns the rank; `order` has the
/// rows in their new order. `None` if G has negative diagonal elements.
pub(super) fn pivoted(
    gram: &mut [f64],
    n: usize,
    order: &mut [usize],
    monitor: &Monitor,
) -> Result<Option<usize>> {
    order.iter_mut().enumerate().for_each(|(i, place)| *place = i);
    let mut greatest = 0.0;
    for i in 0..n {
        let value = gram[i * n + i];
        if value < 0.0 || value.is_nan() {
            return Ok(None);
        }
        greatest = value.max(greatest);
    }
    let least = f64::EPSILON * n as f64 * greatest;
    // For each row the diagonal element, the sum of squares within the panel, and their difference.
    let mut diagonal = filled(0.0, n)?;
    let mut squares = filled(0.0, n)?;
    let mut left = filled(0.0, n)?;
    let mut swaps = empty(PANEL)?;
    for first in (0..n).step_by(PANEL) {
        let end = n.min(first + PANEL);
        squares[first..].fill(0.0);
        (first..n).for_each(|i| diagonal[i] = gram[i * n + i]);
        for j in first..end {
            monitor.check()?;
            if j > first {
                let before = &gram[(j - 1) * n..][j..n];
                squares[j..].iter_mut().zip(before).for_each(|(sum, value)| *sum += value.powi(2));
            }
            (j..n).for_each(|i| left[i] = diagonal[i] - squares[i]);
            let (mut pivot, mut most) = (j, 0.0);
            for (i, &value) in left.iter().enumerate().skip(j) {
                if value.is_nan() {
                    return Ok(None);
                }
                if value > most {
                    (pivot, most) = (i, value);
                }
            }
            // The first pivot counts in any case.
            if j > 0 && most < least {
                gram[j * n + j] = most;
                swap_rows(&mut gram[..first * n], n, &swaps);
                return Ok(Some(j));
            }
            if pivot != j {
                swap_places(gram, n, first, j, pivot);
                swaps.push((j, pivot));
                diagonal.swap(j, pivot);
                squares.swap(j, pivot);
                order.swap(j, pivot);
            }
            let root = most.sqrt();
            gram[j * n + j] = root;
            let (before, column) = gram.split_at_mut(j * n);
            let known = MatRef::from_column_major_slice(&before[first * n..], n, j - first);
            let mut column = MatMut::from_column_major_slice_mut(&mut column[j + 1..n], n - j - 1, 1);
            matmul(
                column.as_mut(),
                Accum::Add,
                known.submatrix(j + 1, 0, n - j - 1, j - first),
                known.submatrix(j, 0, 1, j - first).transpose(),
                -1.0,
                Par::Seq,
            );
            let scale = root.recip();
            column.col_mut(0).iter_mut().for_each(|value| *value *= scale);
        }
        swap_rows(&mut gram[..first * n], n, &swaps);
        swaps.clear();
        let (before, rest) = gram.split_at_mut(end * n);
        let panel = MatRef::from_column_major_slice(&before[first * n..], n, end - first);
        let rest = MatMut::from_column_major_slice_mut(rest, n, n - end);
        downdate(rest.submatrix_mut(end, 0, n - end, n - end), panel.subrows(end, n - end), monitor)?;
    }
    Ok(Some(n))
}

/// Exchanges rows of L, one column after another.
fn swap_rows(columns: &mut [f64], n: usize, swaps: &[(usize, usize)]) {
    for column in columns.chunks_exact_mut(n) {
        swaps.iter().for_each(|&(j, pivot)| column.swap(j, pivot));
    }
}

/// Exchanges two rows and columns of a symmetric matrix of which only the lower triangle is stored, and the rows of L on the left
/// from the column `first` on.
fn swap_places(gram: &mut [f64], n: usize, first: usize, j: usize, pivot: usize) {
    gram[pivot * n + pivot] = gram[j * n + j];
    (first..j).for_each(|column| gram.swap(column * n + j, column * n + pivot));
    (pivot + 1..n).for_each(|row| gram.swap(j * n + row, pivot * n + row));
    (j + 1..pivot).for_each(|i| gram.swap(j * n + i, i * n + pivot));
}

/// Subtracts P P' from the lower triangle of a matrix. Threads share the stripes, which do not depend on how many there are.
fn downdate(matrix: MatMut<'_, f64>, panel: MatRef<'_, f64>, monitor: &Monitor) -> Result<()> {
    let n = panel.nrows();
    in_stripes(matrix)?.into_par_iter().enumerate().try_for_each(|(index, mut stripe)| {
        packing()?;
        monitor.check()?;
        let (first, width) = (index * STRIPE, stripe.ncols());
        let end = first + width;
        let beside = panel.subrows(first, width).transpose();
        // Nothing above the diagonal is computed.
        matmul_triangular(
            stripe.as_mut().subrows_mut(first, width),
            BlockStructure::TriangularLower,
            Accum::Add,
            panel.subrows(first, width),
            BlockStructure::Rectangular,
            beside,
            BlockStructure::Rectangular,
            -1.0,
            Par::Seq,
        );
        if end < n {
            let below = stripe.subrows_mut(end, n - end);
            matmul(below, Accum::Add, panel.subrows(end, n - end), beside, -1.0, Par::Seq);
        }
        Ok(())
    })
}

/// A matrix in parts of STRIPE columns.
fn in_stripes(mut matrix: MatMut<'_, f64>) -> Result<Vec<MatMut<'_, f64>>> {
    let mut parts = empty(matrix.ncols().div_ceil(STRIPE))?;
    while matrix.ncols() > STRIPE {
        let (part, rest) = matrix.split_at_col_mut(STRIPE);
        parts.push(part);
        matrix = rest;
    }
    parts.push(matrix);
    Ok(parts)
}

/// Replaces a matrix by its Cholesky factor, unless it has no positive pivots.
pub(super) fn factorise(matrix: &mut [f64], n: usize, monitor: &Monitor) -> Result<bool> {
    let size = n.clamp(1, WHOLE);
    let need = cholesky_in_place_scratch::<f64>(size.min(n), Par::Seq, Default::default());
    let mut memory = MemBuffer::try_new(need).map_err(|_| short::<u8>(need.unaligned_bytes_required()))?;
    for first in (0..n).step_by(size) {
        monitor.check()?;
        let width = size.min(n - first);
        let below = n - first - width;
        let (block, rest) = matrix[first * n..].split_at_mut(width * n);
        let block = MatMut::from_column_major_slice_mut(block, n, width).subrows_mut(first, n - first);
        let (mut corner, mut panel) = block.split_at_row_mut(width);
        let stack = MemStack::new(&mut memory);
        let done =
            cholesky_in_place(corner.as_mut(), Default::default(), Par::Seq, stack, Default::default());
        if done.is_err() {
            return Ok(false);
        }
        let corner = corner.as_ref();
        in_stripes(panel.as_mut().transpose_mut())?.into_par_iter().try_for_each(|some| {
            packing()?;
            monitor.check()?;
            solve_lower_triangular_in_place(corner, some, Par::Seq);
            Ok(())
        })?;
        let rest = MatMut::from_column_major_slice_mut(rest, n, below);
        downdate(rest.submatrix_mut(first + width, 0, below, below), panel.as_ref(), monitor)?;
    }
    Ok(true)
}

#[cfg(test)]
mod tests {
    use faer::linalg::cholesky::llt_pivoting::factor as library;

    use super::*;

    /// A matrix of so many rows, and of a rank that may be less.
    fn gram(n: usize, rank: usize) -> Vec<f64> {
        let mut state = 1_u64;
        let mut next = || {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            (state >> 40) as f64 / (1 << 24) as f64 - 0.5
        };
        let half = faer::Mat::from_fn(n, rank, |_, _| next());
        let full = &half * half.transpose();
        (0..n * n).map(|place| full[(place % n, place / n)]).collect()
    }

    #[test]
    fn pivoting_is_that_of_the_library_bit_by_bit() {
        for (n, rank) in [(1, 1), (2, 2), (5, 3), (130, 130), (300, 300), (300, 170), (520, 129)] {
            let (mut ours, mut order) = (gram(n, rank), vec![0; n]);
            let mut theirs = ours.clone();
            let found = pivoted(&mut ours, n, &mut order, &Monitor::new()).unwrap().unwrap();
            let (mut forward, mut inverse) = (vec![0_usize; n], vec![0_usize; n]);
            let need = library::cholesky_in_place_scratch::<usize, f64>(n, Par::Seq, Default::default());
            let (info, _) = library::cholesky_in_place(
                MatMut::from_column_major_slice_mut(&mut theirs, n, n),
                &mut forward,
                &mut inverse,
                Par::Seq,
                MemStack::new(&mut MemBuffer::new(need)),
                Default::default(),
            )
            .unwrap();
            assert_eq!((found, &order), (info.rank, &forward), "{n} of rank {rank}");
            for j in 0..found {
                for i in j..n {
                    let (ours, theirs) = (ours[j * n + i], theirs[j * n + i]);
                    assert_eq!(ours.to_bits(), theirs.to_bits(), "{n} of rank {rank}: {i}, {j}");
                }
            }
        }
    }

    #[test]
    fn blocks_make_the_factor_of_the_whole() {
        for n in [1, 40, WHOLE, WHOLE + 1, 2 * WHOLE + 7] {
            let mut matrix = gram(n, 3);
            (0..n).for_each(|i| matrix[i * n + i] += 2.0);
            let before = matrix.clone();
            assert!(factorise(&mut matrix, n, &Monitor::new()).unwrap());
            // L L' row by row, at some places.
            for (i, j) in [(0, 0), (n - 1, 0), (n / 2, n / 3), (n - 1, n - 1), (n - 1, (n - 1) / 3)] {
                let sum: f64 = (0..=j).map(|k| matrix[k * n + i] * matrix[k * n + j]).sum();
                assert!((sum - before[j * n + i]).abs() < 1e-12, "{n}: {i}, {j}");
            }
        }
        let mut negative = vec![1.0, 0.0, 0.0, -1.0];
        assert!(!factorise(&mut negative, 2, &Monitor::new()).unwrap());
        assert_eq!(pivoted(&mut [-1.0], 1, &mut [0], &Monitor::new()).unwrap(), None);
    }

    #[test]
    fn both_stop_when_asked() {
        let monitor = Monitor::new();
        monitor.stop();
        assert!(factorise(&mut [1.0], 1, &monitor).is_err());
        assert!(pivoted(&mut [1.0], 1, &mut [0], &monitor).is_err());
    }
}
