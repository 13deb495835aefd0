//! The options `--plan` and `--without`, and the plan in the user's configuration.

use crate::exit::{Failure, Result, program, say};
use crate::{io, key};
use carrysave::arith::Plan;
use carrysave::engine::plan;
use carrysave::kernels::{Cpu, Isa};
use carrysave_measure::record::cpu_name;
use std::env;
use std::path::{Path, PathBuf};
use std::sync::OnceLock;

/// The plan in use, if it is not built in.
static FOLLOWED: OnceLock<Followed> = OnceLock::new();

struct Followed {
    /// Its file.
    path: PathBuf,
    /// Whether the command line names it.
    named: bool,
}

/// Makes a plan the one for this machine, before anything is computed: that of `--plan`, or that in the user's
/// configuration. The latter is left out, with a note, where it is for another processor or cannot be read, and in silence
/// for a command that `tunes`, whose choices are raced against what is built in.
pub fn prepare(plan: Option<&Path>, tunes: bool, quiet: bool) -> Result<()> {
    if let Some(path) = plan {
        return follow(path);
    }
    let Some(path) = own_plan().filter(|path| !tunes && path.exists()) else {
        return Ok(());
    };
    let followed = read(&path).and_then(|plan| {
        let message = match cpu_name() {
            Some(here) if here == plan.machine => return install(plan, &path, false),
            Some(_) => format!("it was measured on {}: tune it again", plan.machine),
            None => "the system does not name this processor: name the plan by --plan".to_owned(),
        };
        Err(Failure::bad_input(message).about(&path))
    });
    if let (Err(e), false) = (followed, quiet) {
        say(format_args!(
            "{}: note: the plan is not followed: {}",
            program(),
            e.message
        ));
    }
    Ok(())
}

/// The file of the plan in the user's configuration (XDG Base Directory Specification), if there is a place for it.
pub fn own_plan() -> Option<PathBuf> {
    let folder = |name| env::var_os(name).map(PathBuf::from);
    let configuration = folder("XDG_CONFIG_HOME").filter(|path| path.is_absolute());
    let configuration = configuration.or_else(|| Some(folder("HOME")?.join(".config")));
    let path = configuration?.join("carrysave/plan.toml");
    path.is_absolute().then_some(path)
}

/// The file of the plan that is followed on a processor, this one or a lesser, if it is not built in.
pub fn followed(cpu: Cpu) -> Option<&'static Path> {
    let followed = FOLLOWED.get()?;
    Plan::native().fits(cpu).ok()?;
    Some(&followed.path)
}

fn read(path: &Path) -> Result<Plan> {
    let bytes = io::read_small(path, key::MAX)?;
    let text = std::str::from_utf8(&bytes)
        .map_err(|_| Failure::bad_input("a plan is text, and this is none").about(path))?;
    plan::from_toml(text).map_err(|e| Failure::bad_input(e.to_string()).about(path))
}

/// Makes the plan in a file the one for this machine, before anything is computed.
pub fn follow(path: &Path) -> Result<()> {
    install(read(path)?, path, true)
}

fn install(plan: Plan, path: &Path, named: bool) -> Result<()> {
    let installed = plan.install();
    installed.map_err(|e| Failure::bad_input(e.to_string()).about(path))?;
    let path = path.to_owned();
    FOLLOWED.get_or_init(|| Followed { path, named });
    Ok(())
}

/// This processor, or a lesser one.
#[derive(clap::Args, Debug)]
pub struct Processor {
    /// Act as if the processor lacked these extensions
    #[arg(long, value_name = "EXTENSION", value_delimiter = ',', value_parser = extension)]
    without: Vec<Isa>,
}

impl Processor {
    /// Whether it is a lesser one.
    pub fn is_lesser(&self) -> bool {
        !self.without.is_empty()
    }

    /// Has the whole program do with the permitted extensions, which must suffice for the plan that the command line names.
    /// Another one is followed where they do.
    pub fn cpu(&self) -> Result<Cpu> {
        let without = self
            .without
            .iter()
            .fold(Isa::NONE, |all, isa| all.and(*isa));
        let cpu = Cpu::restrict(without);
        if let Some(Followed { path, named: true }) = FOLLOWED.get() {
            let fits = Plan::native().fits(cpu);
            fits.map_err(|e| Failure::bad_input(e.to_string()).about(path))?;
        }
        Ok(cpu)
    }
}

/// Reads the name of an extension.
fn extension(name: &str) -> std::result::Result<Isa, String> {
    let found = Isa::ALL.iter().find(|(_, known)| *known == name);
    found.map(|(isa, _)| *isa).ok_or_else(|| {
        let known: Vec<_> = Isa::ALL.iter().map(|(_, name)| *name).collect();
        format!(
            "not an extension that a kernel uses; these are: {}",
            known.join(" ")
        )
    })
}
