//! The program as people run it: arguments in; stdout, stderr and exit status out.

mod content;
mod contract;
mod diagnose;
mod env;
mod files;
mod flow;
mod help;
mod lint;
mod list;
mod packs;
mod pipes;
mod readme;
mod reference;
mod run;
mod schema;
mod screens;
mod search;
mod words;
