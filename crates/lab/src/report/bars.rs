//! One task on several machines as bars: an SVG that needs no other file and no style from elsewhere.

use super::Folder;
use super::answers::{Answer, FIRST, how, owner};
use super::html::number;
use crate::record::Row;
use maud::{Markup, PreEscaped, html};

const WIDTH: f64 = 720.0;
/// Where bars begin, and how long the longest one is: its figure stands behind it.
const LEFT: f64 = 110.0;
const LONGEST: f64 = 500.0;
/// From one bar to the next.
const LINE: f64 = 24.0;
/// From the top to the first machine, and from one machine's name to its first bar.
const TOP: f64 = 52.0;
const NAME: f64 = 14.0;
const GAP: f64 = 22.0;

/// The colours of the page, for light and dark.
const STYLE: &str = "\
text { font: 13px system-ui, sans-serif; fill: #1b1f24 } .title { font-size: 16px; font-weight: 600 } \
.quiet { fill: #57606a } .paper { fill: #ffffff } .ours { fill: #0072b2 } .theirs { fill: #8b949e } \
@media (prefers-color-scheme: dark) { text { fill: #e6eaee } .quiet { fill: #a3adb8 } .paper { fill: #12161b } \
.ours { fill: #56b4e9 } .theirs { fill: #6e7781 } }";

/// RSA-4096 signatures, many at once, in each of these records: one scale for all. Nothing where a record has none.
///
/// ```
/// use carrysave_lab::report::{Folder, bars};
/// assert!(bars::svg(&[("empty", &Folder::default())]).is_none());
/// ```
pub fn svg(machines: &[(&str, &Folder)]) -> Option<String> {
    let [_, task] = &FIRST;
    let answers: Vec<(&str, Answer<'_>)> = machines
        .iter()
        .map(|&(name, folder)| Some((name, task.answer(folder.rows())?)))
        .collect::<Option<_>>()?;
    let rows = |answer: &Answer<'_>| answer.rivals.len() + 1;
    let most = answers
        .iter()
        .map(|(_, answer)| answer.ours.ops_per_second)
        .fold(0.0, f64::max);
    let lines: usize = answers.iter().map(|(_, answer)| rows(answer)).sum();
    let height = TOP + lines as f64 * LINE + answers.len() as f64 * (NAME + GAP);
    let title = format!("{} (operations a second)", task.name);
    let mut y = TOP;
    let machine = |(name, answer): &(&str, Answer<'_>)| {
        let top = y;
        y += NAME + rows(answer) as f64 * LINE + GAP;
        let bars = answer.rivals.iter().map(|rival| ("theirs", *rival));
        let bars = std::iter::once(("ours", answer.ours)).chain(bars);
        html! {
            text class="quiet" x="12" y=(top) {
                (name) "; " (how(answer.ours))
            }
            @for (i, (class, row)) in bars.enumerate() {
                "\n" (bar(top + NAME + i as f64 * LINE, class, row, most))
            }
            "\n"
        }
    };
    let machines: Vec<Markup> = answers.iter().map(machine).collect();
    let svg = html! {
        svg xmlns="http://www.w3.org/2000/svg" viewBox=(format!("0 0 {WIDTH} {height}")) role="img" aria-label=(title) {
            "\n" style { (PreEscaped(STYLE)) }
            "\n" rect class="paper" width=(WIDTH) height=(height) {}
            "\n" text class="title" x="12" y="28" { (title) } "\n"
            @for machine in &machines { (machine) }
        }
        "\n"
    };
    Some(svg.into_string())
}

fn bar(y: f64, class: &str, row: &Row, most: f64) -> Markup {
    let length = LONGEST * row.ops_per_second / most;
    let (base, end) = (y + 14.0, LEFT + length + 8.0);
    html! {
        text x=(LEFT - 8.0) y=(base) text-anchor="end" { (owner(row)) }
        rect class=(class) x=(LEFT) y=(y) width=(format!("{length:.1}")) height="18" {}
        text x=(format!("{end:.1}")) y=(base) { (number(row.ops_per_second.round())) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::record::Head;
    use crate::report::{Record, tests::row};

    #[test]
    fn bars_of_two_machines_have_one_scale() {
        let folder = |ns: f64| Folder {
            records: vec![Record {
                name: "batch".into(),
                head: Head(vec![]),
                rows: vec![
                    row("batch", "private/64", 4096, "carrysave/batch", 2, ns),
                    row("batch", "private/64", 4096, "openssl", 2, 2.0 * ns),
                ],
            }],
            plan: None,
        };
        let [fast, slow] = [folder(1e6), folder(2e6)];
        let svg = svg(&[("a < b", &fast), ("slow", &slow)]).unwrap();
        for (length, bars) in [("500.0", 1), ("250.0", 2), ("125.0", 1)] {
            let found = svg.matches(&format!("width=\"{length}\"")).count();
            assert_eq!(found, bars, "{length}: {svg}");
        }
        assert!(svg.contains("a &lt; b; carrysave/batch, 64 at once; all on 2 threads"));
        assert_eq!(svg.matches("class=\"theirs\"").count(), 2);
    }
}
