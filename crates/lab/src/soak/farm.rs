//! Files that ranks of `carrysave-mpi` sign.

use super::{Disturber, Outcome, Setting, Trial};
use crate::processes::{Processes, signal, temp_folder};
use carrysave_cli::interrupt::TempFolder;
use carrysave_schemes::hash::Hash;
use carrysave_schemes::rsa::PrivateKey;
use std::fs::{self, File};
use std::io;
use std::path::PathBuf;
use std::process::{Child, Command, Stdio};
use std::thread;
use std::time::{Duration, Instant};

/// The length of each file in octets. They are sparse, and take no space.
const LEN: u64 = 32 << 20;

/// More files than the ranks sign in a second.
const FILES_A_SECOND: f64 = 200.0;

/// How long the farm may take to end, and to say a word.
const PATIENCE: Duration = Duration::from_secs(60);

/// Three ranks, and files that take them longer than they have.
struct Farm {
    folder: TempFolder,
    child: Child,
}

pub(super) fn start(setting: &Setting, _: &Disturber) -> io::Result<Box<dyn Trial>> {
    let program = fs::canonicalize(&setting.farm).map_err(|e| {
        io::Error::other(format!(
            "{}: {e}: cargo build --release -p carrysave-cluster --features mpi makes the program",
            setting.farm.display()
        ))
    })?;
    let folder = temp_folder()?;
    let path = |name: &str| folder.path().join(name);
    fs::create_dir(path("files"))?;
    fs::write(path("key"), KEY)?;
    for i in 0..1 + (FILES_A_SECOND * setting.time.as_secs_f64()) as u64 {
        File::create(path(&format!("files/{i}")))?.set_len(LEN)?;
    }
    let launcher = std::env::var("MPIEXEC").unwrap_or("mpirun".into());
    let child = Command::new(&launcher)
        .args(["-n", "3"])
        .arg(program)
        .args(["sign", "--key", "key", "files"])
        .current_dir(folder.path())
        .env("TMPDIR", folder.path())
        .env("OMPI_ALLOW_RUN_AS_ROOT", "1")
        .env("OMPI_ALLOW_RUN_AS_ROOT_CONFIRM", "1")
        .env("OMPI_MCA_rmaps_base_oversubscribe", "1")
        .env("OMPI_MCA_hwloc_base_binding_policy", "none")
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(File::create(path("said"))?)
        .spawn()
        .map_err(|e| io::Error::other(format!("{launcher}: {e}: install Open MPI")))?;
    let farm = Farm { folder, child };
    let started = Instant::now();
    while farm.signatures()?.is_empty() {
        if started.elapsed() > PATIENCE {
            return Err(io::Error::other(format!(
                "no file is signed: {}",
                farm.said()
            )));
        }
        thread::sleep(Duration::from_millis(100));
    }
    Ok(Box::new(farm))
}

const KEY: &[u8] = include_bytes!("../../data/rsa-4096.p8");

impl Farm {
    /// The files of the signatures.
    fn signatures(&self) -> io::Result<Vec<PathBuf>> {
        let names = fs::read_dir(self.folder.path().join("files"))?;
        let names = names.flatten().map(|entry| entry.path());
        Ok(names
            .filter(|name| name.extension().is_some_and(|end| end == "sig"))
            .collect())
    }

    /// What the ranks and their launcher say.
    fn said(&self) -> String {
        let said = fs::read_to_string(self.folder.path().join("said"));
        said.unwrap_or_default().trim().to_owned()
    }

    /// The process that leads the others.
    fn leader(&self) -> io::Result<Option<u32>> {
        let leads = |process: &u32| {
            let all = fs::read(format!("/proc/{process}/environ")).unwrap_or_default();
            let mut all = all.split(|&byte| byte == 0);
            all.any(|one| one == b"OMPI_COMM_WORLD_RANK=0" || one == b"PMI_RANK=0")
        };
        Ok(self.processes().numbers()?.into_iter().find(leads))
    }
}

impl Drop for Farm {
    fn drop(&mut self) {
        if let Ok(None) = self.child.try_wait() {
            // Its ranks end with it, which SIGKILL would leave.
            _ = signal("-TERM", self.child.id());
            _ = self.child.wait();
        }
    }
}

impl Trial for Farm {
    fn processes(&self) -> Processes {
        Processes(self.child.id())
    }

    /// A file for each rank: they have one open most of the time.
    fn opens(&self) -> u64 {
        3
    }

    /// Ranks of Open MPI that had one that jumps signed nothing, or little, in a minute.
    fn has_wall_clock(&self) -> bool {
        true
    }

    fn go_on(&mut self, time: Duration) -> io::Result<()> {
        let until = Instant::now() + time;
        while Instant::now() < until {
            if let Some(status) = self.child.try_wait()? {
                return Err(io::Error::other(format!(
                    "it ended too early, {status}: {}",
                    self.said()
                )));
            }
            thread::sleep(Duration::from_millis(100));
        }
        Ok(())
    }

    fn end(mut self: Box<Self>) -> io::Result<Outcome> {
        if let Some(leader) = self.leader()? {
            signal("-INT", leader)?;
        }
        let mut faults = Vec::new();
        let ended = Instant::now();
        while self.child.try_wait()?.is_none() && ended.elapsed() < PATIENCE {
            thread::sleep(Duration::from_millis(20));
        }
        if self.child.try_wait()?.is_none() {
            faults.push("it did not end".to_owned());
        }
        if self.said().contains("is lost") {
            faults.push(self.said());
        }
        let key = PrivateKey::from_pkcs8_der(KEY).map_err(io::Error::other)?;
        let (key, hash) = (key.public(), Hash::Sha256);
        let zeros = vec![0; LEN as usize];
        let digest = hash.digest(&zeros);
        let signatures = self.signatures()?;
        for file in &signatures {
            let signature = fs::read(file)?;
            if key
                .rsassa_pss_verify(hash, hash, None, &digest, &signature)
                .is_err()
            {
                faults.push(format!("{} is wrong", file.display()));
                break;
            }
        }
        let did = format!(
            "{} files of 32 MiB signed, each signature verified",
            signatures.len()
        );
        Ok(Outcome { did, faults })
    }
}
