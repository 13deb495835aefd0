//! The page as HTML.

use super::answers::{Answer, FIRST, Group, TASKS, Task, how, owner};
use super::chart::{Chart, class};
use super::html::{duration, number, rate};
use super::panel::{Panel, contender, is_bound, ours, panels, size};
use super::styles::Styles;
use super::{Folder, Record, values};
use crate::experiments::EXPERIMENTS;
use crate::record::{Row, fingerprint};
use crate::test_vectors;
use crate::tune::{Choice, chosen};
use carrysave_arith::Plan;
use carrysave_engine::plan::from_toml;
use carrysave_measure::thesis::RANKS;
use lacking::not_measured;
use maud::{DOCTYPE, Markup, PreEscaped, html};
use overview::{OVERVIEWS, overview};
use paths::{PATHS, paths};
use profile::{is_profile, profile};
use publications::publications;

mod lacking;
mod overview;
mod paths;
mod profile;
mod publications;

/// The rivals that have a column of their own in the answers, if they took part: who wrote them, and their names.
const NAMED: [(&str, &str); 2] = [("openssl", "OpenSSL"), ("aws-lc", "AWS-LC")];

pub fn page(folder: &Folder) -> String {
    let head = &folder.records[0].head;
    let cpu = head.get("cpu").unwrap_or("unknown processor");
    let tuned = folder.plan.as_deref();
    let tuned = tuned.and_then(|text| from_toml(text).ok());
    let styles = &Styles::of(&figures(folder));
    let page = html! {
        (DOCTYPE)
        html lang="en" {
            head {
                meta charset="utf-8";
                meta name="viewport" content="width=device-width, initial-scale=1";
                meta name="color-scheme" content="light dark";
                title { "carrysave on " (cpu) }
                style { (PreEscaped(include_str!("style.css"))) }
            }
            body {
                a.skip href="#answers" { "Skip to the answers" }
                header {
                    h1 { "carrysave " span { "on " (cpu) } }
                    p { (machine(folder)) }
                    (mixed(folder))
                }
                (navigation(folder))
                main {
                    (answers(folder))
                    @for record in &folder.records {
                        (experiment(record, tuned.as_ref().filter(|_| record.name == "tune"), styles))
                    }
                    (publications(folder, styles))
                    (plan(folder))
                    (not_measured(folder))
                    (method(folder))
                }
                script { (PreEscaped(include_str!("script.js"))) }
            }
        }
        "\n"
    };
    page.into_string()
}

/// The figures of the page, whose contenders have the same colours in all.
fn figures(folder: &Folder) -> Vec<Chart> {
    let records = folder.records.iter();
    let drawn = |record: &&Record| {
        !OVERVIEWS.contains(&&record.name[..]) && record.name != PATHS && !is_profile(record)
    };
    let records = records.filter(drawn);
    let panels = records.flat_map(|record| panels(&record.rows));
    let charts = panels.flat_map(|panel| [panel.chart(), panel.speedups()]);
    charts.chain(publications::figures(folder)).collect()
}

/// What is wider than its place and scrolls there.
fn scroll(table: Markup) -> Markup {
    html! { div.scroll tabindex="0" role="group" aria-label="Table" { (table) } }
}

/// The machine in one line.
fn machine(folder: &Folder) -> String {
    let said = |name| values(experiments(folder), name);
    let mut parts: Vec<String> = ["machine", "date", "level"]
        .map(|name| said(name).join(", "))
        .into();
    parts.extend(said("hypervisor").iter().map(|there| match *there {
        "no" => "without a hypervisor".to_owned(),
        _ => "on a hypervisor".to_owned(),
    }));
    // Of several, the greatest; the table of the records has them all.
    let loads = said("load");
    let minute = |load: &str| -> f64 {
        let first = load.split(' ').next().unwrap_or_default();
        first.parse().unwrap_or(0.0)
    };
    let each = loads.iter();
    let greatest = each.max_by(|a, b| minute(a).total_cmp(&minute(b)));
    if let Some(load) = greatest {
        let most = if loads.len() > 1 { " at most" } else { "" };
        parts.push(format!("load before: {load}{most}"));
    }
    parts.retain(|part| !part.is_empty());
    parts.join(" · ")
}

/// The records of experiments.
fn experiments(folder: &Folder) -> impl Iterator<Item = &Record> {
    let is_one = |record: &&Record| EXPERIMENTS.iter().any(|e| e.name == record.name);
    folder.records.iter().filter(is_one)
}

/// A warning where the experiments' records are not of one run, so that figures of two may not compare.
fn mixed(folder: &Folder) -> Markup {
    let several = [
        ("cpu", "processors"),
        ("features", "sets of extensions"),
        ("commit", "commits"),
        ("build", "builds"),
        ("plan", "plans"),
        ("level", "levels"),
    ];
    let several: Vec<String> = several
        .into_iter()
        .map(|(name, many)| (values(experiments(folder), name).len(), many))
        .filter(|(number, _)| *number > 1)
        .map(|(number, many)| format!("{number} {many}"))
        .collect();
    html! {
        @if !several.is_empty() {
            p.note {
                "These records were not taken at once: they are of " (several.join(", ")) ". "
                a href="#records" { "The table of records" } " says which is of what."
            }
        }
    }
}

fn navigation(folder: &Folder) -> Markup {
    let records = folder.records.iter();
    let records = records.map(|record| (section(&record.name), &record.name[..]));
    let others = [
        ("published", "published tables"),
        ("plan", "plan in use"),
        ("not-measured", "not measured"),
        ("method", "method"),
    ];
    let others = others.map(|(id, text)| (id.to_owned(), text));
    let answers = [("answers".to_owned(), "answers")];
    html! {
        nav aria-label="Sections" {
            ul {
                @for (id, text) in answers.into_iter().chain(records).chain(others) {
                    li { a href=(format!("#{id}")) { (text) } }
                }
            }
        }
    }
}

/// The id of the section of a record.
fn section(name: &str) -> String {
    let plain = |c: char| {
        if c.is_ascii_alphanumeric() {
            c.to_ascii_lowercase()
        } else {
            '-'
        }
    };
    format!("x-{}", name.chars().map(plain).collect::<String>())
}

/// The first screen.
fn answers(folder: &Folder) -> Markup {
    let rows: Vec<&Row> = folder.rows().collect();
    let groups = TASKS
        .iter()
        .map(|group| (group.title, answered(group, &rows)));
    let groups: Vec<(&str, Vec<Answered<'_>>)> =
        groups.filter(|(_, lines)| !lines.is_empty()).collect();
    let raced = |owner| {
        let mut lines = groups.iter().flat_map(|(_, lines)| lines);
        lines.any(|line| line.answer.rival(owner).is_some())
    };
    let named: Vec<(&str, &str)> = NAMED
        .into_iter()
        .filter(|(owner, _)| raced(owner))
        .collect();
    let headings = ["task", "carrysave", "how"].map(str::to_owned).into_iter();
    let headings = headings.chain(named.iter().map(|(_, name)| format!("against {name}")));
    let headings: Vec<String> = headings
        .chain(["against the fastest other".to_owned()])
        .collect();
    html! {
        section id="answers" {
            h2 { "What is fastest on this machine" }
            (first(folder))
            p {
                "Each row is one race: all did what it names on as many threads. A ratio says how many times as fast \
                 carrysave is; below 1 it is slower."
            }
            (scroll(html! {
                table.answers {
                    caption { "Tasks, and the fastest way to do them" }
                    thead { tr { @for heading in &headings { th scope="col" { (heading) } } } }
                    @for (title, lines) in &groups {
                        tbody {
                            tr { th scope="rowgroup" colspan=(headings.len()) { (title) } }
                            @for line in lines { (line.row(&named)) }
                        }
                    }
                }
            }))
        }
    }
}

/// A line of the answers.
struct Answered<'r> {
    task: String,
    answer: Answer<'r>,
    /// Whether it is what the line above takes one by one.
    one_by_one: bool,
}

/// The lines of a group.
fn answered<'r>(group: &Group, rows: &[&'r Row]) -> Vec<Answered<'r>> {
    let mut lines = vec![];
    for task in group.tasks {
        let Some(answer) = task.answer(rows.iter().copied()) else {
            continue;
        };
        let alone = task.one_by_one(&answer, rows);
        let name = match answer.ours.bytes {
            Some(_) => format!("{}, {}", task.name, size(answer.ours)),
            None => task.name.to_owned(),
        };
        let alone = alone.map(|answer| Answered {
            task: format!("{name}, one by one"),
            answer,
            one_by_one: true,
        });
        lines.push(Answered {
            task: name,
            answer,
            one_by_one: false,
        });
        lines.extend(alone);
    }
    lines
}

impl Answered<'_> {
    fn row(&self, named: &[(&str, &str)]) -> Markup {
        let answer = &self.answer;
        let [first, second] = pace(answer.ours);
        html! {
            tr.alone[self.one_by_one] {
                th scope="row" { (self.task) }
                td.pace { (first) " " span { (second) } }
                td.how { (how(answer.ours)) }
                @for (owner, name) in named { (against(name, answer, answer.rival(owner), false)) }
                (against("fastest", answer, answer.rivals.first().copied(), true))
            }
        }
    }
}

/// RSA-4096 in two sentences: one signature, and many.
fn first(folder: &Folder) -> Markup {
    let sentence = |task: &Task| {
        let answer = task.answer(folder.rows())?;
        let [pace, _] = pace(answer.ours);
        let than = match answer.rival("openssl") {
            Some(openssl) => format!("{:.2} × OpenSSL", answer.times(openssl)),
            None => "OpenSSL was not raced".to_owned(),
        };
        Some(html! { strong { (pace) ", " (than) } " (" (how(answer.ours)) ")" })
    };
    let [one, many] = FIRST.each_ref().map(sentence);
    html! {
        @if one.is_some() || many.is_some() {
            p {
                "RSA-4096 signatures: "
                @if let Some(one) = &one { "one at a time " (one) }
                @if one.is_some() && many.is_some() { "; " }
                @if let Some(many) = &many { "many at once " (many) }
                "."
            }
        }
    }
}

/// How fast, in the unit in which it is asked for, which is cycles where bytes are worked on; and the time.
fn pace(row: &Row) -> [String; 2] {
    let pace = match row.cycles_per_byte() {
        Some(cycles) => format!("{} cycles a byte", number(cycles)),
        None => rate(row.ops_per_second),
    };
    [pace, duration(row.ns_median)]
}

/// A cell that compares with a rival, and names it if asked to. Where rows are stacked, it bears its heading itself.
fn against(heading: &str, answer: &Answer<'_>, rival: Option<&Row>, named: bool) -> Markup {
    let Some(rival) = rival else {
        return html! { td.none data-heading=(heading) { "not raced" } };
    };
    let times = answer.times(rival);
    html! {
        td class=(grade(times)) data-heading=(heading) {
            (format!("{times:.2} ×")) @if named { ", " (owner(rival)) }
        }
    }
}

fn grade(times: f64) -> &'static str {
    match times {
        t if t >= 1.03 => "win",
        t if t >= 0.97 => "even",
        _ => "loss",
    }
}

/// The section of a record, and what the plan that came of it chose, if one did.
fn experiment(record: &Record, tuned: Option<&Plan>, styles: &Styles) -> Markup {
    // A record of another name is of the experiment of its rows.
    let first = record.rows.first().map(|row| &row.experiment[..]);
    let is_of = |name: &str| name == record.name || Some(name) == first;
    let about = match EXPERIMENTS.iter().find(|e| is_of(e.name)) {
        Some(experiment) => experiment.about,
        None if record.rows.iter().any(|row| row.experiment == RANKS) => {
            "one multiplication or power by the ranks of an MPI job, against one thread, measured by carrysave-mpi bench"
        }
        None if first == Some(test_vectors::EXPERIMENT) => {
            "test vectors by every kernel of an operation, measured by carrysave-lab vectors --every"
        }
        None if is_profile(record) => {
            "what each function of a program executes, counted under valgrind by carrysave-lab profile, and not measured"
        }
        None => "",
    };
    html! {
        section id=(section(&record.name)) {
            h2 { (record.name) }
            p { (about) }
            (noise(record))
            @if OVERVIEWS.contains(&&record.name[..]) {
                (overview(record))
            } @else if record.name == PATHS {
                (paths(record))
            } @else if is_profile(record) {
                (profile(record))
            } @else {
                div.panels { @for panel in panels(&record.rows) { (article(&panel, tuned, styles)) } }
            }
        }
    }
}

/// A panel: its figure with the data folded, or a table with bars.
fn article(panel: &Panel<'_>, tuned: Option<&Plan>, styles: &Styles) -> Markup {
    let choices = tuned.map_or(vec![], |plan| chosen(plan, &panel.operation));
    let mut chart = panel.chart();
    let marks = choices.iter().skip(1);
    chart.marks = marks
        .map(|(bits, choice)| (*bits as f64, choice.to_string()))
        .collect();
    let chart = chart.svg(styles);
    html! {
        article {
            h3 { (panel.title()) }
            @if let Some(svg) = &chart { figure { (svg) (said(&choices)) } }
            @if let Some(svg) = panel.speedups().svg(styles) { figure { (svg) } }
            @if chart.is_some() {
                details { summary { "Data" } (table(panel)) }
            } @else {
                (bars(panel, styles))
            }
        }
    }
}

/// What a plan chose, in words.
fn said(choices: &[(usize, Choice)]) -> Markup {
    html! {
        @if let Some(((_, first), others)) = choices.split_first() {
            figcaption.note {
                "The plan: " (first)
                @for (bits, choice) in others { ", " (choice) " from " (number(*bits as f64)) " bits" }
                "."
            }
        }
    }
}

/// How noisy the record is.
fn noise(record: &Record) -> Markup {
    let spreads: Vec<f64> = record
        .rows
        .iter()
        .filter(|row| row.samples != 1 && !is_bound(row))
        .map(|row| row.ns_spread / row.ns_median)
        .collect();
    let clocks: Vec<f64> = record.rows.iter().map(|row| row.core_ghz).collect();
    if spreads.is_empty() {
        return html! {};
    }
    let once = match record.rows.iter().filter(|row| row.samples == 1).count() {
        0 => String::new(),
        once => format!(
            " {once} of {} figures are of one sample, as their races take long.",
            record.rows.len()
        ),
    };
    let text = format!(
        "Core clock {} GHz (measured, {} to {}); half of the spreads are below {} %.{once} {}",
        number(crate::stats::median(&clocks)),
        number(crate::stats::quantile(&clocks, 0.0)),
        number(crate::stats::quantile(&clocks, 1.0)),
        number(100.0 * crate::stats::median(&spreads)),
        record
            .head
            .get("refused")
            .map_or(String::new(), |who| format!("Kept out: {who}."))
    );
    html! { p.note { (text.trim()) } }
}

/// The rows of a panel that has one size: a table with a bar for each.
fn bars(panel: &Panel<'_>, styles: &Styles) -> Markup {
    let times = panel.rows.iter().map(|(_, row)| row.ns_median);
    let slowest = times.fold(0.0, f64::max);
    let mut rows: Vec<&(f64, &Row)> = panel.rows.iter().collect();
    rows.sort_by(|a, b| a.1.ns_median.total_cmp(&b.1.ns_median));
    let headings = ["who", "time", "spread", "against the fastest"];
    let size = size(panel.rows[0].1);
    scroll(html! {
        table.bars {
            caption { @if !size.is_empty() { (size) ": " } "least time first, ours in bold" }
            thead { tr { @for heading in headings { th scope="col" { (heading) } } (gains_headings(panel)) } }
            tbody {
                @for (at, row) in rows {
                    tr {
                        th scope="row" { (who(row)) }
                        td { (time(row)) (bar(100.0 * row.ns_median / slowest, styles.style(&contender(row)))) }
                        td { (spread(row)) " %" }
                        td { (number(row.ns_median / panel.best(*at))) " ×" }
                        (gains(panel, *at, row))
                    }
                }
            }
        }
    })
}

/// A bar of so many percent, in the colour that its contender has in figures.
fn bar(length: f64, style: Option<usize>) -> Markup {
    html! {
        svg class=(format!("bar {}", style.map(class).unwrap_or_default()).trim_end()) viewBox="0 0 100 6" preserveAspectRatio="none" aria-hidden="true" {
            rect width=(format!("{length:.1}")) height="6" {}
        }
    }
}

/// Two more columns where a panel has several threads and one of the same.
fn gains_headings(panel: &Panel<'_>) -> Markup {
    html! { @if panel.has_speedups() { th scope="col" { "speedup" } th scope="col" { "efficiency, %" } } }
}

/// What is in them.
fn gains(panel: &Panel<'_>, at: f64, row: &Row) -> Markup {
    html! {
        @if let Some(speedup) = panel.speedup(at, row) {
            td { (format!("{speedup:.2}")) }
            td { (format!("{:.0}", 100.0 * speedup / row.threads as f64)) }
        } @else if panel.has_speedups() {
            td {}
            td {}
        }
    }
}

/// Whose row it is, ours in bold instead of by our name, for which there is little room.
fn who(row: &Row) -> Markup {
    let name = contender(row);
    let short = name.strip_prefix("carrysave/").unwrap_or(&name);
    html! { @if ours(row) { b { (short) } } @else { (short) } }
}

/// The distance of the quartiles in percent of the median.
fn spread(row: &Row) -> String {
    format!("{:.1}", 100.0 * row.ns_spread / row.ns_median)
}

fn time(row: &Row) -> String {
    match row.cycles_per_byte() {
        Some(cycles) => format!("{}, {} c/B", duration(row.ns_median), number(cycles)),
        None => duration(row.ns_median),
    }
}

/// All rows of a panel, to be sorted by any column.
fn table(panel: &Panel<'_>) -> Markup {
    let across = panel.across.heading();
    let headings = [
        across,
        "who",
        "time",
        "spread, %",
        "GHz",
        "against the fastest",
    ];
    scroll(html! {
        table.sortable {
            caption { (panel.title()) ", ours in bold" }
            thead { tr { @for heading in headings { th scope="col" { (heading) } } (gains_headings(panel)) } }
            tbody {
                @for (at, row) in &panel.rows {
                    tr {
                        td { (format!("{at:.0}")) }
                        td { (who(row)) }
                        td data-v=(row.ns_median) { (time(row)) }
                        td { (spread(row)) }
                        td { (row.core_ghz) }
                        td { (number(row.ns_median / panel.best(*at))) }
                        (gains(panel, *at, row))
                    }
                }
            }
        }
    })
}

/// Which plan the records follow; and the one that `tune` wrote, with what it was chosen from.
fn plan(folder: &Folder) -> Markup {
    let tuned = folder
        .plan
        .as_ref()
        .map(|plan| fingerprint(plan.as_bytes()));
    let mut followed: Vec<(String, Vec<&str>)> = vec![];
    for record in experiments(folder) {
        let plan = match (record.head.get("plan"), &tuned) {
            (Some(plan), Some(tuned)) if plan.ends_with(&tuned[..]) => format!("{plan}, see below"),
            (Some(plan), _) => plan.to_owned(),
            (None, _) => "not named in the record".to_owned(),
        };
        match followed.iter_mut().find(|(other, _)| *other == plan) {
            Some((_, names)) => names.push(&record.name),
            None => followed.push((plan, vec![&record.name])),
        }
    }
    html! {
        section id="plan" {
            h2 { "The plan in use" }
            p { "The plan that each record follows:" }
            ul { @for (plan, names) in &followed { li { (plan) ": " (names.join(", ")) } } }
            @if let Some(plan) = &folder.plan {
                p {
                    "What " code { "carrysave tune" } " chose on this machine. The races that each choice comes from are \
                     the experiment " a href=(format!("#{}", section("tune"))) { "tune" } "."
                }
                details {
                    summary { "plan.toml" }
                    pre tabindex="0" role="group" aria-label="plan.toml" { (plan) }
                }
            } @else {
                p {
                    code { "carrysave-lab report --tune" } " measures one for this machine first, and follows it; the \
                     page shows what each choice comes from."
                }
            }
        }
    }
}

/// The names of records, as text.
fn listed<'r>(records: impl Iterator<Item = &'r Record>) -> String {
    let names: Vec<&str> = records.map(|record| &record.name[..]).collect();
    names.join(", ")
}

fn method(folder: &Folder) -> Markup {
    let names = ["date", "level", "commit", "build", "plan", "load"];
    let headings = ["record", "rows"].into_iter().chain(names);
    html! {
        section id="method" {
            h2 { "How it was measured" }
            p {
                "Answers are checked before anything is timed. Contenders take turns within one process, so that what \
                 disturbs the machine disturbs all alike; figures are medians, the spread is the distance of the \
                 quartiles. On one thread time is the process's own, on several it is the wall clock's. The core clock \
                 is measured in the same run, by a chain of dependent multiplications."
            }
            p {
                "A line named bound is no contender: it is what the instruction after the slash takes alone, as many as \
                 the schoolbook method needs, at the rate at which this core executes them in the same run."
            }
            (shared(folder))
            (scroll(html! {
                table id="records" {
                    caption { "The records" }
                    thead { tr { @for heading in headings { th scope="col" { (heading) } } } }
                    tbody {
                        @for record in &folder.records {
                            tr {
                                th scope="row" { (record.name) }
                                td { (record.rows.len()) }
                                @for name in names { td { (record.head.get(name).unwrap_or("–")) } }
                            }
                        }
                    }
                }
            }))
        }
    }
}

/// What many records have in common, each value once: in every line of a table it would fill screens.
fn shared(folder: &Folder) -> Markup {
    let said = ["machine", "features", "compiler", "rivals"].map(|name| {
        let values = values(folder.records.iter(), name);
        let one = values.len() == 1;
        let whose = move |value: &str| {
            let of = |record: &&Record| record.head.get(name) == Some(value);
            match one {
                true => String::new(),
                false => format!(" of {}", listed(folder.records.iter().filter(of))),
            }
        };
        html! { @for value in values { dt { (name) (whose(value)) } dd { (value) } } }
    });
    html! { dl { @for values in &said { (values) } } }
}

#[cfg(test)]
mod tests;
