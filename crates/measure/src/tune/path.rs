//! From a table of times to a choice by size.
//!
//! It is the path of least loss through the table: the loss of an alternative at a size is the logarithm of how much
//! slower it is than the fastest one there, and every change from one size to the next costs a little too, so that noise
//! makes no steps (Viterbi, 1967).

use super::Choice;
use carrysave_arith::NEVER;

/// What a change of choice must gain over the sizes that follow: two percent at one of them.
const CHANGE: f64 = 0.02;

/// Neighbours whose sizes are no further apart need nothing between them.
const NEAR: f64 = 1.05;

/// The nanoseconds of each alternative at each size, ascending.
pub(super) type Table = [(usize, Vec<(Choice, f64)>)];

/// The choice for each size whose losses and changes are least together.
pub(super) fn path(table: &Table) -> Vec<Choice> {
    // For each alternative at a size the least loss of a path that ends there, and its choices.
    let mut paths: Vec<(f64, Vec<Choice>)> = Vec::new();
    // Of numbers that are longer than an operation takes there are no alternatives.
    for (_, row) in table.iter().take_while(|(_, row)| !row.is_empty()) {
        let best = row.iter().map(|(_, ns)| *ns).fold(f64::INFINITY, f64::min);
        let step = |(choice, ns): &(Choice, f64)| {
            let from = |(loss, path): &(f64, Vec<Choice>)| {
                let change = if path.last() == Some(choice) {
                    0.0
                } else {
                    CHANGE
                };
                (loss + change, path.clone())
            };
            let before = paths.iter().map(from).min_by(|a, b| a.0.total_cmp(&b.0));
            let (loss, mut path) = before.unwrap_or_default();
            path.push(*choice);
            (loss + (ns / best).ln(), path)
        };
        paths = row.iter().map(step).collect();
    }
    let best = paths.into_iter().min_by(|a, b| a.0.total_cmp(&b.0));
    best.map(|(_, path)| path).unwrap_or_default()
}

/// The path as steps, each up to the last size at which it won: a kernel may be much slower just above one.
pub(super) fn steps(table: &Table) -> Vec<(usize, Choice)> {
    let mut steps: Vec<(usize, Choice)> = Vec::new();
    for (i, choice) in path(table).into_iter().enumerate() {
        match steps.last_mut() {
            Some((_, last)) if *last == choice => {}
            before => {
                if let Some((up_to, _)) = before {
                    *up_to = table[i - 1].0;
                }
                steps.push((NEVER, choice));
            }
        }
    }
    steps
}

/// The size at which another race would tell more exactly where a choice ends, and its place in the table. The size is
/// a multiple of the grain.
pub(super) fn between(table: &Table, grain: usize) -> Option<(usize, usize)> {
    let path = path(table);
    (1..path.len()).find_map(|i| {
        let [before, after] = [path[i - 1], path[i]];
        let [low, high] = [table[i - 1].0, table[i].0];
        let size = crossing(&table[i - 1..=i], before, after) / grain as f64;
        let size = size.round() as usize * grain;
        let apart = before != after && high as f64 > low as f64 * NEAR;
        (apart && (low + 1..high).contains(&size)).then_some((i, size))
    })
}

/// Where the first of two choices stops to win, between two sizes: the logarithm of their ratio is taken to be linear
/// in that of the size. As times are noisy, it is not within a quarter of the way of either.
fn crossing(table: &Table, first: Choice, second: Choice) -> f64 {
    let [(low, below), (high, above)] = table else {
        unreachable!("two sizes")
    };
    let lead = |row: &[(Choice, f64)]| {
        let time = |choice| row.iter().find(|(of, _)| *of == choice).map(|(_, ns)| *ns);
        Some((time(second)? / time(first)?).ln())
    };
    let share = match (lead(below), lead(above)) {
        (Some(won), Some(lost)) if won > 0.0 && lost < 0.0 => won / (won - lost),
        _ => 0.5,
    };
    let ratio = *high as f64 / *low as f64;
    *low as f64 * ratio.powf(share.clamp(0.25, 0.75))
}

#[cfg(test)]
mod tests {
    use super::*;
    use Choice::{From, Number};

    fn table(sizes: &[usize], times: &[(f64, f64)], choices: [Choice; 2]) -> Vec<Row> {
        let row = |(&size, &(a, b))| (size, vec![(choices[0], a), (choices[1], b)]);
        sizes.iter().zip(times).map(row).collect()
    }

    type Row = (usize, Vec<(Choice, f64)>);

    #[test]
    fn noise_makes_no_steps() {
        // The first wins up to the third size; it is never much slower before, nor ever again faster after.
        let table = table(
            &[2, 4, 8, 18, 40, 80],
            &[
                (1.0, 2.0),
                (1.01, 1.0),
                (1.0, 1.1),
                (1.1, 1.0),
                (1.0, 1.01),
                (3.0, 1.0),
            ],
            [Number(1), Number(2)],
        );
        assert_eq!(path(&table), [1, 1, 1, 2, 2, 2].map(Number));
        assert_eq!(steps(&table), [(8, Number(1)), (NEVER, Number(2))]);
    }

    #[test]
    fn alternatives_may_come_and_go() {
        let table = [
            (1, vec![(From(false), 1.0)]),
            (2, vec![(From(false), 5.0), (From(true), 1.0)]),
            (3, vec![(From(true), 1.0)]),
        ];
        assert_eq!(path(&table), [false, true, true].map(From));
        assert_eq!(path(&[]), []);
        assert_eq!(path(&[table[0].clone(), (2, vec![])]), [From(false)]);
        assert_eq!(steps(&[]), []);
    }

    #[test]
    fn thresholds_are_looked_for_where_the_ratio_says() {
        // Figures of a processor whose transforms win from 444 limbs on.
        let sides = [From(false), From(true)];
        let mut table = table(
            &[384, 448, 512],
            &[(1.0, 1.29), (1.02, 1.0), (1.1, 1.0)],
            sides,
        );
        // Neither the middle nor nearer than a quarter.
        assert_eq!(steps(&table)[0], (384, sides[0]));
        let (place, size) = between(&table, 1).unwrap();
        assert_eq!((place, size), (1, 431));
        table.insert(place, (size, vec![(sides[0], 1.0), (sides[1], 1.06)]));
        assert_eq!(between(&table, 1), None, "4 percent apart");
        assert_eq!(steps(&table)[0], (431, sides[0]));
        // With a coarser grain there is nothing in between, and what has no threshold has no place for one.
        assert_eq!(between(&table, 64), None);
        assert_eq!(between(&table[..1], 1), None);
        assert_eq!(between(&[], 1), None);
    }

    #[test]
    fn races_in_between_come_to_an_end() {
        // Whatever they say, they are nearer each time.
        for wins in [true, false] {
            let sides = [From(false), From(true)];
            let mut table = table(&[1000, 2000], &[(1.0, 1.3), (1.3, 1.0)], sides);
            let mut races = 0;
            while let Some((place, size)) = between(&table, 1) {
                let times = if wins { [1.3, 1.0] } else { [1.0, 1.3] };
                table.insert(
                    place,
                    (size, vec![(sides[0], times[0]), (sides[1], times[1])]),
                );
                races += 1;
            }
            assert_eq!(races, 4, "{table:?}");
        }
    }
}
