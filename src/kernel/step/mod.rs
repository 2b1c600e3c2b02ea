//! One step on the rows of an event: sum them, make an update from the sum, change each row.
//!
//! ```text
//! sum = +0.0;  for each row r of the event, in order:     sum = sum + term(r)
//! update = what the method makes of sum
//! for each row r of the event, in order:                  r = changed(r, update)
//! ```
//!
//! A vector holds elements of one row, and multiply and add are never fused; so every lane does just what the lines above say, in
//! their order, and the result has the same bits whatever the width of the vectors. A row that comes twice is summed twice and
//! changed twice, one change after the other.
//!
//! Where the code departs from this:
//!
//! 1. `B` vectors are worked on side by side, because the additions of one sum wait for each other.
//! 2. If the rows are few, they stay in registers between sum and change, so that each is loaded once and stored once.
//! 3. With more rows one block of columns is summed while the block before it, whose sums are complete, is changed; no column
//!    depends on another.
//! 4. Each small number of rows has a function of its own (`forms`), because the compiler allocates registers for a whole
//!    function: in one function for all, values would be spilled to the stack and loaded again, which would wait.

mod bodies;
mod forms;
mod method;
mod rows;

pub use method::Step;
pub use rows::{prefetch, step, step_between};
