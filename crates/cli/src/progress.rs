//! A progress bar on a terminal, and silence elsewhere. Bars advance with the work, without a separate thread.

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressFinish, ProgressStyle};
use std::io::Read;

/// A bar for work of a known length, a spinner for any other. It disappears when dropped.
pub fn bar(what: &'static str, len: Option<u64>, quiet: bool) -> ProgressBar {
    // The target hides itself unless standard error is a terminal.
    let target = if quiet {
        ProgressDrawTarget::hidden()
    } else {
        ProgressDrawTarget::stderr()
    };
    let bar = ProgressBar::with_draw_target(len, target)
        .with_message(what)
        .with_finish(ProgressFinish::AndClear);
    let template = match len {
        Some(_) => "{msg} {wide_bar} {bytes}/{total_bytes} {bytes_per_sec} {eta}",
        None => "{msg} {spinner} {bytes} {bytes_per_sec}",
    };
    with_template(bar, template)
}

/// The weight of a file besides its bytes: about as many bytes as are hashed while it is signed and written.
pub const FILE: u64 = 1 << 20;

/// A bar for `files` files with `bytes` bytes in total.
pub fn files(what: &'static str, files: usize, bytes: u64, quiet: bool) -> ProgressBar {
    let bar = bar(what, Some(files as u64 * FILE + bytes), quiet);
    let bar = with_template(bar, "{msg} {wide_bar} {percent}% {eta}");
    bar.with_message(format!("{what} {files} files"))
}

/// No bar.
pub fn none() -> ProgressBar {
    ProgressBar::hidden()
}

/// A bar for races, whose number is set later.
pub fn races(what: &'static str, quiet: bool) -> ProgressBar {
    let bar = bar(what, Some(0), quiet);
    with_template(bar, "{msg} {wide_bar} {pos}/{len} races {eta}")
}

/// A bar for work of an estimated time.
pub fn milliseconds(what: &'static str, len: u64, quiet: bool) -> ProgressBar {
    let bar = bar(what, Some(len), quiet);
    with_template(bar, "{msg} {wide_bar} {percent}%, about {eta} left")
}

/// A spinner for a search of unknown length.
pub fn search(what: &'static str, quiet: bool) -> ProgressBar {
    let bar = bar(what, None, quiet);
    with_template(bar, "{msg} {spinner} {pos} candidates, {elapsed}")
}

/// A spinner for a program that does not say how far it is. It moves with each tick.
pub fn waiting(what: &'static str, quiet: bool) -> ProgressBar {
    let bar = bar(what, None, quiet);
    with_template(bar, "{msg} {spinner} {elapsed}")
}

fn with_template(bar: ProgressBar, template: &str) -> ProgressBar {
    bar.with_style(
        ProgressStyle::with_template(template).unwrap_or_else(|_| ProgressStyle::default_bar()),
    )
}

/// Advances the bar with the bytes read.
pub fn reading<R: Read>(bar: &ProgressBar, reader: R) -> impl Read {
    bar.wrap_read(reader)
}
