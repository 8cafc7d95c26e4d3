//! A bounded run of the fuzz entrances over their seed corpora, on any toolchain.
//!
//! `FUZZ_RUNS` sets the number of inputs an entrance gets; an input that fails is printed.
#![cfg(not(target_arch = "wasm32"))]
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::indexing_slicing)]
#![cfg(all(feature = "client", feature = "server"))]

#[path = "../fuzz/entrances.rs"]
mod entrances;

use std::fs;
use std::panic::catch_unwind;
use std::path::Path;

/// A small generator with a fixed seed: every run tries the same inputs.
struct Random(u64);

impl Random {
    fn below(&mut self, limit: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        usize::try_from(self.0 >> 11).unwrap() % limit.max(1)
    }
}

/// Some changes to `seed`: bytes set, taken out or put in, pieces of another seed among them.
fn mutate(random: &mut Random, seed: &[u8], other: &[u8]) -> Vec<u8> {
    const TELLING: &[u8] = b"{}[]:,\"\\\r\n\0 01-+.eE=?\x7f\x80\xEF\xBB\xBF\xC3\xFF";
    let mut input = seed.to_vec();
    for _ in 0..=random.below(6) {
        let at = random.below(input.len() + 1);
        let end = (at + random.below(5)).min(input.len());
        match random.below(4) {
            0 => drop(input.drain(at..end)),
            1 => input.insert(at, TELLING[random.below(TELLING.len())]),
            2 if at < input.len() => input[at] = u8::try_from(random.below(256)).unwrap(),
            _ => {
                let from = random.below(other.len());
                let to = (from + random.below(24)).min(other.len());
                input.splice(at..end, other[from.min(to)..to].iter().copied());
            }
        }
    }
    input
}

fn corpus(name: &str) -> Vec<Vec<u8>> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("fuzz/corpus").join(name);
    let mut files: Vec<_> = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    files.sort();
    files.iter().map(|file| fs::read(file).unwrap()).collect()
}

#[test]
fn no_entrance_breaks_its_promises_near_its_corpus() {
    let runs: usize = std::env::var("FUZZ_RUNS").map_or(2_000, |runs| runs.parse().unwrap());
    for (name, entrance) in entrances::ALL {
        let seeds = corpus(name);
        assert!(seeds.len() > 2, "{name} has no corpus");
        let mut random = Random(0x9E37_79B9_7F4A_7C15);
        let mutants = (0..runs).map(|_| {
            let (seed, other) = (random.below(seeds.len()), random.below(seeds.len()));
            mutate(&mut random, &seeds[seed], &seeds[other])
        });
        for input in seeds.iter().cloned().chain(mutants) {
            let outcome = catch_unwind(|| entrance(&input));
            assert!(outcome.is_ok(), "{name} fails for b\"{}\"", input.escape_ascii());
        }
    }
}
