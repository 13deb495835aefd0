//! Figures as SVG: lines over a size, both axes logarithmic.
//!
//! Colours are classes that the page's style defines, for light and dark; each line has a marker of its own as well, so
//! that nothing hangs on colour.

use super::styles::{STYLES, Styles};
use maud::{Markup, html};

/// How many lines a figure shows at most: a reader cannot tell more apart.
pub const MOST: usize = 8;

/// The lines of a figure and what its axes mean.
#[derive(Clone, Debug)]
pub struct Chart {
    /// What a reader who sees no picture is told.
    pub title: String,
    /// What is across.
    pub x: Axis,
    /// What is up.
    pub y: Axis,
    /// The lines, the most important one first.
    pub lines: Vec<Line>,
    /// Places across, and what begins there.
    pub marks: Vec<(f64, String)>,
}

/// An axis: what it says, and how a value reads.
#[derive(Clone, Debug)]
pub struct Axis {
    /// What it measures, with its unit.
    pub label: String,
    /// A value on it as text.
    pub text: fn(f64) -> String,
}

/// Points that belong together.
#[derive(Clone, Debug)]
pub struct Line {
    /// Its name in the legend.
    pub name: String,
    /// Whose it is: what has one colour in all figures.
    pub contender: String,
    /// Whether it comes from elsewhere, such as a publication: drawn dashed.
    pub dashed: bool,
    /// Across and up, both above zero.
    pub points: Vec<(f64, f64)>,
}

impl Line {
    /// The classes of a line of that style.
    fn class(&self, style: usize) -> String {
        let dashed = if self.dashed { " dashed" } else { "" };
        format!("{}{dashed}", class(style))
    }
}

/// The class of a style's colour.
pub fn class(style: usize) -> String {
    format!("s{}", style % STYLES)
}

const WIDTH: f64 = 460.0;
const HEIGHT: f64 = 300.0;
const LEFT: f64 = 66.0;
const RIGHT: f64 = 22.0;
const TOP: f64 = 26.0;
const BOTTOM: f64 = 42.0;
/// How wide a digit is where it is widest, on a phone.
const GLYPH: f64 = 9.0;
/// How far apart names of marks are at least.
const APART: f64 = 16.0;

impl Chart {
    /// The figure with its legend, or nothing where no line has two points.
    pub fn svg(&self, styles: &Styles) -> Option<Markup> {
        // Lines that are not drawn have no say in the scales.
        let drawn = || self.lines.iter().take(MOST);
        let points = || drawn().flat_map(|line| &line.points);
        if !drawn().any(|line| line.points.len() > 1) {
            return None;
        }
        let x = Scale::new(points().map(|p| p.0), LEFT, WIDTH - RIGHT);
        let y = Scale::new(points().map(|p| p.1), HEIGHT - BOTTOM, TOP);
        let (right, bottom) = (WIDTH - RIGHT, HEIGHT - BOTTOM);
        let (up, across) = (y.ticks(7), x.places(points().map(|p| p.0), self.x.text));
        // One path and two groups: an element for each line, with all its attributes, would fill the page.
        let rows = up.iter().map(|(_, at)| format!("M{LEFT} {at:.1}H{right}"));
        let columns = across
            .iter()
            .map(|(_, at)| format!("M{at:.1} {TOP}V{bottom}"));
        let grid: String = rows.chain(columns).collect();
        Some(html! {
            svg viewBox=(format!("0 0 {WIDTH} {HEIGHT}")) role="img" aria-label=(self.title) {
                path.grid d=(grid) {}
                g.tick text-anchor="end" {
                    @for (value, at) in &up {
                        text x=(LEFT - 6.0) y=(tenth(at + 4.0)) { ((self.y.text)(*value)) }
                    }
                }
                g.tick text-anchor="middle" {
                    @for (value, at) in &across {
                        text x=(tenth(*at)) y=(bottom + 16.0) { ((self.x.text)(*value)) }
                    }
                }
                text.label x=(tenth((LEFT + right) / 2.0)) y=(HEIGHT - 6.0) text-anchor="middle" { (self.x.label) }
                text.label x="0" y="13" { (self.y.label) }
                // The first line is drawn last: on top.
                @for (i, line) in self.styled(styles).into_iter().rev() { (self.drawn(i, line, &x, &y)) }
                (self.marked(&x))
            }
            (self.legend(styles))
        })
    }

    /// A line with its points.
    fn drawn(&self, style: usize, line: &Line, x: &Scale, y: &Scale) -> Markup {
        let at: Vec<(f64, f64)> = line.points.iter().map(|p| (x.at(p.0), y.at(p.1))).collect();
        let path: Vec<String> = at.iter().map(|(x, y)| format!("{x:.1},{y:.1}")).collect();
        html! {
            g class=(line.class(style)) {
                polyline points=(path.join(" ")) {}
                @for ((x, y), value) in at.iter().zip(&line.points) {
                    path d=(marker(style, *x, *y)) {
                        title { (line.name) ": " ((self.x.text)(value.0)) ", " ((self.y.text)(value.1)) }
                    }
                }
            }
        }
    }

    /// The marks. Their names stand at the top; of two that are close one stands at the bottom.
    fn marked(&self, x: &Scale) -> Markup {
        let (mut last, mut low) = (0.0, false);
        let mark = |(place, text): &(f64, String)| {
            let at = x.at(*place);
            low = at - last < APART && !low;
            last = at;
            let (end, anchor) = match low {
                true => (HEIGHT - BOTTOM - 2.0, "start"),
                false => (TOP + 2.0, "end"),
            };
            let side = tenth(at - 4.0);
            html! {
                line.mark x1=(tenth(at)) x2=(tenth(at)) y1=(TOP) y2=(HEIGHT - BOTTOM) {}
                text.mark x=(side) y=(end) text-anchor=(anchor) transform=(format!("rotate(-90 {side} {end})")) { (text) }
            }
        };
        let marks: Vec<Markup> = self.marks.iter().map(mark).collect();
        html! { @for mark in &marks { (mark) } }
    }

    /// The lines that are drawn, each with the number of its colour and marker.
    fn styled(&self, styles: &Styles) -> Vec<(usize, &Line)> {
        let lines = self.lines.iter().take(MOST).enumerate();
        lines
            .map(|(i, line)| (styles.style(&line.contender).unwrap_or(i), line))
            .collect()
    }

    fn legend(&self, styles: &Styles) -> Markup {
        html! {
            ul.legend {
                @for (i, line) in self.styled(styles) {
                    li {
                        svg viewBox="0 0 26 12" aria-hidden="true" {
                            g class=(line.class(i)) { polyline points="0,6 26,6" {} path d=(marker(i, 13.0, 6.0)) {} }
                        }
                        (line.name)
                    }
                }
                @if self.lines.len() > MOST { li { (self.lines.len() - MOST) " more in the table" } }
            }
        }
    }
}

/// A coordinate to a tenth.
fn tenth(at: f64) -> String {
    format!("{at:.1}")
}

/// The outline of the marker of a style: each has another shape, and so have those of one colour.
fn marker(style: usize, x: f64, y: f64) -> String {
    // Where it begins, and its way from there.
    let (dx, dy, way) = match (style + style / STYLES) % STYLES {
        0 => (-4.0, 0.0, "a4 4 0 1 0 8 0a4 4 0 1 0-8 0"),
        1 => (-3.5, -3.5, "h7v7h-7"),
        2 => (0.0, -4.5, "l4.2 8h-8.4"),
        3 => (0.0, -4.8, "l4.8 4.8l-4.8 4.8l-4.8-4.8"),
        4 => (0.0, 4.5, "l4.2-8h-8.4"),
        5 => (-4.5, -1.5, "h9v3h-9"),
        6 => (-1.5, -4.5, "h3v9h-3"),
        7 => (4.5, 0.0, "l-8 4.2v-8.4"),
        8 => (-4.5, 0.0, "l8 4.2v-8.4"),
        _ => (-4.0, -4.0, "h8l-8 8h8"),
    };
    format!("M{:.1} {:.1}{way}Z", x + dx, y + dy)
}

/// A logarithmic scale between two ends on paper.
struct Scale {
    low: f64,
    high: f64,
    from: f64,
    to: f64,
}

impl Scale {
    fn new(values: impl Iterator<Item = f64>, from: f64, to: f64) -> Scale {
        let (mut low, mut high) = (f64::INFINITY, 0.0_f64);
        for value in values.filter(|value| value.is_finite() && *value > 0.0) {
            (low, high) = (low.min(value), high.max(value));
        }
        if low > high {
            (low, high) = (1.0, 10.0);
        }
        // Some room at both ends, and some height where all values are alike.
        let room = (high / low).powf(0.05).max(1.04);
        Scale {
            low: low / room,
            high: high * room,
            from,
            to,
        }
    }

    fn at(&self, value: f64) -> f64 {
        let share = (value / self.low).ln() / (self.high / self.low).ln();
        self.from + share.clamp(0.0, 1.0) * (self.to - self.from)
    }

    /// Round values within the scale, at most `most`, and their places.
    fn ticks(&self, most: usize) -> Vec<(f64, f64)> {
        let within = |steps: &[f64]| -> Vec<f64> {
            let first = self.low.log10().floor() as i32;
            let last = self.high.log10().ceil() as i32;
            (first..=last)
                .flat_map(|e| steps.iter().map(move |step| step * 10f64.powi(e)))
                .filter(|value| (self.low..=self.high).contains(value))
                .collect()
        };
        let fine: Vec<f64> = (10..100).map(|step| f64::from(step) / 10.0).collect();
        let halves: Vec<f64> = (2..20).map(|step| f64::from(step) / 2.0).collect();
        let mut ticks = vec![];
        for steps in [&[1.0][..], &[1.0, 3.0], &[1.0, 2.0, 5.0], &halves, &fine] {
            let found = within(steps);
            if found.len() <= most {
                ticks = found;
            } else {
                break;
            }
        }
        if ticks.len() < 2 {
            ticks = vec![self.low, self.high];
        }
        ticks
            .into_iter()
            .map(|value| (value, self.at(value)))
            .collect()
    }

    /// The values that occur, powers of two before others, as far as their texts keep apart, and their places.
    fn places(
        &self,
        values: impl Iterator<Item = f64>,
        text: fn(f64) -> String,
    ) -> Vec<(f64, f64)> {
        let mut values: Vec<f64> = values.collect();
        values.sort_by(f64::total_cmp);
        values.dedup();
        // Whole numbers below 2^53.
        values.sort_by_key(|value| !(*value as u64).is_power_of_two());
        let half = |value: f64| GLYPH / 2.0 * (text(value).chars().count() + 1) as f64;
        let mut places: Vec<(f64, f64)> = vec![];
        for value in values {
            let at = self.at(value);
            let apart =
                |(other, there): &(f64, f64)| (at - there).abs() >= half(value) + half(*other);
            if places.iter().all(apart) {
                places.push((value, at));
            }
        }
        places
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn chart(lines: usize) -> Chart {
        let axis = |label: &str| Axis {
            label: label.to_owned(),
            text: |value| format!("{value:.0}"),
        };
        Chart {
            title: "a < b".into(),
            x: axis("size"),
            y: axis("time"),
            lines: (0..lines)
                .map(|i| Line {
                    name: format!("line {i}"),
                    contender: format!("line {i}"),
                    dashed: i == 1,
                    points: (1..5)
                        .map(|x| (f64::from(x), f64::from(x * x) + i as f64))
                        .collect(),
                })
                .collect(),
            marks: vec![],
        }
    }

    #[test]
    fn every_line_and_point_is_drawn() {
        let svg = chart(3).svg(&Styles::default()).unwrap().into_string();
        assert_eq!(
            svg.matches("<polyline").count(),
            2 * 3,
            "in the figure and in the legend"
        );
        assert_eq!(svg.matches("<title>").count(), 3 * 4);
        assert!(svg.contains(r#"aria-label="a &lt; b""#));
        assert_eq!(svg.matches("dashed").count(), 2);
    }

    #[test]
    fn every_tick_has_a_line_of_the_grid() {
        let svg = chart(1).svg(&Styles::default()).unwrap().into_string();
        let grid = svg.split(r#"<path class="grid" d=""#).nth(1).unwrap();
        let grid = grid.split('"').next().unwrap();
        // Texts that are no ticks have a class.
        let ticks = svg.matches("<text x=").count();
        assert!(ticks > 4, "{svg}");
        assert_eq!(grid.matches('M').count(), ticks, "{svg}");
        assert_eq!(grid.matches('V').count(), 4, "sizes 1, 2, 3 and 4");
    }

    #[test]
    fn every_style_has_a_marker_of_its_own_around_its_point() {
        let markers: Vec<String> = (0..STYLES).map(|style| marker(style, 50.0, 50.0)).collect();
        for (i, drawn) in markers.iter().enumerate() {
            assert!(!markers[..i].contains(drawn), "{drawn}");
            let start = drawn[1..].split(|c: char| c.is_ascii_lowercase()).next();
            let start = start.unwrap().split(' ');
            let off = start.map(|at| (at.parse::<f64>().unwrap() - 50.0).abs());
            assert!(off.fold(0.0, f64::max) < 5.0, "{drawn}");
        }
    }

    #[test]
    fn a_mark_is_a_line_across_with_its_name() {
        let mut marked = chart(1);
        marked.marks = [(2.0, "a > b"), (2.01, "c")]
            .map(|(at, name)| (at, name.into()))
            .into();
        let svg = marked.svg(&Styles::default()).unwrap().into_string();
        assert_eq!(svg.matches(r#"<line class="mark" x1=""#).count(), 2);
        assert!(svg.contains(">a &gt; b</text>"));
        let ends = svg
            .split(r#"<text class="mark""#)
            .map(|text| text.contains(r#"text-anchor="start" transform"#));
        assert_eq!(
            ends.collect::<Vec<_>>(),
            [false, false, true],
            "one at the top and one at the bottom"
        );
    }

    #[test]
    fn what_is_too_much_is_counted() {
        let svg = chart(11).svg(&Styles::default()).unwrap().into_string();
        assert!(svg.contains("<li>3 more in the table</li>"));
        assert!(!svg.contains("line 8"));
        let mut far = chart(11);
        far.lines[10].points[0] = (1e9, 1e9);
        assert_eq!(
            far.svg(&Styles::default()).unwrap().into_string(),
            svg,
            "what is not drawn moves nothing"
        );
    }

    #[test]
    fn no_line_is_no_figure() {
        assert!(chart(0).svg(&Styles::default()).is_none());
        let mut one = chart(1);
        one.lines[0].points.truncate(1);
        assert!(one.svg(&Styles::default()).is_none());
    }

    #[test]
    fn powers_of_two_are_named_first() {
        let sizes = [1920.0, 2048.0, 3072.0, 3840.0, 4096.0, 8192.0];
        let scale = Scale::new(sizes.into_iter(), 0.0, 200.0);
        let places = scale.places(sizes.into_iter(), |value| format!("{value:.0}"));
        let named: Vec<f64> = places.iter().map(|(value, _)| *value).collect();
        assert_eq!(named, [2048.0, 4096.0, 8192.0]);
    }

    #[test]
    fn scales_keep_their_ends_and_order() {
        let scale = Scale::new([10.0, 1000.0].into_iter(), 0.0, 100.0);
        assert!(scale.at(10.0) > 0.0 && scale.at(1000.0) < 100.0);
        assert!((scale.at(100.0) - 50.0).abs() < 1e-9);
        let ticks = scale.ticks(7);
        assert!(ticks.len() <= 7 && ticks.iter().any(|(value, _)| *value == 100.0));
        // All alike still has a height.
        let flat = Scale::new([5.0, 5.0].into_iter(), 0.0, 100.0);
        assert!((flat.at(5.0) - 50.0).abs() < 1e-9);
    }
}
