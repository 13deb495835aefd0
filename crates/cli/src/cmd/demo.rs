//! `carrysave demo`

use crate::batch;
use crate::exit::{Code, Failure, Result};
use crate::interrupt::TempFolder;
use crate::io::{self, Access, Input, Output};
use crate::key::{self, PasswordArgs};
use crate::{progress, rng};
use carrysave::cms::{self, EncryptOptions, Recipient};
use carrysave::engine::Batch;
use carrysave::hash::Hash;
use carrysave::rsa::{KeygenOptions, PrivateKey, task::SignPss};
use carrysave::team::MAX_THREADS;
use std::fmt::Display;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

#[derive(clap::Args, Debug)]
#[command(
    after_help = "Works in a temporary folder and leaves nothing behind. Asks the program openssl, if there is one, how \
                  fast it signs."
)]
pub struct Args {
    /// The file to work on [default: this program itself]
    file: Option<PathBuf>,
    /// The length of the key in bits
    #[arg(short, long, default_value_t = 3072)]
    bits: usize,
    /// Allow keys below 2048 bits
    #[arg(long)]
    small: bool,
    /// How many threads search for primes, 1024 at most [default: as many as there are cores]
    #[arg(long, value_parser = batch::threads)]
    threads: Option<usize>,
    /// How long to repeat each operation to see how fast it is
    #[arg(long, default_value_t = 1.0, value_name = "SECONDS")]
    seconds: f64,
}

/// The least bits of a key that OAEP with SHA-256 encrypts the key of AES-256 with (RFC 8017, 7.1.1: mLen is at most
/// k - 2 hLen - 2); PSS takes fewer.
const MIN_BITS: usize = 8 * (32 + 2 * 32 + 2);

/// The signatures of a batch on each thread: two groups in lanes.
const BATCH: usize = 16;

/// A timed step.
fn timed<T>(step: impl FnOnce() -> Result<T>) -> Result<(T, Duration)> {
    let start = Instant::now();
    step().map(|value| (value, start.elapsed()))
}

fn say(what: &str, detail: impl Display) -> Result<()> {
    io::print(format!("{what:<10} {detail}\n"))
}

fn io_error(path: &Path, e: &std::io::Error) -> Failure {
    Failure::io(path.display(), e)
}

pub fn run(args: Args, _quiet: bool) -> Result<()> {
    if !(args.seconds.is_finite() && args.seconds >= 0.0) {
        let message = "--seconds takes a number that is not negative, such as 1";
        return Err(Failure::usage(message));
    }
    if args.bits < MIN_BITS {
        let message =
            format!("OAEP with SHA-256 takes a key of {MIN_BITS} bits or more: use --bits");
        return Err(Failure::usage(message));
    }
    let folder = TempFolder::new()?;
    let file = match args.file {
        Some(file) => file,
        None => std::env::current_exe()
            .map_err(|e| Failure::io("cannot find this program's own file", &e))?,
    };
    let at = |name: &str| folder.path().join(name);
    let (private, public, message, plain) =
        (at("key.pem"), at("key.pub"), at("message.cms"), at("plain"));
    let size = |path: &Path| {
        fs::metadata(path)
            .map(|m| m.len())
            .map_err(|e| io_error(path, &e))
    };
    say(
        "file",
        format_args!("{}, {} bytes", file.display(), size(&file)?),
    )?;

    let threads = args.threads.unwrap_or_else(batch::cores).min(MAX_THREADS);
    let options = KeygenOptions {
        threads,
        allow_small: args.small,
        ..Default::default()
    };
    let (key, took) = timed(|| {
        PrivateKey::generate_with(rng, args.bits, &options, &|_| ())
            .map_err(|e| Failure::usage(e.to_string()))
    })?;
    io::write(&private, Access::Private, key.to_pkcs8_pem().as_bytes())?;
    io::write(
        &public,
        Access::Umask,
        key.public().to_spki_pem().as_bytes(),
    )?;
    say(
        "keygen",
        format_args!(
            "{} bits on {threads} threads in {:.3} s",
            key.bits(),
            took.as_secs_f64()
        ),
    )?;

    let key = key::private(&private, &PasswordArgs::default())?;
    let recipients = key::recipients(&public, &PasswordArgs::default())?;
    let (bytes, took) = timed(|| encrypt(&recipients, &file, &message))?;
    let (to, speed_of) = (size(&message)?, speed(bytes, took));
    say(
        "encrypt",
        format_args!("{bytes} bytes to {to} bytes of CMS (AES-256-GCM, RSA-OAEP), {speed_of}"),
    )?;

    let (_, took) = timed(|| decrypt(&key, &message, &plain))?;
    let same = fs::read(&file).map_err(|e| io_error(&file, &e))?
        == fs::read(&plain).map_err(|e| io_error(&plain, &e))?;
    require(same, "the decrypted file is another one")?;
    say(
        "decrypt",
        format_args!("the same {bytes} bytes again, {}", speed(bytes, took)),
    )?;

    flip_a_bit(&message)?;
    let _ = fs::remove_file(&plain);
    require(
        decrypt(&key, &message, &plain).is_err() && !plain.exists(),
        "a changed message was decrypted",
    )?;
    say(
        "tampering",
        "one bit of the message flipped: refused, and no file written",
    )?;

    let hash = Hash::Sha256;
    let salt = hash.len();
    let sign = |digest: &[u8]| key.rsassa_pss_sign(&mut rng(), hash, hash, salt, digest);
    let ((digest, signature), took) = timed(|| {
        let digest = super::sign::digest(&file, hash, |_| progress::none())?;
        let signature = sign(&digest)?;
        Ok((digest, signature))
    })?;
    let (len, took) = (signature.len(), took.as_secs_f64());
    say(
        "sign",
        format_args!("{len} bytes of RSASSA-PSS with {hash} in {took:.3} s"),
    )?;
    let public = key.public();
    let verify =
        |digest: &[u8]| public.rsassa_pss_verify(hash, hash, Some(salt), digest, &signature);
    verify(&digest)?;
    let mut other = digest.clone();
    other[0] ^= 1;
    require(
        verify(&other).is_err(),
        "the signature of another file was accepted",
    )?;
    say(
        "verify",
        "the signature is good; the same for another file is refused",
    )?;

    let signs = rate(args.seconds, || Ok(sign(&digest).map(drop)?))?;
    let verifies = rate(args.seconds, || Ok(verify(&digest)?))?;
    say(
        "speed",
        format_args!("{signs:.0} signatures/s, {verifies:.0} verifications/s on one thread"),
    )?;
    let tasks = vec![
        SignPss {
            key: key.clone(),
            hash,
            mgf: hash,
            salt_len: salt,
            digest: digest.clone(),
        };
        BATCH * threads
    ];
    let batch = Batch::new(threads);
    let batches = rate(args.seconds, || {
        let signatures = batch.run_with(rng, &tasks);
        signatures
            .into_iter()
            .try_for_each(|signature| Ok(signature.map(drop)?))
    })?;
    let many = batches * tasks.len() as f64;
    say(
        "together",
        format_args!(
            "{many:.0} signatures/s, {} at once, threads: {}; {:.1} times as many",
            tasks.len(),
            batch.threads(),
            many / signs
        ),
    )?;
    match beside(key.bits(), args.seconds) {
        Beside::Speed {
            name,
            signs: theirs,
            verifies: verified,
        } => say(
            "beside",
            format_args!(
                "{name}: {theirs:.0} signatures/s, {verified:.0} verifications/s on one thread; carrysave signs {:.1} \
                 times as fast, {:.1} times as fast together, and verifies {:.1} times as fast",
                signs / theirs,
                many / theirs,
                verifies / verified
            ),
        ),
        Beside::Nothing(why) => say("beside", why),
    }
}

/// What the system's OpenSSL reaches.
enum Beside {
    Speed {
        name: String,
        signs: f64,
        verifies: f64,
    },
    /// Why there is no figure.
    Nothing(String),
}

/// Asks `openssl speed`, which signs by PKCS #1 v1.5: as much work as PSS, but for a hash.
fn beside(bits: usize, seconds: f64) -> Beside {
    const SIZES: [usize; 7] = [512, 1024, 2048, 3072, 4096, 7680, 15_360];
    if seconds < 1.0 {
        return Beside::Nothing("`openssl speed` is not asked for less than a second".to_owned());
    }
    if !SIZES.contains(&bits) {
        return Beside::Nothing(format!("`openssl speed` has no RSA keys of {bits} bits"));
    }
    let openssl = |arguments: &[&str]| {
        let output = Command::new("openssl")
            .args(arguments)
            .stdin(Stdio::null())
            .stderr(Stdio::null())
            .output();
        let output = output.ok().filter(|output| output.status.success())?;
        String::from_utf8(output.stdout).ok()
    };
    let seconds = format!("{seconds:.0}");
    let key = format!("rsa{bits}");
    let asked = ["speed", "-elapsed", "-seconds", &seconds, "-mr", &key];
    let answer = openssl(&["version"]).zip(openssl(&asked));
    let figures = answer.as_ref().and_then(|(_, said)| figures(said));
    match (answer, figures) {
        (Some((version, _)), Some([signs, verifies])) => {
            let words = version.split_whitespace().take(2);
            let name = words.collect::<Vec<_>>().join(" ");
            Beside::Speed {
                name,
                signs,
                verifies,
            }
        }
        _ => Beside::Nothing("no figure: there is no program openssl here, or its `speed` takes no `-seconds` and `-mr`"
                .to_owned()),
    }
}

/// Signatures and verifications a second, from a line that begins `+F2:index:bits:signatures:verifications`.
fn figures(said: &str) -> Option<[f64; 2]> {
    let line = said.lines().find_map(|line| line.strip_prefix("+F2:"))?;
    let mut figures = line.split(':').skip(2).map(|figure| figure.parse::<f64>());
    let figures = [figures.next()?.ok()?, figures.next()?.ok()?];
    figures
        .iter()
        .all(|&figure| figure > 0.0)
        .then_some(figures)
}

fn encrypt(recipients: &[Recipient], from: &Path, to: &Path) -> Result<u64> {
    let mut input = Input::open(from)?;
    let mut output = Output::streaming(to, Access::Umask)?;
    let options = EncryptOptions {
        len: input.len,
        ..Default::default()
    };
    let bytes = cms::encrypt(&mut rng(), recipients, &options, &mut input, &mut output)?;
    output.commit()?;
    Ok(bytes)
}

fn decrypt(key: &PrivateKey, from: &Path, to: &Path) -> Result<()> {
    let mut output = Output::create(to, Access::Umask)?;
    let options = cms::DecryptOptions::default();
    cms::decrypt(
        &mut rng(),
        key,
        &options,
        &mut Input::open(from)?,
        &mut output,
    )?;
    output.commit()
}

fn flip_a_bit(path: &Path) -> Result<()> {
    let mut bytes = fs::read(path).map_err(|e| io_error(path, &e))?;
    let middle = bytes.len() / 2;
    bytes[middle] ^= 1;
    fs::write(path, bytes).map_err(|e| io_error(path, &e))
}

fn require(fact: bool, otherwise: &str) -> Result<()> {
    if fact {
        Ok(())
    } else {
        Err(Failure::new(
            Code::Failed,
            format!("{otherwise}: please report this"),
        ))
    }
}

fn speed(bytes: u64, took: Duration) -> String {
    format!("{:.0} MB/s", bytes as f64 / 1e6 / took.as_secs_f64())
}

/// The rate per second of an operation.
fn rate(seconds: f64, mut operation: impl FnMut() -> Result<()>) -> Result<f64> {
    let start = Instant::now();
    let mut times = 0;
    loop {
        operation()?;
        times += 1;
        let took = start.elapsed().as_secs_f64();
        if took >= seconds {
            return Ok(f64::from(times) / took);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_speed_of_openssl_is_read() {
        let said = "+H:\n+F2:3:3072:546.875000:29252.173913\n";
        assert_eq!(figures(said), Some([546.875, 29252.173913]));
        for said in ["", "+F2:3:3072", "+F2:3:3072:0.0:1.0", "+F2:3:3072:x:1.0"] {
            assert_eq!(figures(said), None, "{said}");
        }
    }
}
