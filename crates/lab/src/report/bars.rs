//! One task on several machines as bars: an SVG that needs no other file and no style from elsewhere.

use super::Folder;
use super::answers::{Answer, FIRST, how, owner};
use super::html::{escape, number};
use crate::record::Row;
use std::fmt::Write;

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
    let answers: Vec<(&str, &Folder, Answer<'_>)> = machines
        .iter()
        .map(|&(name, folder)| Some((name, folder, task.answer(folder.rows())?)))
        .collect::<Option<_>>()?;
    let rows = |answer: &Answer<'_>| answer.rivals.len() + 1;
    let most = answers
        .iter()
        .map(|(.., answer)| answer.ours.ops_per_second)
        .fold(0.0, f64::max);
    let lines: usize = answers.iter().map(|(.., answer)| rows(answer)).sum();
    let height = TOP + lines as f64 * LINE + answers.len() as f64 * (NAME + GAP);
    let title = format!("{} (operations a second)", task.name);
    let mut svg = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {WIDTH} {height}\" role=\"img\" aria-label=\"{0}\">\n\
         <style>{STYLE}</style>\n<rect class=\"paper\" width=\"{WIDTH}\" height=\"{height}\"/>\n\
         <text class=\"title\" x=\"12\" y=\"28\">{0}</text>\n",
        escape(&title)
    );
    let mut y = TOP;
    for (name, folder, answer) in &answers {
        let cpu = folder
            .records
            .iter()
            .find(|record| record.name == answer.ours.experiment)
            .and_then(|record| record.head.get("cpu"));
        let machine = [Some(*name), cpu]
            .into_iter()
            .flatten()
            .collect::<Vec<_>>()
            .join(": ");
        let _ = writeln!(
            svg,
            "<text class=\"quiet\" x=\"12\" y=\"{y}\">{}; {}</text>",
            escape(&machine),
            escape(&how(answer.ours))
        );
        y += NAME;
        bar(&mut svg, y, "ours", answer.ours, most);
        for rival in &answer.rivals {
            y += LINE;
            bar(&mut svg, y, "theirs", rival, most);
        }
        y += LINE + GAP;
    }
    svg.push_str("</svg>\n");
    Some(svg)
}

fn bar(svg: &mut String, y: f64, class: &str, row: &Row, most: f64) {
    let length = LONGEST * row.ops_per_second / most;
    let _ = writeln!(
        svg,
        "<text x=\"{}\" y=\"{}\" text-anchor=\"end\">{}</text><rect class=\"{class}\" x=\"{LEFT}\" y=\"{y}\" \
         width=\"{length:.1}\" height=\"18\"/><text x=\"{:.1}\" y=\"{1}\">{}</text>",
        LEFT - 8.0,
        y + 14.0,
        escape(owner(row)),
        LEFT + length + 8.0,
        number(row.ops_per_second.round())
    );
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
                head: Head(vec![("cpu".into(), "a < b".into())]),
                rows: vec![
                    row("batch", "private/64", 4096, "carrysave/batch", 2, ns),
                    row("batch", "private/64", 4096, "openssl", 2, 2.0 * ns),
                ],
            }],
            plan: None,
        };
        let [fast, slow] = [folder(1e6), folder(2e6)];
        let svg = svg(&[("fast", &fast), ("slow", &slow)]).unwrap();
        for (length, bars) in [("500.0", 1), ("250.0", 2), ("125.0", 1)] {
            let found = svg.matches(&format!("width=\"{length}\"")).count();
            assert_eq!(found, bars, "{length}: {svg}");
        }
        assert!(svg.contains("fast: a &lt; b; carrysave/batch, 64 at once; all on 2 threads"));
        assert_eq!(svg.matches("class=\"theirs\"").count(), 2);
    }
}
