//! `carrysave cipher`

use crate::exit::{Code, Failure, Result, say};
use crate::header::{Algorithm, Derivation, Header, Mode};
use crate::io::{self, Access, Input, Output};
use crate::key::PasswordArgs;
use crate::{batch, hex, key, progress, rng};
use carrysave::arith::off_stack;
use carrysave::symmetric::aes::Aes;
use carrysave::symmetric::pkcs7;
use carrysave::symmetric::threefish::Threefish;
use carrysave::symmetric::{Buffer, fill};
use carrysave::team::in_order;
use rand_core::Rng;
use std::path::PathBuf;
use zeroize::Zeroizing;

#[derive(clap::Args, Debug)]
#[command(after_help = "\
    Writes a header that says how the file was encrypted and with which initialization vector, \
    and notices a wrong key; decrypting takes all of that from there. With --raw there is no \
    header: the bytes are those of openssl enc -K -iv.\n\n\
    Nothing here notices that a ciphertext was changed: use `carrysave encrypt` where that \
    matters. A password becomes a key by scrypt.")]
pub struct Args {
    /// What to encrypt or decrypt; - for standard input
    #[arg(default_value = "-")]
    file: PathBuf,
    /// Where the result goes; - for standard output
    #[arg(short, long, value_name = "FILE")]
    out: PathBuf,
    /// Decrypt
    #[arg(short, long)]
    decrypt: bool,
    /// The cipher [default: aes-256]
    #[arg(short, long, value_enum)]
    algorithm: Option<Algorithm>,
    /// The mode [default: ctr]
    #[arg(short, long, value_enum)]
    mode: Option<Mode>,
    /// Take the key from FILE: its bytes, or as many hexadecimal digits as they take
    #[arg(short, long, value_name = "FILE", conflicts_with = "password_file")]
    key_file: Option<PathBuf>,
    #[command(flatten)]
    password: PasswordArgs,
    /// The initialization vector in hexadecimal digits [default: random]
    #[arg(long, value_name = "HEX")]
    iv: Option<String>,
    /// Take whole blocks only, and do not pad them
    #[arg(long)]
    no_padding: bool,
    /// Write or read no header: needs --key-file and, but in the mode ecb, --iv
    #[arg(long, requires = "key_file", conflicts_with = "password_file")]
    raw: bool,
    /// With --raw, how many of the last bits of AES's counter blocks count, the others staying as in --iv: 1 to 128
    /// [default: 128]
    #[arg(
        long,
        value_name = "BITS",
        requires = "raw",
        conflicts_with = "password_file"
    )]
    counter_bits: Option<u32>,
    /// With --raw, the tweak of Threefish in 32 hexadecimal digits; in the mode sectors that is --iv [default: zeros]
    #[arg(
        long,
        value_name = "HEX",
        requires = "raw",
        conflicts_with = "password_file"
    )]
    tweak: Option<String>,
    /// How many threads work, 1024 at most [default: as many as there are cores]
    #[arg(long, value_parser = batch::threads)]
    threads: Option<usize>,
}

/// The bytes taken at a time: whole blocks of every cipher, that fit a core's cache.
const PIECE: usize = 1 << 18;

/// The bytes of the stack that may hold text after a cipher's call.
const STACK: usize = 8192;

/// Parameters outside of the header, which only --raw has.
#[derive(Clone, Copy)]
struct Choices {
    counter_bits: u32,
    tweak: [u64; 2],
}

/// The piece that one thread works on.
struct Piece {
    buffer: Buffer,
    /// The length in bytes.
    len: usize,
    /// The number of bytes before it.
    position: u64,
    /// In a chain, the block before it; else the initial counter or tweak.
    iv: Vec<u8>,
}

pub fn run(args: Args, quiet: bool) -> Result<()> {
    if !args.decrypt {
        io::refuse_terminal(&args.out, "a ciphertext")?;
    }
    let about = |e: Failure| e.about(&args.file);
    let mut input = Input::open(&args.file)?;
    let len = input.len;
    let (header, key) = if args.decrypt && !args.raw {
        let given = args.algorithm.is_some() || args.mode.is_some() || args.iv.is_some();
        if given || args.no_padding {
            return Err(Failure::usage(
                "the file says how it was encrypted: leave --algorithm, --mode, --iv and --no-padding out",
            ));
        }
        let (header, bytes) = Header::read(&mut input).map_err(about)?;
        let key = load_key(&args, &header)?;
        if header.write(&key) != bytes {
            let message = "the key or password is another one, or the header is damaged";
            return Err(about(Failure::new(Code::Failed, message)));
        }
        (header, key)
    } else {
        let header = new_header(&args, len.filter(|_| !args.decrypt))?;
        let key = load_key(&args, &header)?;
        (header, key)
    };
    let choices = choices(&args, &header)?;
    if !args.decrypt {
        check_counter(choices, len.unwrap_or(0))?;
    }
    let Header {
        algorithm,
        mode,
        padding,
        ..
    } = header;
    say(format_args!(
        "carrysave: warning: {algorithm} in the mode {mode} does not notice a change of the ciphertext{}",
        if mode == Mode::Ecb {
            ", and equal blocks stay equal"
        } else {
            ""
        }
    ));
    let team = batch::team(args.threads, len, batch::LONG);
    let (mut output, what) = if args.decrypt {
        (Output::create(&args.out, Access::Umask)?, "decrypting")
    } else {
        (Output::streaming(&args.out, Access::Umask)?, "encrypting")
    };
    if !args.decrypt && !args.raw {
        output.put(&header.write(&key))?;
    }
    let bar = progress::bar(what, len, quiet);
    let mut reader = progress::reading(&bar, input);
    let piece = || Piece {
        buffer: Buffer::default(),
        len: 0,
        position: 0,
        iv: vec![],
    };
    let cipher = Cipher::new(&header, &key);
    let work = |piece: &mut Piece| {
        let bytes = piece.buffer.of(piece.len);
        let (iv, position) = (&piece.iv[..], piece.position);
        off_stack::<STACK, _>(|| cipher.apply(mode, args.decrypt, choices, iv, position, bytes));
    };
    // A chain is encrypted block by block, so by the thread that reads.
    let chain = mode == Mode::Cbc && !args.decrypt;
    let (mut iv, mut length, mut ended) = (header.iv.clone(), 0, false);
    let take = |piece: &mut Piece| {
        if ended {
            return Ok(false);
        }
        let bytes = piece.buffer.of(PIECE + algorithm.block());
        let read = fill(&mut reader, &mut bytes[..PIECE])
            .map_err(|e| Failure::io(format_args!("cannot read {}", args.file.display()), &e))?;
        (piece.position, piece.len) = (length, read);
        length += read as u64;
        ended = read < PIECE;
        if ended {
            check_length(&header, args.decrypt, length).map_err(about)?;
        }
        if !args.decrypt {
            check_counter(choices, length)?;
        }
        if ended && padding && !args.decrypt {
            let whole = read - read % algorithm.block();
            let mut last = Zeroizing::new(bytes[whole..read].to_vec());
            pkcs7::pad(&mut last, algorithm.block());
            piece.len = whole + last.len();
            bytes[whole..piece.len].copy_from_slice(&last);
        }
        piece.iv.clone_from(&iv);
        if mode == Mode::Cbc {
            if chain {
                work(piece);
            }
            if let Some(last) = piece.buffer.of(piece.len).rchunks(iv.len()).next() {
                iv.copy_from_slice(last);
            }
        }
        Ok(true)
    };
    // Only the end of the file shows which block is the last.
    let mut last = Zeroizing::new(Vec::with_capacity(2 * algorithm.block()));
    let unpadding = padding && args.decrypt;
    let put = |piece: &mut Piece| {
        let bytes = &*piece.buffer.of(piece.len);
        if !unpadding || bytes.is_empty() {
            return output.put(bytes);
        }
        output.put(&last)?;
        let (before, block) = bytes.split_at(bytes.len() - algorithm.block());
        last.clear();
        last.extend_from_slice(block);
        output.put(before)
    };
    let act = |piece: &mut Piece| {
        if !chain {
            work(piece);
        }
    };
    in_order(&team, piece, take, act, put)?;
    if unpadding {
        let message = "there is no padding: the key is another one, or the file was changed";
        pkcs7::unpad(&mut last, algorithm.block())
            .map_err(|_| about(Failure::new(Code::Failed, message)))?;
        output.put(&last)?;
    }
    output.commit()
}

/// The header of a new file, from the command line.
fn new_header(args: &Args, len: Option<u64>) -> Result<Header> {
    let algorithm = args.algorithm.unwrap_or(Algorithm::Aes256);
    let mode = args.mode.unwrap_or(Mode::Ctr);
    if !mode.is_of(algorithm) {
        return Err(Failure::usage("the mode sectors is one of Threefish's"));
    }
    let bytes = mode.iv(algorithm);
    let iv = match &args.iv {
        Some(_) if bytes == 0 => {
            let message = format!("the mode {mode} has no initialization vector: leave --iv out");
            return Err(Failure::usage(message));
        }
        Some(digits) => hex::decode(digits.as_bytes())
            .filter(|iv| iv.len() == bytes)
            .ok_or_else(|| {
                let digits = 2 * bytes;
                Failure::usage(format!(
                    "--iv of {algorithm} in the mode {mode} has {digits} hexadecimal digits"
                ))
            })?,
        None if args.raw && bytes > 0 => {
            return Err(Failure::usage(
                "--raw keeps no initialization vector: give one with --iv",
            ));
        }
        None => {
            let mut iv = vec![0; bytes];
            rng().fill_bytes(&mut iv);
            iv
        }
    };
    let mut salt = [0; 16];
    rng().fill_bytes(&mut salt);
    Ok(Header {
        algorithm,
        mode,
        padding: mode != Mode::Ctr && !args.no_padding,
        derivation: args.key_file.is_none().then_some(Derivation::new(salt)),
        // A file of length 0 may be a system file with contents.
        length: len.filter(|&len| len > 0),
        iv,
    })
}

/// Refuses so many bytes that the counter would begin again, and the keystream with it.
fn check_counter(choices: Choices, length: u64) -> Result<()> {
    let bits = choices.counter_bits;
    match 1_u64.checked_shl(bits) {
        Some(blocks) if length.div_ceil(16) > blocks => Err(Failure::usage(format!(
            "--counter-bits {bits} is for {} bytes at most, as the keystream begins again after them: take more bits",
            16 * u128::from(blocks)
        ))),
        _ => Ok(()),
    }
}

fn choices(args: &Args, header: &Header) -> Result<Choices> {
    let Header {
        algorithm, mode, ..
    } = *header;
    let aes = algorithm.block() == 16;
    if args.counter_bits.is_some() && (!aes || mode != Mode::Ctr) {
        let message = "--counter-bits is for AES in the mode ctr";
        return Err(Failure::usage(message));
    }
    if args.tweak.is_some() && (aes || mode == Mode::Sectors) {
        let message = "--tweak is for Threefish in the modes ecb, cbc and ctr";
        return Err(Failure::usage(message));
    }
    let counter_bits = args.counter_bits.unwrap_or(128);
    if !(1..=128).contains(&counter_bits) {
        return Err(Failure::usage("--counter-bits is 1 to 128"));
    }
    let tweak = match &args.tweak {
        Some(digits) => hex::decode(digits.as_bytes())
            .filter(|tweak| tweak.len() == 16)
            .ok_or_else(|| Failure::usage("--tweak has 32 hexadecimal digits"))?,
        None => vec![0; 16],
    };
    Ok(Choices {
        counter_bits,
        tweak: [word(&tweak, 0), word(&tweak, 1)],
    })
}

/// A word of an initialization vector or tweak of Threefish.
fn word(bytes: &[u8], i: usize) -> u64 {
    let bytes = bytes[8 * i..][..8].try_into().expect("eight bytes");
    u64::from_le_bytes(bytes)
}

/// The key, from its file or from a password.
fn load_key(args: &Args, header: &Header) -> Result<Zeroizing<Vec<u8>>> {
    let bytes = header.algorithm.key();
    let (path, derivation) = match (&args.key_file, &header.derivation) {
        (Some(path), None) => (path, None),
        (None, Some(derivation)) => (&args.file, Some(derivation)),
        (Some(_), Some(_)) => {
            let message = "it was encrypted with a password: leave --key-file out";
            return Err(Failure::usage(message).about(&args.file));
        }
        (None, None) => {
            let message = "it was encrypted with a key: give --key-file";
            return Err(Failure::usage(message).about(&args.file));
        }
    };
    if let Some(derivation) = derivation {
        let password = if args.decrypt {
            args.password
                .get(&format!("Password for {}", path.display()))?
        } else {
            args.password.choose("Password for the file")?
        };
        return derivation.key(&password, bytes).map_err(|e| e.about(path));
    }
    let found = key::read(path)?;
    if found.len() == bytes {
        return Ok(found);
    }
    let key = hex::decode(found.trim_ascii()).map(Zeroizing::new);
    key.filter(|key| key.len() == bytes).ok_or_else(|| {
        let (algorithm, digits) = (header.algorithm, 2 * bytes);
        let message =
            format!("a key of {algorithm} is {bytes} bytes or {digits} hexadecimal digits");
        Failure::bad_input(message).about(path)
    })
}

/// Compares the number of bytes read with the expected length.
fn check_length(header: &Header, decrypt: bool, length: u64) -> Result<()> {
    let block = header.algorithm.block() as u64;
    let whole = header.mode == Mode::Ctr || length.is_multiple_of(block);
    if !decrypt {
        return if header.length.is_some_and(|expected| expected != length) {
            Err(Failure::new(Code::Io, "the file changed while it was read"))
        } else if whole || header.padding {
            Ok(())
        } else {
            let message = format!("not whole blocks of {block} bytes: leave --no-padding out");
            Err(Failure::bad_input(message))
        };
    }
    let message = match header.ciphertext() {
        Some(expected) if length < expected => {
            format!("the file is cut short: {length} bytes of {expected} are there")
        }
        Some(expected) if length > expected => {
            format!("there are {} bytes behind the end", length - expected)
        }
        None if !whole || header.padding && length == 0 => {
            format!("the file is cut short: it ends within a block of {block} bytes")
        }
        _ => return Ok(()),
    };
    Err(Failure::bad_input(message))
}

enum Cipher {
    Aes(Aes),
    Threefish256(Threefish<4>),
    Threefish512(Threefish<8>),
    Threefish1024(Threefish<16>),
}

impl Cipher {
    fn new(header: &Header, key: &[u8]) -> Cipher {
        match header.algorithm {
            Algorithm::Threefish256 => Cipher::Threefish256(Threefish::new(key)),
            Algorithm::Threefish512 => Cipher::Threefish512(Threefish::new(key)),
            Algorithm::Threefish1024 => Cipher::Threefish1024(Threefish::new(key)),
            _ => Cipher::Aes(Aes::new(key).expect("a length of keys")),
        }
    }

    /// The bytes at this position: whole blocks, except at the end in the mode ctr.
    fn apply(
        &self,
        mode: Mode,
        decrypt: bool,
        choices: Choices,
        iv: &[u8],
        position: u64,
        data: &mut [u8],
    ) {
        let Choices {
            counter_bits,
            tweak,
        } = choices;
        match self {
            Cipher::Aes(c) => aes(c, mode, decrypt, counter_bits, iv, position, data),
            Cipher::Threefish256(c) => threefish(c, mode, decrypt, tweak, iv, position, data),
            Cipher::Threefish512(c) => threefish(c, mode, decrypt, tweak, iv, position, data),
            Cipher::Threefish1024(c) => threefish(c, mode, decrypt, tweak, iv, position, data),
        }
    }
}

fn aes(
    aes: &Aes,
    mode: Mode,
    decrypt: bool,
    counter_bits: u32,
    iv: &[u8],
    position: u64,
    data: &mut [u8],
) {
    let iv = || iv.try_into().expect("a block");
    match (mode, decrypt) {
        (Mode::Ecb, false) => aes.ecb_encrypt(data),
        (Mode::Ecb, true) => aes.ecb_decrypt(data),
        (Mode::Cbc, false) => aes.cbc_encrypt(iv(), data),
        (Mode::Cbc, true) => aes.cbc_decrypt(iv(), data),
        (Mode::Ctr, _) => aes.apply_ctr(iv(), counter_bits, position, data),
        (Mode::Sectors, _) => unreachable!("the header was checked"),
    }
}

fn threefish<const W: usize>(
    cipher: &Threefish<W>,
    mode: Mode,
    decrypt: bool,
    tweak: [u64; 2],
    iv: &[u8],
    position: u64,
    data: &mut [u8],
) {
    let counted = || {
        let blocks = position / Threefish::<W>::BLOCK as u64;
        [word(iv, 0).wrapping_add(blocks), word(iv, 1)]
    };
    match (mode, decrypt) {
        (Mode::Ecb, false) => cipher.encrypt(tweak, data),
        (Mode::Ecb, true) => cipher.decrypt(tweak, data),
        (Mode::Cbc, false) => cipher.cbc_encrypt(tweak, iv, data),
        (Mode::Cbc, true) => cipher.cbc_decrypt(tweak, iv, data),
        (Mode::Ctr, _) => {
            let counter = std::array::from_fn(|i| word(iv, i));
            cipher.apply_ctr(tweak, counter, position, data)
        }
        (Mode::Sectors, false) => cipher.encrypt_counting(counted(), data),
        (Mode::Sectors, true) => cipher.decrypt_counting(counted(), data),
    }
}
