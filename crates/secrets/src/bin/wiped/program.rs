//! The program `carrysave`: its memory is searched when it is about to end.

use super::{filled, keys, print};
use carrysave_schemes::{ec::AnyPrivateKey, rsa::PrivateKey};
use carrysave_secrets::memory::{Found, Needles};
use std::{
    env, fs, io,
    os::unix::process::CommandExt,
    path::Path,
    process::{self, Command, Stdio},
    ptr,
};

/// A command in a folder, and its secrets.
struct Run {
    name: &'static str,
    arguments: &'static [&'static str],
    input: Option<&'static str>,
    output: Option<&'static str>,
    /// Looks for the secrets in its files.
    secrets: fn(&Path, &mut Needles),
}

const RUNS: &[Run] = &[
    Run {
        name: "keygen",
        arguments: &["keygen", "--bits", "2048", "--out", "key"],
        input: None,
        output: None,
        secrets: |folder, needles| rsa(&folder.join("key"), needles),
    },
    Run {
        name: "keygen to standard output",
        arguments: &["keygen", "--bits", "2048", "--out", "-"],
        input: None,
        output: Some("key-of-output"),
        secrets: |folder, needles| rsa(&folder.join("key-of-output"), needles),
    },
    Run {
        name: "keygen of a curve",
        arguments: &["keygen", "--curve", "p-256", "--out", "ec"],
        input: None,
        output: None,
        secrets: |folder, needles| {
            let file = fs::read(folder.join("ec")).expect("a key");
            let key = AnyPrivateKey::from_any(&file, None).expect("a key");
            keys::add_any(needles, &key);
        },
    },
    Run {
        name: "sign",
        arguments: &["sign", "--key", "key", "--out", "signature", "text"],
        input: None,
        output: None,
        secrets: |folder, needles| rsa(&folder.join("key"), needles),
    },
    Run {
        name: "encrypt",
        arguments: &["encrypt", "--to", "key.pub", "--out", "message", "text"],
        input: None,
        output: None,
        secrets: text,
    },
    Run {
        name: "encrypt from standard input",
        arguments: &[
            "encrypt",
            "--password-file",
            "password",
            "--out",
            "message-of-input",
            "-",
        ],
        input: Some("text"),
        output: None,
        secrets: |folder, needles| {
            text(folder, needles);
            password(folder, needles);
        },
    },
    Run {
        name: "decrypt",
        arguments: &["decrypt", "--key", "key", "--out", "text-again", "message"],
        input: None,
        output: None,
        secrets: |folder, needles| {
            text(folder, needles);
            rsa(&folder.join("key"), needles);
        },
    },
    Run {
        name: "decrypt to standard output",
        arguments: &["decrypt", "--key", "key", "--out", "-", "message"],
        input: None,
        output: Some("text-of-output"),
        secrets: text,
    },
    Run {
        name: "decrypt with a password",
        arguments: &[
            "decrypt",
            "--password-file",
            "password",
            "--out",
            "text-of-password",
            "message-of-input",
        ],
        input: None,
        output: None,
        secrets: |folder, needles| {
            text(folder, needles);
            password(folder, needles);
        },
    },
    Run {
        name: "decrypt with a key of standard input",
        arguments: &["decrypt", "--key", "-", "--out", "text-by-input", "message"],
        input: Some("key"),
        output: None,
        secrets: |folder, needles| rsa(&folder.join("key"), needles),
    },
    Run {
        name: "agree",
        arguments: &[
            "agree", "--key", "ec", "--peer", "ec.pub", "--out", "secret",
        ],
        input: None,
        output: None,
        secrets: |folder, needles| {
            needles.add(
                "what was agreed on",
                &fs::read(folder.join("secret")).expect("a secret"),
            );
        },
    },
    Run {
        name: "cipher",
        arguments: &[
            "cipher",
            "--password-file",
            "password",
            "--mode",
            "cbc",
            "--out",
            "sealed",
            "text",
        ],
        input: None,
        output: None,
        secrets: |folder, needles| {
            text(folder, needles);
            password(folder, needles);
        },
    },
    Run {
        name: "cipher, decryption",
        arguments: &[
            "cipher",
            "--password-file",
            "password",
            "--decrypt",
            "--out",
            "-",
            "sealed",
        ],
        input: None,
        output: Some("opened"),
        secrets: |folder, needles| {
            text(folder, needles);
            password(folder, needles);
        },
    },
];

fn rsa(file: &Path, needles: &mut Needles) {
    let file = fs::read(file).expect("a key");
    let key = PrivateKey::from_any(&file, None).expect("a key");
    keys::add_rsa(needles, &key);
    // Behind the first line and what all keys begin with.
    needles.add("the text of the file", &file[28 + 64..file.len() - 64]);
}

fn text(folder: &Path, needles: &mut Needles) {
    needles.add(
        "the text",
        &fs::read(folder.join("text")).expect("the text"),
    );
}

fn password(folder: &Path, needles: &mut Needles) {
    let file = fs::read(folder.join("password")).expect("the password");
    needles.add("the password", &file[..file.len() - 1]);
}

/// Runs all commands; returns whether something was left.
pub fn all(program: &Path) -> bool {
    let program = program.canonicalize().expect("the program");
    let folder = env::temp_dir().join(format!("wiped-program-{}", process::id()));
    fs::create_dir(&folder).expect("a temporary folder");
    fs::write(folder.join("text"), &*filled(300_001)).expect("a file");
    let digits = |octet: &u8| format!("{octet:02x}");
    let mut password: String = filled(24).iter().map(digits).collect();
    password.push('\n');
    fs::write(folder.join("password"), password).expect("a file");
    let mut failed = false;
    for run in RUNS {
        let mut command = Command::new(&program);
        let file = |name: &str| fs::File::open(folder.join(name)).expect("a file");
        let made = |name: &str| fs::File::create(folder.join(name)).expect("a file");
        command
            .args(run.arguments)
            .arg("--quiet")
            .current_dir(&folder)
            .stdin(run.input.map_or(Stdio::null(), |name| file(name).into()))
            .stdout(run.output.map_or(Stdio::null(), |name| made(name).into()));
        match search_at_end(&mut command, |needles| (run.secrets)(&folder, needles)) {
            Ok(found) => {
                print(&format!("the program: {}", run.name), &found);
                failed |= !found.is_empty();
            }
            Err(e) => {
                println!("FAILED: the program: {}: {e}", run.name);
                failed = true;
            }
        }
    }
    fs::remove_dir_all(&folder).expect("the folder");
    failed
}

/// Runs a program, stops it at its end, and searches its memory.
fn search_at_end(
    command: &mut Command,
    secrets: impl FnOnce(&mut Needles),
) -> io::Result<Vec<Found>> {
    // SAFETY: the call is allowed between fork and exec, and only requests to be traced.
    unsafe {
        command.pre_exec(|| {
            let traced = libc::ptrace(libc::PTRACE_TRACEME, 0, ptr::null_mut::<()>(), 0);
            if traced < 0 {
                Err(io::Error::last_os_error())
            } else {
                Ok(())
            }
        });
    }
    let child = command.spawn()?;
    let id = child.id() as libc::pid_t;
    let trace = |request, data: libc::c_int| {
        // SAFETY: the requests below take a number, and the child is one that is traced and stopped.
        let done =
            unsafe { libc::ptrace(request, id, ptr::null_mut::<()>(), data as libc::c_long) };
        if done < 0 {
            Err(io::Error::last_os_error())
        } else {
            Ok(())
        }
    };
    let mut secrets = Some(secrets);
    let mut found = Vec::new();
    let mut begun = false;
    loop {
        let mut status = 0;
        // SAFETY: the status is a live number.
        if unsafe { libc::waitpid(id, &mut status, 0) } < 0 {
            return Err(io::Error::last_os_error());
        }
        if !libc::WIFSTOPPED(status) {
            return match libc::WIFEXITED(status) && libc::WEXITSTATUS(status) == 0 {
                true if secrets.is_none() => Ok(found),
                _ => Err(io::Error::other(format!(
                    "it ended with status {status:#x}"
                ))),
            };
        }
        let mut signal = libc::WSTOPSIG(status);
        if signal == libc::SIGTRAP && !begun {
            // The child runs the new program now.
            begun = true;
            signal = 0;
            trace(
                libc::PTRACE_SETOPTIONS,
                libc::PTRACE_O_TRACEEXIT | libc::PTRACE_O_EXITKILL,
            )?;
        } else if status >> 8 == libc::SIGTRAP | libc::PTRACE_EVENT_EXIT << 8 {
            signal = 0;
            if let Some(secrets) = secrets.take() {
                let mut needles = Needles::default();
                // A run that failed has written nothing.
                let mut code: libc::c_ulong = 0;
                // SAFETY: the request writes a long.
                unsafe {
                    libc::ptrace(
                        libc::PTRACE_GETEVENTMSG,
                        id,
                        ptr::null_mut::<()>(),
                        &raw mut code,
                    )
                };
                if code == 0 {
                    secrets(&mut needles);
                    found = needles.search_process(child.id())?;
                }
            }
        }
        trace(libc::PTRACE_CONT, signal)?;
    }
}
