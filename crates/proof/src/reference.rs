//! What each operation must do, said with the oracle: one definition a row, none of them a kernel's method.

mod aes;
mod ntt;
mod radix52;
mod sha512;
mod threefish;

use carrysave_contract::Case;
use carrysave_kernels::{Limb, mb8::DIGIT_MASK, op::Role};
use carrysave_oracle::Num;
use std::{cell::RefCell, cmp::Ordering, ops::Deref};

/// What a call must leave behind.
pub struct Effects {
    written: Vec<(&'static str, Vec<Limb>)>,
    returned: Limb,
}

/// What a call must leave behind, operand by operand; `None` where nothing is promised.
pub struct Outcome {
    /// The content of each operand's memory.
    pub values: Vec<Option<Vec<Limb>>>,
    /// The result besides them.
    pub returned: Limb,
}

/// What a call with these operands must leave behind.
pub type Definition = fn(&Call<'_>) -> Effects;

/// A call whose effects are defined.
pub struct Call<'a>(&'a Case);

impl Deref for Call<'_> {
    type Target = Case;

    fn deref(&self) -> &Case {
        self.0
    }
}

/// What the call must leave behind.
///
/// # Panics
/// If the operation has no definition here, or one that forgets an operand.
pub fn outcome(case: &Case) -> Outcome {
    let name = case.op.name;
    let found = REFERENCES.iter().find(|(known, _)| *known == name);
    let Effects { written, returned } =
        found.unwrap_or_else(|| panic!("{name} has no reference")).1(&Call(case));
    let operands = case.op.contract.operands;
    let mut values: Vec<Option<Vec<Limb>>> = operands
        .iter()
        .zip(&case.values)
        .map(|(operand, before)| match operand.role {
            Role::In => Some(before.clone()),
            Role::Scratch | Role::Destroyed => None,
            Role::Out | Role::InOut => {
                let (_, after) = written
                    .iter()
                    .find(|(known, _)| *known == operand.name)
                    .expect(name);
                Some(after.clone())
            }
        })
        .collect();
    // Memory that several operands share holds what was written to it.
    for (i, operand) in operands
        .iter()
        .enumerate()
        .filter(|(_, o)| o.role != Role::In)
    {
        for j in (0..operands.len()).filter(|&j| j != i && case.overlap[j] == case.overlap[i]) {
            debug_assert!(operand.role != Role::Scratch);
            values[j] = values[i].clone();
        }
    }
    Outcome { values, returned }
}

/// The definitions, by name.
pub static REFERENCES: &[(&str, Definition)] = &[
    ("mpn_add_n", |x| x.modulo_word("r", x.a().add(&x.b()))),
    ("mpn_sub_n", |x| x.borrowing("r", x.a(), x.b())),
    ("mpn_add_1", |x| x.modulo_word("r", x.a().add(&x.scalar()))),
    ("mpn_sub_1", |x| x.borrowing("r", x.a(), x.scalar())),
    ("mpn_mul_1", |x| x.modulo_word("r", x.a().mul(&x.scalar()))),
    ("mpn_addmul_1", |x| {
        x.modulo_word("r", x.num("r").add(&x.a().mul(&x.scalar())))
    }),
    ("mpn_submul_1", |x| {
        x.borrowing("r", x.num("r"), x.a().mul(&x.scalar()))
    }),
    ("mpn_bdiv_dbm1", |x| {
        let bits = 64 * x.n;
        let d = Num::from(Limb::MAX).div_rem(&x.scalar()).0;
        x.effect("r", x.a().mul(&inverse_of_odd(&d, bits)).low_bits(bits))
    }),
    ("mpn_divsteps", |x| x.division_steps()),
    ("mpn_lshift", |x| {
        x.modulo_word("r", x.a().shl(x.s as usize))
    }),
    ("mpn_rshift", |x| {
        let returned = x.a().shl(64 - x.s as usize).low_limbs(1)[0];
        Effects {
            returned,
            ..x.effect("r", x.a().shr(x.s as usize))
        }
    }),
    ("mpn_cmp", |x| {
        let returned = match x.a().cmp(&x.b()) {
            Ordering::Less => Limb::MAX,
            Ordering::Equal => 0,
            Ordering::Greater => 1,
        };
        Effects {
            written: vec![],
            returned,
        }
    }),
    ("mpn_cnd_add_n", |x| {
        x.modulo_word("r", x.a().add(&x.b().mul(&x.scalar())))
    }),
    ("mpn_cnd_sub_n", |x| {
        x.borrowing("r", x.a(), x.b().mul(&x.scalar()))
    }),
    ("mpn_cnd_swap", |x| {
        let (a, b) = if x.s == 1 {
            (x.b(), x.a())
        } else {
            (x.a(), x.b())
        };
        Effects {
            written: vec![("a", a.to_limbs(x.n)), ("b", b.to_limbs(x.n))],
            returned: 0,
        }
    }),
    ("mpn_cnd_select", |x| {
        x.effect("r", if x.s == 1 { x.a() } else { x.b() })
    }),
    ("mpn_copy_shared", |x| x.effect("r", x.a())),
    ("mpn_tabselect", |x| {
        x.effect(
            "r",
            x.num("table")
                .shr(64 * x.n * x.s as usize)
                .low_bits(64 * x.n),
        )
    }),
    ("mpn_mul_basecase", |x| x.effect("r", x.a().mul(&x.b()))),
    ("mpn_sqr_basecase", |x| x.effect("r", x.a().mul(&x.a()))),
    ("mpn_redc_1", |x| x.effect("r", x.montgomery(x.num("t")))),
    ("mpn_mont_mul", |x| {
        x.effect("r", x.montgomery(x.a().mul(&x.b())))
    }),
    ("mpn_mont_sqr", |x| {
        x.effect("r", (0..x.m).fold(x.a(), |a, _| x.montgomery(a.mul(&a))))
    }),
    ("radix52_amm", |x| x.almost_montgomery("b")),
    ("radix52_amm_x2", |x| x.almost_montgomery("b")),
    ("radix52_ams", |x| x.almost_montgomery("a")),
    ("radix52_ams_x2", |x| x.almost_montgomery("a")),
    ("radix52_addmul", |x| x.halves52("b", 0, x.n + x.m)),
    ("radix52_addmul_low", |x| x.halves52("b", 0, x.n)),
    ("radix52_addmul_high", |x| {
        x.halves52("b", x.m - 1, x.n + x.m)
    }),
    ("radix52_sqr", |x| x.lower_square52()),
    ("radix52_add", |x| {
        let sums = x.words("a").iter().zip(x.words("b"));
        x.digits(sums.map(|(&a, &b)| u128::from(a) + u128::from(b)))
    }),
    ("radix52_normalise", |x| {
        x.digits(x.words("t").iter().map(|&word| u128::from(word)))
    }),
    ("mb8_amm", |x| x.almost_montgomery("b")),
    ("mb8_amm_select", |x| x.almost_montgomery("table")),
    ("mb8_ams", |x| x.almost_montgomery("a")),
    ("threefish_encrypt", |x| {
        x.blocks(|x, i, block| threefish::encrypt(&x.extended_key("key"), x.tweak(x.s, i), block))
    }),
    ("threefish_decrypt", |x| {
        x.blocks(|x, i, block| threefish::decrypt(&x.extended_key("key"), x.tweak(x.s, i), block))
    }),
    ("threefish_v1_1_encrypt", |x| {
        x.blocks_of(4, |x, _, block| {
            threefish::encrypt_by(
                &threefish::R_V1_1,
                &x.extended_key("key"),
                x.tweak(0, 0),
                block,
            )
        })
    }),
    ("threefish_v1_1_decrypt", |x| {
        x.blocks_of(4, |x, _, block| {
            threefish::decrypt_by(
                &threefish::R_V1_1,
                &x.extended_key("key"),
                x.tweak(0, 0),
                block,
            )
        })
    }),
    ("threefish_ctr", |x| {
        x.blocks(|x, i, block| {
            let mut counter = x.extended_key("c");
            counter[0] = (u128::from(counter[0]) + i as u128) as Limb;
            let pad = threefish::encrypt(&x.extended_key("key"), x.tweak(0, 0), &counter);
            block.iter().zip(pad).map(|(x, pad)| x ^ pad).collect()
        })
    }),
    ("threefish_cbc_encrypt", |x| {
        let before = std::cell::RefCell::new(x.extended_key("c"));
        x.blocks(|x, _, block| {
            let block: Vec<Limb> = block
                .iter()
                .zip(before.take())
                .map(|(x, c)| x ^ c)
                .collect();
            let r = threefish::encrypt(&x.extended_key("key"), x.tweak(0, 0), &block);
            *before.borrow_mut() = r.clone();
            r
        })
    }),
    ("threefish_ubi", |x| x.ubi()),
    ("sha512_compress", |x| x.hashes()),
    ("fp_mul", |x| {
        x.effect("r", folded(x.a().mul(&x.b()), 64 * x.n, &x.scalar(), 3))
    }),
    ("fp_sqr", |x| {
        x.effect("r", folded(x.a().sqr(), 64 * x.n, &x.scalar(), 3))
    }),
    ("fp_m127_mul", |x| {
        x.effect("r", folded(x.a().mul(&x.b()), 127, &Num::one(), 2))
    }),
    ("fp_m127_sqr", |x| {
        x.effect("r", folded(x.a().sqr(), 127, &Num::one(), 2))
    }),
    ("fp_m127_fold", |x| x.fold_products(2, 127, &Num::one(), 2)),
    ("fp_fold", |x| {
        x.fold_products(x.m, 64 * x.m, &x.scalar(), 3)
    }),
    ("fp_x25519_step", |x| x.ladder_step()),
    ("fp_mont_mul", |x| {
        x.effect("r", x.montgomery(x.a().mul(&x.b())))
    }),
    ("fp_add", |x| {
        let (sum, n) = (x.a().add(&x.b()), x.num("n"));
        x.effect("r", sum.rem(&n))
    }),
    ("fp_m521_mul", |x| {
        x.effect("r", folded(x.a().mul(&x.b()), 521, &Num::one(), 2))
    }),
    ("fp_m521_sqr", |x| {
        x.effect("r", folded(x.a().sqr(), 521, &Num::one(), 2))
    }),
    ("fp_nist_mul", |x| x.effect("r", x.nist(x.a().mul(&x.b())))),
    ("fp_nist_sqr", |x| x.effect("r", x.nist(x.a().sqr()))),
    ("fp8_mul", |x| x.crandall_lanes("b")),
    ("fp8_sqr", |x| x.crandall_lanes("a")),
    ("fp8_slack_mul", |x| x.crandall_slack("b")),
    ("fp8_slack_sqr", |x| x.crandall_slack("a")),
    ("aes_encrypt", |x| {
        x.chained(x.n, |x, block, _| aes::encrypt(&x.bytes("keys"), block))
    }),
    ("aes_decrypt", |x| {
        x.chained(x.n, |x, block, _| aes::decrypt(&x.bytes("keys"), block))
    }),
    ("aes_ctr", |x| {
        let (keys, first) = (x.bytes("keys"), x.bytes("c"));
        let number = first[8..]
            .iter()
            .fold(0u128, |n, &b| n << 8 | u128::from(b));
        let i = std::cell::Cell::new(0);
        x.chained(x.n, |_, block, _| {
            let counter = (number + i.replace(i.get() + 1)) as u64;
            let counter = [&first[..8], &counter.to_be_bytes()].concat();
            xor(block, &aes::encrypt(&keys, &counter))
        })
    }),
    ("aes_cbc_encrypt", |x| {
        x.chained(x.s as usize, |x, block, before| {
            aes::encrypt(&x.bytes("keys"), &xor(block, before.0))
        })
    }),
    ("aes_cbc_decrypt", |x| {
        x.chained(x.n, |x, block, before| {
            xor(&aes::decrypt(&x.bytes("keys"), block), before.1)
        })
    }),
    ("ntt_split", |x| x.writes("r", ntt::split(x))),
    ("ntt_forward", |x| x.writes("x", ntt::forward(x))),
    ("ntt_inverse", |x| x.writes("x", ntt::inverse(x))),
    ("ntt_inverse_sum", |x| x.writes("x", ntt::inverse_sum(x))),
    ("ntt_negacyclic_forward", |x| {
        x.writes("x", ntt::negacyclic_forward(x))
    }),
    ("ntt_negacyclic_inverse", |x| {
        x.writes("x", ntt::negacyclic_inverse(x))
    }),
    ("ntt_crt", |x| x.effect("r", ntt::crt(x))),
];

impl Call<'_> {
    /// A number is written in the limbs of an operand, and nothing returned.
    fn effect(&self, name: &'static str, value: Num) -> Effects {
        self.writes(name, value.to_limbs(self.words(name).len()))
    }

    /// The products t of numbers of m limbs, each folded.
    fn fold_products(&self, m: usize, bits: usize, d: &Num, times: usize) -> Effects {
        let products = self.words("t").chunks(2 * m);
        let folded = products.flat_map(|t| folded(Num::from_limbs(t), bits, d, times).to_limbs(m));
        self.writes("r", folded.collect())
    }

    /// Words are written to an operand, and nothing returned.
    fn writes(&self, name: &'static str, words: Vec<Limb>) -> Effects {
        Effects {
            written: vec![(name, words)],
            returned: 0,
        }
    }

    /// What is written to `r` and returned where words in radix 2^52 are made digits.
    fn digits(&self, words: impl Iterator<Item = u128>) -> Effects {
        let mut carry = 0;
        let digits = words.map(|word| {
            let sum = word + u128::from(carry);
            carry = (sum >> 52) as Limb;
            sum as Limb & DIGIT_MASK
        });
        let digits = digits.collect();
        Effects {
            returned: carry,
            ..self.writes("r", digits)
        }
    }

    /// What an operand holds on entry.
    fn words(&self, name: &str) -> &[Limb] {
        &self.values[self.position(name)]
    }

    fn num(&self, name: &str) -> Num {
        Num::from_limbs(&self.values[self.position(name)])
    }

    /// Division steps one by one, on f and g and on the rows of what they are made of.
    fn division_steps(&self) -> Effects {
        let word = |name| i128::from(self.words(name)[0]);
        let (mut f, mut g, mut s) = (word("f"), word("g"), self.s as i64);
        let mut rows = [[1_i128, 0], [0, 1]];
        for _ in 0..60 {
            let (mut sum, mut row) = (g, rows[1]);
            if g % 2 != 0 {
                sum += f;
                row = [0, 1].map(|j| rows[0][j] + rows[1][j]);
            }
            if g % 2 != 0 && s < 0 {
                (f, rows[0], s) = (g, rows[1], -2 - s);
            } else {
                s = s.wrapping_sub(1);
            }
            let sign = if s == -1 { -1 } else { 1 };
            (f, g) = (sign * f, sum / 2);
            rows = [rows[0].map(|entry| 2 * sign * entry), row];
        }
        let entries = rows.into_iter().flatten().map(|entry| entry as Limb);
        Effects {
            returned: s as Limb,
            ..self.writes("r", entries.collect())
        }
    }

    fn a(&self) -> Num {
        self.num("a")
    }

    fn b(&self) -> Num {
        self.num("b")
    }

    fn scalar(&self) -> Num {
        Num::from(self.s)
    }

    /// The value modulo `2^(64n)` is written, what is above it returned.
    fn modulo_word(&self, name: &'static str, value: Num) -> Effects {
        let returned = value.shr(64 * self.n).to_limbs(1)[0];
        Effects {
            returned,
            ..self.effect(name, value.low_bits(64 * self.n))
        }
    }

    /// `a - b` modulo `2^(64n)` is written, and returned how many `2^(64n)` that took.
    fn borrowing(&self, name: &'static str, a: Num, b: Num) -> Effects {
        let word = Num::one().shl(64 * self.n);
        let missing = b.checked_sub(&a).unwrap_or_default();
        let borrow = missing.add(&word).sub(&Num::one()).div_rem(&word).0;
        Effects {
            returned: borrow.to_limbs(1)[0],
            ..self.effect(name, a.add(&borrow.mul(&word)).sub(&b))
        }
    }

    /// `t / R` modulo n, by multiplication with the inverse of R: the power `64n` of that of 2.
    fn montgomery(&self, t: Num) -> Num {
        thread_local! {
            static LAST: RefCell<(Num, usize, Num)> = RefCell::default();
        }
        let modulus = self.num("n");
        LAST.with_borrow_mut(|(known, width, inverse)| {
            if (&*known, *width) != (&modulus, self.n) {
                let half = modulus.add(&Num::one()).shr(1);
                let power = half.pow_mod(&Num::from(64 * self.n as u64), &modulus);
                (*known, *width, *inverse) = (modulus.clone(), self.n, power);
            }
            t.mul_mod(inverse, &modulus)
        })
    }

    /// `(t + q p) / R` with the q below R that makes the division exact, less p if it is not below p: for the prime of
    /// the NIST that has as many limbs.
    fn nist(&self, t: Num) -> Num {
        let power = |exponent| Num::one().shl(exponent);
        let bits = 64 * self.n;
        let p = match bits {
            256 => power(256).sub(&power(224)).add(&power(192)).add(&power(96)),
            _ => power(384).sub(&power(128)).sub(&power(96)).add(&power(32)),
        };
        let p = p.sub(&Num::one());
        let negative = power(bits).sub(&t.low_bits(bits));
        let q = negative.mul(&inverse_of_odd(&p, bits)).low_bits(bits);
        let r = t.add(&q.mul(&p)).shr(bits);
        r.checked_sub(&p).unwrap_or(r)
    }

    /// RFC 7748, section 5, on numbers that are folded where the contract says.
    fn ladder_step(&self) -> Effects {
        let s = &self.values[self.position("s")];
        let [x_2, z_2, x_3, z_3, x_1] = [0, 1, 2, 3, 4].map(|i| Num::from_limbs(&s[4 * i..][..4]));
        let at_255 = |v: Num| folded(v, 255, &Num::from(19), 1);
        let sum = |x: &Num, y: &Num| folded(x.add(y), 256, &Num::from(38), 1);
        let wrap = Num::one().shl(256).sub(&Num::from(38));
        let difference = |x: &Num, y: &Num| match x.checked_sub(y) {
            Some(difference) => difference,
            None => x.add(&wrap).sub(y),
        };
        let product = |x: &Num, y: &Num| {
            let limbs = x.mul(y).to_limbs(8);
            let above = limbs[4..].iter().map(|&limb| 38 * u128::from(limb));
            let (lower, mut upper): (Vec<_>, Vec<_>) = above
                .map(|v| (v as Limb, (v >> Limb::BITS) as Limb))
                .unzip();
            let highest = upper.pop().expect("four limbs");
            at_255(Num::from_limbs(&limbs[..4]).add(&Num::from_limbs(&lower)))
                .add(&Num::from_limbs(&upper).shl(64))
                .add(&Num::from(38 * highest))
        };
        let [(a_2, b_2), (a_3, b_3)] =
            [(&x_2, &z_2), (&x_3, &z_3)].map(|(x, z)| (sum(x, z), difference(x, z)));
        let (a, b) = if self.s == 0 {
            (&a_2, &b_2)
        } else {
            (&a_3, &b_3)
        };
        let (aa, bb) = (product(a, a), product(b, b));
        let (da, cb) = (product(&b_3, &a_2), product(&a_3, &b_2));
        let e = difference(&aa, &bb);
        let f = at_255(bb.add(&Num::from(121_666).mul(&e)));
        let (s, d) = (sum(&da, &cb), difference(&da, &cb));
        let results = [
            product(&aa, &bb),
            product(&e, &f),
            product(&s, &s),
            product(&x_1, &product(&d, &d)),
            x_1,
        ];
        Effects {
            written: vec![("s", results.iter().flat_map(|r| r.to_limbs(4)).collect())],
            returned: 0,
        }
    }

    /// Block i of m words of r is made of block i of x.
    fn blocks(&self, f: impl Fn(&Call<'_>, usize, &[Limb]) -> Vec<Limb>) -> Effects {
        self.blocks_of(self.m, f)
    }

    /// Block i of so many words of r is made of block i of x.
    fn blocks_of(&self, m: usize, f: impl Fn(&Call<'_>, usize, &[Limb]) -> Vec<Limb>) -> Effects {
        let x = words(&self.values[self.position("x")]);
        let blocks = x.chunks(m).enumerate();
        let r: Vec<Limb> = blocks.flat_map(|(i, block)| f(self, i, block)).collect();
        Effects {
            written: vec![("r", words(&r))],
            returned: 0,
        }
    }

    /// Chaining values of SHA-512 after their blocks, which are in groups of one of each.
    fn hashes(&self) -> Effects {
        let bytes = self.bytes("x");
        let words: Vec<Limb> = bytes
            .as_chunks()
            .0
            .iter()
            .map(|word| Limb::from_be_bytes(*word))
            .collect();
        let mut values: Vec<Vec<Limb>> = self.values[self.position("h")]
            .chunks(8)
            .map(<[Limb]>::to_vec)
            .collect();
        for (i, block) in words.chunks(16).enumerate() {
            let value = &mut values[i % self.m];
            *value = sha512::compress(value, block);
        }
        Effects {
            written: vec![("h", values.concat())],
            returned: 0,
        }
    }

    /// The bytes of an operand.
    fn bytes(&self, name: &str) -> Vec<u8> {
        let limbs = &self.values[self.position(name)];
        limbs.iter().flat_map(|limb| limb.to_ne_bytes()).collect()
    }

    /// Each block of 16 bytes of r is made of that of x and of the ones before in its stream of s blocks, of r and of
    /// x; a stream's first block has its block of c before it, if there is such an operand.
    fn chained(
        &self,
        s: usize,
        f: impl Fn(&Call<'_>, &[u8], (&[u8], &[u8])) -> Vec<u8>,
    ) -> Effects {
        let has = self.op.contract.operands.iter().any(|o| o.name == "c");
        let first = if has { self.bytes("c") } else { vec![] };
        let x = self.bytes("x");
        let mut r: Vec<u8> = vec![];
        for (i, block) in x.chunks(16).enumerate() {
            let made = match i % s {
                0 if !has => f(self, block, (&[], &[])),
                0 => {
                    let first = &first[16 * (i / s)..][..16];
                    f(self, block, (first, first))
                }
                _ => f(self, block, (&r[16 * (i - 1)..], &x[16 * (i - 1)..][..16])),
            };
            r.extend(made);
        }
        let limb = |bytes: &[u8]| Limb::from_ne_bytes(bytes.try_into().expect("whole limbs"));
        Effects {
            written: vec![("r", r.chunks(8).map(limb).collect())],
            returned: 0,
        }
    }

    /// The words of an operand of another length than n.
    fn extended_key(&self, name: &str) -> Vec<Limb> {
        self.values[self.position(name)].clone()
    }

    /// The tweak after i steps.
    fn tweak(&self, step: Limb, i: usize) -> [Limb; 2] {
        let t = &self.values[self.position("t")];
        let grown = u128::from(t[0]) + u128::from(step) * i as u128;
        [grown as Limb, t[1]]
    }

    /// Skein 1.3, section 3.4, for every leaf of s blocks.
    fn ubi(&self) -> Effects {
        let (s, m) = (self.s as usize, self.m);
        let g = self.extended_key("g");
        let constant = g.iter().fold(0, |sum, word| sum ^ word);
        let x = words(&self.values[self.position("x")]);
        let mut r = words(&self.values[self.position("r")]);
        for (leaf, message) in x.chunks(s * m).enumerate() {
            let mut chain = g.clone();
            for (j, block) in message.chunks(m).enumerate() {
                let bytes = 8 * m * (leaf * s + j + 1);
                let [lower, mut upper] = self.tweak(1, bytes);
                if j > 0 {
                    upper &= !(1 << 62);
                }
                if j < s - 1 {
                    upper &= !(1 << 63);
                }
                let y = threefish::encrypt(&chain, [lower, upper], block);
                chain = block.iter().zip(y).map(|(x, y)| x ^ y).collect();
                chain.push(chain.iter().fold(constant, |sum, word| sum ^ word));
            }
            r[m * leaf..][..m].copy_from_slice(&chain[..m]);
        }
        Effects {
            written: vec![("r", words(&r))],
            returned: 0,
        }
    }
}

/// `t mod 2^bits + d (t div 2^bits)`, taken `times` times.
fn folded(t: Num, bits: usize, d: &Num, times: usize) -> Num {
    (0..times).fold(t, |t, _| t.low_bits(bits).add(&t.shr(bits).mul(d)))
}

/// The inverse of an odd number modulo `2^bits`, by Newton's iteration: x (2 - v x) is right in twice as many bits.
fn inverse_of_odd(v: &Num, bits: usize) -> Num {
    let (mut inverse, mut right) = (Num::one(), 1);
    while right < bits {
        right *= 2;
        let product = v.low_bits(right).mul(&inverse).low_bits(right);
        let factor = Num::one().shl(right).add(&Num::from(2)).sub(&product);
        inverse = inverse.mul(&factor).low_bits(right);
    }
    inverse.low_bits(bits)
}

/// Bytes in memory as words, the lowest byte first, and back.
fn words(memory: &[Limb]) -> Vec<Limb> {
    memory.iter().map(|limb| Limb::from_le(*limb)).collect()
}

fn xor(a: &[u8], b: &[u8]) -> Vec<u8> {
    a.iter().zip(b).map(|(a, b)| a ^ b).collect()
}
