//! Plants the faults of the tables in `planted/`, and says which of them the tests find.
//!
//! `cargo run -p carrysave-proof --bin planted -- [--record FILE] [CRATE | CRATE/NUMBER[-NUMBER]]...` copies the
//! repository into `target/planted`, plants all faults there, compiles the tests once, and runs those that should find a
//! fault with that fault awake. Without names it takes all tables. The exit status is 0 if every fault is found or has a
//! reason in its table, 1 if not. `--record` writes a line a fault to a file, and keeps those of faults that did not run this time.
//!
//! A fault counts as found if a test fails, is aborted, or takes ten times as long as without any fault and half a minute.

use carrysave_proof::planted::{
    AWAKE,
    source::{plant, switch},
    table::{self, Fault, Tests},
};
use serde_json::Value;
use std::{
    collections::{BTreeMap, BTreeSet},
    env, fmt, fs,
    io::{BufRead, BufReader},
    path::{Path, PathBuf},
    process::{Child, Command, ExitCode, Stdio},
    sync::Mutex,
    thread,
    time::{Duration, Instant},
};

/// The crates with a table.
const CRATES: [&str; 5] = ["arith", "symmetric", "schemes", "engine", "cli"];
/// What a test may have of memory, in KiB: a fault in a limit must not take the machine's.
const MEMORY: &str = "12582912";

fn main() -> ExitCode {
    match campaign() {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => ExitCode::FAILURE,
        Err(why) => {
            eprintln!("planted: {why}");
            ExitCode::FAILURE
        }
    }
}

/// A fault of a crate.
struct Planted {
    package: &'static str,
    fault: Fault,
}

impl Planted {
    /// Its number, by which it is woken.
    fn number(&self) -> String {
        format!("{}/{}", self.package, self.fault.number)
    }
}

impl fmt::Display for Planted {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Fault {
            file,
            function,
            before,
            after,
            ..
        } = &self.fault;
        let number = self.number();
        write!(f, "{number} {file}, {function}: {before} ⇒ {after}")
    }
}

/// What the tests say of a fault.
enum Verdict {
    /// The first test that fails.
    Found(String),
    Missed,
}

impl fmt::Display for Verdict {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Verdict::Found(by) => write!(f, "found by {by}"),
            Verdict::Missed => write!(f, "MISSED"),
        }
    }
}

fn campaign() -> Result<bool, String> {
    let mut names: Vec<String> = env::args().skip(1).collect();
    let record = match names.iter().position(|name| name == "--record") {
        Some(at) if at + 1 < names.len() => {
            names.remove(at);
            Some(PathBuf::from(names.remove(at)))
        }
        Some(_) => return Err("--record needs a file".into()),
        None => None,
    };
    let root = Path::new(env!("CARGO_MANIFEST_DIR"))
        .ancestors()
        .nth(2)
        .expect("the crate is in a folder of the repository");
    let target = env::var_os("CARGO_TARGET_DIR").map_or_else(|| root.join("target"), PathBuf::from);
    let place = target.join("planted");
    let mut all = Vec::new();
    for package in CRATES {
        let path = root.join(format!("crates/proof/planted/{package}.txt"));
        let text = fs::read_to_string(&path).map_err(|e| format!("{}: {e}", path.display()))?;
        let faults = table::read(&text).map_err(|why| format!("{package}.txt, {why}"))?;
        all.extend(faults.into_iter().map(|fault| Planted { package, fault }));
    }
    let chosen = choose(&all, &names)?;
    let tree = place.join("tree");
    copy(root, &tree, &all)?;
    let programs = compile(&tree, &place.join("build"), &all)?;
    let verdicts = Bench { programs, place }.run(&chosen)?;
    report(root, record.as_deref(), &all, &chosen, &verdicts)
}

/// The faults with these names: crates, or numbers of one as in `schemes/17` and `schemes/17-40`. All without a name.
fn choose<'a>(all: &'a [Planted], names: &[String]) -> Result<Vec<&'a Planted>, String> {
    let is = |planted: &Planted, name: &str| {
        let (package, numbers) = name.split_once('/').unwrap_or((name, ""));
        let (first, last) = numbers.split_once('-').unwrap_or((numbers, numbers));
        let within =
            || Some((first.parse().ok()?..=last.parse().ok()?).contains(&planted.fault.number));
        package == planted.package && (package == name || within() == Some(true))
    };
    match names
        .iter()
        .find(|name| !all.iter().any(|planted| is(planted, name)))
    {
        Some(name) => Err(format!(
            "{name} names no fault: name a crate, or some of its faults as in schemes/17 or schemes/17-40"
        )),
        None => Ok(all
            .iter()
            .filter(|planted| names.is_empty() || names.iter().any(|name| is(planted, name)))
            .collect()),
    }
}

/// Copies what git knows or does not ignore, with all faults, and removes all else. Writes only what
/// has changed, for cargo's sake.
fn copy(root: &Path, tree: &Path, all: &[Planted]) -> Result<(), String> {
    let list = Command::new("git")
        .args(["ls-files", "-co", "--exclude-standard", "-z"])
        .current_dir(root)
        .output()
        .map_err(|e| format!("git does not start: {e}"))?;
    let list = String::from_utf8(list.stdout).map_err(|e| e.to_string())?;
    let mut faults: BTreeMap<String, Vec<&Fault>> = BTreeMap::new();
    for Planted { package, fault } in all {
        faults
            .entry(format!("crates/{package}/{}", fault.file))
            .or_default()
            .push(fault);
    }
    let mut wrong = Vec::new();
    let mut these: BTreeSet<PathBuf> = list
        .split_terminator('\0')
        .map(|file| tree.join(file))
        .collect();
    // A build script looks for it, and would run each time without it.
    let head = tree.join(".git/logs/HEAD");
    if !head.exists() {
        let folder = head.parent().expect("a file is in a folder");
        fs::create_dir_all(folder)
            .and_then(|()| fs::write(&head, ""))
            .map_err(|e| format!("{}: {e}", head.display()))?;
    }
    these.insert(head);
    remove_others(tree, &these);
    for file in list.split_terminator('\0') {
        let from = root.join(file);
        let (Ok(mut bytes), to) = (fs::read(&from), tree.join(file)) else {
            continue;
        };
        let package = CRATES
            .iter()
            .find(|package| file == format!("crates/{package}/src/lib.rs"));
        if let Some(list) = faults.remove(file) {
            let text = String::from_utf8(bytes).map_err(|e| format!("{file}: {e}"))?;
            match plant(&text, list) {
                Ok(text) => bytes = text.into_bytes(),
                Err(why) => {
                    wrong.push(why);
                    continue;
                }
            }
        }
        if let Some(package) = package {
            bytes = switch(package, bytes);
        }
        if fs::read(&to).is_ok_and(|old| old == bytes) {
            continue;
        }
        let folder = to.parent().expect("a file is in a folder");
        fs::create_dir_all(folder)
            .and_then(|()| fs::write(&to, bytes))
            .and_then(|()| fs::set_permissions(&to, fs::metadata(&from)?.permissions()))
            .map_err(|e| format!("{}: {e}", to.display()))?;
    }
    wrong.extend(faults.keys().map(|file| format!("{file} is not there")));
    match wrong.is_empty() {
        true => Ok(()),
        false => Err(format!("these faults no longer fit:\n{}", wrong.join("\n"))),
    }
}

/// Removes the files of a folder that are not among these, if there is the folder.
fn remove_others(folder: &Path, these: &BTreeSet<PathBuf>) {
    for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
        let path = entry.path();
        match path.is_dir() {
            true => remove_others(&path, these),
            false if these.contains(&path) => {}
            false => drop(fs::remove_file(&path)),
        }
    }
}

/// A test program, and the folder that it runs in.
struct Program {
    path: PathBuf,
    folder: PathBuf,
}

/// Compiles all targets that a table names; by package and target.
fn compile(
    tree: &Path,
    build: &Path,
    all: &[Planted],
) -> Result<BTreeMap<(String, String), Program>, String> {
    let tests = all.iter().flat_map(|planted| &*planted.fault.tests);
    let targets: BTreeSet<String> = tests
        .map(|tests| match &tests.target[..] {
            "lib" => "--lib".to_owned(),
            target => format!("--test={target}"),
        })
        .collect();
    let output = Command::new("cargo")
        .args(["test", "--no-run", "--message-format=json"])
        .args(CRATES.map(|package| format!("-pcarrysave-{package}")))
        .args(targets)
        .current_dir(tree)
        .env("CARGO_TARGET_DIR", build)
        .env("CARGO_INCREMENTAL", "0")
        .env("CARGO_PROFILE_TEST_DEBUG", "false")
        .stderr(Stdio::inherit())
        .output()
        .map_err(|e| format!("cargo does not start: {e}"))?;
    let mut programs = BTreeMap::new();
    for line in String::from_utf8_lossy(&output.stdout).lines() {
        let Ok(message) = serde_json::from_str::<Value>(line) else {
            continue;
        };
        let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
        if message["message"]["level"] == "error" {
            eprintln!("{}", text(&message["message"]["rendered"]));
        }
        let (test, executable) = (&message["profile"]["test"], text(&message["executable"]));
        if test != true || executable.is_empty() {
            continue;
        }
        let manifest = PathBuf::from(text(&message["manifest_path"]));
        let folder = manifest
            .parent()
            .expect("a manifest is in a folder")
            .to_owned();
        let package = folder
            .file_name()
            .unwrap_or_default()
            .to_string_lossy()
            .into_owned();
        let target = match &message["target"]["kind"][0] {
            kind if kind == "lib" => "lib".to_owned(),
            _ => text(&message["target"]["name"]),
        };
        let path = executable.into();
        programs.insert((package, target), Program { path, folder });
    }
    match output.status.success() {
        true => Ok(programs),
        false => Err("with its faults the source does not compile".into()),
    }
}

struct Bench {
    programs: BTreeMap<(String, String), Program>,
    place: PathBuf,
}

impl Bench {
    /// How long tests may take with a fault. Without one they must pass.
    fn limit(&self, tests: &Tests) -> Result<Duration, String> {
        let start = Instant::now();
        self.passes(tests, "", Duration::from_secs(900))
            .map_err(|why| format!("without a fault, {tests}: {why}"))?;
        let time = start.elapsed();
        println!("{:6.1} s  {tests}", time.as_secs_f64());
        Ok(time * 10 + Duration::from_secs(30))
    }

    /// Runs tests with a fault awake; an error says what failed.
    fn passes(&self, tests: &Tests, fault: &str, limit: Duration) -> Result<(), String> {
        let key = (tests.package.clone(), tests.target.clone());
        let program = self.programs.get(&key).ok_or("there is no such target")?;
        let temporary = self.place.join("tmp").join(fault.replace('/', "-"));
        fs::create_dir_all(&temporary).map_err(|e| e.to_string())?;
        let run = Command::new("sh")
            .args(["-c", "ulimit -v $0; exec timeout -k 5 \"$@\"", MEMORY])
            .arg(limit.as_secs().to_string())
            .arg(&program.path)
            .args(&tests.words)
            .current_dir(&program.folder)
            .env(AWAKE, fault)
            .env("TMPDIR", &temporary)
            .env("RUST_BACKTRACE", "0")
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .map_err(|e| e.to_string())
            .and_then(outcome);
        // What a test that was ended has left.
        let _ = fs::remove_dir_all(&temporary);
        run
    }

    /// Runs the tests with each fault awake, as many faults at once as there are processors.
    fn run(&self, chosen: &[&Planted]) -> Result<Vec<Verdict>, String> {
        let tests: BTreeSet<&Tests> = chosen
            .iter()
            .flat_map(|planted| &*planted.fault.tests)
            .collect();
        let limits = tests
            .into_iter()
            .map(|tests| Ok((tests, self.limit(tests)?)));
        let limits: BTreeMap<&Tests, Duration> = limits.collect::<Result<_, String>>()?;
        let next = Mutex::new(chosen.iter().enumerate());
        let verdicts = Mutex::new(BTreeMap::new());
        let threads = thread::available_parallelism().map_or(1, usize::from);
        let work = || {
            loop {
                let taken = next.lock().expect("no thread panics").next();
                let Some((i, planted)) = taken else {
                    return;
                };
                let verdict = self.verdict(planted, &limits);
                println!("{planted}: {verdict}");
                verdicts
                    .lock()
                    .expect("no thread panics")
                    .insert(i, verdict);
            }
        };
        thread::scope(|scope| {
            for _ in 0..threads {
                scope.spawn(work);
            }
        });
        let verdicts = verdicts.into_inner().expect("no thread panics");
        Ok(verdicts.into_values().collect())
    }

    fn verdict(&self, planted: &Planted, limits: &BTreeMap<&Tests, Duration>) -> Verdict {
        let number = planted.number();
        let find = |tests: &Tests| {
            let failed = self.passes(tests, &number, limits[tests]).err()?;
            Some(format!("{}/{} {failed}", tests.package, tests.target))
        };
        match planted.fault.tests.iter().find_map(find) {
            Some(by) => Verdict::Found(by),
            None => Verdict::Missed,
        }
    }
}

/// What the first test that fails is called, or what else is wrong. Does not wait for the tests after it.
fn outcome(mut run: Child) -> Result<(), String> {
    let lines = BufReader::new(run.stdout.take().expect("it is a pipe")).lines();
    let mut none = false;
    for line in lines.map_while(Result::ok) {
        none |= line == "running 0 tests";
        let failed = line
            .strip_prefix("test ")
            .and_then(|test| test.strip_suffix(" ... FAILED"));
        if let Some(test) = failed {
            // `timeout` ends what it runs, and what that has started.
            let end = Command::new("kill").arg(run.id().to_string()).status();
            let _ = end.and_then(|_| run.wait());
            return Err(test.to_owned());
        }
    }
    match run.wait().map_err(|e| e.to_string())?.code() {
        Some(0) if none => Err("no test is called so".into()),
        Some(0) => Ok(()),
        Some(124 | 137) => Err("no end".into()),
        _ => Err("an abort".into()),
    }
}

/// Prints the sums, and writes the record. True if no fault was missed without a reason.
fn report(
    root: &Path,
    record: Option<&Path>,
    all: &[Planted],
    chosen: &[&Planted],
    verdicts: &[Verdict],
) -> Result<bool, String> {
    let mut verdicts: BTreeMap<String, &Verdict> = chosen
        .iter()
        .map(|planted| planted.number())
        .zip(verdicts)
        .collect();
    let mut survivors = Vec::new();
    for planted in chosen {
        match (verdicts[&planted.number()], &planted.fault.equal) {
            (Verdict::Found(by), Some(why)) => println!("{planted}: found by {by}, though {why}"),
            (Verdict::Missed, None) => survivors.push(planted),
            _ => {}
        }
    }
    survivors
        .iter()
        .for_each(|planted| println!("MISSED {planted}"));
    println!("== {} faults, {} missed", chosen.len(), survivors.len());
    let Some(path) = record else {
        return Ok(survivors.is_empty());
    };
    let said = |program: &str, arguments: &[&str]| {
        let output = Command::new(program)
            .args(arguments)
            .current_dir(root)
            .output();
        output.map_or(String::new(), |out| {
            String::from_utf8_lossy(&out.stdout).trim().to_owned()
        })
    };
    let commit = said("git", &["rev-parse", "--short=12", "HEAD"]);
    let date = said("date", &["-u", "+%F"]);
    let old = fs::read_to_string(path).unwrap_or_default();
    let mut text = String::from("file,function,before,after,date,commit,verdict\n");
    for planted in all {
        let Fault {
            file,
            function,
            before,
            after,
            equal,
            ..
        } = &planted.fault;
        let file = format!("crates/{}/{file}", planted.package);
        let of_fault = row([&file, function, before, after]);
        let line = match (verdicts.remove(&planted.number()), equal) {
            (Some(Verdict::Missed), Some(why)) => Some(format!("no difference: {why}")),
            (Some(verdict), _) => Some(verdict.to_string()),
            (None, _) => None,
        };
        let line = match line {
            Some(verdict) => Some(format!("{of_fault},{}", row([&date, &commit, &verdict]))),
            // Of an earlier run.
            None => old
                .lines()
                .find(|line| line.starts_with(&of_fault))
                .map(str::to_owned),
        };
        text.extend(line.map(|line| line + "\n"));
    }
    fs::write(path, &text).map_err(|e| format!("{}: {e}", path.display()))?;
    Ok(survivors.is_empty())
}

fn row<const N: usize>(cells: [&String; N]) -> String {
    let cells = cells.map(|cell| format!("\"{}\"", cell.replace('"', "\"\"")));
    cells.join(",")
}
