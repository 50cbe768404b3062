"""Reads `rdmanav env PROFILE --as FORM` with those who take it: a shell, PyYAML, python-dotenv, and docker's rules for env-files.

usage: check-forms.py BINARY    (needs the packages pyyaml and python-dotenv, and bash)
"""

import io
import json
import subprocess
import sys

import dotenv
import yaml

BINARY = sys.argv[1]
# A value with both a single quote and a dollar has no form in which all readers of .env files agree.
HARD = ["NCCL_IB_HCA==mlx5_0:1,mlx5_1:1", "NCCL_IB_TC=a b\"d$e\\f#g: {h}", "NCCL_IB_QPS_PER_CONNECTION=it's 4"]


def run(*arguments):
    return subprocess.run([BINARY, *arguments], check=True, capture_output=True, text=True).stdout


def of_bash(text):
    shell = subprocess.run(["env", "-i", "bash", "-c", text + "\nenv -0"], check=True, capture_output=True, text=True)
    pairs = (entry.split("=", 1) for entry in shell.stdout.split("\0") if "=" in entry)
    return {name: value for name, value in pairs if name not in ("PWD", "SHLVL", "_")}


def of_docker(text):
    """docker/cli: blank lines and lines that begin with # are skipped, the rest is taken as it stands."""
    lines = (line for line in text.splitlines() if line.strip() and not line.startswith("#"))
    return dict(line.split("=", 1) for line in lines)


READERS = {
    "export": of_bash,
    "slurm": of_bash,
    "docker": of_docker,
    "conf": of_docker,
    "dotenv": lambda text: dict(dotenv.dotenv_values(stream=io.StringIO(text), interpolate=False)),
    "compose": lambda text: {k: v.replace("$$", "$") for k, v in (yaml.safe_load(text)["environment"] or {}).items()},
    "k8s": lambda text: {e["name"]: e["value"].replace("$$", "$") for e in yaml.safe_load(text)["env"] or []},
}

profiles = [profile["id"] for profile in json.loads(run("env", "--format", "json"))["profiles"]]
read = 0
for profile in profiles:
    sets = [[]] + ([[argument for pair in HARD for argument in ("--set", pair)]] if profile == "roce" else [])
    for extra in sets:
        answers = {form: reader(run("env", profile, "--as", form, *extra)) for form, reader in READERS.items()}
        assert all(isinstance(value, str) for answer in answers.values() for value in answer.values()), (profile, answers)
        odd = {form: answer for form, answer in answers.items() if answer != answers["export"]}
        assert not odd, (profile, extra, answers["export"], odd)
        read += len(answers["export"])
assert len(profiles) > 30 and read > 100, (len(profiles), read)
print(f"{len(profiles)} profiles in {len(READERS)} forms: {read} settings, the same to all")
