//! The program under `mpirun`, on one host. `MPIEXEC` names another launcher than the first on the path, which must be
//! the one of the library that the program was built with.

use carrysave::arith::Plan;
use carrysave::engine::plan::to_toml;
use carrysave::hash::Hash;
use carrysave::rsa::{KeygenOptions, PrivateKey};
use carrysave_measure::record::read_csv;
use carrysave_measure::thesis;
use getrandom::SysRng;
use rand_core::UnwrapErr;
use std::collections::BTreeSet;
use std::fs::{self, File};
use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use std::sync::LazyLock;
use std::thread::sleep;
use std::time::{Duration, Instant};
use tempfile::TempDir;

const PROGRAM: &str = env!("CARGO_BIN_EXE_carrysave-mpi");

static LAUNCHER: LazyLock<String> =
    LazyLock::new(|| std::env::var("MPIEXEC").unwrap_or("mpirun".into()));

/// Whether the launcher is Open MPI's, which can go on without a rank.
static OPEN_MPI: LazyLock<bool> = LazyLock::new(|| {
    let version = Command::new(&*LAUNCHER).arg("--version").output().unwrap();
    String::from_utf8_lossy(&version.stdout).contains("Open MPI")
});

/// Files, one for each rank, that keep it busy for a second or more: a signal that is sent when some files are signed
/// arrives before the end.
const LONG: [&str; 3] = ["0700", "0900", "1100"];

/// The bytes of such a file. Processors differ by ten in how fast they hash.
static BYTES: LazyLock<u64> = LazyLock::new(|| {
    let (sample, started) = (vec![0; 16 << 20], Instant::now());
    Hash::Sha256.digest(&sample);
    let a_second = sample.len() as f64 / started.elapsed().as_secs_f64();
    (1.5 * a_second) as u64
});

/// A folder with a key and files in `d`.
struct Folder(TempDir);

static KEY: LazyLock<(String, String)> = LazyLock::new(|| {
    let key = PrivateKey::generate_with(
        || UnwrapErr(SysRng),
        2048,
        &KeygenOptions::default(),
        &|_| (),
    )
    .unwrap();
    (key.to_pkcs8_pem().to_string(), key.public().to_spki_pem())
});

impl Folder {
    fn new(files: usize) -> Folder {
        let folder = Folder(tempfile::tempdir().unwrap());
        fs::create_dir(folder.path("d")).unwrap();
        fs::write(folder.path("key.pem"), &KEY.0).unwrap();
        fs::write(folder.path("key.pub"), &KEY.1).unwrap();
        for i in 0..files {
            fs::write(
                folder.path(&format!("d/{i:04}")),
                i.to_string().repeat(i % 50),
            )
            .unwrap();
        }
        folder
    }

    fn path(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }

    /// The program on `ranks` ranks, in this folder. The launcher keeps its own files there, too: two launchers of Open
    /// MPI that start at once fail if both make the folder that they share otherwise.
    fn command(&self, ranks: usize, launcher: &str, arguments: &str) -> Command {
        let mut command = Command::new(&*LAUNCHER);
        command
            .args(launcher.split_whitespace())
            .args(["-n", &ranks.to_string(), PROGRAM])
            .args(arguments.split_whitespace())
            .current_dir(self.0.path())
            .env("TMPDIR", self.0.path())
            .env("OMPI_ALLOW_RUN_AS_ROOT", "1")
            .env("OMPI_ALLOW_RUN_AS_ROOT_CONFIRM", "1")
            .env("OMPI_MCA_rmaps_base_oversubscribe", "1")
            .env("OMPI_MCA_hwloc_base_binding_policy", "none")
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped());
        command
    }

    fn run(&self, ranks: usize, arguments: &str) -> Run {
        Run::from(self.command(ranks, "", arguments).output().unwrap())
    }

    /// The files in `d` with and without a signature; checks that each signature is whole.
    fn files(&self) -> (BTreeSet<String>, BTreeSet<String>) {
        let names = fs::read_dir(self.path("d")).unwrap();
        let names = names.map(|entry| entry.unwrap().file_name().into_string().unwrap());
        let names = names.filter(|name| !name.starts_with('.') && !name.ends_with(".sig"));
        names.partition(|name| {
            let signature = fs::read(self.path(&format!("d/{name}.sig")));
            signature.is_ok_and(|bytes| {
                assert_eq!(bytes.len(), 256);
                true
            })
        })
    }

    fn all_good(&self, files: usize) {
        let verified = self.run(2, "verify --key key.pub d");
        assert_eq!(
            verified.out,
            format!("{files} signatures are good\n"),
            "{verified:?}"
        );
        assert_eq!(verified.code, Some(0));
    }

    /// Sets the length of files in `d`. They are sparse, and take no space.
    fn set_len<'a>(&self, names: impl IntoIterator<Item = &'a str>, len: u64) {
        for name in names {
            let file = File::create(self.path("d").join(name)).unwrap();
            file.set_len(len).unwrap();
        }
    }

    /// The number of signatures in `d`.
    fn signatures(&self) -> usize {
        let names = fs::read_dir(self.path("d")).unwrap();
        let names = names.map(|entry| entry.unwrap().path());
        names
            .filter(|name| name.extension().is_some_and(|end| end == "sig"))
            .count()
    }

    /// Signs 3000 files, and sends a signal to a rank in the middle.
    fn kill(&self, rank: usize, signal: &str, launcher: &str, arguments: &str) -> Run {
        self.set_len(LONG, *BYTES);
        let mut job = self.command(3, launcher, arguments).spawn().unwrap();
        let started = Instant::now();
        while self.signatures() < 100 {
            sleep(Duration::from_millis(5));
            let ended = job.try_wait().unwrap().is_some();
            if ended || started.elapsed() > Duration::from_secs(120) {
                let _ = job.kill();
                let run = Run::from(job.wait_with_output().unwrap());
                panic!("{} signatures: {run:?}", self.signatures());
            }
        }
        let victim = self
            .process(rank)
            .expect("a rank is a process of this machine");
        assert!(
            Command::new("kill")
                .args([signal, &victim])
                .status()
                .unwrap()
                .success()
        );
        Run::from(job.wait_with_output().unwrap())
    }

    /// The process of a rank of the job that works in this folder.
    fn process(&self, rank: usize) -> Option<String> {
        let marks = [
            format!("OMPI_COMM_WORLD_RANK={rank}"),
            format!("PMI_RANK={rank}"),
        ];
        let here = |process: &Path| {
            fs::read_link(process.join("cwd"))
                .is_ok_and(|cwd| cwd == self.0.path().canonicalize().unwrap())
        };
        let marked = |process: &Path| {
            let environment = fs::read(process.join("environ")).unwrap_or_default();
            let mut variables = environment.split(|b| *b == 0);
            variables.any(|variable| marks.iter().any(|mark| variable == mark.as_bytes()))
        };
        let mut processes = fs::read_dir("/proc")
            .unwrap()
            .map(|entry| entry.unwrap().path());
        let found = processes.find(|process| here(process) && marked(process))?;
        Some(found.file_name()?.to_str()?.to_owned())
    }
}

#[derive(Debug)]
struct Run {
    code: Option<i32>,
    out: String,
    err: String,
}

impl From<Output> for Run {
    fn from(output: Output) -> Run {
        Run {
            code: output.status.code(),
            out: String::from_utf8(output.stdout).unwrap(),
            err: String::from_utf8(output.stderr).unwrap(),
        }
    }
}

impl Run {
    /// The output of the program, without the launcher's.
    fn said(&self) -> Vec<&str> {
        let lines = self.err.lines();
        lines
            .filter_map(|line| line.strip_prefix("carrysave-mpi: "))
            .collect()
    }
}

/// A signature with this padding is deterministic, so all ranks make the same.
const SIGN: &str = "sign --padding pkcs1 --key key.pem d";

#[test]
fn files_are_signed_and_verified_on_1_to_4_ranks() {
    let f = Folder::new(200);
    let mut one = None;
    for ranks in 1..=4 {
        let run = f.run(ranks, &format!("{SIGN} --force"));
        assert_eq!(
            (run.code, &run.out[..], &run.said()[..]),
            (Some(0), "", &[][..]),
            "{run:?}"
        );
        let (signed, missing) = f.files();
        assert_eq!((signed.len(), missing.len()), (200, 0));
        let read = |name: &String| fs::read(f.path(&format!("d/{name}.sig"))).unwrap();
        let signatures: Vec<Vec<u8>> = signed.iter().map(read).collect();
        assert!(*one.get_or_insert(signatures.clone()) == signatures);
        let verified = f.run(ranks, "verify --padding pkcs1 --key key.pub d");
        assert_eq!(verified.out, "200 signatures are good\n", "{verified:?}");

        let before = fs::read(f.path("d/0150")).unwrap();
        fs::write(f.path("d/0150"), "tampered with").unwrap();
        let verified = f.run(ranks, "verify --padding pkcs1 --key key.pub d");
        assert_eq!(verified.code, Some(5));
        let said = verified.said();
        assert!(
            said.len() == 2 && said[0].starts_with("d/0150: the signature does not fit"),
            "{said:?}"
        );
        assert_eq!(said[1], "1 of 200 files failed");
        fs::write(f.path("d/0150"), before).unwrap();
    }
}

/// Ranks that are bound to other numbers of processors count the same cores, and so run the same races.
#[test]
fn ranks_with_other_processors_run_the_same_races() {
    let cores = std::thread::available_parallelism().map_or(1, usize::from);
    if cores < 2 {
        println!("SKIPPED: one processor binds all ranks alike");
        return;
    }
    let f = Folder::new(0);
    let races = "bench --seconds 0 --only mont_mul --json";
    // Races of the published sizes go on for a minute; those of ranks that wait for each other, until the launcher ends them.
    let mut command = f.command(1, "--timeout 60", races);
    command
        .args([":", "-n", "1", "taskset", "-c", "1", PROGRAM])
        .args(races.split_whitespace());
    let mut job = command.spawn().unwrap();
    let mut lines = BufReader::new(job.stdout.take().unwrap()).lines();
    let on_both = lines.any(|line| line.is_ok_and(|line| line.contains("\"threads\":2")));
    Command::new("kill")
        .arg(job.id().to_string())
        .status()
        .unwrap();
    job.wait().unwrap();
    assert!(on_both, "no race is on two ranks");
}

#[test]
fn one_operation_is_shared_by_1_to_4_ranks() {
    let f = Folder::new(0);
    let algorithms = ["pfios_messages", "pfios_messages_w32", "pshs", "pshs_w32"];
    let run = f.run(4, "bench --bits 200 --seconds 0 --record ranks.csv");
    assert_eq!((run.code, run.said()), (Some(0), vec![]), "{run:?}");
    assert!(run.out.starts_with("operation "), "{run:?}");
    let (head, rows) = read_csv(BufReader::new(File::open(f.path("ranks.csv")).unwrap())).unwrap();
    assert_eq!(head.get("ranks"), Some("4"));
    // Whether or not the launcher has bound each rank to a core.
    let cores = std::thread::available_parallelism().map_or(1, usize::from);
    assert!(head.cores() >= Some(cores.min(4)), "{head:?}");
    assert!(
        head.get("mpi").is_some_and(|library| !library.is_empty()),
        "{head:?}"
    );
    // The program compares each result with another way to compute it.
    let there = |operation: &str, algorithm: &str, ranks: usize| {
        let way = format!("carrysave/{algorithm}");
        let same = rows.iter().filter(|row| {
            (
                &row.operation[..],
                row.bits,
                &row.implementation[..],
                row.threads,
            ) == (operation, Some(200), &way[..], ranks)
        });
        same.count()
    };
    for operation in ["mont_mul", "signed_digit"] {
        for ranks in 1..=4 {
            for algorithm in algorithms {
                assert_eq!(there(operation, algorithm, ranks), 1, "{rows:?}");
            }
        }
        // What they are compared with is in each race.
        assert_eq!(there(operation, "fios_delayed_w32", 1), 4, "{rows:?}");
    }
    assert!(rows.iter().all(|row| row.experiment == thesis::RANKS));

    let run = f.run(
        3,
        "bench --bits 192 --seconds 0 --ranks 2 --only pshs --json",
    );
    assert_eq!((run.code, run.said()), (Some(0), vec![]), "{run:?}");
    let lines: Vec<&str> = run.out.lines().collect();
    let whole = |line: &&str| line.contains(r#""implementation":"carrysave/pshs","threads":2,"#);
    assert!(lines.len() == 2 && lines.iter().all(whole), "{run:?}");
}

#[test]
fn operations_with_a_key_are_shared_by_1_to_3_ranks() {
    let f = Folder::new(0);
    for operation in ["sign", "verify", "segmented/decrypt"] {
        // The program compares what it puts together with the whole.
        let run = f.run(
            3,
            &format!("bench --bits 1024 --seconds 0 --only {operation} --json"),
        );
        assert_eq!((run.code, run.said()), (Some(0), vec![]), "{run:?}");
        let lines: Vec<&str> = run.out.lines().collect();
        // Rank 0 alone is in each race.
        for (ranks, times) in [(1, 4), (2, 1), (3, 1)] {
            let row = format!(r#""implementation":"carrysave/lanes","threads":{ranks},"#);
            let rows = lines.iter().filter(|line| line.contains(&row));
            assert_eq!(rows.count(), times, "{run:?}");
        }
    }
}

#[test]
fn a_race_that_cannot_be_is_refused_in_one_sentence() {
    let f = Folder::new(0);
    for (arguments, code, sentence) in [
        (
            "--only cios",
            2,
            "--only: no race has such a name: use mont_mul, ",
        ),
        (
            "--only sign",
            2,
            "--bits: operations with a key take 1024 to 8192 bits",
        ),
        (
            "--ranks 3",
            2,
            "--ranks: there are 2 ranks, and 3 are asked for",
        ),
        ("--record no/such/folder", 4, "cannot write no/such/folder"),
    ] {
        let run = f.run(2, &format!("bench --bits 64 --seconds 0 {arguments}"));
        assert_eq!((run.code, run.said().len()), (Some(code), 1), "{run:?}");
        assert!(run.said()[0].starts_with(sentence), "{run:?}");
    }
}

#[test]
fn what_is_signed_is_kept_and_what_fails_is_named() {
    let f = Folder::new(60);
    fs::write(f.path("d/0001.sig"), [7; 256]).unwrap();
    fs::write(f.path("d/0002.sig"), "").unwrap();
    fs::create_dir(f.path("d/0003.sig")).unwrap();
    std::os::unix::fs::symlink("nowhere", f.path("d/dangling")).unwrap();
    let missing = f.run(1, "missing d");
    assert_eq!((missing.code, missing.out.lines().count()), (Some(5), 60));
    let run = f.run(2, "sign --key key.pem d --manifest m");
    assert_eq!(run.code, Some(5));
    assert_eq!(
        run.said(),
        [
            "1 of 61 files had a signature, which was kept",
            "3 of 61 files failed"
        ]
    );
    let manifest = fs::read_to_string(f.path("m")).unwrap();
    let begun = [
        "{\"code\":3,\"file\":\"d/0002\",\"reason\":\"d/0002.sig: this is no signature of this key",
        "{\"code\":3,\"file\":\"d/0003\",\"reason\":\"d/0003.sig: this is no signature of this key",
        "{\"code\":4,\"file\":\"d/dangling\",\"reason\":\"cannot read d/dangling: ",
    ];
    assert_eq!(manifest.lines().count(), begun.len(), "{manifest}");
    for (line, begun) in manifest.lines().zip(begun) {
        assert!(line.starts_with(begun), "{manifest}");
    }
    assert_eq!(fs::read(f.path("d/0001.sig")).unwrap(), [7; 256]);
    let missing = f.run(2, "missing d");
    assert_eq!(
        (missing.code, &missing.out[..]),
        (Some(5), "d/0002\nd/0003\nd/dangling\n")
    );

    fs::remove_file(f.path("d/dangling")).unwrap();
    fs::remove_dir(f.path("d/0003.sig")).unwrap();
    f.run(3, "sign --key key.pem --force d");
    assert_eq!(f.run(2, "missing d").code, Some(0));
    f.all_good(60);
}

#[test]
fn one_sentence_for_all_ranks() {
    let f = Folder::new(3);
    for (arguments, code, sentence) in [
        ("sign --key nowhere.pem d", 4, "cannot read nowhere.pem: "),
        (
            "sign --key key.pem --padding pkcs1 --salt-len 3 d",
            2,
            "--padding pkcs1 has no salt",
        ),
        ("sign --key key.pem nowhere", 5, "cannot read nowhere: "),
        ("sign --key key.pub d", 3, "key.pub: "),
    ] {
        let run = f.run(3, arguments);
        assert_eq!(run.code, Some(code), "{run:?}");
        let said = run.said();
        assert!(
            said[0].starts_with(sentence) && said.len() <= 2,
            "{arguments}: {said:?}"
        );
    }
    let help = f.run(1, "--help");
    assert!(
        help.out.contains("1    an algorithm gives something else")
            && !help.out.contains("--batch"),
        "{help:?}"
    );
    let run = f.run(2, "sign --frobnicate");
    assert_eq!(run.code, Some(2));
    assert_eq!(run.err.matches("unexpected argument").count(), 1);
}

#[test]
fn every_rank_follows_the_plan() {
    let f = Folder::new(3);
    let plan = to_toml(Plan::native());
    fs::write(f.path("plan.toml"), &plan).unwrap();
    fs::write(f.path("bad.toml"), "radix = 12").unwrap();
    for command in [
        "sign --key key.pem d",
        "verify --key key.pub d",
        "missing d",
        "bench --bits 1000 --seconds 0",
    ] {
        let run = f.run(2, &format!("{command} --plan bad.toml"));
        assert_eq!(run.code, Some(3), "{run:?}");
        let said = run.said();
        assert!(
            said.len() == 1 && said[0].starts_with("bad.toml: the plan lacks the setting"),
            "{run:?}"
        );
        let run = f.run(2, &format!("--plan plan.toml {command}"));
        assert_eq!((run.code, run.said()), (Some(0), vec![]), "{run:?}");
    }
}

/// Rank 0 says which other rank cannot begin, and why.
#[test]
fn a_rank_without_the_plan_says_so() {
    let f = Folder::new(0);
    let races = "bench --seconds 0 --bits 64";
    let mut command = f.command(1, "", races);
    command
        .args([":", "-n", "1", PROGRAM, "--plan", "nowhere.toml"])
        .args(races.split_whitespace());
    let run = Run::from(command.output().unwrap());
    assert_eq!((run.code, run.said().len()), (Some(4), 1), "{run:?}");
    let sentence = "rank 1: cannot read nowhere.toml: ";
    assert!(run.said()[0].starts_with(sentence), "{run:?}");
}

/// No finished signature is lost, the files without one are known, and the same command signs these.
#[test]
fn a_killed_rank_loses_nothing() {
    let f = Folder::new(3000);
    let run = f.kill(1, "-KILL", "", SIGN);
    assert_ne!(run.code, Some(0));
    let (signed, missing) = f.files();
    assert!(
        signed.len() >= 100 && !missing.is_empty(),
        "{} {}",
        signed.len(),
        missing.len()
    );
    let listed = f.run(1, "missing d");
    let listed: BTreeSet<String> = listed
        .out
        .lines()
        .map(|line| line[2..].to_owned())
        .collect();
    assert_eq!(listed, missing);

    // The long files are short now; files with a signature do not change.
    f.set_len(LONG.into_iter().filter(|&name| missing.contains(name)), 1);
    let again = f.run(3, SIGN);
    assert_eq!(again.code, Some(0));
    assert!(
        again.said()[0].starts_with(&format!("{} of 3000 files had a signature", signed.len()))
    );
    let verified = f.run(2, "verify --padding pkcs1 --key key.pub d");
    assert_eq!(verified.out, "3000 signatures are good\n");
}

/// Rank 0 names the remaining files when it is asked to end. Some launchers do that when another rank dies, and leave
/// it the time.
#[test]
fn an_ended_run_names_what_is_left() {
    let f = Folder::new(3000);
    let run = f.kill(0, "-TERM", "", &format!("{SIGN} --manifest m"));
    assert_ne!(run.code, Some(0));
    let (signed, missing) = f.files();
    assert!(signed.len() >= 100 && !missing.is_empty());
    let said = run.said();
    assert!(
        said.len() == 1 && said[0].starts_with("the run was ended: "),
        "{run:?}"
    );
    let manifest = fs::read_to_string(f.path("m")).unwrap();
    let named = manifest.lines().map(|line| {
        let name = line.strip_prefix("{\"code\":130,\"file\":\"d/").unwrap();
        name.strip_suffix("\",\"reason\":\"its turn did not come\"}")
            .unwrap()
            .to_owned()
    });
    // Other ranks may have signed some more before they ended.
    let named: BTreeSet<String> = named.collect();
    assert!(named.is_superset(&missing) && named.len() < 3000);
}

/// With a launcher that goes on without a rank, the others do its files.
#[test]
fn the_others_go_on() {
    if !*OPEN_MPI {
        println!("SKIPPED: this launcher ends all ranks when one dies");
        return;
    }
    let f = Folder::new(3000);
    let run = f.kill(
        2,
        "-KILL",
        "--enable-recovery",
        &format!("{SIGN} --patience 2"),
    );
    let said = run.said();
    assert!(
        said[0].starts_with("rank 2 is lost: not heard of for 2 s; others do its "),
        "{run:?}"
    );
    assert!(f.files().1.is_empty());

    // Without rank 0 the others end, too.
    let f = Folder::new(3000);
    let run = f.kill(
        0,
        "-KILL",
        "--enable-recovery",
        &format!("{SIGN} --patience 2"),
    );
    assert_eq!(
        run.err.matches("ends, as rank 0 is lost").count(),
        2,
        "{run:?}"
    );
    assert!(!f.files().1.is_empty());
}
