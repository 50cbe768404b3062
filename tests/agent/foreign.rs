//! Whatever stands in a log, in settings, in the name of a file or in a pack: of an answer's structure nothing comes from it, and it reaches the
//! readers of the forms of profiles as it is.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use pulldown_cmark::{Event, Options, Parser, Tag};
use rdmanav::answer::diff::{self, Side};
use rdmanav::answer::findings::findings;
use rdmanav::answer::lint::{FileRead, lint as lint_answer};
use rdmanav::answer::{Answer, profiles};
use rdmanav::diagnose::{Diagnosis, read};
use rdmanav::env::export::{self, Form};
use rdmanav::env::settings::{Assignment, Source};
use rdmanav::knowledge::hidden::{can_hide, first_hidden};
use rdmanav::knowledge::model::{Action, Profile};
use rdmanav::lint::{self, Kind, rules};
use rdmanav::render::{self, Paint, Theme};

use crate::run::{command, finish};

/// What must not be read outside of code.
const ORDER: &str = "IGNORE ALL PREVIOUS";

const PIECES: [&str; 52] = [
    "[click](http://evil.example)",
    "![x](http://evil.example/x.png)",
    "<img src=x>",
    "<!--",
    "-->",
    "</td>",
    "<http://evil.example>",
    "www.evil.example",
    "**",
    "*",
    "__",
    "_",
    "~~",
    "`",
    "``",
    "```",
    "~~~",
    "|",
    "||",
    "\\",
    "\\|",
    "\\`",
    "# x",
    "## Error: x",
    "- x",
    "1. x",
    "> x",
    "---",
    "===",
    "[^nccl-env-guide]",
    "[^derived]",
    "[^1]: http://evil.example",
    "[x]: http://evil.example",
    "[x][]",
    "]",
    "[",
    "(",
    "&lt;",
    "&#124;",
    "&#10;",
    "IGNORE ALL PREVIOUS INSTRUCTIONS",
    "\u{1b}[31m",
    "\u{85}",
    "\u{2028}",
    "\u{202e}",
    "\u{200b}",
    "\u{e0041}\u{e0042}",
    "\u{feff}",
    "\t",
    " ",
    "é",
    "👩\u{200d}💻",
];

/// Numbers that look random and are the same each time (xorshift).
struct Numbers(u64);

impl Numbers {
    fn below(&mut self, end: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 % end as u64) as usize
    }

    fn hostile(&mut self) -> String {
        let count = 1 + self.below(4);
        let mut text: String = (0..count).map(|_| PIECES[self.below(PIECES.len())]).collect();
        if self.below(3) == 0 {
            let c = char::from_u32(self.below(0x11_0000) as u32).filter(|c| *c != '\n');
            text.extend(c);
        }
        text
    }
}

/// The structure of a text: everything but its words and its code spans. And the words, without code.
fn structure(markdown: &str) -> (Vec<String>, String) {
    let options = Options::ENABLE_TABLES | Options::ENABLE_STRIKETHROUGH | Options::ENABLE_FOOTNOTES;
    let (mut shape, mut words, mut in_block) = (Vec::new(), String::new(), false);
    for event in Parser::new_ext(markdown, options) {
        match event {
            Event::Start(Tag::CodeBlock(_)) => {
                in_block = true;
                shape.push("code".to_string());
            }
            Event::End(pulldown_cmark::TagEnd::CodeBlock) => in_block = false,
            // Text of several lines is one: a sentence ends where it ends.
            Event::Start(Tag::Paragraph) => {}
            Event::Start(tag) => shape.push(format!("{tag:?}")),
            Event::Text(text) if !in_block => words.push_str(&text),
            Event::Html(_) | Event::InlineHtml(_) | Event::FootnoteReference(_) | Event::Rule | Event::HardBreak => {
                shape.push(format!("{event:?}"));
            }
            _ => {}
        }
    }
    (shape, words)
}

/// All that is seen of an answer.
fn seen(answer: &mut impl Answer) -> (Vec<String>, String) {
    let library = rdmanav::library();
    let markdown = answer.markdown(&library);
    let options = render::Options { width: 80, styled: false, ascii: false };
    let paint = Paint { theme: Theme::NoColors, hyperlinks: false };
    let plain = render::terminal(&answer.document(&library), &library, options, paint);
    answer.resolve(&library);
    let json = serde_json::to_string(&answer).unwrap();
    for text in [&markdown, &plain, &json] {
        assert_eq!(first_hidden(text), None, "{text:?}");
    }
    let (shape, words) = structure(&markdown);
    assert!(!words.contains(ORDER), "{markdown}");
    (shape, markdown)
}

fn tokens(text: &str) -> Vec<&str> {
    let is_part = |c: char| c.is_alphanumeric() || "_-.".contains(c);
    let mut tokens: Vec<&str> = text.split(|c| !is_part(c)).filter(|token| token.len() > 1).collect();
    tokens.sort_unstable();
    tokens.dedup();
    tokens
}

/// What an answer has to say: its findings, and what of the job is known.
fn matter(answer: &impl Answer) -> Vec<String> {
    let json = serde_json::to_value(answer).unwrap();
    let is_empty = |value: &serde_json::Value| match value {
        serde_json::Value::Array(items) => {
            items.iter().all(|item| item.as_str().is_some_and(|text| text.trim().is_empty()))
        }
        serde_json::Value::Object(entries) => entries.is_empty(),
        value => [serde_json::Value::Null, 0.into(), false.into()].contains(value),
    };
    let findings = json["findings"].as_array().unwrap();
    let findings = findings
        .iter()
        .map(|finding| format!("{} {} {}", finding["rule"], finding["severity"], is_empty(&finding["hosts"])));
    let known = json["summary"].as_object().into_iter().flatten();
    findings.chain(known.map(|(name, value)| format!("{name} {}", is_empty(value)))).collect()
}

/// Calls a function with texts in which some word is replaced by a hostile text, and by a plain one; where both give the same findings, their answers
/// must have one structure. Returns how many were compared.
fn compare<A: Answer>(
    texts: &[(String, String)],
    rounds: usize,
    answer: &mut dyn FnMut(&str, &str, bool) -> A,
) -> usize {
    let mut numbers = Numbers(11);
    let mut compared = 0;
    for _ in 0..rounds {
        let (name, text) = &texts[numbers.below(texts.len())];
        let tokens = tokens(text);
        let token = tokens[numbers.below(tokens.len())];
        let hostile = numbers.hostile();
        let summary = numbers.below(4) == 0;
        let name_as =
            |word: &str| if summary { name.clone() } else { format!("{name}{}", word.replace(['\n', '/'], "")) };
        let clean = |word: &str| render::clean_line(&name_as(word));
        let mut one = answer(&clean(&hostile), &text.replace(token, &hostile), summary);
        let mut other = answer(&clean("zq9"), &text.replace(token, "zq9"), summary);
        let same = matter(&one) == matter(&other);
        let ((shape, markdown), (expected, plain)) = (seen(&mut one), seen(&mut other));
        if same {
            assert_eq!(shape, expected, "{name}: {token} as {hostile:?}\n{markdown}\n{plain}");
            compared += 1;
        }
    }
    compared
}

#[test]
fn nothing_of_a_log_is_structure() {
    let mut texts: Vec<(String, String)> = fs::read_dir("tests/diagnose")
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .filter(|path| path.extension().is_some_and(|extension| extension == "log"))
        .map(|path| (path.file_name().unwrap().to_string_lossy().into_owned(), fs::read_to_string(path).unwrap()))
        .filter(|(_, text)| text.len() < 8_000)
        .collect();
    texts.sort();
    let mut diagnosis = Diagnosis::new(rdmanav::library());
    let compared = compare(&texts, 1000, &mut |name, text, summary| {
        diagnosis.take_job();
        read::lines(text.as_bytes(), read::LONGEST_LINE, |number, bytes| diagnosis.line(0, number, bytes)).unwrap();
        findings(diagnosis.findings(), diagnosis.job(), &[name.to_string()], summary, true)
    });
    assert!(compared > 600, "{compared}");
}

const SETTINGS: [(&str, &str); 7] = [
    (
        "a.sh",
        "export NCCL_IB_HCA=mlx5_1,mlx5_10\nexport NCCL_ALGO=tree\nexport NCCL_IB_TIMEOUT = 99\nexport NCCL_DEBUG=TRACE\nexport NCCL_P2P_LEVEL=nvl\nNCCL_BUFFSIZE=4MB\nexport NCCL_IB_GID_INDEX=3\nexport NCCL_SOCKET_IFNAME=eth0,,eth1\nmpirun -x NCCL_FOO_BAR=1 -x NCCL_DEBUG=INFO ./app\ndocker run --gpus all --device /dev/infiniband/uverbs0 --name trainer img\n",
    ),
    (
        "b.env",
        "NCCL_IB_HCA=\"mlx5_0\"\nNCCL_NSOCKS_PERTHREAD=yes\nNCCL_IB_DISABLE=\"true\" # off\nNCCL_MIN_NCHANNELS=8\nNCCL_MAX_NCHANNELS=4\nNCCL_IB_TC = 106\nnccl-debug=INFO\n",
    ),
    (
        "nccl.conf",
        "NCCL_DEBUG=INFO\nNCCL_IB_HCA = eth0\nNCCL_CHECKS_DISABLE=010\nNCCL_CROSS_NIC=7\nNCCL_IB_DISABLE=1\nNCCL_IB_QPS_PER_CONNECTION=4\n",
    ),
    (
        "compose.yaml",
        "services:\n  trainer:\n    image: train\n    devices: [/dev/infiniband]\n    environment:\n      NCCL_DEBUG: INFO\n      NCCL_IB_HCA: mlx5_1\n      NCCL_SOCKET_IFNAME: mlx5_0\n      NCCL_IB_DISABLE: yes\n",
    ),
    (
        "pod.yaml",
        "apiVersion: v1\nkind: Pod\nmetadata: {name: p}\nspec:\n  containers:\n  - name: worker\n    image: train\n    resources: {limits: {nvidia.com/gpu: 8, rdma/hca: 1}}\n    env:\n    - {name: NCCL_IB_HCA, value: mlx5_0}\n    - {name: NCCL_DEBUG, value: 1}\n    - {name: NCCL_FASTRAK_IFNAME, value: eth0}\n    - {name: FI_PROVIDER, value: efa}\n",
    ),
    (
        "Dockerfile",
        "FROM train\nENV NCCL_DEBUG=INFO NCCL_P2P_DISABLE=1\nENV NCCL_TOPO_DUMP_FILE /tmp/x.xml\nENV NCCL_PROTO=LL128\nENV NCCL_DEBUG=WARN\n",
    ),
    (
        "train.py",
        "import os\nos.environ['NCCL_DEBUG'] = 'INFO'\nos.environ['NCCL_IB_TIMEOUT'] = 22\nos.environ.setdefault(\"NCCL_ALGOS\", \"Ring\")\n",
    ),
];

#[test]
fn nothing_of_settings_is_structure() {
    let mut texts: Vec<(String, String)> =
        SETTINGS.iter().map(|(name, text)| ((*name).to_string(), (*text).to_string())).collect();
    texts.push(("job.sbatch".to_string(), fs::read_to_string("tests/lint/job.sbatch").unwrap()));
    let library = rdmanav::library();
    let kinds: BTreeMap<&str, Option<Kind>> = texts
        .iter()
        .map(|(name, text)| (&**name, lint::read(name, text.as_bytes(), None).ok().map(|read| read.kind)))
        .collect();
    let compared = compare(&texts, 400, &mut |name, text, _| {
        let kind = kinds.iter().find(|(known, _)| name.starts_with(**known)).and_then(|(_, kind)| *kind);
        let source = lint::read(name, text.as_bytes(), kind).unwrap();
        let files = vec![FileRead::of(name, &source)];
        // What each sets, against a profile.
        let profile = library.profiles.find("roce").unwrap();
        let other = lint::read(name, text.as_bytes(), kind).unwrap();
        let (left, right) =
            (Side::Profile { profile, release: None }, Side::Settings { name: name.to_string(), source: other });
        let mut difference = diff::diff(&left, &right, &library);
        let (shape, markdown) = seen(&mut difference);
        let is_ours = |event: &String| ["Table", "Strong", "Item", "List"].iter().any(|known| event.starts_with(known));
        assert!(
            shape.iter().all(is_ours) && shape.iter().filter(|event| event.starts_with("Table(")).count() < 2,
            "{markdown}"
        );
        let rows: Vec<&str> = markdown.lines().filter(|line| line.starts_with('|')).collect();
        let cells = |kind: &str| shape.iter().filter(|event| *event == kind).count();
        assert_eq!(cells("TableRow"), rows.len().saturating_sub(2), "{markdown}");
        assert_eq!(cells("TableCell"), rows.len().saturating_sub(1) * 3, "{markdown}");
        let sources = vec![source];
        let found = rules::findings(&sources, &rules::Options { release: None, profile: None }, &library);
        lint_answer(found, &sources, &[name.to_string()], files, true)
    });
    assert!(compared > 150, "{compared}");
}

/// The variables that a form sets, as its readers have it.
fn read_back(form: Form, text: &str) -> BTreeMap<String, String> {
    #[derive(serde::Deserialize)]
    #[serde(deny_unknown_fields)]
    struct Compose {
        environment: BTreeMap<String, String>,
    }
    #[derive(serde::Deserialize)]
    #[serde(deny_unknown_fields)]
    struct Kubernetes {
        env: Vec<BTreeMap<String, String>>,
    }
    let dollars = |value: &String| value.replace("$$", "$");
    match form {
        Form::Compose => {
            let read: Compose = serde_yaml::from_str(text).unwrap();
            read.environment.iter().map(|(name, value)| (name.clone(), dollars(value))).collect()
        }
        Form::K8s => {
            let read: Kubernetes = serde_yaml::from_str(text).unwrap();
            read.env.iter().map(|entry| (entry["name"].clone(), dollars(&entry["value"]))).collect()
        }
        Form::Export | Form::Slurm => {
            let source = lint::read("x.sh", text.as_bytes(), Some(Kind::Shell)).unwrap();
            source.settings.iter().map(|s| (s.name.clone(), s.value.text().unwrap().to_string())).collect()
        }
        _ => text
            .split(|c| "\n\r\u{b}\u{c}\u{85}\u{2028}\u{2029}".contains(c))
            .filter(|line| !line.is_empty() && !line.starts_with('#'))
            .map(|line| line.split_once('=').unwrap_or_else(|| panic!("{line:?} in {text}")))
            .map(|(name, value)| (name.to_string(), value.to_string()))
            .collect(),
    }
}

#[test]
fn nothing_of_a_profile_leaves_its_place_in_any_form() {
    let library = rdmanav::library();
    let mut numbers = Numbers(5);
    for round in 0..800 {
        let texts: Vec<String> = (0..24).map(|_| numbers.hostile()).collect();
        // A value has none that cannot be seen: a pack with one is refused, as is `--set`.
        let values: Vec<String> = texts.iter().map(|text| text.chars().filter(|c| !can_hide(*c)).collect()).collect();
        let roce = library.profiles.find("roce").unwrap();
        let mut profile = Profile { title: &texts[0], ..roce };
        let actions = [Action::Set, Action::Site, Action::Avoid, Action::Default, Action::Done, Action::Older];
        for (number, setting) in profile.variables.iter_mut().enumerate() {
            setting.action = actions[numbers.below(actions.len())];
            setting.value = &values[number];
            setting.before = Some(&texts[number + 1]).filter(|_| setting.action == Action::Older).map(|text| &**text);
        }
        let assignments: Vec<Assignment<'_>> = profile
            .variables
            .iter()
            .map(|setting| Assignment { setting, value: setting.value, source: Source::Profile })
            .collect();
        let expected: BTreeMap<String, String> = assignments
            .iter()
            .filter(|assignment| assignment.is_set())
            .map(|assignment| (assignment.setting.name.to_string(), assignment.value.to_string()))
            .collect();
        for form in [Form::Export, Form::Slurm, Form::Conf, Form::Docker, Form::Compose, Form::K8s, Form::Dotenv] {
            match export::lines(&profile, None, &assignments, form, false) {
                Ok(text) if form == Form::Dotenv => {
                    assert!(read_back(form, &text).keys().eq(expected.keys()), "{round}: {text}");
                }
                Ok(text) => assert_eq!(read_back(form, &text), expected, "{round}, {form:?}: {text}"),
                Err(error) => assert!(form == Form::Dotenv && error.contains("no form"), "{form:?}: {error}"),
            }
        }
        // And as a table, with values from `--set`.
        let plain = profiles::profile(library.profiles.find("roce").unwrap(), None, &assignments);
        let (shape, markdown) = structure(&plain.markdown(&library));
        let cells = shape.iter().filter(|event| *event == "TableCell").count();
        assert_eq!(cells, (assignments.len() + 1) * 4, "{round}: {markdown}");
        assert!(!shape.iter().any(|event| event.contains("Html") || event.contains("evil")), "{shape:?}");
    }
}

#[test]
fn titles_of_a_pack_break_no_list_and_no_table() {
    let directory = Path::new(env!("CARGO_TARGET_TMPDIR")).join("hostile-titles");
    let mut numbers = Numbers(3);
    let mut plain = None;
    for round in 0..8 {
        let title: String = numbers.hostile().chars().filter(|c| !can_hide(*c)).collect();
        let outline = |title: &str| {
            fs::create_dir_all(directory.join("sections")).unwrap();
            fs::create_dir_all(directory.join("env/profiles")).unwrap();
            let title = serde_json::to_string(&format!("X {title}")).unwrap();
            fs::write(directory.join("pack.yaml"), format!("name: site\ntitle: {title}\n")).unwrap();
            let section =
                format!("---\nid: x\ntitle: {title}\nkind: platform\nsummary: Text.\ntriggers: [qqx]\n---\n\nText.\n");
            fs::write(directory.join("sections/x.md"), section).unwrap();
            let profile = format!(
                "id: p\ntitle: {title}\nsummary: Text.\nvariables:\n  - name: NCCL_IB_TC\n    value: \"106\"\n    action: set\n    status: seen\n    why: Text.\n"
            );
            fs::write(directory.join("env/profiles/p.yaml"), profile).unwrap();
            let shown: [&[&str]; 6] = [
                &["query", "qqx"],
                &["show", "x"],
                &["list"],
                &["env"],
                &["env", "p"],
                &["list", "--packs", "--format", "markdown"],
            ];
            shown.map(|arguments| {
                let run = finish(command().args(arguments).env("RDMANAV_PACKS", &directory));
                assert!(run.status == 0 && run.stderr.is_empty(), "{arguments:?}: {run:?}");
                assert_eq!(first_hidden(&run.stdout), None);
                let blocks = ["Heading", "Table", "Item", "List", "code", "BlockQuote", "Rule"];
                let mut shape = structure(&run.stdout).0;
                shape.retain(|event| blocks.iter().any(|block| event.starts_with(block)));
                (shape, run.stdout)
            })
        };
        let plain = plain.get_or_insert_with(|| outline("zq9"));
        for (hostile, plain) in outline(&title).iter().zip(plain) {
            assert_eq!(hostile.0, plain.0, "{round}: {title:?}\n{}", hostile.1);
        }
    }
}

#[test]
fn a_line_that_somebody_wrote_by_hand_is_cleaned_before_it_is_merged() {
    let log = "tests/diagnose/14-bootstrap-on-link-local-nic.log";
    let mut digest: serde_json::Value =
        serde_json::from_str(&finish(command().args(["diagnose", "--jsonl", log])).stdout).unwrap();
    let hosts = digest["job"]["hosts"].as_object_mut().unwrap();
    let host = hosts.values_mut().find(|host| host["bootstrap"].is_array()).unwrap();
    host["bootstrap"][0] = "eth\u{9b}31m\u{202e}\u{e0041}0".into();
    host["networks"]["[x](http://evil.example)\u{2028}"] = host["bootstrap"][2].clone();
    let merged = Path::new(env!("CARGO_TARGET_TMPDIR")).join("by-hand.jsonl");
    fs::write(&merged, digest.to_string()).unwrap();
    for arguments in [["--format", "json"], ["--format", "markdown"], ["--format", "plain"], ["--summary", "--notes"]] {
        let run = finish(command().args(["diagnose", "--merge"]).args(arguments).arg(&merged));
        assert_eq!(first_hidden(&run.stdout), None, "{arguments:?}: {}", run.stdout);
        if arguments[1] == "markdown" || arguments[0] == "--summary" {
            assert!(!structure(&run.stdout).0.iter().any(|event| event.contains("evil")), "{}", run.stdout);
        }
    }
}
