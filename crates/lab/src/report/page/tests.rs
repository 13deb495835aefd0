//! Of the page.

use super::*;
use crate::record::Head;
use crate::report::{html::tests::check_nesting, tests::row};
use carrysave_engine::plan::to_toml;
use std::path::Path;

/// The rows of tables, a line each.
fn in_lines(page: &str) -> String {
    page.replace("<tr", "\n<tr").replace("</tr>", "</tr>\n")
}

fn folder() -> Folder {
    let head = Head(
        [
            ("cpu", "A <b> & C"),
            ("features", "adx bmi2"),
            ("rivals", "openssl 4"),
            ("date", "2026-11-22"),
        ]
        .map(|(name, value)| (name.to_owned(), value.to_owned()))
        .into(),
    );
    let rows = vec![
        row("rsa", "sign", 2048, "carrysave", 1, 100.0),
        row("rsa", "sign", 2048, "openssl", 1, 150.0),
        row("rsa", "sign", 4096, "carrysave", 1, 700.0),
        row("rsa", "sign", 4096, "openssl", 1, 650.0),
        row("rsa", "sign", 1024, "carrysave", 1, 20.0),
        row("loops", "private", 1024, "carrysave/mul_adc", 1, 20.0),
    ];
    Folder {
        records: vec![Record {
            name: "rsa".into(),
            head,
            rows,
        }],
        plan: Some("[pow]\n# <evil>".into()),
    }
}

#[test]
fn the_first_screen_answers() {
    let page = in_lines(&page(&folder()));
    let line = page
        .lines()
        .find(|line| line.contains("RSA-2048: sign or decrypt"))
        .unwrap();
    assert!(
        line.contains("<td class=\"win\" data-heading=\"OpenSSL\">1.50 ×</td>"),
        "{line}"
    );
    assert!(
        !page.contains("data-heading=\"AWS-LC\""),
        "it was not there"
    );
    let line = page
        .lines()
        .find(|line| line.contains("RSA-4096: sign or decrypt"))
        .unwrap();
    assert!(line.contains("<td class=\"loss\" "), "{line}");
}

#[test]
fn a_column_is_of_a_rival_that_was_there() {
    let mut folder = folder();
    let aws_lc = row("rsa", "sign", 2048, "aws-lc", 1, 200.0);
    folder.records[0].rows.push(aws_lc);
    let page = page(&folder);
    assert!(page.contains("<th scope=\"col\">against AWS-LC</th>"));
    assert!(page.contains("data-heading=\"AWS-LC\">2.00 ×</td>"));
    assert!(
        page.contains("data-heading=\"AWS-LC\">not raced</td>"),
        "RSA-4096"
    );
}

#[test]
fn many_at_once_stands_beside_one_by_one() {
    let mut folder = folder();
    folder.records[0].rows = vec![
        row("batch", "private/64", 2048, "carrysave/batch", 2, 10.0),
        row("batch", "private/64", 2048, "carrysave", 2, 20.0),
        row("batch", "private/64", 2048, "openssl", 2, 40.0),
    ];
    let page = in_lines(&page(&folder));
    let line = |begin: &str| page.lines().find(|line| line.contains(begin)).unwrap();
    assert!(line("<th scope=\"row\">RSA-2048: sign</th>").contains(">4.00 ×<"));
    let alone = line("<th scope=\"row\">RSA-2048: sign, one by one</th>");
    assert!(
        alone.contains(">2.00 ×<") && alone.starts_with("<tr class=\"alone\">"),
        "{alone}"
    );
}

#[test]
fn bulk_work_names_its_size_and_has_cycles() {
    let mut folder = folder();
    let mut aes = row("symmetric", "aes-128/ctr", 0, "carrysave", 1, 2048.0);
    (aes.bits, aes.bytes) = (None, Some(16_384));
    folder.records[0].rows = vec![aes];
    let page = in_lines(&page(&folder));
    let line = page
        .lines()
        .find(|line| line.contains(">AES-128-CTR, 16 KiB</th>"));
    let pace = "<td class=\"pace\">0.4625 cycles a byte <span>2.05 µs</span></td>";
    assert!(line.unwrap().contains(pace), "{line:?}");
}

#[test]
fn a_table_of_bars_names_a_size_if_there_is_one() {
    let mut folder = folder();
    folder.records[0].rows = vec![
        row("teams", "start", 0, "carrysave/threads", 2, 100.0),
        row("teams", "power", 512, "carrysave", 1, 100.0),
    ];
    let page = page(&folder);
    assert!(page.contains("<caption>least time first, ours in bold</caption>"));
    assert!(page.contains("<caption>512 bits: least time first, ours in bold</caption>"));
}

#[test]
fn a_contender_has_one_colour_on_the_whole_page() {
    let mut folder = folder();
    folder.records[0].rows.extend([
        row("rsa", "sign", 2048, "rsa", 1, 300.0),
        row("rsa", "sign", 4096, "rsa", 1, 900.0),
        row("rsa", "verify", 4096, "openssl", 1, 9.0),
        row("rsa", "verify", 4096, "rsa", 1, 19.0),
        row("rsa", "verify", 4096, "in bars alone", 1, 99.0),
    ]);
    let page = page(&folder);
    for (class, title) in [
        ("s0", "carrysave"),
        ("s1 dashed", "openssl"),
        ("s4 dashed", "rsa"),
    ] {
        let [group, title] = [
            format!("<g class=\"{class}\">"),
            format!("<title>{title}: 2048,"),
        ];
        let mut lines = page.split(&group[..]).skip(1);
        assert!(lines.any(|line| line.contains(&title)), "{title}");
    }
    for (name, class) in [
        ("openssl", "bar s1"),
        ("rsa", "bar s4"),
        ("in bars alone", "bar s5"),
    ] {
        let bar = format!("<th scope=\"row\">{name}</th>");
        let bar = page.split(&bar[..]).nth(1).unwrap();
        let svg = bar.split("<svg class=\"").nth(1).unwrap();
        assert_eq!(svg.split('"').next(), Some(class), "{name}");
    }
}

#[test]
fn threads_have_their_speedup_and_efficiency() {
    let mut folder = folder();
    assert!(!page(&folder).contains(">efficiency, %</th>"));
    let times = [(1, 80.0), (2, 44.0), (4, 25.0)];
    let rows = times
        .map(|(threads, time)| row("threads", "mont_mul", 512, "carrysave/pfios", threads, time));
    folder.records[0].rows.extend(rows);
    let page = page(&folder);
    assert!(page.contains("<td>1.82</td><td>91</td></tr>"), "{page}");
    assert!(page.contains("<td>3.20</td><td>80</td></tr>"));
    assert!(page.contains("<title>carrysave/pfios: 4, 3.2</title>"));
    check_nesting(&page);
}

#[test]
fn schemes_are_one_table_with_ours_and_theirs() {
    let mut folder = folder();
    folder.records[0].name = "schemes".into();
    folder.records[0].rows = vec![
        row("schemes", "dsa/signature", 2048, "carrysave", 1, 100.0),
        row(
            "schemes",
            "dsa/signature",
            2048,
            "carrysave/in-use",
            1,
            40.0,
        ),
        row("schemes", "dsa/signature", 2048, "openssl", 1, 80.0),
        row("schemes", "dsa/signature", 2048, "crypto++", 1, 120.0),
        row("schemes", "rw/signature", 1024, "carrysave", 1, 50.0),
    ];
    let page = in_lines(&page(&folder));
    assert!(!page.contains("<h3>dsa/signature</h3>"));
    let line = |begin: &str| page.lines().find(|line| line.contains(begin)).unwrap();
    let cells = |begin: &str| line(begin).split_once("</th>").unwrap().1.to_owned();
    let theirs = "<td data-v=\"80\">80 ns</td><td data-v=\"120\">120 ns</td></tr>";
    for (begin, bits, ns, ratio, theirs) in [
        (
            ">dsa/signature<",
            2048,
            100,
            "<td class=\"loss\">0.80\u{a0}×</td>",
            theirs,
        ),
        (
            ">dsa/signature, in-use<",
            2048,
            40,
            "<td class=\"win\">2.00\u{a0}×</td>",
            theirs,
        ),
        (
            ">rw/signature<",
            1024,
            50,
            "<td class=\"none\">not raced</td>",
            "<td></td><td></td></tr>",
        ),
    ] {
        let ours = format!("<td>{bits}</td><td data-v=\"{ns}\">{ns} ns</td>");
        assert_eq!(cells(begin), [&ours, ratio, theirs].concat());
    }
    check_nesting(&page);
}

#[test]
fn what_tune_chose_is_marked() {
    let mut folder = folder();
    let plan = Plan {
        divide: 30,
        ..Plan::native().clone()
    };
    folder.plan = Some(to_toml(&plan));
    let times = [(1024, "below", 5.0), (4096, "below", 50.0)];
    let times = times
        .into_iter()
        .chain([(1024, "above", 9.0), (4096, "above", 30.0)]);
    let mut record = folder.records[0].clone();
    record.name = "tune".into();
    record.rows = times
        .map(|(bits, choice, ns)| row("tune", "divide", bits, choice, 1, ns))
        .collect();
    folder.records.push(record);
    let page = page(&folder);
    assert_eq!(page.matches("<line class=\"mark\"").count(), 1);
    assert!(page.contains(">above</text></svg>"));
    assert!(page.contains(
        "<figcaption class=\"note\">The plan: below, above from 1920 bits.</figcaption>"
    ));
    check_nesting(&page);
}

#[test]
fn texts_are_escaped_and_tags_are_closed() {
    let page = page(&folder());
    assert!(page.contains("A &lt;b&gt; &amp; C") && page.contains("# &lt;evil&gt;"));
    assert!(!page.contains("<evil>") && !page.contains("A <b>"));
    check_nesting(&page);
    assert!(
        !page.contains("http://") && !page.contains("https://"),
        "it needs no network"
    );
}

#[test]
fn published_curves_are_drawn_with_ours() {
    let mut folder = folder();
    let rows = [512, 1024, 2048].map(|bits| {
        let way = "carrysave/signed_digit/fios_delayed_w32";
        row("thesis", "modexp", bits, way, 1, (bits * bits) as f64)
    });
    folder.records[0].rows.extend(rows);
    let page = page(&folder);
    let figure = page
        .split("<figure>")
        .find(|figure| figure.contains("Figure 7, signed digits: time, published and here"));
    let figure = figure.unwrap().split("</figure>").next().unwrap();
    assert!(figure.contains("-O3 (table 1, section 3.5)."), "{figure}");
    let caption = "<figcaption class=\"note\">Figure 7, signed digits: time</figcaption>";
    assert!(figure.ends_with(caption), "{figure}");
    assert!(
        figure.contains("<title>signed digits, modified FIOS, here: 2048, 4.19 ms</title>"),
        "{figure}"
    );
    assert!(figure.contains("<title>signed digits, modified FIOS, published: 6656, 3.3 s</title>"));
    assert!(figure.contains(">key bits</text>"));
    assert!(!figure.contains("published: 512,"), "it took no time");
    // The other four methods have a figure of their own, and what is gained has some.
    for caption in [
        "Figure 7, binary exponentiation: time",
        "Figure 18, over one thread by FIOS: speedup",
        "Figure 22: efficiency",
    ] {
        assert!(
            page.contains(&format!(">{caption}</figcaption>")),
            "{caption}"
        );
    }
    check_nesting(&page);
}

#[test]
fn published_figures_stand_beside_ours() {
    let page = in_lines(&page(&folder()));
    let line = page
        .lines()
        .find(|line| line.contains(">integer 64bit<"))
        .unwrap();
    assert!(
        line.contains("title=\"loops: private 1024 bits, carrysave/mul_adc\""),
        "{line}"
    );
    let ours = ">1<br><b>7.40e-5</b> (1.0 %)<sup>";
    assert!(line.contains(ours), "74 cycles in millions: {line}");
    let line = page
        .lines()
        .find(|line| line.contains(">RSA 2048 Decryption<"));
    let line = line.expect("a line of the schemes");
    assert!(
        line.contains("data-v=\"20730000\"") && line.contains("20.73 (0.08)"),
        "{line}"
    );
    assert!(
        page.contains("AVX512".to_lowercase().as_str()),
        "what this processor lacks"
    );
}

#[test]
fn records_of_several_runs_are_said_to_be() {
    let mut folder = folder();
    assert!(!page(&folder).contains("not taken at once"));
    for (name, commit, level) in [
        ("mpn", "c1", "full"),
        ("modexp", "c2", "quick"),
        ("tune", "c3", ""),
    ] {
        let mut record = folder.records[0].clone();
        record.name = name.into();
        let entries = [("commit", commit), ("level", level)];
        record
            .head
            .0
            .extend(entries.map(|(name, value)| (name.into(), value.into())));
        folder.records.push(record);
    }
    let page = page(&folder);
    assert!(
        page.contains("they are of 2 commits, 2 levels."),
        "tune is no experiment"
    );
    assert!(page.contains("<p>2026-11-22 · full, quick</p>"));
}

#[test]
fn load_and_hypervisor_are_in_the_head_if_the_record_has_them() {
    let mut folder = folder();
    assert!(page(&folder).contains("<p>2026-11-22</p>"));
    let entries = [("load", "0.10 0.20 0.30"), ("hypervisor", "yes")];
    let head = &mut folder.records[0].head.0;
    head.extend(entries.map(|(name, value)| (name.into(), value.into())));
    assert!(
        page(&folder).contains("<p>2026-11-22 · on a hypervisor · load before: 0.10 0.20 0.30</p>")
    );
    let head = &mut folder.records[0].head.0;
    head.last_mut().unwrap().1 = "no".into();
    assert!(page(&folder).contains(" · without a hypervisor · "));
    // Of two records that of the busier minute is in the head, and both are in the table.
    let mut record = folder.records[0].clone();
    record.name = "mpn".into();
    for (name, value) in &mut record.head.0 {
        if *name == "load" {
            *value = "2.10 0.10 0.10".into();
        }
    }
    folder.records.push(record);
    let page = page(&folder);
    assert!(page.contains(" · load before: 2.10 0.10 0.10 at most</p>"));
    for load in ["0.10 0.20 0.30", "2.10 0.10 0.10"] {
        assert!(page.contains(&format!("<td>{load}</td></tr>")), "{load}");
    }
}

#[test]
fn what_any_record_lacks_is_said() {
    let mut folder = folder();
    let mut record = folder.records[0].clone();
    record.name = "schemes".into();
    record.head.0.retain(|(name, _)| name != "rivals");
    record.head.0.push(("level".into(), "quick".into()));
    folder.records.push(record);
    let section = not_measured(&folder).into_string();
    for lacks in [
        "<li>OpenSSL, when these were measured: schemes;",
        "<li>AWS-LC, when these were measured: rsa, schemes;",
        "<li>Some sizes of schemes, as the level was quick",
        "published figures of the table Exponentiation on two threads",
    ] {
        assert!(section.contains(lacks), "{lacks}");
    }
}

#[test]
fn what_records_share_is_listed_once() {
    let mut folder = folder();
    let mut record = folder.records[0].clone();
    record.name = "mpn".into();
    folder.records.push(record);
    assert_eq!(
        method(&folder).into_string().matches("openssl 4").count(),
        1
    );
    folder.records[1]
        .head
        .0
        .retain(|(name, _)| name != "rivals");
    folder.records[1]
        .head
        .0
        .push(("rivals".into(), "none".into()));
    let page = method(&folder).into_string();
    assert!(page.contains("<dt>rivals of rsa</dt><dd>openssl 4</dd>"));
    assert!(page.contains("<dt>rivals of mpn</dt><dd>none</dd>"));
}

#[test]
fn ours_are_bold_and_lack_our_name() {
    let ours = row("mpn", "mpn_add_n", 64, "carrysave/adc", 2, 10.0);
    assert_eq!(who(&ours).into_string(), "<b>adc, 2 threads</b>");
    let theirs = row("mpn", "mpn_add_n", 64, "gmp", 1, 10.0);
    assert_eq!(who(&theirs).into_string(), "gmp");
    assert_eq!(spread(&ours), "1.0");
}

#[test]
fn the_plan_that_records_follow_is_quoted() {
    let mut folder = folder();
    let tuned = format!(
        "tuned 2026-11-22, {}",
        fingerprint(folder.plan.as_ref().unwrap().as_bytes())
    );
    for (name, plan) in [("mpn", "built-in"), ("modexp", &tuned), ("batch", &tuned)] {
        let mut record = folder.records[0].clone();
        record.name = name.into();
        record.head.0.push(("plan".into(), plan.into()));
        folder.records.push(record);
    }
    let page = page(&folder);
    for line in [
        "not named in the record: rsa".to_owned(),
        "built-in: mpn".to_owned(),
        format!("{tuned}, see below: modexp, batch"),
    ] {
        assert!(page.contains(&format!("<li>{line}</li>")), "{line}");
    }
}

#[test]
fn no_two_links_of_the_navigation_are_named_alike() {
    let mut folder = folder();
    let record = folder.records[0].clone();
    let named = |e: &crate::experiments::Experiment| Record {
        name: e.name.into(),
        ..record.clone()
    };
    folder.records = EXPERIMENTS.iter().map(named).collect();
    let links = navigation(&folder).into_string();
    let links = links.split("<a href=").skip(1);
    let name = |link: &'_ str| link.split(['>', '<']).nth(1).map(str::to_owned);
    let mut names: Vec<String> = links.filter_map(name).collect();
    let all = names.len();
    assert!(all > EXPERIMENTS.len());
    names.sort_unstable();
    names.dedup();
    assert_eq!(names.len(), all);
}

#[test]
fn pages_of_records_are_well_formed_and_small() {
    let records = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../lab-records");
    let mut pages = 0;
    for folder in Folder::all(&records).unwrap() {
        let page = Folder::read(&folder).unwrap().page();
        check_nesting(&page);
        // A reader of screens would say nothing for it.
        let unnamed = page.contains(r#"<th scope="col"></th>"#);
        assert!(!unnamed, "{}: a column has no heading", folder.display());
        assert!(
            page.len() < 3_000_000,
            "{}: {} bytes",
            folder.display(),
            page.len()
        );
        pages += 1;
    }
    assert!(pages > 0);
}
