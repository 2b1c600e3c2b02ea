//! The rows of C: what the cues of each set stand for.

use crate::lists::Lists;

/// A row for each cue set.
pub(super) enum SetRows {
    /// The columns of a set, each as often as the set has its cues. Equal ones are neighbours.
    Names(Lists),
    /// The columns of a vector, rising, and the numbers there.
    Sparse(Lists<(u32, f64)>),
    /// Vectors of `width` numbers, one after another.
    Dense { width: usize, values: Vec<f64> },
}

impl SetRows {
    pub(super) fn get(&self, set: usize) -> SetRow<'_> {
        match self {
            SetRows::Names(lists) => SetRow::Names(lists.get(set)),
            SetRows::Sparse(lists) => SetRow::Sparse(lists.get(set)),
            SetRows::Dense { width, values } => SetRow::Dense(&values[set * width..][..*width]),
        }
    }
}

/// One of them.
#[derive(Clone, Copy)]
pub(super) enum SetRow<'a> {
    Names(&'a [u32]),
    Sparse(&'a [(u32, f64)]),
    Dense(&'a [f64]),
}

impl<'a> SetRow<'a> {
    /// How much work it is.
    pub(super) fn len(self) -> usize {
        match self {
            SetRow::Names(columns) => columns.len(),
            SetRow::Sparse(entries) => entries.len(),
            SetRow::Dense(values) => values.len(),
        }
    }

    /// Its columns, each once, with the numbers there.
    pub(super) fn entries(self) -> Entries<'a> {
        Entries { left: self, column: 0 }
    }

    /// Adds up some rows of a matrix that has one for each column of C, each times the number there.
    pub(super) fn sum_rows(self, rows: &[f64], sum: &mut [f64]) {
        let width = sum.len();
        let row = |column: u32| &rows[column as usize * width..][..width];
        sum.fill(0.0);
        match self {
            SetRow::Names(columns) => {
                for &column in columns {
                    sum.iter_mut().zip(row(column)).for_each(|(sum, value)| *sum += value);
                }
            }
            SetRow::Sparse(entries) => {
                for &(column, times) in entries {
                    sum.iter_mut().zip(row(column)).for_each(|(sum, value)| *sum += times * value);
                }
            }
            SetRow::Dense(values) => {
                for (row, times) in rows.chunks_exact(width.max(1)).zip(values) {
                    sum.iter_mut().zip(row).for_each(|(sum, value)| *sum += times * value);
                }
            }
        }
    }

    /// Adds values to these rows, times the number there.
    pub(super) fn add_to_rows(self, rows: &mut [f64], values: &[f64]) {
        let width = values.len();
        let mut add = |column: usize, times: f64| {
            let row = &mut rows[column * width..][..width];
            row.iter_mut().zip(values).for_each(|(sum, value)| *sum += times * value);
        };
        match self {
            SetRow::Names(columns) => columns.iter().for_each(|&column| add(column as usize, 1.0)),
            SetRow::Sparse(entries) => {
                entries.iter().for_each(|&(column, times)| add(column as usize, times))
            }
            SetRow::Dense(numbers) => {
                numbers.iter().enumerate().for_each(|(column, &times)| add(column, times))
            }
        }
    }
}

/// The columns of a row, with the numbers there.
#[derive(Clone)]
pub(super) struct Entries<'a> {
    left: SetRow<'a>,
    /// Of a vector with all its numbers, the column of the next.
    column: usize,
}

impl Iterator for Entries<'_> {
    type Item = (usize, f64);

    fn next(&mut self) -> Option<Self::Item> {
        match &mut self.left {
            SetRow::Names(columns) => {
                let (&first, times) =
                    (columns.first()?, columns.iter().take_while(|&&column| column == columns[0]));
                let times = times.count();
                *columns = &columns[times..];
                Some((first as usize, times as f64))
            }
            SetRow::Sparse(entries) => {
                let (&(column, value), rest) = entries.split_first()?;
                *entries = rest;
                Some((column as usize, value))
            }
            SetRow::Dense(values) => {
                let (&value, rest) = values.split_first()?;
                *values = rest;
                self.column += 1;
                Some((self.column - 1, value))
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_of_all_kinds_are_the_same() {
        let (mut names, mut sparse) = (Lists::default(), Lists::default());
        names.push(&[0, 2, 2, 3]).unwrap();
        sparse.push(&[(0, 1.0), (2, 2.0), (3, 1.0)]).unwrap();
        let dense = SetRows::Dense { width: 4, values: vec![1.0, 0.0, 2.0, 1.0] };
        let matrix: Vec<f64> = (0..8).map(f64::from).collect();
        for rows in [SetRows::Names(names), SetRows::Sparse(sparse), dense] {
            let row = rows.get(0);
            let entries: Vec<_> = row.entries().filter(|&(_, times)| times != 0.0).collect();
            assert_eq!(entries, [(0, 1.0), (2, 2.0), (3, 1.0)]);
            let mut sum = [9.0; 2];
            row.sum_rows(&matrix, &mut sum);
            assert_eq!(sum, [0.0 + 8.0 + 6.0, 1.0 + 10.0 + 7.0]);
            let mut target = vec![0.0; 8];
            row.add_to_rows(&mut target, &[1.0, 10.0]);
            assert_eq!(target, [1.0, 10.0, 0.0, 0.0, 2.0, 20.0, 1.0, 10.0]);
        }
    }
}
