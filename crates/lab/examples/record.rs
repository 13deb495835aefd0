//! Writes records: `cargo run --release -p carrysave-lab --features peers --example record -- DIRECTORY SECONDS EXPERIMENT...`
//! runs each experiment and writes `DIRECTORY/EXPERIMENT.csv`.

use carrysave_lab::{
    Request,
    record::{Head, write_csv},
    run,
    table::Text,
};
use std::{error::Error, fs, path::Path};

fn main() -> Result<(), Box<dyn Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [directory, seconds, experiments @ ..] = arguments.as_slice() else {
        return Err("say where to, how many seconds a race, and which experiments".into());
    };
    fs::create_dir_all(directory)?;
    for experiment in experiments {
        let request = Request {
            experiments: vec![experiment.clone()],
            seconds: seconds.parse()?,
            ..Request::default()
        };
        let outcome = run(&request, &mut Text(std::io::stdout()))?;
        if let Some(refused) = outcome.refused.first() {
            return Err(refused.to_string().into());
        }
        let path = Path::new(directory).join(format!("{experiment}.csv"));
        write_csv(fs::File::create(path)?, &Head::here(), &outcome.rows)?;
    }
    Ok(())
}
