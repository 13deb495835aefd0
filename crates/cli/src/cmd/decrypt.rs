//! `carrysave decrypt`

use crate::exit::{Failure, Result, say};
use crate::io::{Access, Input, Output};
use crate::key::{self, PasswordArgs};
use crate::{batch, progress, rng, segmented};
use carrysave::cms;
use std::num::NonZeroUsize;
use std::path::PathBuf;

const UNAUTHENTICATED: &str = "carrysave: warning: this old EnvelopedData is not authenticated: \
     anybody may have changed it";

#[derive(clap::Args, Debug)]
#[command(after_help = "\
    Reads CMS messages, binary, PEM or S/MIME: AuthEnvelopedData, and with a warning the \
    older EnvelopedData. Nothing of the plaintext appears before all of it has been \
    authenticated; until then it waits in a temporary file.")]
pub struct Args {
    /// The private key
    #[arg(short, long, value_name = "FILE")]
    key: PathBuf,
    /// The certificate of this key, to find the right one among many recipients
    #[arg(short, long, value_name = "FILE", conflicts_with = "segmented")]
    recipient: Option<PathBuf>,
    /// What to decrypt; - for standard input
    #[arg(default_value = "-")]
    file: PathBuf,
    /// Where the plaintext goes; - for standard output
    #[arg(short, long, value_name = "FILE")]
    out: PathBuf,
    /// The file was encrypted with --segmented
    #[arg(long)]
    segmented: bool,
    /// How many threads work, 1024 at most [default: as many as there are cores]
    #[arg(long, conflicts_with = "segmented", value_parser = batch::threads)]
    threads: Option<NonZeroUsize>,
    #[command(flatten)]
    password: PasswordArgs,
}

pub fn run(args: Args, quiet: bool) -> Result<()> {
    let key = key::private(&args.key, &args.password)?;
    let recipient = match &args.recipient {
        None => None,
        Some(path) => {
            let recipient = cms::Recipient::from_certificate(key::certificate(path)?.der())?;
            if recipient.key() != key.public() {
                return Err(Failure::usage("the certificate is not one of this key").about(path));
            }
            Some(recipient)
        }
    };
    let input = Input::open(&args.file)?;
    let len = input.len;
    let mut output = Output::create(&args.out, Access::Umask)?;
    let bar = progress::bar("decrypting", len, quiet);
    let mut reader = progress::reading(&bar, input);
    let failed = |e| Failure::between(&args.file, &args.out, e);
    if args.segmented {
        say(segmented::WARNING);
        segmented::decrypt(&mut rng(), &key, &mut reader, &mut output).map_err(failed)?;
    } else {
        let team = batch::team(args.threads, len);
        let (rng, to) = (&mut rng(), recipient.as_ref());
        let opened = cms::decrypt_on(&team, rng, &key, to, &mut reader, &mut output);
        let opened = opened.map_err(failed)?;
        if !opened.authenticated {
            bar.suspend(|| say(UNAUTHENTICATED));
        }
    }
    output.commit()
}
