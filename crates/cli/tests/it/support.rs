//! A folder to work in, and the program to run there.

pub(crate) use super::PROGRAM;
use std::collections::BTreeMap;
use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::LazyLock;
use tempfile::TempDir;

/// The name that the program under test speaks with.
fn name() -> &'static str {
    let name = Path::new(PROGRAM).file_name();
    name.and_then(|name| name.to_str())
        .expect("a program has a name")
}

/// How a program ended.
pub struct Run {
    what: String,
    pub code: Option<i32>,
    pub out: Vec<u8>,
    pub err: String,
}

impl Run {
    /// It worked; gives its output.
    pub fn ok(self) -> Vec<u8> {
        assert_eq!(self.code, Some(0), "{}: {}", self.what, self.err);
        self.out
    }

    /// It ended with this status and said one sentence, and nothing on standard output.
    pub fn fails(self, code: i32) -> String {
        let (what, err) = (&self.what, &self.err);
        assert_eq!(self.code, Some(code), "{what}: {err}");
        let lines: Vec<&str> = err
            .lines()
            .filter(|line| !line.contains("warning: "))
            .collect();
        assert!(
            lines.len() == 1 && lines[0].starts_with(&format!("{}: ", name())),
            "{what}: not one sentence: {err}"
        );
        assert!(self.out.is_empty(), "{what}: it wrote something");
        self.err
    }
}

/// A folder for one test.
pub struct Folder(TempDir);

impl Folder {
    /// An empty one.
    pub fn new() -> Folder {
        Folder(tempfile::tempdir().unwrap())
    }

    /// One with the shared keys in it: `a.pem`, `a.pub`, `b.pem`, `b.pub`.
    pub fn with_keys() -> Folder {
        Folder::with(&KEYS)
    }

    /// One with short keys in it of the same names, for what is tried a thousand times.
    pub fn with_small_keys() -> Folder {
        Folder::with(&SMALL_KEYS)
    }

    /// One with a plan tuned on this machine, and what was measured for it: `plan.toml`, `tune.csv`.
    pub fn with_plan() -> Folder {
        Folder::with(&TUNED)
    }

    fn with(files: &BTreeMap<String, Vec<u8>>) -> Folder {
        let folder = Folder::new();
        for (name, bytes) in files {
            folder.write(name, bytes);
        }
        folder
    }

    pub fn path(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }

    pub fn write(&self, name: &str, bytes: impl AsRef<[u8]>) {
        fs::write(self.path(name), bytes).unwrap();
    }

    pub fn read(&self, name: &str) -> Vec<u8> {
        fs::read(self.path(name)).unwrap_or_else(|e| panic!("{name}: {e}"))
    }

    /// The names and contents of all files.
    pub fn contents(&self) -> BTreeMap<String, Vec<u8>> {
        contents(self.0.path())
    }

    /// Runs the program with these arguments, in words.
    pub fn run(&self, arguments: &str) -> Run {
        self.run_with(arguments, b"")
    }

    /// Runs the program with these arguments, in words, and with `input` on its standard input.
    pub fn run_with(&self, arguments: &str, input: &[u8]) -> Run {
        self.run_program(PROGRAM, arguments, input)
    }

    /// A program in this folder, which also has its user's configuration.
    fn command(&self, program: &str, arguments: &str) -> Command {
        let mut command = Command::new(program);
        command
            .args(arguments.split_whitespace())
            .current_dir(self.0.path())
            .env("XDG_CONFIG_HOME", self.path("config"));
        command
    }

    /// Starts the program, which says what it says into `err`.
    pub fn start(&self, arguments: &str) -> Child {
        self.command(PROGRAM, arguments)
            .stdin(Stdio::piped())
            .stderr(fs::File::create(self.path("err")).unwrap())
            .spawn()
            .unwrap()
    }

    /// Runs the program with these for its standard output and standard error, and gives its status.
    pub fn run_into(&self, arguments: &str, out: Stdio, err: Stdio) -> Option<i32> {
        self.command(PROGRAM, arguments)
            .stdin(Stdio::null())
            .stdout(out)
            .stderr(err)
            .status()
            .unwrap()
            .code()
    }

    /// A named pipe: opening one end waits for the other.
    pub fn pipe(&self, name: &str) {
        let made = Command::new("mkfifo").arg(self.path(name)).status();
        assert!(made.unwrap().success());
    }

    /// Runs the program where there is room for few threads of the size that they ask for.
    pub fn run_with_few_threads(&self, arguments: &str) -> Run {
        let limited = r#"ulimit -v 1900000; RUST_MIN_STACK=500000000 exec "$@""#;
        self.write("few", limited);
        self.run_program("sh", &format!("few {PROGRAM} {arguments}"), b"")
    }

    /// Runs the program where there is room for no thread but its first.
    pub fn run_without_threads(&self, arguments: &str) -> Run {
        let limited = r#"ulimit -v 3000000; RUST_MIN_STACK=8000000000 exec "$@""#;
        self.write("none", limited);
        let run = self.run_program("sh", &format!("none {PROGRAM} {arguments}"), b"");
        fs::remove_file(self.path("none")).unwrap();
        run
    }

    /// Runs another program.
    pub fn run_program(&self, program: &str, arguments: &str, input: &[u8]) -> Run {
        let mut child = self
            .command(program, arguments)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        let mut stdin = child.stdin.take().unwrap();
        let output = std::thread::scope(|scope| {
            // A program that fails early does not read its input: that is no error here.
            scope.spawn(move || drop(stdin.write_all(input)));
            child.wait_with_output().unwrap()
        });
        Run {
            what: arguments.to_owned(),
            code: output.status.code(),
            out: output.stdout,
            err: String::from_utf8(output.stderr).unwrap(),
        }
    }
}

/// Where nothing can be written: a full device.
pub fn full() -> Stdio {
    fs::OpenOptions::new()
        .write(true)
        .open("/dev/full")
        .unwrap()
        .into()
}

/// A pipe whose reader has gone away.
pub fn gone() -> Stdio {
    std::io::pipe().unwrap().1.into()
}

/// Sends a signal.
pub fn signal(child: &Child, signal: &str) {
    // The shell's own kill: a program of that name may not be installed.
    let kill = format!("kill -{signal} {}", child.id());
    let status = Command::new("sh").args(["-c", &kill]).status();
    assert!(status.unwrap().success());
}

/// The signals that end the program, with its status. HUP is left out, loudly, where these tests ignore it, as under nohup.
pub fn ending_signals() -> Vec<(&'static str, i32)> {
    let status = fs::read_to_string("/proc/self/status").unwrap();
    let mask = status.lines().find_map(|line| line.strip_prefix("SigIgn:"));
    let mut signals = vec![("INT", 130), ("TERM", 143)];
    match u64::from_str_radix(mask.unwrap().trim(), 16).unwrap() & 1 {
        0 => signals.push(("HUP", 129)),
        _ => eprintln!("SKIPPED: HUP is ignored here"),
    }
    signals
}

/// The file in this folder that a program has open and writes, with or without a name, and its length.
pub fn draft_of(child: &Child, folder: &Path) -> Option<(PathBuf, u64)> {
    let folder = folder.canonicalize().unwrap();
    let open = fs::read_dir(format!("/proc/{}/fd", child.id())).ok()?;
    let mut open = open.filter_map(|entry| Some(entry.ok()?.path()));
    let draft = open.find(|path| {
        let Ok(to) = fs::read_link(path) else {
            return false;
        };
        let name = to.file_name().unwrap_or_default().to_string_lossy();
        to.parent() == Some(&folder) && (name.starts_with(".carrysave-") || name.starts_with('#'))
    })?;
    let len = fs::metadata(&draft).ok()?.len();
    Some((draft, len))
}

fn contents(folder: &Path) -> BTreeMap<String, Vec<u8>> {
    let files = fs::read_dir(folder)
        .unwrap()
        .map(|entry| entry.unwrap().path());
    files
        .filter(|path| path.is_file())
        .map(|path| {
            (
                path.file_name().unwrap().to_str().unwrap().to_owned(),
                fs::read(&path).unwrap(),
            )
        })
        .collect()
}

/// Two key pairs of 2048 bits, made once.
static KEYS: LazyLock<BTreeMap<String, Vec<u8>>> = LazyLock::new(|| key_pairs("--bits 2048"));

/// Key pairs of 1024 bits, which are refused without `--small`.
static SMALL_KEYS: LazyLock<BTreeMap<String, Vec<u8>>> =
    LazyLock::new(|| key_pairs("--small --bits 1024"));

fn key_pairs(options: &str) -> BTreeMap<String, Vec<u8>> {
    let folder = Folder::new();
    for name in ["a", "b"] {
        let keygen = format!("keygen {options} --out {name}.pem");
        folder.run(&keygen).ok();
    }
    folder.contents()
}

/// A tuned plan, made once, with next to no time for each of a few races: what is fastest is not asked.
static TUNED: LazyLock<BTreeMap<String, Vec<u8>>> = LazyLock::new(|| {
    let folder = Folder::new();
    folder
        .run("tune --seconds 0 --only mul,radix52 --out plan.toml --record tune.csv")
        .ok();
    folder.contents()
});

/// Pseudorandom bytes, always the same.
pub fn noise(len: usize) -> Vec<u8> {
    let mut x = 0x9e37_79b9_7f4a_7c15_u64;
    let step = |_| {
        x ^= x << 13;
        x ^= x >> 7;
        x ^= x << 17;
        x as u8
    };
    (0..len).map(step).collect()
}
