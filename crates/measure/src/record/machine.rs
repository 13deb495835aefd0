//! What the system says of this machine.

use carrysave_engine::Cores;

/// The system and the architecture.
pub(super) fn system() -> String {
    format!("{} {}", std::env::consts::OS, std::env::consts::ARCH)
}

/// The load averages of one, five and fifteen minutes.
pub(super) fn load() -> Option<String> {
    let text = std::fs::read_to_string("/proc/loadavg").ok()?;
    let averages: Vec<&str> = text.split(' ').take(3).collect();
    Some(averages.join(" "))
}

/// Whether a core has several of the processors that this thread may use, where that is known.
pub(super) fn smt() -> Option<String> {
    let several = Cores::here().most_threads() > 1;
    cfg!(target_os = "linux").then(|| if several { "yes" } else { "no" }.to_owned())
}

/// Whether a hypervisor runs this machine, by what the processor says, or else the firmware.
pub(super) fn hypervisor() -> Option<bool> {
    let read = |path| std::fs::read_to_string(path).unwrap_or_default();
    let firmware = ["product_name", "sys_vendor"];
    let firmware = firmware.map(|name| read(format!("/sys/class/dmi/id/{name}")));
    is_virtual(&read("/proc/cpuinfo".to_owned()), &firmware.concat())
}

fn is_virtual(cpuinfo: &str, firmware: &str) -> Option<bool> {
    const NAMES: [&str; 7] = [
        "KVM",
        "QEMU",
        "VMware",
        "VirtualBox",
        "Virtual Machine",
        "Xen",
        "Compute Engine",
    ];
    let flags = cpuinfo.lines().find(|line| line.starts_with("flags"));
    let flag = flags.is_some_and(|flags| flags.split_whitespace().any(|flag| flag == "hypervisor"));
    let named = NAMES.iter().any(|name| firmware.contains(name));
    (flags.is_some() || !firmware.is_empty()).then_some(flag || named)
}

/// The processor's name, with family and model where the system tells them; or by the numbers of its maker, part and
/// variant, which is what Linux tells of an Arm processor.
pub fn cpu_name() -> Option<String> {
    cpu_name_in(&std::fs::read_to_string("/proc/cpuinfo").unwrap_or_default())
}

/// The processor's name by the text of `/proc/cpuinfo`.
fn cpu_name_in(info: &str) -> Option<String> {
    let field = |name: &str| {
        let line = info
            .lines()
            .find(|l| l.split(':').next().is_some_and(|key| key.trim() == name))?;
        Some(line.split_once(':')?.1.trim().to_owned())
    };
    match (field("model name"), field("cpu family"), field("model")) {
        (Some(name), Some(family), Some(model)) => {
            Some(format!("{name} (family {family} model {model})"))
        }
        (Some(name), ..) => Some(name),
        _ => {
            let numbers = ["implementer", "part", "variant"];
            let [maker, part, variant] = numbers.map(|what| field(&format!("CPU {what}")));
            Some(format!(
                "Arm {}, part {}, variant {}",
                maker?, part?, variant?
            ))
        }
    }
}

/// The name of a processor that the system does not name.
pub const UNKNOWN: &str = "unknown";

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn processors_have_names_or_numbers() {
        let intel = "processor\t: 0\ncpu family\t: 6\nmodel\t\t: 143\nmodel name\t: Some Xeon\n";
        let name = Some("Some Xeon (family 6 model 143)".to_owned());
        assert_eq!(cpu_name_in(intel), name);
        let arm = "processor\t: 0\nCPU implementer\t: 0x41\nCPU architecture: 8\nCPU variant\t: 0x3\nCPU part\t: 0xd0c\n";
        let name = Some("Arm 0x41, part 0xd0c, variant 0x3".to_owned());
        assert_eq!(cpu_name_in(arm), name);
        assert_eq!(cpu_name_in("processor\t: 0\n"), None);
    }

    #[test]
    fn a_hypervisor_is_seen_by_processor_or_firmware() {
        let flags = |more: &str| format!("processor\t: 0\nflags\t\t: fpu {more} adx\n");
        for (cpuinfo, firmware, there) in [
            (flags("hypervisor"), "", Some(true)),
            (flags("hypervisors"), "", Some(false)),
            (flags(""), "Google Compute Engine\n", Some(true)),
            (String::new(), "KVM\nQEMU\n", Some(true)),
            (String::new(), "PowerEdge\nDell Inc.\n", Some(false)),
            (String::new(), "", None),
        ] {
            assert_eq!(
                is_virtual(&cpuinfo, firmware),
                there,
                "{cpuinfo} {firmware}"
            );
        }
    }

    #[test]
    fn linux_tells_the_load() {
        if cfg!(target_os = "linux") {
            let load = load().expect("Linux tells it");
            let averages = load.split(' ').map(str::parse::<f64>);
            assert!(
                averages.clone().count() == 3 && averages.clone().all(|average| average.is_ok()),
                "{load}"
            );
        }
    }
}
