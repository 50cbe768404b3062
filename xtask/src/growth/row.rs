/// An input that grows, and the command that reads it.
pub struct Row {
    /// The reader, and the shape of its input.
    pub name: &'static str,
    /// Behind the program's name. `FILE` stands for the path of the file, `DIRECTORY` for that of the directory it lies in; `<` in front of `FILE` makes it the
    /// standard input.
    pub arguments: &'static [&'static str],
    /// The path of the file in a directory of its own.
    pub file: &'static str,
    /// The file for a size.
    pub content: fn(usize) -> String,
    /// The first size; twice and four times of it are measured, too.
    pub n: usize,
}
