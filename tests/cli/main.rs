//! The program as people run it: arguments in; stdout, stderr and exit status out.

mod content;
mod contract;
mod diagnose;
mod env;
mod lint;
mod pipes;
mod readme;
mod run;
mod schema;
mod screens;
mod search;
mod words;
