//! `bench fields --peer-lib FILE` with the loops of `mpfq.c`, compiled against a stand-in for MPFQ: plain functions of the same
//! names.

use crate::support::Folder;
use std::process::Command;

const LOOPS: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/src/rivals/mpfq.c");

/// Functions of MPFQ for a field, bit by bit.
const STAND_IN: &str = "
#include <string.h>
static inline int NAME(less)(const unsigned long *a) {
    for (int i = N; i-- > 0;)
        if (a[i] != P[i]) return a[i] < P[i];
    return 0;
}
static inline void NAME(fold)(unsigned long *a) {
    if (NAME(less)(a)) return;
    unsigned long borrow = 0;
    for (int i = 0; i < N; i++) {
        __int128 d = (__int128)a[i] - P[i] - borrow;
        a[i] = (unsigned long)d;
        borrow = d < 0;
    }
}
typedef unsigned long NAME(elt)[N];
typedef int NAME(field)[1];
static inline void NAME(field_init)(int *k) { *k = 0; }
static inline void NAME(add)(int *k, unsigned long *z, const unsigned long *x, const unsigned long *y) {
    unsigned __int128 sum = 0;
    for (int i = 0; i < N; i++) {
        sum += (unsigned __int128)x[i] + y[i];
        z[i] = (unsigned long)sum;
        sum >>= 64;
    }
    NAME(fold)(z);
}
static inline void NAME(sub)(int *k, unsigned long *z, const unsigned long *x, const unsigned long *y) {
    NAME(elt) minus;
    unsigned long borrow = 0;
    for (int i = 0; i < N; i++) {
        __int128 d = (__int128)P[i] - y[i] - borrow;
        minus[i] = (unsigned long)d;
        borrow = d < 0;
    }
    NAME(fold)(minus);
    NAME(add)(k, z, x, minus);
}
static inline void NAME(mul)(int *k, unsigned long *z, const unsigned long *x, const unsigned long *y) {
    NAME(elt) sum = {0};
    for (int i = 64 * N; i-- > 0;) {
        NAME(add)(k, sum, sum, sum);
        if (y[i / 64] >> i % 64 & 1) NAME(add)(k, sum, sum, x);
    }
    memcpy(z, sum, sizeof sum);
}
static inline void NAME(sqr)(int *k, unsigned long *z, const unsigned long *x) { NAME(mul)(k, z, x, x); }
static inline int NAME(inv)(int *k, unsigned long *z, const unsigned long *x) {
    NAME(elt) power = {1};
    for (int i = 64 * N; i-- > 0;) {
        NAME(sqr)(k, power, power);
        if ((P[i / 64] - (i < 64 ? 2 : 0)) >> i % 64 & 1) NAME(mul)(k, power, power, x);
    }
    memcpy(z, power, sizeof power);
    return 1;
}
#undef NAME
#undef P
#undef N
";

/// A library of the loops and fields modulo primes that end in these words; `None`, with a message, where there is no C
/// compiler.
fn library(f: &Folder, name: &str, lowest: [&str; 3]) -> Option<()> {
    const ONES: &str = "-1UL, ";
    let tags = ["p_127_1", "p_127_735", "p_25519"];
    std::fs::create_dir_all(f.path("mpfq")).unwrap();
    for ((tag, low), limbs) in tags.iter().zip(lowest).zip([2, 2, 4]) {
        let prime = [low, ", ", &ONES.repeat(limbs - 2), "-1UL >> 1"].concat();
        let head = format!(
            "static const unsigned long prime_{tag}[] = {{{prime}}};\n#define N {limbs}\n#define P prime_{tag}\n\
             #define NAME(x) mpfq_{tag}_##x\n"
        );
        f.write(&format!("mpfq/mpfq_{tag}.h"), head + STAND_IN);
    }
    let mut cc = Command::new("cc");
    cc.args(["-O2", "-shared", "-fPIC", "-I", ".", LOOPS, "-o", name]);
    match cc.current_dir(f.path("")).output() {
        Ok(output) => {
            let said = String::from_utf8_lossy(&output.stderr);
            assert!(output.status.success(), "{said}");
            Some(())
        }
        Err(error) => {
            eprintln!(
                "LEFT OUT: MPFQ as a rival is not tested, as there is no C compiler: {error}"
            );
            None
        }
    }
}

#[test]
fn mpfq_races_where_a_user_has_it_and_is_compared() {
    let f = Folder::new();
    let Some(()) = library(&f, "right.so", ["-1UL", "-735UL", "-19UL"]) else {
        return;
    };
    let fields = "bench fields --seconds 0 --only mpfq --peer-lib";
    let text = String::from_utf8(f.run(&format!("{fields} ./right.so --record r.csv")).ok());
    let text = text.unwrap();
    let record = String::from_utf8(f.read("r.csv")).unwrap();
    assert!(record.contains("MPFQ, the user's"), "{record}");
    for (field, bits) in [("2^127-1", 127), ("2^127-735", 127), ("2^255-19", 255)] {
        for step in [
            "mul",
            "mul/chain",
            "mul/inlined",
            "sqr",
            "sqr/chain",
            "add",
            "add/chain",
            "sub",
            "sub/chain",
            "inv",
        ] {
            let row = format!("\nfields,{field}/{step},{bits},,mpfq,");
            assert!(record.contains(&row), "{row} is not in {record}{text}");
        }
    }
    // Modulo 2^127 - 3 instead.
    library(&f, "wrong.so", ["-3UL", "-735UL", "-19UL"]).unwrap();
    let wrong = f.run(&format!("{fields} ./wrong.so --bits 127"));
    assert_eq!(wrong.code, Some(1), "{}", wrong.err);
    assert!(wrong.err.contains("2^127-1/mul 127 bits"), "{}", wrong.err);
    assert!(wrong.err.contains("its answer is wrong"), "{}", wrong.err);

    let twice = f
        .run(&format!("{fields} ./right.so --peer-lib ./right.so"))
        .fails(2);
    assert!(twice.contains("there is one of these already"), "{twice}");
    f.write("text.so", "no library");
    let none = f.run(&format!("{fields} ./text.so")).fails(2);
    assert!(
        none.contains("./text.so is not loaded as a rival: "),
        "{none}"
    );
}
