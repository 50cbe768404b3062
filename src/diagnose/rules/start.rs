//! Conclusions about start-up: versions, interfaces, ranks that never meet.

use std::collections::BTreeMap;

use super::{Case, Conclusion, finding};
use crate::diagnose::finding::{Finding, Severity};
use crate::diagnose::job::{Death, Evidence, Host};
use crate::diagnose::text::{list, names};
use crate::render::{code, foreign};

/// Ranks load different releases of NCCL. Evidence: two `NCCL version` lines.
pub fn versions_differ(case: &Case<'_, '_>) -> Option<Conclusion<'static>> {
    let mut hosts: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
    let mut lines = BTreeMap::new();
    for (host, facts) in &case.job.hosts {
        for (version, evidence) in &facts.versions {
            hosts.entry(version).or_default().push(host);
            lines.entry(version.as_str()).or_insert(evidence);
        }
    }
    if hosts.len() < 2 {
        return None;
    }
    // The version of the fewest hosts is the odd one.
    let odd = hosts
        .iter()
        .min_by_key(|(version, hosts)| (hosts.len(), lines[*version].order))
        .map(|(version, _)| *version)?;
    let fatal = case.first_of(&[
        "address-family",
        "socket-wrong-magic",
        "socket-wrong-type",
        "version-mismatch",
        "bootstrap-message-truncated",
    ]);
    let severity = if fatal.is_some() { Severity::Error } else { Severity::Warning };
    let mut finding = finding(
        "nccl-versions-differ",
        severity,
        Some(lines[odd]),
        &["nccl-versions#mixed-ranks", "nccl-bootstrap#family"],
    );
    let named: Vec<String> =
        hosts.iter().map(|(version, hosts)| format!("{} on {}", foreign(version), names(hosts))).collect();
    finding.message = format!(
        "The ranks load different NCCL releases: {}. What they exchange at the start has another layout in each, so addresses and \
         messages look broken; a job needs the same release everywhere.",
        list(&named)
    );
    finding.advice = "Make every rank load the same library: compare `pip freeze | grep nccl`, LD_LIBRARY_PATH and LD_PRELOAD of the \
                      hosts, and `grep nccl /proc/PID/maps` of a running rank. An image that is older on some nodes is the usual reason."
        .to_string();
    finding.hosts = hosts[odd].iter().map(|host| (*host).to_string()).collect();
    Some(Conclusion::new(
        finding,
        &[
            "address-family",
            "socket-wrong-magic",
            "socket-wrong-type",
            "version-mismatch",
            "ras-version-mismatch",
            "bootstrap-message-truncated",
            "socket-message-truncated",
            "bootstrap-root-mismatch",
        ],
    ))
}

/// Interfaces that exist on one host only.
fn is_local(interface: &str) -> bool {
    ["br-", "docker", "virbr", "veth", "cni", "cali", "flannel", "podman", "lxc", "lxd", "kube"]
        .iter()
        .any(|prefix| interface.starts_with(prefix))
        || interface == "lo"
}

/// A host offers an address that only it can reach. Evidence: its bootstrap interface is a bridge, and another host cannot connect to
/// that address.
pub fn bootstrap_on_bridge(case: &Case<'_, '_>) -> Option<Conclusion<'static>> {
    let job = case.job;
    // Of each address on a bridge the first host that offers it.
    let mut offered: BTreeMap<&str, (&String, &String, &Evidence)> = BTreeMap::new();
    for (host, facts) in &job.hosts {
        if let Some((interface, own, line)) = facts.bootstrap.as_ref().filter(|(interface, ..)| is_local(interface)) {
            offered.entry(own).or_insert((host, interface, line));
        }
    }
    for (from, address, evidence) in &job.connects {
        let Some(&(host, interface, line)) = offered.get(address.as_str()) else { continue };
        let evidence = if host == from { line } else { evidence };
        let mut finding = finding(
            "bootstrap-on-bridge",
            Severity::Error,
            Some(evidence),
            &["nccl-bootstrap#wrong-interface", "nccl-env#NCCL_SOCKET_IFNAME", "containers-k8s#netns"],
        );
        let usable = job.hosts.values().filter_map(|facts| facts.bootstrap.as_ref());
        let usable = usable.map(|(interface, ..)| interface.as_str()).find(|interface| !is_local(interface));
        finding.message = format!(
            "{} offers {} on {}, a bridge that exists on that host only: {} cannot reach it, the connection is refused or \
             unanswered. NCCL chose the interface by itself or by NCCL_SOCKET_IFNAME.",
            foreign(host),
            foreign(address),
            foreign(interface),
            if from.is_empty() { "another host".to_string() } else { foreign(from) }
        );
        finding.advice = format!(
            "Set NCCL_SOCKET_IFNAME on every node to the interface that connects the hosts (here probably {}), or exclude the local ones with \
             `^lo,docker,br-,veth,virbr`. Then check from another host that its address can be reached; only after that look at \
             blocked ports.",
            code(usable.unwrap_or("the one with the host's own address"))
        );
        finding.hosts = vec![host.clone()];
        return Some(Conclusion::new(finding, CONNECT));
    }
    None
}

const CONNECT: &[&str] = &[
    "connect-refused",
    "connect-no-route",
    "connect-net-unreachable",
    "connect-timed-out",
    "socket-connect-failed",
    "connect-retrying",
];

/// A host offers an address that is valid on one link only. Evidence: a connection to a link-local address fails.
pub fn link_local_address(case: &Case<'_, '_>) -> Option<Conclusion<'static>> {
    let is_link_local =
        |address: &str| address.to_ascii_lowercase().starts_with("fe80:") || address.starts_with("169.254.");
    let Some((from, address, evidence)) = case.job.connects.iter().find(|(_, address, _)| is_link_local(address))
    else {
        return loopback(case);
    };
    let offered = case.job.hosts.values().flat_map(|facts| {
        let bootstrap = facts.bootstrap.iter().map(|(interface, address, _)| (interface.as_str(), address.as_str()));
        bootstrap.chain(facts.interfaces.iter().map(|(interface, address)| (interface.as_str(), address.as_str())))
    });
    let (local, usable): (Vec<_>, Vec<_>) =
        offered.partition(|(interface, address)| is_link_local(address) || is_local(interface));
    let named = |interfaces: &[(&str, &str)]| {
        let names: std::collections::BTreeSet<String> = interfaces.iter().map(|(name, _)| code(name)).collect();
        list(&names.into_iter().collect::<Vec<_>>())
    };
    let parts = ["nccl-bootstrap#wrong-interface", "nccl-env#NCCL_SOCKET_IFNAME", "network-config-host#quick-check"];
    let mut finding = finding("link-local-address", Severity::Error, Some(evidence), &parts);
    let taken = if local.is_empty() {
        String::new()
    } else {
        format!(" It belongs to an interface such as {}.", named(&local))
    };
    finding.message = format!(
        "{} tries to reach {}, a link-local address of another host: it is valid on its own link only and not routed, so the connection \
         times out or is refused. NCCL took an interface for its sockets that is not the hosts' network (a virtual one of a container or bridge, \
         a management link, or one without an address of its own).{taken}",
        if from.is_empty() { "A host".to_string() } else { foreign(from) },
        foreign(address)
    );
    finding.advice = format!(
        "Set NCCL_SOCKET_IFNAME on all hosts to the interface that connects them{}, or exclude the others with `^lo,docker,veth,virbr`. The peer's \
         `Bootstrap` and `NET/Socket` lines show which of its interfaces has the address. Remove stale virtual interfaces.",
        if usable.is_empty() { String::new() } else { format!(" (here probably {})", named(&usable)) }
    );
    finding.count = case.job.connects.iter().filter(|(_, address, _)| is_link_local(address)).count();
    finding.hosts = vec![from.clone()];
    Some(Conclusion::new(finding, CONNECT))
}

/// Hosts offer the loopback interface to each other. Evidence: a connection fails, and several hosts list `lo`.
fn loopback(case: &Case<'_, '_>) -> Option<Conclusion<'static>> {
    let seen = case.first_of(CONNECT)?;
    let offers = |facts: &Host| {
        let bootstrap = facts.bootstrap.iter().map(|(interface, ..)| interface);
        bootstrap.chain(facts.interfaces.iter().map(|(interface, _)| interface)).any(|interface| interface == "lo")
    };
    let hosts: Vec<&String> = case.job.hosts.iter().filter(|(_, facts)| offers(facts)).map(|(host, _)| host).collect();
    if hosts.len() < 2 {
        return None;
    }
    let parts = ["nccl-bootstrap#wrong-interface", "nccl-env#NCCL_SOCKET_IFNAME"];
    let mut finding = finding("loopback-offered", Severity::Error, Some(&seen.first), &parts);
    finding.message = format!(
        "{} use the loopback interface (lo, 127.0.0.1): another host that connects to this address reaches itself, and is refused. NCCL leaves lo \
         out by itself; an NCCL_SOCKET_IFNAME of one's own replaces that.",
        names(&hosts)
    );
    finding.advice = "Set NCCL_SOCKET_IFNAME on all hosts to the interface that connects them, or begin the list with `^` and name lo: `^lo,docker`. Then check that the \
                      hosts reach each other's addresses."
        .to_string();
    finding.hosts = hosts.into_iter().cloned().collect();
    Some(Conclusion::new(finding, CONNECT))
}

/// Hosts that were to be one job run one each. Evidence: rank 0 completes a communicator on several hosts, with another id on each, and none
/// goes across hosts. It is a note where the hosts' lines are in files of their own: they may have been given together by chance.
pub fn separate_jobs(case: &Case<'_, '_>) -> Option<Finding> {
    let job = case.job;
    let (host, id, first) = job.roots.first()?;
    let (other, _, second) = job.roots.iter().find(|(other, other_id, _)| other != host && other_id != id)?;
    if job.nodes != 1 {
        return None;
    }
    let severity = if first.place.file == second.place.file { Severity::Warning } else { Severity::Note };
    let parts = ["perftest", "nccl-bootstrap#missing-rank"];
    let mut finding = finding("separate-jobs", severity, Some(second), &parts);
    finding.message = format!(
        "{} and {} run separate jobs: each has a rank 0 and a communicator of its own, and none goes across hosts. What was measured or \
         trained is each host alone; the network between them was not used.",
        foreign(host),
        foreign(other)
    );
    finding.advice = "nccl-tests: build them with `MPI=1` and the MPI of the launcher that starts them (`mpirun`, `srun --mpi=pmix`); the list of devices must then \
                      show all ranks once. Training: world size, master address and node rank must reach every process (`--nnodes`, `--node-rank`)."
        .to_string();
    let hosts: std::collections::BTreeSet<&String> = job.roots.iter().map(|(host, ..)| host).collect();
    finding.hosts = hosts.into_iter().cloned().collect();
    Some(finding)
}

/// The interface that was asked for is not there. Evidence: no interface was found, and the variable is set.
pub fn interface_missing(case: &Case<'_, '_>) -> Option<Conclusion<'static>> {
    let seen = case.first_of(&["bootstrap-no-interface", "bootstrap-no-usable-listening", "no-ip-interface"])?;
    let (host, value, _) = case.job.variable("NCCL_SOCKET_IFNAME").into_iter().next()?;
    let mut finding = finding(
        "socket-ifname-missing",
        Severity::Error,
        Some(&seen.first),
        &["nccl-bootstrap#no-interface", "nccl-env#NCCL_SOCKET_IFNAME"],
    );
    finding.message = format!(
        "NCCL_SOCKET_IFNAME is {}, but on {} no interface of that name exists that is up and has an address.",
        foreign(value),
        if host.is_empty() { "this host".to_string() } else { foreign(host) }
    );
    finding.advice = "List the interfaces where the job runs, inside the same container: `ip -br addr`. Correct the variable or unset it; where the \
                      hosts name theirs differently, a list such as eno1,eth0 is allowed. \"Internal error\" of the framework is a \
                      consequence."
        .to_string();
    finding.hosts = seen.hosts.iter().cloned().collect();
    finding.ranks = seen.ranks.iter().copied().collect();
    Some(Conclusion::new(
        finding,
        &[
            "bootstrap-no-interface",
            "bootstrap-no-usable-listening",
            "no-ip-interface",
            "err-internal",
            "pt-internal-error",
        ],
    ))
}

/// A watchdog gave up, and NCCL reports nothing: which ranks are elsewhere. Evidence: the sequence numbers of the time-outs.
pub fn out_of_step(case: &Case<'_, '_>) -> Option<Conclusion<'static>> {
    let first = case.job.timed_out.first()?;
    let mut groups: BTreeMap<(&str, &str), Vec<u32>> = BTreeMap::new();
    for timed_out in &case.job.timed_out {
        groups.entry((&timed_out.sequence, &timed_out.operation)).or_default().push(timed_out.rank);
    }
    let mut finding = finding(
        "watchdog-timeout",
        Severity::Error,
        Some(&first.evidence),
        &["nccl-ras#watchdog", "nccl-ras#flight-recorder", "nccl-debug-log#watchdog"],
    );
    let group = |((sequence, operation), ranks): (&(&str, &str), &Vec<u32>)| {
        let (operation, sequence) = (foreign(operation), foreign(sequence));
        format!("rank{} {} in {operation} (SeqNum {sequence})", if ranks.len() > 1 { "s" } else { "" }, list(ranks))
    };
    let groups_said = groups.iter().map(group).collect::<Vec<_>>().join("; ");
    finding.message = if groups.len() > 1 {
        let odd = groups.values().min_by_key(|ranks| ranks.len()).expect("at least two");
        finding.ranks.clone_from(odd);
        format!(
            "A watchdog time-out of the framework: ranks wait in different operations, so they are out of step: {groups_said}. NCCL itself \
             reports nothing wrong. The program of some ranks took another path."
        )
    } else {
        format!(
            "A watchdog time-out of the framework: {groups_said} waited for ranks that never came to the same operation. Which rank is \
             missing, and why, this log does not say; NCCL itself reports nothing wrong."
        )
    };
    finding.advice = "Find the rank that diverged or stopped: the flight recorder (TORCH_FR_BUFFER_SIZE, before PyTorch 2.7 \
                      TORCH_NCCL_TRACE_BUFFER_SIZE, and TORCH_NCCL_DUMP_ON_TIMEOUT=1), `py-spy dump` on a rank of each group and on those that \
                      print nothing, `ncclras`. Usual reasons: uneven data, a branch or an exception on one rank, a slow checkpoint. A longer \
                      time-out only delays it."
        .to_string();
    finding.count = case.job.timed_out.len();
    Some(Conclusion::of_echoes(finding))
}

/// A process died of something that is not NCCL; the closed connections of the others follow. Evidence: the line of the crash, the killer
/// or the exception, before the first symptom of NCCL.
pub fn process_died(case: &Case<'_, '_>) -> Option<Conclusion<'static>> {
    let died = case.job.died.first()?;
    // A watchdog that gave up ends its process by itself.
    if case.job.timed_out.first().is_some_and(|timed_out| timed_out.evidence.is_before(&died.evidence) == Some(true)) {
        return None;
    }
    let whom = if died.whom.is_empty() { "a process".to_string() } else { process(&died.whom) };
    let (rule, means, advice) = match died.death {
        Death::Crash => (
            "process-crashed",
            "crashed (segmentation fault or abort)",
            "Look at the crash first: the backtrace or a core dump of that process, `python -X faulthandler`, the native extension or library named in the              trace. Only when NCCL's own functions stand in the trace is NCCL the program to look at.",
        ),
        Death::Killed => (
            "process-killed",
            "was killed (out of host memory, or by a scheduler)",
            "`dmesg | grep -i oom` on its host and the memory limit of its container or cgroup; the scheduler's record of the job.",
        ),
        Death::CudaMemory => (
            "cuda-memory",
            "ran out of GPU memory",
            "Free memory on that GPU: a smaller batch, less of the framework's share, other processes there (`nvidia-smi`). NCCL needs some for its buffers:              create communicators before the framework takes all.",
        ),
    };
    let mut finding = finding(
        rule,
        Severity::Error,
        Some(&died.evidence),
        &["nccl-debug-log#sig-host", "nccl-bootstrap#peer-closed"],
    );
    finding.message = format!(
        "{whom} {means}. Connections that the other ranks see closed, broken pipes and remote errors are the result of it, not a network fault."
    );
    finding.advice = advice.to_string();
    finding.count = case.job.died.len();
    if let Some(host) = died.whom.split(',').next().filter(|_| died.whom.contains(", process")) {
        finding.hosts = vec![host.to_string()];
    }
    Some(Conclusion::of_echoes(finding))
}

/// The words for a process, of which the names are the log's: `node-b, process 90214`, `local rank 7`.
fn process(whom: &str) -> String {
    match whom.rsplit_once(' ') {
        Some((what @ ("rank" | "local rank" | "process"), number)) => format!("{what} {}", foreign(number)),
        Some((host, number)) => match host.strip_suffix(", process") {
            Some(host) => format!("{}, process {}", foreign(host), foreign(number)),
            None => foreign(whom),
        },
        None => foreign(whom),
    }
}

/// RAS has no data of some ranks. Evidence: its list of them.
pub fn ranks_unanswered(case: &Case<'_, '_>) -> Option<Conclusion<'static>> {
    let (_, whom, evidence) = case.job.unanswered.first()?;
    let ranks: Vec<u32> = case.job.unanswered.iter().map(|(rank, ..)| *rank).collect();
    let mut finding =
        finding("ras-incomplete", Severity::Error, Some(evidence), &["nccl-ras#read", "nccl-ras#procedure"]);
    finding.message = format!(
        "RAS got no answer about rank{} {} ({}{}): that process hangs, died or cannot be reached. Ranks with other operation counts wait for it.",
        if ranks.len() > 1 { "s" } else { "" },
        list(&ranks),
        match whom.split_once(" on node ") {
            Some((whom, node)) => format!("{} on node {}", process(whom), foreign(node)),
            None => process(whom),
        },
        if ranks.len() > 1 { " and others" } else { "" }
    );
    finding.advice = "Go to that node: does the process live (`ps`)? Its own log, `py-spy dump` or `gdb -p`, `dmesg` for Xid or the out-of-memory killer,                       `nvidia-smi`. A MISMATCH of operation counts alone is weaker evidence: it is normal while a job runs."
        .to_string();
    finding.ranks = ranks;
    Some(Conclusion::of_echoes(finding))
}

/// Some ranks begin the start and none of these finishes, without an error. Evidence: `Init START` without `Init COMPLETE`. It is a note
/// where nothing shows a hang: no rank is missing or ahead, nobody ended the job, and connections were being made when the log ends.
pub fn init_never_completes(case: &Case<'_, '_>) -> Option<Conclusion<'static>> {
    let job = case.job;
    let stuck: Vec<u32> = job.started.difference(&job.completed).copied().collect();
    let first = job.first_start.as_ref()?;
    // A rank may be connected before it is complete: a log that ends there shows no hang.
    if stuck.is_empty() || (job.connected && job.completed.is_empty()) {
        return None;
    }
    let missing: Vec<u32> = (0..job.ranks.min(4096)).filter(|rank| !job.started.contains(rank)).collect();
    let connecting = job.hosts.values().any(|facts| !facts.transports.is_empty());
    let hangs = !connecting || !missing.is_empty() || !job.completed.is_empty() || job.interrupted.is_some();
    let mut finding = finding(
        "init-incomplete",
        if hangs { Severity::Warning } else { Severity::Note },
        Some(first),
        &["nccl-bootstrap#missing-rank", "nccl-debug-log#hang"],
    );
    finding.message = format!(
        "Init START was printed by rank{} {}, Init COMPLETE never: the start hangs or the log ends before it.{}",
        if stuck.len() > 1 { "s" } else { "" },
        list(&stuck),
        if missing.is_empty() || job.hosts.len() < 2 {
            String::new()
        } else {
            format!(" No line at all of rank{} {}.", if missing.len() > 1 { "s" } else { "" }, list(&missing))
        }
    );
    finding.advice = "First see that all ranks started: a process that died or never came holds all others. Then collect the last lines of each rank \
                      with NCCL_DEBUG=INFO and NCCL_DEBUG_SUBSYS=INIT,BOOTSTRAP,NET,ENV, and `py-spy dump` or `gdb -p` of one that waits. Ranks \
                      that choose different interfaces or NICs show in their `Bootstrap` and `NET/` lines."
        .to_string();
    finding.ranks = stuck;
    Some(Conclusion::of_echoes(finding))
}
