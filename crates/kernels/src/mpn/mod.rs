//! Operations on vectors of 64-bit limbs, in GMP's names: destination first, then sources, size, scalar.

#[cfg(all(target_arch = "aarch64", target_endian = "little", not(miri)))]
mod adcs;
#[cfg(target_arch = "x86_64")]
mod chain;
#[cfg(target_arch = "x86_64")]
mod lookahead;
#[cfg(target_arch = "x86_64")]
mod majority;
mod montgomery;
#[cfg(all(target_arch = "x86_64", not(miri)))]
mod mul_adc;
#[cfg(target_arch = "x86_64")]
mod mulx_adx;
pub(crate) mod operands;
#[cfg(target_arch = "x86_64")]
mod pmuludq;
#[cfg(target_arch = "x86_64")]
mod product52;
mod rows;
#[cfg(target_arch = "x86_64")]
mod saturate;
#[cfg(all(target_arch = "x86_64", not(miri)))]
mod shared;
#[cfg(all(target_arch = "aarch64", target_endian = "little", not(miri)))]
mod umulh;
pub mod word;

ops! {
    Mpn:
    add_n::AddN,
    sub_n::SubN,
    add_1::Add1,
    sub_1::Sub1,
    mul_1::Mul1,
    addmul_1::AddMul1,
    submul_1::SubMul1,
    bdiv_dbm1::BdivDbm1,
    divsteps::Divsteps,
    lshift::LShift,
    rshift::RShift,
    cmp::Cmp,
    cnd_add_n::CndAddN,
    cnd_sub_n::CndSubN,
    cnd_swap::CndSwap,
    cnd_select::CndSelect,
    copy_shared::CopyShared,
    tabselect::TabSelect,
    mul_basecase::MulBasecase,
    sqr_basecase::SqrBasecase,
    redc_1::Redc1,
    mont_mul::MontMul,
    mont_sqr::MontSqr,
}

impl Mpn {
    /// The best handles for this machine, resolved on first use.
    pub fn native() -> &'static Mpn {
        static NATIVE: std::sync::OnceLock<Mpn> = std::sync::OnceLock::new();
        NATIVE.get().unwrap_or_else(|| {
            // Outside of the lock, as in `Cpu::native`.
            let native = Mpn::new(crate::Cpu::native());
            NATIVE.get_or_init(|| native)
        })
    }
}
