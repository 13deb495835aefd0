//! Files that other programs encrypted with a password.

use super::{below, keys, left};
use carrysave_schemes::{ec::AnyPrivateKey, rsa::PrivateKey};
use carrysave_secrets::memory::Needles;
use std::{env, fs, path::Path, process};
use zeroize::Zeroizing;

/// The password of all files.
const PASSWORD: &str = "a password of more than sixteen octets";

/// The shell script that makes the files, in a separate folder.
const MAKE: &str = r#"
set -e
export PASSWORD="$(cat password)"
openssl genrsa -out rsa 2048
openssl ecparam -name prime256v1 -genkey -noout -out ec
openssl req -x509 -key rsa -subj /CN=wiped -days 1 -out certificate
pass="-passout env:PASSWORD"
for cipher in aes-128-cbc aes-256-cbc des3; do
  openssl pkcs8 -topk8 -in rsa -v2 $cipher $pass -out rsa-$cipher
done
openssl pkcs8 -topk8 -in rsa -scrypt $pass -out rsa-scrypt
openssl pkcs8 -topk8 -in rsa -v1 PBE-SHA1-3DES $pass -out rsa-pkcs12-3des
openssl pkcs8 -topk8 -in ec -v2 des3 $pass -out ec-des3
openssl rsa -in rsa -traditional -aes128 $pass -out rsa-traditional
openssl rsa -in rsa -traditional -des3 $pass -out rsa-traditional-des3
openssl pkcs12 -export -inkey rsa -in certificate $pass -out rsa-store
ssh-keygen -q -t rsa -b 2048 -N "$PASSWORD" -f rsa-openssh
ssh-keygen -q -t ecdsa -b 384 -N "$PASSWORD" -f ec-openssh
ssh-keygen -q -t rsa -b 2048 -Z aes256-cbc -N "$PASSWORD" -f rsa-openssh-cbc
rm rsa ec certificate password *.pub
"#;

/// Reads each file; returns whether something was left or the files could not be made.
pub fn all() -> bool {
    let folder = env::temp_dir().join(format!("wiped-files-{}", process::id()));
    fs::create_dir(&folder).expect("a temporary folder");
    // Not in the environment, as this process would have a copy.
    fs::write(folder.join("password"), PASSWORD).expect("a file");
    let made = process::Command::new("sh")
        .args(["-c", MAKE])
        .current_dir(&folder)
        .output();
    let failed = match made {
        Ok(made) if made.status.success() => {
            let mut files: Vec<_> = fs::read_dir(&folder)
                .expect("the folder")
                .map(|entry| entry.expect("an entry").path())
                .collect();
            files.sort();
            files.iter().fold(false, |failed, file| failed | read(file))
        }
        Ok(made) => {
            let why = String::from_utf8_lossy(&made.stderr);
            println!("SKIPPED: files of openssl and ssh-keygen, which are needed for it: {why}");
            false
        }
        Err(e) => {
            println!("SKIPPED: files of openssl and ssh-keygen: {e}");
            false
        }
    };
    fs::remove_dir_all(&folder).expect("the folder");
    failed
}

/// Reads a file; returns whether something was left.
fn read(file: &Path) -> bool {
    let name = file.file_name().unwrap_or_default().to_string_lossy();
    let subject = |needles: &mut Needles| {
        let bytes = Zeroizing::new(fs::read(file).expect("the file"));
        needles.add("the password", PASSWORD.as_bytes());
        match name.starts_with("rsa") {
            true => {
                let key = below(|| PrivateKey::from_any(&bytes, Some(PASSWORD.as_bytes())));
                let key = key.expect("a key");
                keys::add_rsa(needles, &key);
            }
            false => {
                let key = below(|| AnyPrivateKey::from_any(&bytes, Some(PASSWORD.as_bytes())));
                let key = key.expect("a key");
                keys::add_any(needles, &key);
            }
        }
    };
    left(&format!("a file of another program: {name}"), subject).map_or(true, |count| count > 0)
}
