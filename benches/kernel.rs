//! Updates per second of the forward method, by instruction set and element type.
//!
//! One update is one weight of one cue slot: events x cues x outcomes. Synthetic events, 10 cues of 10,000 by Zipf's law,
//! one outcome of 512, one thread. Every kernel must give the same checksum.

#![allow(clippy::unwrap_used, missing_docs)]

use std::hint::black_box;

use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use rescorla::internals::events::EventFile;
use rescorla::internals::events::write::{Duplicates, EventWriter};
use rescorla::internals::learn::{Kernels, Plan};
use rescorla::internals::monitor::Monitor;
use rescorla::internals::tiles::method::Method;
use rescorla::internals::tiles::result::Matrix;
use rescorla::kernel::isa::Isa;

const CUES: usize = 10_000;
const OUTCOMES: usize = 512;
const EVENTS: usize = 2_000;
const SLOTS: usize = 10;

/// A number below `n` with probability proportional to 1 / (number + 1), near enough.
fn zipf(state: &mut u64, n: usize) -> usize {
    *state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
    let uniform = (*state >> 11) as f64 / (1_u64 << 53) as f64;
    ((n as f64).powf(uniform) as usize - 1).min(n - 1)
}

fn events() -> EventFile {
    let mut writer = EventWriter::new(None, Duplicates::Drop, None).unwrap();
    let mut state = 1;
    for _ in 0..EVENTS {
        for _ in 0..SLOTS {
            writer.cue(&zipf(&mut state, CUES).to_string()).unwrap();
        }
        writer.outcome(&zipf(&mut state, OUTCOMES).to_string()).unwrap();
        writer.end_event(1).unwrap();
    }
    writer.finish().unwrap()
}

fn forward<E: Kernels>(file: &EventFile, kernel: Isa, out: &mut [E]) -> u64 {
    let (n_cues, n_outcomes) = (file.cues().len(), file.outcomes().len());
    let plan = Plan {
        rows: &(0..n_cues as u32).collect::<Vec<_>>(),
        columns: &(0..n_outcomes as u32).map(Some).collect::<Vec<_>>(),
        alpha: &vec![0.1; n_cues],
        lambda: &vec![1.0; n_outcomes],
        method: Some(Method::Forward),
        kernel: Some(kernel),
        ..Plan::default()
    };
    let matrix = Matrix::new(out, [n_cues, n_outcomes]).unwrap();
    plan.learn(file, &matrix, &Monitor::new()).unwrap().facts.slots
}

fn group<E: Kernels>(criterion: &mut Criterion) {
    let file = events();
    let mut out = vec![E::default(); file.cues().len() * file.outcomes().len()];
    let slots = forward(&file, Isa::Portable, &mut out);
    let expected = out.clone();
    let mut group = criterion.benchmark_group(format!("forward/{}", E::NAME));
    group.throughput(Throughput::Elements(slots * file.outcomes().len() as u64));
    for kernel in Isa::available() {
        group.bench_function(kernel.to_string(), |bencher| {
            bencher.iter(|| forward(black_box(&file), kernel, &mut out));
        });
        assert!(out == expected, "{kernel} differs from the portable kernel");
    }
    group.finish();
}

fn kernels(criterion: &mut Criterion) {
    group::<f64>(criterion);
    group::<f32>(criterion);
}

criterion_group!(benches, kernels);
criterion_main!(benches);
