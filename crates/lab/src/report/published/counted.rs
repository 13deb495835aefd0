//! What is counted, and not measured: multiplications of threaded exponentiation, instructions of a reduction.

use super::{Cell, Counterpart};
use crate::experiments::noise;
use carrysave_arith::{Group, Nat, published::pow::Version};
use carrysave_engine::Threads;
use carrysave_kernels::{Cpu, fp::M127Fold};
use std::sync::{
    Arc, LazyLock, Mutex,
    atomic::{AtomicU32, Ordering::Relaxed},
};

/// Counts the multiplications of exponents of 1024 bits, on average.
pub(super) fn workload(cell: &Cell<'_>) -> Counterpart {
    static COUNTS: LazyLock<Option<[[f64; 2]; 3]>> = LazyLock::new(|| {
        let team = Threads::new(2).ok()?;
        Some(Version::ALL.map(|version| counted(&team, version)))
    });
    let Some([v1, v2, v2_1]) = *COUNTS else {
        return Counterpart::Never("the system refuses a second thread");
    };
    let [main, helper] = match cell.text("version") {
        "exponent_split" => v1,
        "elements_fixed_window_3" => v2_1,
        _ => v2,
    };
    // Without threads, one does what two share.
    let alone = cell.text("version") == "unthreaded";
    let number = match cell.column {
        "main_thread" if alone => main + helper,
        "main_thread" => main,
        _ if alone => 0.0,
        _ => helper,
    };
    Counterpart::Counted(number, None)
}

/// Counts the instructions that fold a number modulo 2^127 - 1 by a kernel, and says what they are otherwise than in the
/// source.
pub(super) fn instructions(kernel: &str, but: Option<&'static str>) -> Counterpart {
    let mut kernels = M127Fold::all(Cpu::native());
    let found = kernels.find(|found| found.name() == kernel);
    match found.and_then(|found| found.instructions()) {
        Some(count) => Counterpart::Counted(count as f64, but),
        None => Counterpart::Never(
            "the listings are of x86-64, and this program is of another processor",
        ),
    }
}

/// The multiplications of the main thread and of the helper, on average over exponents that look random.
fn counted(team: &Threads, version: Version) -> [f64; 2] {
    /// The numbers modulo a prime, with how many squarings and products there were.
    struct Counting(Arc<[AtomicU32; 2]>);
    impl Counting {
        const PRIME: u64 = 0x7fff_ffff;
    }
    impl Group for Counting {
        type Element = u64;
        fn one(&self) -> u64 {
            1
        }
        fn square(&mut self, x: &mut u64) {
            self.0[0].fetch_add(1, Relaxed);
            *x = *x * *x % Counting::PRIME;
        }
        fn mul(&mut self, x: &mut u64, y: &u64) {
            self.0[1].fetch_add(1, Relaxed);
            *x = *x * y % Counting::PRIME;
        }
    }
    const EXPONENTS: usize = 16;
    let mut sums = [0; 2];
    for exponent in noise(1024 / 8 * EXPONENTS).chunks_mut(1024 / 8) {
        exponent[0] |= 1 << 7;
        let counts: Mutex<Vec<Arc<[AtomicU32; 2]>>> = Mutex::default();
        let group = || {
            let count: Arc<[AtomicU32; 2]> = Arc::default();
            counts.lock().expect("nobody panics").push(count.clone());
            Counting(count)
        };
        version.power_vartime(team, &group, &3, &Nat::from_be_bytes(exponent));
        let counts = counts.into_inner().expect("nobody panics");
        let mut counts = counts
            .iter()
            .map(|count| count.each_ref().map(|n| n.load(Relaxed)));
        // Each thread has a group, of which the main thread's squares most; the main thread ends with one more.
        let mut members = [(); 2].map(|()| counts.next().expect("a group for each thread"));
        members.sort_by(|a, b| b.cmp(a));
        let end: u32 = counts.flatten().sum();
        sums[0] += members[0].iter().sum::<u32>() + end;
        sums[1] += members[1].iter().sum::<u32>();
    }
    sums.map(|sum| (f64::from(sum) / EXPONENTS as f64).round())
}
