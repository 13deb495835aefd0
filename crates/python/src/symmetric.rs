//! Skein and AES.

use crate::octets::{array, buffer, octets};
use crate::work::{run_borrowed, team};
use carrysave::symmetric::aes::Aes;
use carrysave::symmetric::skein::{Parameters, Skein, Tree};
use carrysave::team::Team;
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::PyBytes;
use zeroize::Zeroizing;

/// Bytes that are processed between two looks for a signal.
const SLICE: usize = 1 << 24;
/// The bytes of a hash that is too long: its bits are counted by a word.
const MOST: u64 = 1 << 61;

/// Return the hash of `data` by Skein, `bytes` bytes long.
///
/// `state` is 256, 512 or 1024 bits. With `key` it is a message authentication code. With `tree` it is another hash, of
/// leaves and nodes of 32 blocks, which take vector lanes and several threads. The time depends on lengths only.
///
/// >>> import carrysave
/// >>> carrysave.skein(b"", bytes=32).hex()
/// '39ccc4554a8b31853b9de7a1fe638a24cce6b35a55f2431009e18780335d2621'
/// >>> len(carrysave.skein(bytes(1 << 20), tree=True, threads=2))
/// 64
#[pyfunction]
#[pyo3(signature = (data, *, bytes = 64, state = 512, key = None, tree = false, threads = 1))]
pub(crate) fn skein<'py>(
    py: Python<'py>,
    data: &Bound<'py, PyAny>,
    bytes: usize,
    state: usize,
    key: Option<&Bound<'py, PyAny>>,
    tree: bool,
    threads: usize,
) -> PyResult<Bound<'py, PyBytes>> {
    let data = octets("data", data)?;
    let key = key.map(|key| octets("key", key)).transpose()?;
    let length = bytes as u64;
    if length >= MOST {
        return Err(PyValueError::new_err(format!(
            "bytes={bytes} is not possible: use less than 2**61"
        )));
    }
    let mut parameters = Parameters::new(length);
    if let Some(key) = &key {
        parameters = parameters.key(key);
    }
    if tree {
        parameters = parameters.tree(Tree::default());
    }
    let team = team(py, threads)?;
    PyBytes::new_with(py, bytes, |out| match state {
        256 => hash::<4>(py, &parameters, &data, &*team, out),
        512 => hash::<8>(py, &parameters, &data, &*team, out),
        1024 => hash::<16>(py, &parameters, &data, &*team, out),
        _ => Err(PyValueError::new_err(format!(
            "state={state} is not possible: use 256, 512 or 1024"
        ))),
    })
}

/// The hash of data by a state of W words.
fn hash<const W: usize>(
    py: Python<'_>,
    parameters: &Parameters<'_>,
    data: &[u8],
    team: &(dyn Team + Send + Sync),
    out: &mut [u8],
) -> PyResult<()> {
    let mut hash = Skein::<W>::new(parameters);
    for data in data.chunks(SLICE) {
        run_borrowed(py, || hash.update_on(team, data))?;
        py.check_signals()?;
    }
    let mut output = run_borrowed(py, || hash.finalize())?;
    for out in out.chunks_mut(SLICE) {
        run_borrowed(py, || output.read(out))?;
        py.check_signals()?;
    }
    Ok(())
}

/// Return `data` encrypted, or decrypted, by AES in counter mode.
///
/// `key` has 16, 24 or 32 bytes. `counter` has 16: the first counter block, a number that grows by one from block to
/// block. Never use a counter block twice with one key. `data` is any contiguous buffer. With `out`, a writable buffer as
/// long as `data` or `data` itself, the result goes there, and None is returned. Constant time.
///
/// >>> import carrysave
/// >>> text = carrysave.aes_ctr(bytes(16), bytes(16), b"a message")
/// >>> carrysave.aes_ctr(bytes(16), bytes(16), text)
/// b'a message'
#[pyfunction]
#[pyo3(signature = (key, counter, data, *, out = None, threads = 1))]
pub(crate) fn aes_ctr<'py>(
    py: Python<'py>,
    key: &Bound<'py, PyAny>,
    counter: &Bound<'py, PyAny>,
    data: &Bound<'py, PyAny>,
    out: Option<&Bound<'py, PyAny>>,
    threads: usize,
) -> PyResult<Option<Bound<'py, PyBytes>>> {
    let (key, counter) = (octets("key", key)?, octets("counter", counter)?);
    let aes = Aes::new(&key).ok_or_else(|| {
        PyValueError::new_err(format!("key has {} bytes: use 16, 24 or 32", key.len()))
    })?;
    let counter: &[u8; 16] = array("counter", &counter)?;
    let team = team(py, threads)?;
    let apply = |text: &mut [u8]| {
        for (i, text) in text.chunks_mut(SLICE).enumerate() {
            let at = (i * SLICE) as u64;
            run_borrowed(py, || aes.apply_ctr_on(&*team, counter, 128, at, text))?;
            py.check_signals()?;
        }
        Ok(())
    };
    let data = buffer("data", data)?;
    let Some(out) = out else {
        let text = PyBytes::new_with(py, data.item_count(), |text| {
            data.copy_to_slice(py, text)?;
            apply(text)
        });
        return text.map(Some);
    };
    let out = buffer("out", out)?;
    if out.readonly() || out.item_count() != data.item_count() {
        return Err(PyValueError::new_err(format!(
            "out has {} bytes, or is read-only: use a writable buffer of {}",
            out.item_count(),
            data.item_count()
        )));
    }
    // A copy, as the buffers may overlap.
    let mut text = Zeroizing::new(data.to_vec(py)?);
    apply(&mut text)?;
    out.copy_from_slice(py, &text)?;
    Ok(None)
}
