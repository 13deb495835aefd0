//! Which processors of the system are threads of one core: [`Cores`].

use crate::processors::allowed;
use std::{fs, thread};

/// Processors of the system by their numbers, core by core. A core with simultaneous multithreading (SMT, Intel's
/// hyper-threading) has several.
///
/// Known on Linux, from sysfs. Elsewhere each processor counts as a core of its own.
///
/// ```
/// use carrysave_engine::Cores;
/// let cores = Cores::here();
/// println!("{} cores of up to {} threads", cores.apart().len(), cores.most_threads());
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Cores(Vec<Vec<usize>>);

impl Cores {
    /// Those that the calling thread may use.
    pub fn here() -> Cores {
        let siblings = |processor: usize| {
            let folder = format!("/sys/devices/system/cpu/cpu{processor}/topology");
            fs::read_to_string(format!("{folder}/thread_siblings_list")).ok()
        };
        let all = || (0..thread::available_parallelism().map_or(1, usize::from)).collect();
        Cores::of(&allowed().unwrap_or_else(all), siblings)
    }

    /// These processors, in order, by what the system says of the siblings of each.
    fn of(processors: &[usize], siblings: impl Fn(usize) -> Option<String>) -> Cores {
        let mut cores: Vec<Vec<usize>> = vec![];
        for &processor in processors {
            if cores.iter().flatten().any(|&known| known == processor) {
                continue;
            }
            let told = siblings(processor).and_then(|text| listed(&text));
            let mut core = told.unwrap_or_default();
            core.retain(|sibling| *sibling == processor || processors.contains(sibling));
            if !core.contains(&processor) {
                core = vec![processor];
            }
            cores.push(core);
        }
        Cores(cores)
    }

    /// One processor of each core.
    pub fn apart(&self) -> Vec<usize> {
        self.0.iter().map(|core| core[0]).collect()
    }

    /// Two processors of one core, if a core has as many.
    pub fn siblings(&self) -> Option<[usize; 2]> {
        let core = self.0.iter().find(|core| core.len() > 1)?;
        Some([core[0], core[1]])
    }

    /// The processors of a core at most: 1 without SMT.
    pub fn most_threads(&self) -> usize {
        self.0.iter().map(Vec::len).max().unwrap_or(1)
    }

    /// The processors of the core that this one belongs to, itself among them.
    pub(crate) fn around(&self, processor: usize) -> Vec<usize> {
        let core = self.0.iter().find(|core| core.contains(&processor));
        core.cloned().unwrap_or_else(|| vec![processor])
    }
}

/// The numbers of a list of the kernel, such as `0-1,8`.
fn listed(text: &str) -> Option<Vec<usize>> {
    let mut numbers = vec![];
    for part in text.trim().split(',') {
        let (first, last) = part.split_once('-').unwrap_or((part, part));
        numbers.extend(first.parse::<usize>().ok()?..=last.parse().ok()?);
    }
    Some(numbers)
}

#[cfg(all(test, not(loom)))]
mod tests {
    use super::*;

    #[test]
    fn lists_of_the_kernel() {
        assert_eq!(listed("0\n"), Some(vec![0]));
        assert_eq!(listed("0-2,8,10-11\n"), Some(vec![0, 1, 2, 8, 10, 11]));
        assert_eq!([listed(""), listed("0-x"), listed("-")], [None, None, None]);
    }

    #[test]
    fn siblings_are_of_one_core() {
        // As a machine of four cores has them, whose second half of processors are the second threads.
        let siblings =
            |processor: usize| Some(format!("{},{}\n", processor % 4, processor % 4 + 4));
        let cores = Cores::of(&(0..8).collect::<Vec<_>>(), siblings);
        assert_eq!(cores.apart(), [0, 1, 2, 3]);
        assert_eq!((cores.siblings(), cores.most_threads()), (Some([0, 4]), 2));
        assert_eq!((cores.around(6), cores.around(9)), (vec![2, 6], vec![9]));
        // A process that may use one thread of each core, or that has both threads of one.
        let cores = Cores::of(&[1, 2, 7], siblings);
        assert_eq!((cores.apart(), cores.siblings()), (vec![1, 2, 7], None));
        let cores = Cores::of(&[1, 3, 7], siblings);
        assert_eq!(
            (cores.apart(), cores.siblings()),
            (vec![1, 3], Some([3, 7]))
        );
    }

    #[test]
    fn processors_of_which_nothing_is_known_are_cores() {
        for told in [None, Some("nonsense"), Some("5-6")] {
            let cores = Cores::of(&[0, 1], |_| told.map(str::to_owned));
            assert_eq!((cores.apart(), cores.most_threads()), (vec![0, 1], 1));
        }
    }

    #[test]
    fn this_thread_has_a_core() {
        assert!(!Cores::here().apart().is_empty());
    }
}
