//! The trace of a call: every instruction's address and every address it accesses.
//!
//! The processor's trap flag stops after each instruction, and a signal handler records the registers. Afterwards each
//! instruction is decoded and the addresses of its memory operands are computed. Two calls that differ only in their
//! secrets must have the same trace. The code runs natively, so instructions that no emulator supports work.
#![cfg(target_arch = "x86_64")]

use core::arch::naked_asm;
use iced_x86::{Decoder, DecoderOptions, InstructionInfoFactory, OpAccess, Register, UsedMemory};
use std::{cell::Cell, collections::HashMap, fmt, mem, ptr, sync::Once};

/// The most recorded steps.
const LIMIT: usize = 1 << 23;
/// The longest instruction, in bytes.
const LONGEST: usize = 15;

/// The registers before an instruction.
type State = [i64; 17];

/// Their places in the signal's context: rax, rcx, rdx, rbx, rsp, rbp, rsi, rdi, r8 to r15, rip, in the processor's
/// order.
const ORDER: [i32; 17] = [
    libc::REG_RAX,
    libc::REG_RCX,
    libc::REG_RDX,
    libc::REG_RBX,
    libc::REG_RSP,
    libc::REG_RBP,
    libc::REG_RSI,
    libc::REG_RDI,
    libc::REG_R8,
    libc::REG_R9,
    libc::REG_R10,
    libc::REG_R11,
    libc::REG_R12,
    libc::REG_R13,
    libc::REG_R14,
    libc::REG_R15,
    libc::REG_RIP,
];

thread_local! {
    /// The buffer of this thread's states.
    static STATES: Cell<*mut State> = const { Cell::new(ptr::null_mut()) };
    /// The number of steps.
    static STEPS: Cell<usize> = const { Cell::new(0) };
}

/// An instruction with the addresses that it accesses.
#[derive(Clone, PartialEq, Eq)]
pub struct Step {
    instruction: u64,
    accesses: Vec<u64>,
}

impl fmt::Debug for Step {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "the instruction at {:#x} accesses {:x?}",
            self.instruction, self.accesses
        )
    }
}

/// Calls `f(argument)`, and returns its trace.
///
/// # Panics
/// If it takes more than 8,388,608 steps, or accesses memory through a vector of indices.
///
/// # Safety
/// `f` may be called with `argument`, and waits for no other thread.
pub unsafe fn trace<T>(f: unsafe extern "C" fn(*const T) -> u64, argument: &T) -> Vec<Step> {
    static HANDLER: Once = Once::new();
    // SAFETY: an all-zero sigaction is valid, and the handler has the type that SA_SIGINFO asks for.
    HANDLER.call_once(|| unsafe {
        let mut action: libc::sigaction = mem::zeroed();
        action.sa_flags = libc::SA_SIGINFO;
        let handler: extern "C" fn(i32, *mut libc::siginfo_t, *mut libc::c_void) = record;
        action.sa_sigaction = handler as *const () as usize;
        libc::sigaction(libc::SIGTRAP, &action, ptr::null_mut());
    });
    // Not initialised: that would take longer than a thousand steps.
    let mut states: Vec<State> = Vec::with_capacity(LIMIT);
    STATES.set(states.as_mut_ptr());
    STEPS.set(0);
    // SAFETY: as the caller promises; the states live until the trap flag is off again.
    unsafe { step_through(f as *const (), ptr::from_ref(argument).cast()) };
    let steps = STEPS.get();
    assert!(steps <= LIMIT, "{steps} steps are too many to record");
    // SAFETY: there is room for as many, and each was written down.
    unsafe { states.set_len(steps) };
    // A loop executes its instructions repeatedly.
    let mut decoded = HashMap::new();
    let mut factory = InstructionInfoFactory::new();
    let mut step = |state: &State| {
        let at = state[16] as u64;
        let memory = decoded
            .entry(at)
            .or_insert_with(|| memory(at, &mut factory));
        Step {
            instruction: at,
            accesses: memory.iter().map(|used| address(used, state)).collect(),
        }
    };
    states.iter().map(&mut step).collect()
}

/// The memory that the instruction at `at` accesses.
fn memory(at: u64, factory: &mut InstructionInfoFactory) -> Vec<UsedMemory> {
    // SAFETY: the processor has just executed these bytes; what follows the instruction is still code or padding.
    let bytes = unsafe { std::slice::from_raw_parts(at as *const u8, LONGEST) };
    let instruction = Decoder::with_ip(64, bytes, at, DecoderOptions::NONE).decode();
    let memory = factory.info(&instruction).used_memory().iter();
    memory
        .filter(|used| used.access() != OpAccess::NoMemAccess)
        .copied()
        .collect()
}

/// The address, from the registers before the instruction.
fn address(used: &UsedMemory, state: &State) -> u64 {
    let value = |register: Register, _, _| match register.full_register() {
        Register::None | Register::RIP => Some(0),
        full if full.is_segment_register() => Some(0),
        full if full.is_gpr() => Some(state[full.number()] as u64),
        _ => None,
    };
    used.virtual_address(0, value).unwrap_or_else(|| {
        let at = state[16];
        panic!("the instruction at {at:#x} accesses memory through a vector of indices")
    })
}

/// Records the registers before the next instruction.
extern "C" fn record(_: i32, _: *mut libc::siginfo_t, context: *mut libc::c_void) {
    let step = STEPS.replace(STEPS.get() + 1);
    if step < LIMIT {
        // SAFETY: the kernel passes a ucontext, and `trace` has room for LIMIT states.
        unsafe {
            let registers = &(*context.cast::<libc::ucontext_t>()).uc_mcontext.gregs;
            *STATES.get().add(step) = ORDER.map(|i| registers[i as usize]);
        }
    }
}

/// Calls `f(argument)` with the trap flag set.
#[unsafe(naked)]
unsafe extern "C" fn step_through(f: *const (), argument: *const ()) -> u64 {
    naked_asm!(
        "push rbx", // the stack is aligned for a call
        "mov rax, rdi",
        "mov rdi, rsi",
        "pushfq",
        "or qword ptr [rsp], 0x100",
        "popfq",
        "call rax",
        "pushfq",
        "and qword ptr [rsp], -0x101",
        "popfq",
        "pop rbx",
        "ret",
    )
}
