//! `carrysave cipher`

use crate::exit::{Code, Failure, Result, say};
use crate::header::{Algorithm, Derivation, Header, Mode};
use crate::io::{self, Access, Input, Output};
use crate::key::PasswordArgs;
use crate::{batch, hex, key, progress, rng};
use carrysave::arith::team::Team;
use carrysave::engine::Threads;
use carrysave::symmetric::aes::Aes;
use carrysave::symmetric::pkcs7;
use carrysave::symmetric::threefish::Threefish;
use rand_core::Rng;
use std::io::Read;
use std::num::NonZeroUsize;
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
    #[arg(long, requires = "key_file")]
    raw: bool,
    /// How many threads work [default: as many as there are cores]
    #[arg(long, value_parser = batch::threads)]
    threads: Option<NonZeroUsize>,
}

/// What is read at a time.
const PIECE: usize = 1 << 22;

pub fn run(args: Args, quiet: bool) -> Result<()> {
    if !args.decrypt {
        io::refuse_terminal(&args.out, "a ciphertext")?;
    }
    let about = |e: Failure| e.about(&args.file);
    let mut input = Input::open(&args.file)?;
    let len = input.len;
    let (header, key) = if args.decrypt && !args.raw {
        let told = args.algorithm.is_some() || args.mode.is_some() || args.iv.is_some();
        if told || args.no_padding {
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
    let threads = args.threads.unwrap_or_else(batch::cores);
    let team = Threads::up_to(threads);
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
    let mut read = |piece: &mut Vec<u8>| {
        piece.clear();
        let read = (&mut reader).take(PIECE as u64).read_to_end(piece);
        read.map_err(|e| Failure::io(format_args!("cannot read {}", args.file.display()), &e))
    };
    let mut stream = Stream::new(&header, &key, args.decrypt);
    let mut piece = Zeroizing::new(Vec::with_capacity(PIECE));
    let mut next = Zeroizing::new(Vec::with_capacity(PIECE));
    let mut length = read(&mut piece)? as u64;
    loop {
        // Only the end of the file says which piece is the last.
        length += read(&mut next)? as u64;
        let last = next.is_empty();
        if last {
            check_length(&header, args.decrypt, length).map_err(about)?;
        }
        if last && padding && !args.decrypt {
            pkcs7::pad(&mut piece, algorithm.block());
        }
        stream.apply(&team, &mut piece);
        if last && padding && args.decrypt {
            let message = "there is no padding: the key is another one, or the file was changed";
            pkcs7::unpad(&mut piece, algorithm.block())
                .map_err(|_| about(Failure::new(Code::Failed, message)))?;
        }
        output.put(&piece)?;
        if last {
            return output.commit();
        }
        std::mem::swap(&mut piece, &mut next);
    }
}

/// The header of a new file, as the command line says.
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
        // A file that seems empty may be one of the system's that is not.
        length: len.filter(|&len| len > 0),
        iv,
    })
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

/// Compares how much was read with what should have been there.
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

/// A cipher on its way through a file.
struct Stream {
    cipher: Cipher,
    mode: Mode,
    decrypt: bool,
    iv: Vec<u8>,
    /// The bytes before the next.
    position: u64,
}

enum Cipher {
    Aes(Aes),
    Threefish256(Threefish<4>),
    Threefish512(Threefish<8>),
    Threefish1024(Threefish<16>),
}

impl Stream {
    fn new(header: &Header, key: &[u8], decrypt: bool) -> Stream {
        let cipher = match header.algorithm {
            Algorithm::Threefish256 => Cipher::Threefish256(Threefish::new(key)),
            Algorithm::Threefish512 => Cipher::Threefish512(Threefish::new(key)),
            Algorithm::Threefish1024 => Cipher::Threefish1024(Threefish::new(key)),
            _ => Cipher::Aes(Aes::new(key).expect("a length of keys")),
        };
        Stream {
            cipher,
            mode: header.mode,
            decrypt,
            iv: header.iv.clone(),
            position: 0,
        }
    }

    /// The next bytes: whole blocks, but at the end of the mode ctr.
    fn apply(&mut self, team: &dyn Team, data: &mut [u8]) {
        let chain = self.mode == Mode::Cbc && !data.is_empty();
        let last = |data: &[u8]| data[data.len() - self.iv.len()..].to_vec();
        let read = (chain && self.decrypt).then(|| last(data));
        match &self.cipher {
            Cipher::Aes(aes) => self.aes(aes, team, data),
            Cipher::Threefish256(threefish) => self.threefish(threefish, team, data),
            Cipher::Threefish512(threefish) => self.threefish(threefish, team, data),
            Cipher::Threefish1024(threefish) => self.threefish(threefish, team, data),
        }
        let written = (chain && !self.decrypt).then(|| last(data));
        if let Some(block) = read.or(written) {
            self.iv = block;
        }
        self.position += data.len() as u64;
    }

    fn aes(&self, aes: &Aes, team: &dyn Team, data: &mut [u8]) {
        let iv = || self.iv[..].try_into().expect("a block");
        match (self.mode, self.decrypt) {
            (Mode::Ecb, false) => aes.ecb_encrypt_on(team, data),
            (Mode::Ecb, true) => aes.ecb_decrypt_on(team, data),
            (Mode::Cbc, false) => aes.cbc_encrypt(iv(), data),
            (Mode::Cbc, true) => aes.cbc_decrypt_on(team, iv(), data),
            (Mode::Ctr, _) => aes.apply_ctr_on(team, iv(), 128, self.position, data),
            (Mode::Sectors, _) => unreachable!("the header was checked"),
        }
    }

    fn threefish<const W: usize>(&self, cipher: &Threefish<W>, team: &dyn Team, data: &mut [u8]) {
        let word = |i: usize| {
            let bytes = self.iv[8 * i..][..8].try_into().expect("eight bytes");
            u64::from_le_bytes(bytes)
        };
        let zero = [0; 2];
        let counted = || {
            let blocks = self.position / Threefish::<W>::BLOCK as u64;
            [word(0).wrapping_add(blocks), word(1)]
        };
        match (self.mode, self.decrypt) {
            (Mode::Ecb, false) => cipher.encrypt_on(team, zero, data),
            (Mode::Ecb, true) => cipher.decrypt_on(team, zero, data),
            (Mode::Cbc, false) => cipher.cbc_encrypt(zero, &self.iv, data),
            (Mode::Cbc, true) => cipher.cbc_decrypt_on(team, zero, &self.iv, data),
            (Mode::Ctr, _) => {
                let counter = std::array::from_fn(word);
                cipher.apply_ctr_on(team, zero, counter, self.position, data);
            }
            (Mode::Sectors, false) => cipher.encrypt_counting_on(team, counted(), data),
            (Mode::Sectors, true) => cipher.decrypt_counting_on(team, counted(), data),
        }
    }
}
