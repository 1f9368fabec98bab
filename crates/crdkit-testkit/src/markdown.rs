//! Cases out of Markdown text.

/// What stands under one heading.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Case {
    /// The heading.
    pub title: String,
    /// The code blocks, in order.
    pub blocks: Vec<Block>,
}

/// A fenced code block.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Block {
    /// The first word of the info string.
    pub language: String,
    /// The rest of the info string.
    pub role: String,
    /// The lines between the fences.
    pub text: String,
    /// The line of the file that the text begins on, counted from one.
    pub line: usize,
}

/// The cases of a file: headings that have code blocks.
pub fn cases(markdown: &str) -> Vec<Case> {
    let mut cases: Vec<Case> = Vec::new();
    let mut title = String::new();
    let mut open: Option<Block> = None;
    for (index, line) in markdown.lines().enumerate() {
        if let Some(info) = line.strip_prefix("```") {
            if let Some(block) = open.take() {
                match cases.last_mut().filter(|case| case.title == title) {
                    Some(case) => case.blocks.push(block),
                    None => cases.push(Case { title: title.clone(), blocks: vec![block] }),
                }
            } else {
                let (language, role) = info.split_once(' ').unwrap_or((info, ""));
                open = Some(Block {
                    language: language.trim().into(),
                    role: role.trim().into(),
                    text: String::new(),
                    line: index + 2,
                });
            }
        } else if let Some(block) = &mut open {
            block.text.push_str(line);
            block.text.push('\n');
        } else if line.starts_with('#') {
            title = line.trim_start_matches('#').trim().into();
        }
    }
    cases
}

impl Case {
    /// The text of the last block with this role.
    pub fn block(&self, role: &str) -> Option<&Block> {
        self.blocks.iter().rfind(|block| block.role == role)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn blocks_belong_to_the_heading_above_them() {
        let cases = cases(
            "# One\n\ntext\n\n```yaml schema\na: 1\nb: 2\n```\n\n# None\n\n# Two\n```json\n{}\n```\n",
        );
        let titles: Vec<&str> = cases.iter().map(|case| case.title.as_str()).collect();
        assert_eq!(titles, ["One", "Two"]);
        let block = cases[0].block("schema").expect("the block is there");
        assert_eq!((block.text.as_str(), block.line), ("a: 1\nb: 2\n", 6));
        assert_eq!(cases[1].blocks[0].language, "json");
    }
}
