//! The page as HTML.

use super::answers::{Answer, FIRST, TASKS, Task, how, owner};
use super::html::{duration, escape, number, rate};
use super::panel::{Panel, contender, is_bound, ours, panels, size};
use super::published::{Measured, coverage};
use super::suite::Level;
use super::{Folder, Record, values};
use crate::experiments::EXPERIMENTS;
use crate::record::{Row, fingerprint};
use crate::tune::{Choice, chosen};
use carrysave_arith::Plan;
use carrysave_engine::plan::from_toml;
use carrysave_kernels::{Isa, REGISTRY};
use overview::{OVERVIEWS, overview};
use publications::publications;
use std::fmt::Write;

mod overview;
mod publications;

/// The rivals that have a column of their own in the answers.
const NAMED: [&str; 2] = ["openssl", "aws-lc"];

/// The columns of the answers that compare with others, and what they are called where there is little room.
const AGAINST: [(&str, &str); 3] = [
    ("against OpenSSL", "OpenSSL"),
    ("against AWS-LC", "AWS-LC"),
    ("against the fastest other", "fastest"),
];

pub fn page(folder: &Folder) -> String {
    let head = &folder.records[0].head;
    let cpu = head.get("cpu").unwrap_or("unknown processor");
    let mut out = format!(
        "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n\
         <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n\
         <meta name=\"color-scheme\" content=\"light dark\">\n\
         <title>carrysave on {}</title>\n<style>\n{}</style>\n</head>\n<body>\n\
         <a class=\"skip\" href=\"#answers\">Skip to the answers</a>\n",
        escape(cpu),
        include_str!("style.css")
    );
    let _ = write!(
        out,
        "<header>\n<h1>carrysave <span>on {}</span></h1>\n<p>{}</p>\n{}</header>\n",
        escape(cpu),
        escape(&machine(folder)),
        mixed(folder)
    );
    out.push_str(&navigation(folder));
    out.push_str("<main>\n");
    out.push_str(&answers(folder));
    let tuned = folder.plan.as_deref();
    let tuned = tuned.and_then(|text| from_toml(text).ok());
    for record in &folder.records {
        let tuned = tuned.as_ref().filter(|_| record.name == "tune");
        out.push_str(&experiment(record, tuned));
    }
    out.push_str(&publications(folder));
    out.push_str(&plan(folder));
    out.push_str(&not_measured(folder));
    out.push_str(&method(folder));
    let _ = write!(
        out,
        "</main>\n<script>\n{}</script>\n</body>\n</html>\n",
        include_str!("script.js")
    );
    out
}

/// The machine in one line.
fn machine(folder: &Folder) -> String {
    let parts =
        ["machine", "date", "level"].map(|name| values(experiments(folder), name).join(", "));
    parts
        .into_iter()
        .filter(|part| !part.is_empty())
        .collect::<Vec<_>>()
        .join(" · ")
}

/// The records of experiments.
fn experiments(folder: &Folder) -> impl Iterator<Item = &Record> {
    let is_one = |record: &&Record| EXPERIMENTS.iter().any(|e| e.name == record.name);
    folder.records.iter().filter(is_one)
}

/// A warning where the experiments' records are not of one run, so that figures of two may not compare.
fn mixed(folder: &Folder) -> String {
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
    if several.is_empty() {
        return String::new();
    }
    format!(
        "<p class=\"note\">These records were not taken at once: they are of {}. <a href=\"#records\">The table of \
         records</a> says which is of what.</p>\n",
        several.join(", ")
    )
}

fn navigation(folder: &Folder) -> String {
    let mut out = String::from("<nav aria-label=\"Sections\">\n<ul>\n");
    let experiments = folder
        .records
        .iter()
        .map(|record| (record.name.clone(), record.name.clone()));
    let others = [
        ("published", "published tables"),
        ("plan", "plan in use"),
        ("not-measured", "not measured"),
        ("method", "method"),
    ];
    let others = others.map(|(id, text)| (id.to_owned(), text.to_owned()));
    let answers = [("answers".to_owned(), "answers".to_owned())];
    for (id, text) in answers
        .into_iter()
        .chain(experiments.map(|(id, text)| (section(&id), text)))
        .chain(others)
    {
        let _ = writeln!(
            out,
            "<li><a href=\"#{}\">{}</a></li>",
            escape(&id),
            escape(&text)
        );
    }
    out.push_str("</ul>\n</nav>\n");
    out
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
fn answers(folder: &Folder) -> String {
    let mut out = format!(
        "<section id=\"answers\">\n<h2>What is fastest on this machine</h2>\n{}\
         <p>Each row is one race: all did what it names on as many threads. \
         A ratio says how many times as fast carrysave is; below 1 it is slower.</p>\n",
        first(folder)
    );
    out.push_str(
        "<div class=\"scroll\" tabindex=\"0\" role=\"group\" aria-label=\"Table\"><table class=\"answers\">\n<caption>Tasks, and the fastest way to do them</caption>\n\
         <thead><tr>",
    );
    let ours = ["task", "carrysave", "how"];
    let headings = ours.into_iter().chain(AGAINST.map(|column| column.0));
    for heading in headings {
        let _ = write!(out, "<th scope=\"col\">{heading}</th>");
    }
    out.push_str("</tr></thead>\n");
    for group in TASKS {
        let rows = group
            .tasks
            .iter()
            .filter_map(|task| Some((task, task.answer(folder.rows())?)));
        let rows: Vec<_> = rows.collect();
        if rows.is_empty() {
            continue;
        }
        let _ = writeln!(
            out,
            "<tbody>\n<tr><th scope=\"rowgroup\" colspan=\"{}\">{}</th></tr>",
            ours.len() + AGAINST.len(),
            escape(group.title)
        );
        for (task, answer) in rows {
            let [first, second] = pace(answer.ours);
            let _ = write!(
                out,
                "<tr><th scope=\"row\">{}</th><td class=\"pace\">{} <span>{}</span></td><td class=\"how\">{}</td>",
                escape(task.name),
                escape(&first),
                escape(&second),
                escape(&how(answer.ours))
            );
            let fastest = answer.rivals.first().copied();
            let named = NAMED.map(|name| (answer.rival(name), false));
            let rivals = named.into_iter().chain([(fastest, true)]);
            for ((_, heading), (rival, named)) in AGAINST.into_iter().zip(rivals) {
                out.push_str(&against(heading, &answer, rival, named));
            }
            out.push_str("</tr>\n");
        }
        out.push_str("</tbody>\n");
    }
    out.push_str("</table></div>\n</section>\n");
    out
}

/// RSA-4096 in two sentences: one signature, and many.
fn first(folder: &Folder) -> String {
    let sentence = |task: &Task| {
        let answer = task.answer(folder.rows())?;
        let [pace, _] = pace(answer.ours);
        let than = match answer.rival("openssl") {
            Some(openssl) => format!("{:.2} × OpenSSL", answer.times(openssl)),
            None => "OpenSSL was not raced".to_owned(),
        };
        let how = how(answer.ours);
        Some(format!(
            "<strong>{pace}, {than}</strong> ({})",
            escape(&how)
        ))
    };
    let [one, many] = FIRST.each_ref().map(sentence);
    let mut parts = vec![];
    parts.extend(one.map(|one| format!("one at a time {one}")));
    parts.extend(many.map(|many| format!("many at once {many}")));
    if parts.is_empty() {
        return String::new();
    }
    format!("<p>RSA-4096 signatures: {}.</p>\n", parts.join("; "))
}

/// How fast, in the unit in which it is asked for, and in another.
fn pace(row: &Row) -> [String; 2] {
    match (row.bytes, row.cycles_per_byte()) {
        (Some(n), Some(cycles)) => [
            format!("{} GB/s", number(n as f64 / row.ns_median)),
            format!("{} cycles a byte", number(cycles)),
        ],
        _ => [rate(row.ops_per_second), duration(row.ns_median)],
    }
}

/// A cell that compares with a rival, and names it if asked to. Where rows are stacked, it bears its heading itself.
fn against(heading: &str, answer: &Answer<'_>, rival: Option<&Row>, named: bool) -> String {
    let (class, text) = match rival {
        None => ("none", "not raced".to_owned()),
        Some(row) => {
            let times = answer.times(row);
            let ratio = format!("{times:.2} ×");
            match named {
                true => (grade(times), format!("{ratio}, {}", escape(owner(row)))),
                false => (grade(times), ratio),
            }
        }
    };
    format!("<td class=\"{class}\" data-heading=\"{heading}\">{text}</td>")
}

fn grade(times: f64) -> &'static str {
    match times {
        t if t >= 1.03 => "win",
        t if t >= 0.97 => "even",
        _ => "loss",
    }
}

/// The section of a record, and what the plan that came of it chose, if one did.
fn experiment(record: &Record, tuned: Option<&Plan>) -> String {
    let about = EXPERIMENTS
        .iter()
        .find(|e| e.name == record.name)
        .map_or("", |e| e.about);
    let mut out = format!(
        "<section id=\"{}\">\n<h2>{}</h2>\n<p>{}</p>\n{}",
        section(&record.name),
        escape(&record.name),
        escape(about),
        noise(record)
    );
    if OVERVIEWS.contains(&&record.name[..]) {
        let _ = writeln!(out, "{}</section>", overview(record));
        return out;
    }
    out.push_str("<div class=\"panels\">\n");
    for panel in panels(&record.rows) {
        let _ = write!(out, "<article>\n<h3>{}</h3>\n", escape(&panel.title()));
        let choices = tuned.map_or(vec![], |plan| chosen(plan, &panel.operation));
        let mut chart = panel.chart();
        let marks = choices.iter().skip(1);
        chart.marks = marks
            .map(|(bits, choice)| (*bits as f64, choice.to_string()))
            .collect();
        match chart.svg() {
            Some(svg) => {
                let _ = writeln!(out, "<figure>{svg}{}</figure>", said(&choices));
                if let Some(svg) = panel.speedups().svg() {
                    let _ = writeln!(out, "<figure>{svg}</figure>");
                }
                out.push_str("<details><summary>Data</summary>\n");
                out.push_str(&table(&panel));
                out.push_str("</details>\n");
            }
            None => {
                if let Some(svg) = panel.speedups().svg() {
                    let _ = writeln!(out, "<figure>{svg}</figure>");
                }
                out.push_str(&bars(&panel));
            }
        }
        out.push_str("</article>\n");
    }
    out.push_str("</div>\n</section>\n");
    out
}

/// What a plan chose, in words.
fn said(choices: &[(usize, Choice)]) -> String {
    let Some(((_, first), others)) = choices.split_first() else {
        return String::new();
    };
    let mut text = format!("The plan: {first}");
    for (bits, choice) in others {
        let _ = write!(text, ", {choice} from {} bits", number(*bits as f64));
    }
    format!("<figcaption class=\"note\">{}.</figcaption>", escape(&text))
}

/// How noisy the record is.
fn noise(record: &Record) -> String {
    let spreads: Vec<f64> = record
        .rows
        .iter()
        .filter(|row| row.samples != 1 && !is_bound(row))
        .map(|row| row.ns_spread / row.ns_median)
        .collect();
    let clocks: Vec<f64> = record.rows.iter().map(|row| row.core_ghz).collect();
    if spreads.is_empty() {
        return String::new();
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
    format!("<p class=\"note\">{}</p>\n", escape(text.trim()))
}

/// The rows of a panel that has one size: a table with a bar for each.
fn bars(panel: &Panel<'_>) -> String {
    let slowest = panel
        .rows
        .iter()
        .map(|(_, row)| row.ns_median)
        .fold(0.0, f64::max);
    let mut rows: Vec<&(f64, &Row)> = panel.rows.iter().collect();
    rows.sort_by(|a, b| a.1.ns_median.total_cmp(&b.1.ns_median));
    let mut out = format!(
        "<div class=\"scroll\" tabindex=\"0\" role=\"group\" aria-label=\"Table\"><table class=\"bars\">\n<caption>{}, least time first, ours in bold</caption>\n<thead><tr>\
         <th scope=\"col\">who</th><th scope=\"col\">time</th><th scope=\"col\">spread</th>\
         <th scope=\"col\">against the fastest</th>{}</tr></thead>\n<tbody>\n",
        escape(&size(panel.rows[0].1)),
        gains_headings(panel)
    );
    for (at, row) in rows {
        let _ = writeln!(
            out,
            "<tr class=\"{}\"><th scope=\"row\">{}</th><td>{}<svg class=\"bar\" viewBox=\"0 0 100 6\" \
             preserveAspectRatio=\"none\" aria-hidden=\"true\"><rect width=\"{:.1}\" height=\"6\"/></svg></td>\
             <td>{} %</td><td>{} ×</td>{}</tr>",
            if ours(row) { "ours" } else { "theirs" },
            who(row),
            escape(&time(row)),
            100.0 * row.ns_median / slowest,
            spread(row),
            number(row.ns_median / panel.best(*at)),
            gains(panel, *at, row)
        );
    }
    out.push_str("</tbody>\n</table></div>\n");
    out
}

/// Two more columns where a panel has several threads and one of the same.
fn gains_headings(panel: &Panel<'_>) -> &'static str {
    match panel.has_speedups() {
        true => "<th scope=\"col\">speedup</th><th scope=\"col\">efficiency, %</th>",
        false => "",
    }
}

/// What is in them.
fn gains(panel: &Panel<'_>, at: f64, row: &Row) -> String {
    match panel.speedup(at, row) {
        Some(speedup) => {
            let efficiency = 100.0 * speedup / row.threads as f64;
            format!("<td>{speedup:.2}</td><td>{efficiency:.0}</td>")
        }
        None if panel.has_speedups() => "<td></td><td></td>".to_owned(),
        None => String::new(),
    }
}

/// Whose row it is, ours in bold instead of by our name, for which there is little room.
fn who(row: &Row) -> String {
    let name = contender(row);
    let short = name.strip_prefix("carrysave/").unwrap_or(&name);
    match ours(row) {
        true => format!("<b>{}</b>", escape(short)),
        false => escape(short),
    }
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
fn table(panel: &Panel<'_>) -> String {
    let mut out = format!(
        "<div class=\"scroll\" tabindex=\"0\" role=\"group\" aria-label=\"Table\"><table class=\"sortable\">\n<caption>{}, ours in bold</caption>\n<thead><tr>",
        escape(&panel.title())
    );
    for heading in [
        panel.across.heading(),
        "who",
        "time",
        "spread, %",
        "GHz",
        "against the fastest",
    ] {
        let _ = write!(out, "<th scope=\"col\">{heading}</th>");
    }
    out.push_str(gains_headings(panel));
    out.push_str("</tr></thead>\n<tbody>\n");
    for (at, row) in &panel.rows {
        let _ = writeln!(
            out,
            "<tr><td>{at:.0}</td><td>{}</td><td data-v=\"{}\">{}</td><td>{}</td><td>{}</td><td>{}</td>{}</tr>",
            who(row),
            row.ns_median,
            escape(&time(row)),
            spread(row),
            row.core_ghz,
            number(row.ns_median / panel.best(*at)),
            gains(panel, *at, row)
        );
    }
    out.push_str("</tbody>\n</table></div>\n");
    out
}

/// Which plan the records follow; and the one that `tune` wrote, with what it was chosen from.
fn plan(folder: &Folder) -> String {
    let mut out = String::from("<section id=\"plan\">\n<h2>The plan in use</h2>\n");
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
    out.push_str("<p>The plan that each record follows:</p>\n<ul>\n");
    for (plan, names) in followed {
        let names = escape(&names.join(", "));
        let _ = writeln!(out, "<li>{}: {names}</li>", escape(&plan));
    }
    out.push_str("</ul>\n");
    match &folder.plan {
        Some(plan) => {
            let _ = write!(
                out,
                "<p>What <code>carrysave tune</code> chose on this machine. The races that each choice comes from are \
                 the experiment <a href=\"#{}\">tune</a>.</p>\n<details><summary>plan.toml</summary>\n\
                 <pre tabindex=\"0\" role=\"group\" aria-label=\"plan.toml\">{}</pre>\n</details>\n",
                section("tune"),
                escape(plan)
            );
        }
        None => out.push_str(
            "<p><code>carrysave-lab report --tune</code> measures one for this machine first, and follows it; the page shows \
             what each choice comes from.</p>\n",
        ),
    }
    out.push_str("</section>\n");
    out
}

/// The names of records, as text.
fn listed<'r>(records: impl Iterator<Item = &'r Record>) -> String {
    let names: Vec<&str> = records.map(|record| &record.name[..]).collect();
    escape(&names.join(", "))
}

/// What these records lack, and why.
fn not_measured(folder: &Folder) -> String {
    let mut out =
        String::from("<section id=\"not-measured\">\n<h2>What was not measured</h2>\n<ul>\n");
    let features = folder.records[0].head.get("features").unwrap_or_default();
    let missing = |isa: &Isa| {
        let wanted = Isa::ALL.iter().filter(|(part, _)| isa.contains(*part));
        let names: Vec<&str> = wanted.map(|(_, name)| *name).collect();
        let has = |name: &&str| {
            features
                .split([' ', '+', ','])
                .any(|feature| feature == *name)
        };
        names
            .into_iter()
            .filter(|name| !has(name))
            .collect::<Vec<_>>()
    };
    let mut lacking: Vec<(Vec<&str>, Vec<String>)> = vec![];
    for op in REGISTRY {
        for (kernel, needs) in op.kernels {
            let missing = missing(needs);
            if missing.is_empty() {
                continue;
            }
            let name = format!("{}/{kernel}", op.name);
            match lacking.iter_mut().find(|(isa, _)| *isa == missing) {
                Some((_, names)) => names.push(name),
                None => lacking.push((missing, vec![name])),
            }
        }
    }
    for (isa, kernels) in lacking {
        let _ = writeln!(
            out,
            "<li><details><summary>{} kernels: this processor lacks {}</summary><p>{}</p></details></li>",
            kernels.len(),
            escape(&isa.join(" and ")),
            escape(&kernels.join(", "))
        );
    }
    let absent = EXPERIMENTS
        .iter()
        .filter(|e| !folder.records.iter().any(|record| record.name == e.name));
    for experiment in absent {
        let _ = writeln!(
            out,
            "<li>Experiment {}: not part of this run (<code>carrysave-lab report --only {}</code>)</li>",
            experiment.name, experiment.name
        );
    }
    for level in [Level::Quick, Level::Standard] {
        let shorter = |record: &&Record| record.head.level() == Some(level);
        let names = listed(experiments(folder).filter(shorter));
        if !names.is_empty() {
            let level = level.name();
            let _ = writeln!(
                out,
                "<li>Some sizes of {names}, as the level was {level} (<code>carrysave-lab report --full</code>)</li>"
            );
        }
    }
    let peers = "the program was built without <code>--features peers</code>";
    let rivals = [
        ("OpenSSL", ""),
        ("AWS-LC", ""),
        (
            "Crypto++",
            ", or found no C++ compiler or no Crypto++ (Debian: <code>g++</code> and <code>libcrypto++-dev</code>); it \
             is the only rival for Rabin, Rabin-Williams, ESIGN, Nyberg-Rueppel, MQV and DLIES in schemes",
        ),
        (
            "Botan",
            ", or found no library of it (Debian: <code>libbotan-2-dev</code>); it is a rival for Threefish-512 in \
             symmetric",
        ),
    ];
    for (name, more) in rivals {
        let without = |record: &&Record| {
            let rivals = record.head.get("rivals").unwrap_or_default();
            !rivals.to_lowercase().contains(&name.to_lowercase())
        };
        let names = listed(experiments(folder).filter(without));
        if !names.is_empty() {
            let _ = writeln!(
                out,
                "<li>{name}, when these were measured: {names}; {peers}{more}</li>"
            );
        }
    }
    for table in coverage(&[Measured::from(folder)]) {
        let [figures, .., lacking] = table.counts();
        if lacking > 0 {
            let _ = writeln!(
                out,
                "<li>{lacking} of {figures} published figures of the table {}: no row of these records stands beside \
                 them</li>",
                escape(table.title)
            );
        }
    }
    out.push_str("</ul>\n</section>\n");
    out
}

fn method(folder: &Folder) -> String {
    let mut out = String::from(
        "<section id=\"method\">\n<h2>How it was measured</h2>\n<p>Answers are checked before anything is timed. \
         Contenders take turns within one process, so that what disturbs the machine disturbs all alike; figures are \
         medians, the spread is the distance of the quartiles. On one thread time is the process's own, on several it \
         is the wall clock's. The core clock is measured in the same run, by a chain of dependent multiplications.</p>\n\
         <p>A line named bound is no contender: it is what the instruction after the slash takes alone, as many as the \
         schoolbook method needs, at the rate at which this core executes them in the same run.</p>\n",
    );
    out.push_str(&shared(folder));
    out.push_str(
        "<div class=\"scroll\" tabindex=\"0\" role=\"group\" aria-label=\"Table\"><table id=\"records\">\n\
         <caption>The records</caption>\n<thead><tr><th scope=\"col\">record</th><th scope=\"col\">rows</th>",
    );
    let names = ["date", "level", "commit", "build", "plan"];
    for name in names {
        let _ = write!(out, "<th scope=\"col\">{name}</th>");
    }
    out.push_str("</tr></thead>\n<tbody>\n");
    for record in &folder.records {
        let _ = write!(
            out,
            "<tr><th scope=\"row\">{}</th><td>{}</td>",
            escape(&record.name),
            record.rows.len()
        );
        for name in names {
            let value = record.head.get(name).unwrap_or("–");
            let _ = write!(out, "<td>{}</td>", escape(value));
        }
        out.push_str("</tr>\n");
    }
    out.push_str("</tbody>\n</table></div>\n</section>\n");
    out
}

/// What many records have in common, each value once: in every line of a table it would fill screens.
fn shared(folder: &Folder) -> String {
    let mut out = String::from("<dl>\n");
    for name in ["machine", "features", "compiler", "rivals"] {
        let values = values(folder.records.iter(), name);
        for value in &values {
            let of = |record: &&Record| record.head.get(name) == Some(*value);
            let whose = match values.len() {
                1 => String::new(),
                _ => format!(" of {}", listed(folder.records.iter().filter(of))),
            };
            let _ = writeln!(out, "<dt>{name}{whose}</dt><dd>{}</dd>", escape(value));
        }
    }
    out.push_str("</dl>\n");
    out
}

#[cfg(test)]
mod tests;
