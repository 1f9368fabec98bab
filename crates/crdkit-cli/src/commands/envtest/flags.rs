//! Command lines as Go programs take them: `--name=value`, `--name value`, `-name`.
//!
//! Whoever starts an API server for a test passes flags that mean nothing here, and more with every version; all are
//! taken, and those that matter are asked for by name.

/// Flags in the order they were given.
#[derive(Debug, Default)]
pub(super) struct Flags(Vec<(String, String)>);

impl Flags {
    /// Reads arguments. One that follows a flag without a value and is none itself is its value.
    pub(super) fn parse(args: impl IntoIterator<Item = String>) -> Self {
        let mut flags: Vec<(String, String)> = Vec::new();
        let mut open = false;
        for arg in args {
            if let Some(rest) = arg.strip_prefix('-') {
                let rest = rest.strip_prefix('-').unwrap_or(rest);
                let (name, value) = rest.split_once('=').unwrap_or((rest, ""));
                open = !rest.contains('=');
                flags.push((name.to_owned(), value.to_owned()));
            } else {
                if let (true, Some((_, value))) = (open, flags.last_mut()) {
                    *value = arg;
                }
                open = false;
            }
        }
        Self(flags)
    }

    /// The value of `name`, which counts as it was given last.
    pub(super) fn get(&self, name: &str) -> Option<&str> {
        self.0.iter().rev().find(|(known, _)| known == name).map(|(_, value)| &**value)
    }

    /// Whether `name` was given.
    pub(super) fn has(&self, name: &str) -> bool {
        self.get(name).is_some()
    }

    /// The names of all flags that were given.
    pub(super) fn names(&self) -> impl Iterator<Item = &str> {
        self.0.iter().map(|(name, _)| &**name)
    }

    /// All values of `name`, which may be given more than once or separated by commas.
    pub(super) fn all<'f>(&'f self, name: &'f str) -> impl Iterator<Item = &'f str> {
        let values = self.0.iter().filter(move |(known, _)| known == name);
        values.flat_map(|(_, value)| value.split(',')).filter(|value| !value.is_empty())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_spellings_are_read() {
        let args = "--a=1 --b 2 -c --d=x,y --d=z --a=3 --secure-port=0";
        let flags = Flags::parse(args.split(' ').map(str::to_owned));
        assert_eq!(flags.get("a"), Some("3"));
        assert_eq!(flags.get("b"), Some("2"));
        assert_eq!(flags.get("c"), Some(""));
        assert_eq!(flags.all("d").collect::<Vec<_>>(), ["x", "y", "z"]);
        assert!(!flags.has("e"));
    }
}
