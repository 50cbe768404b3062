"""Reads `rdmanav env PROFILE --as FORM` with those who take it: shells, PyYAML, python-dotenv, dotenv for Node, and docker's rules for env-files.

usage: check-forms.py BINARY    (needs the packages pyyaml and python-dotenv, bash and dash, node; NODE_PATH with the package dotenv)
"""

import io
import json
import random
import subprocess
import sys
import tempfile
from pathlib import Path

import dotenv
import yaml

BINARY = sys.argv[1]
HARD = ["NCCL_IB_HCA==mlx5_0:1,mlx5_1:1", "NCCL_IB_TC=a b\"d$e\\f#g: {h}", "NCCL_IB_QPS_PER_CONNECTION=it's 4"]
# What values are made of: all that is special to one of the readers.
PIECES = [
    "'", '"', "`", "\\", "\\\\", "$", "${IFS}", "${A:-b}", "$A", "$$", "$(x)", "#", " #", " ", "=", ":", ": ", "- ", "{", "}", "[", "]", "&a", "*a", "!", "%", "@",
    "|", ">", "<", ";", "~", "?", ",", "\\n", "\\t", "\\'", '\\"', "\\$", "yes", "null", "0x1", "1e3", "a", "é", "\u00a0", "😀", "export ", "A=b", "---", "...",
]


def run(*arguments, status=0):
    done = subprocess.run([BINARY, *arguments], capture_output=True, text=True)
    assert done.returncode == status, (arguments, done)
    return done.stdout


def of_shell(shell):
    def read(text):
        done = subprocess.run(["env", "-i", shell, "-c", text + "\nenv -0"], check=True, capture_output=True, text=True)
        pairs = (entry.split("=", 1) for entry in done.stdout.split("\0") if "=" in entry)
        return {name: value for name, value in pairs if name not in ("PWD", "SHLVL", "_", "OLDPWD")}

    return read


def of_docker(text):
    """docker/cli: blank lines and lines that begin with # are skipped, the rest is taken as it stands."""
    lines = (line for line in text.split("\n") if line.strip() and not line.startswith("#"))
    return dict(line.split("=", 1) for line in lines)


def of_python(text):
    """With what dotenv_values does by default: variables are put in."""
    return dict(dotenv.dotenv_values(stream=io.StringIO(text)))


def of_node(texts):
    """All at once: each start of node takes longer than all reading."""
    script = "const d=require('dotenv');let t='';process.stdin.on('data',c=>t+=c).on('end',()=>console.log(JSON.stringify(JSON.parse(t).map(x=>d.parse(x)))))"
    return json.loads(subprocess.run(["node", "-e", script], input=json.dumps(texts), check=True, capture_output=True, text=True).stdout)


READERS = {
    "bash": ("export", of_shell("bash")),
    "dash": ("slurm", of_shell("dash")),
    "docker": ("docker", of_docker),
    "conf": ("conf", of_docker),
    "python-dotenv": ("dotenv", of_python),
    "dotenv": ("dotenv", lambda text: of_node([text])[0]),
    "compose": ("compose", lambda text: {k: v.replace("$$", "$") for k, v in (yaml.safe_load(text)["environment"] or {}).items()}),
    "k8s": ("k8s", lambda text: {e["name"]: e["value"].replace("$$", "$") for e in yaml.safe_load(text)["env"] or []}),
}

profiles = [profile["id"] for profile in json.loads(run("env", "--format", "json"))["profiles"]]
read = 0
for profile in profiles:
    sets = [[]] + ([[argument for pair in HARD for argument in ("--set", pair)]] if profile == "roce" else [])
    for extra in sets:
        answers = {name: reader(run("env", profile, "--as", form, *extra)) for name, (form, reader) in READERS.items()}
        assert all(isinstance(value, str) for answer in answers.values() for value in answer.values()), (profile, answers)
        odd = {name: answer for name, answer in answers.items() if answer != answers["bash"]}
        assert not odd, (profile, extra, answers["bash"], odd)
        read += len(answers["bash"])
assert len(profiles) > 30 and read > 100, (len(profiles), read)
print(f"{len(profiles)} profiles in {len(READERS)} forms: {read} settings, the same to all")

# Any value: each form has it as it is, or there is an error.
numbers = random.Random(7)
names = [row["name"] for row in json.loads(run("env", "roce", "--format", "json"))["variables"]]
env_files, refused = [], 0
for _ in range(40):
    values = {name: "".join(numbers.choices(PIECES, k=numbers.randrange(6))) for name in names}
    extra = [argument for name, value in values.items() for argument in ("--set", f"{name}={value}")]
    for name, (form, reader) in READERS.items():
        if form != "dotenv":
            answer = reader(run("env", "roce", "--as", form, *extra))
            assert answer == values, (name, values, answer)
    for value in values.values():
        done = subprocess.run([BINARY, "env", "roce", "--as", "dotenv", "--set", f"NCCL_IB_TC={value}"], capture_output=True, text=True)
        if done.returncode == 0:
            env_files.append((value, done.stdout))
        else:
            assert done.returncode == 2 and "no form" in done.stderr and not done.stdout, done
            refused += 1
for (value, text), by_node in zip(env_files, of_node([text for _, text in env_files]), strict=True):
    by_python = of_python(text)
    assert by_python == by_node == {"NCCL_IB_TC": value}, (value, text, by_python, by_node)
assert len(env_files) > 150, len(env_files)
print(f"{40 * len(names)} values of all kinds are the same to all; of these {refused} have no form for .env files, and are refused")

# A pack's texts stay in their comments. YAML 1.1 ends a line at U+2028; a pack with one is refused, so its profile is not there.
for mark in ["\\u2028", "\\u2029", "\\u0085", "\\n"]:
    with tempfile.TemporaryDirectory() as pack:
        Path(pack, "env/profiles").mkdir(parents=True)
        Path(pack, "pack.yaml").write_text("name: site\ntitle: Site\n")
        profile = f'id: evil\ntitle: "Cluster{mark}privileged: true{mark}#"\nsummary: x.\nvariables: []\n'
        Path(pack, "env/profiles/evil.yaml").write_text(profile)
        for form in ["compose", "k8s", "dotenv", "export"]:
            assert run("env", "evil", "--pack", pack, "--as", form, status=2) == "", (mark, form)
print("a pack whose title has a second line is refused")
