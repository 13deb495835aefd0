//! The registry is whole: every operation has a reference and a kernel for every processor, and every file is a row.

use carrysave_kernels::{Cpu, FAMILIES, Isa, REGISTRY};
use carrysave_proof::reference::REFERENCES;

#[test]
fn every_operation_has_a_reference_and_every_reference_an_operation() {
    let mut operations: Vec<&str> = REGISTRY.iter().map(|op| op.name).collect();
    let mut references: Vec<&str> = REFERENCES.iter().map(|(name, _)| *name).collect();
    operations.sort_unstable();
    references.sort_unstable();
    assert_eq!(operations, references);
}

#[test]
fn every_mask_leaves_a_kernel_that_it_admits() {
    let native = Cpu::native();
    let mut masks: Vec<Cpu> = native.masks().collect();
    masks.extend(Isa::ALL.iter().map(|(isa, _)| native.without(*isa)));
    for op in REGISTRY {
        let mut names: Vec<&str> = op.kernels.iter().map(|(name, _)| *name).collect();
        names.sort_unstable();
        names.dedup();
        assert_eq!(
            names.len(),
            op.kernels.len(),
            "{}: two kernels of one name",
            op.name
        );
        for cpu in &masks {
            assert!(op.admitted(*cpu).any(|i| i == op.portable()), "{}", op.name);
            let (name, needs) = op.kernels[op.best(*cpu)];
            assert!(cpu.has(needs), "{}/{name} on {cpu}", op.name);
        }
        // What some mask chooses is admitted here, and so was walked above.
        for (i, (name, needs)) in op.kernels.iter().enumerate() {
            let admitted = op.admitted(native).any(|j| i == j);
            assert_eq!(admitted, native.has(*needs), "{}/{name}", op.name);
            if !admitted {
                println!(
                    "not walked on this processor: {}/{name}, needs {needs}",
                    op.name
                );
            }
        }
    }
}

/// Whether the table of an operation has a row for the file of this name, on whatever processor, or takes it as a module.
fn is_named(table: &str, file: &str) -> bool {
    let rows = table.split(['{', ';', '\n']).map(str::trim);
    let mut rows = rows.map(|row| row.strip_prefix("vartime ").unwrap_or(row));
    let row = |row: &str| row.starts_with(&format!("{file}: ")) && !row.contains("=>");
    let module = format!("mod {file}");
    let is_module = |row: &str| row.strip_prefix("pub(crate) ").unwrap_or(row) == module;
    rows.any(|found| row(found) || is_module(found))
}

/// Whether code does more than to call something else.
fn has_a_body(code: &str) -> bool {
    let words = [
        "for ", "while ", "loop ", "if ", "match ", "let ", "!(", "_mm", "static ",
    ];
    let code = code.lines().filter(|line| !line.trim().starts_with("//"));
    let code = code.collect::<Vec<_>>().join("\n");
    let statement = |line: &&str| line.starts_with("        ") && line.ends_with(';');
    words.iter().any(|word| code.contains(word)) || code.lines().filter(statement).count() > 1
}

/// A file that no row names would not even be compiled, and one without a body would only stand between a row and the
/// function that the row can name itself.
#[test]
fn every_file_of_an_operation_holds_a_body_that_a_row_names() {
    let source = concat!(env!("CARGO_MANIFEST_DIR"), "/../kernels/src");
    let mut operations = 0;
    for (family, ops) in FAMILIES {
        for folder in std::fs::read_dir(format!("{source}/{family}")).unwrap() {
            let folder = folder.unwrap().path();
            // Files beside the folders, and folders that declare no operation, are what kernels are made of.
            let table = std::fs::read_to_string(folder.join("mod.rs")).unwrap_or_default();
            if !table.contains("op! {") {
                continue;
            }
            let stem =
                |path: &std::path::Path| path.file_stem().unwrap().to_str().unwrap().to_owned();
            let name = format!("{family}_{}", stem(&folder));
            assert!(
                ops.iter().any(|op| op.name == name),
                "{name} is not in the registry"
            );
            for file in std::fs::read_dir(&folder).unwrap() {
                let path = file.unwrap().path();
                let kernel = stem(&path);
                if kernel != "mod" && path.is_file() {
                    assert!(
                        is_named(&table, &kernel),
                        "{name}/{kernel} has no row in its table"
                    );
                    let code = std::fs::read_to_string(&path).unwrap();
                    assert!(
                        has_a_body(&code),
                        "{name}/{kernel} only calls what its row could name"
                    );
                }
            }
            operations += 1;
        }
    }
    assert_eq!(operations, REGISTRY.len());
}
