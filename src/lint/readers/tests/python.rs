//! Python.

use super::{assert_found, source};
use crate::lint::Kind;

#[test]
fn what_goes_to_the_environment_is_found() {
    assert_found(
        Kind::Python,
        &[
            ("import os\nos.environ[\"A\"] = \"1\"\n", &["2:13 Python A=1"]),
            ("os.environ['A'] = ('x'\n  \"y\")\n", &["1:13 Python A=xy"]),
            ("os.environ.setdefault(\"A\", \"1\")\n", &["1:24 Python A=1?"]),
            ("os.putenv('A', '1')\n", &["1:12 Python A=1"]),
            ("os.environ.update({\"A_B\": \"1\", 'C_D': x})\n", &["1:21 Python A_B=1", "1:33 Python C_D~x"]),
            ("os.environ.update(A=\"1\", B=f'{x}')\n", &["1:19 Python A=1", "1:26 Python B~f'{x}'"]),
            (
                "env = {\"A_B\": \"1\",\n  \"C_D\": str(2)}\nenv[\"E\"] = \"3\"\n",
                &["1:9 Python A_B=1", "2:4 Python C_D=2", "3:6 Python E=3"],
            ),
            ("env = dict(os.environ, A=\"1\")\n", &["1:24 Python A=1"]),
            ("ray.init(runtime_env={\"env_vars\": {\"NCCL_A\": \"1\"}})\n", &["1:37 Python NCCL_A=1"]),
            (
                "os.environ[\"A\"] = 1\nos.environ[\"B\"] = True\nos.environ['C'] = None\n",
                &[
                    "1:13 Python A=1 NotText(Number)",
                    "2:13 Python B=True NotText(Boolean)",
                    "3:13 Python C=None NotText(Null)",
                ],
            ),
            ("del os.environ[\"A\"]\nos.environ.pop('B', None)\n", &["1:17 Python -A", "2:17 Python -B"]),
            ("os.environ['A'] = 'x' + y\nos.environ['B'] = b'x'\n", &["1:13 Python A~'x' + y", "2:13 Python B~b'x'"]),
            ("os.environ['A'] = r'\\d' '\\t'\n", &["1:13 Python A=\\d\t"]),
            ("if x:\n    os.environ['A'] = '1'\nos.environ['B'] = '1'\n", &["2:17 Python A=1?", "3:13 Python B=1"]),
            ("if __name__ == '__main__':\n    os.environ['A'] = '1'\n", &["2:17 Python A=1"]),
            ("def f():\n  os.environ['A'] = '1'\n", &["2:15 Python A=1?"]),
            ("# os.environ['A'] = '1'\n'''\nos.environ['B'] = '1'\n'''\nx = \"os.environ['C'] = '1'\"\n", &[]),
            ("os.environ['A'] == '1'\nif os.environ['B'] != '1': pass\nprint(os.environ['C'])\n", &[]),
            ("NCCL_DEBUG = 'INFO'\nf(NCCL_A='1')\nx[\"path\"] = '1'\n", &["2:3 Python NCCL_A=1"]),
            ("os.environ['A'] = '''x'''; os.environ['B'] = '1'\r\n", &["1:13 Python A=x", "1:40 Python B=1"]),
            ("x = 'unclosed\nos.environ['A'] = '1'\n", &["2:13 Python A=1"]),
        ],
    );
}

#[test]
fn dictionaries_are_scopes() {
    let source = source(
        Kind::Python,
        "os.environ['A']='1'\na = {'B_C': '1', 'D_E': '1'}\nb = {'F_G': '1'}\nos.environ.update({'H_I': '1'})\n",
    );
    let scopes: Vec<usize> = source.settings.iter().map(|setting| setting.scope).collect();
    assert_eq!((scopes[1] == scopes[2], scopes[0] == scopes[4]), (true, true), "{scopes:?}");
    assert_ne!(scopes[1], scopes[3]);
}
