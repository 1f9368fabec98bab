//! Programs that are run: where they are, what they print, what they complain about.

use anyhow::{Context as _, Result, anyhow};
use std::path::PathBuf;
use std::process::{Command, Stdio};

/// What a program prints, or what it complains about.
pub(super) fn output(mut command: Command, called: &str) -> Result<String> {
    let output = command.stdin(Stdio::null()).output();
    let output = output.with_context(|| format!("`{called}` cannot be run"))?;
    if !output.status.success() {
        return Err(anyhow!(
            "{called} says: {}",
            complaint(&String::from_utf8_lossy(&output.stderr))
        ));
    }
    String::from_utf8(output.stdout).with_context(|| format!("`{called}` does not print text"))
}

/// What a program complains about, in one line: what it logs as the error, the paragraph that begins with `Error`, or
/// the last line.
fn complaint(text: &str) -> String {
    let text = match text.split_once("err=\"") {
        Some((_, quoted)) => {
            &format!("error: {}", quoted.trim_end().trim_end_matches('"').replace("\\\"", "\""))
        }
        None => text,
    };
    let logged = text.split_once("err=<");
    let logged = logged.map(|(_, rest)| rest.split_once("\n >").unwrap_or((rest, "")).0);
    let is_error = |line: &str| line.get(..5).is_some_and(|it| it.eq_ignore_ascii_case("error"));
    let from = text.lines().skip_while(|line| !is_error(line));
    let lines: Vec<&str> = match logged {
        Some(logged) => logged.lines().map(str::trim).filter(|line| !line.is_empty()).collect(),
        None => from.map(str::trim).take_while(|line| !line.is_empty()).collect(),
    };
    let paragraph = lines.join(" ");
    let mut said = paragraph.as_str();
    for start in ["Error: ", "error: "] {
        said = said.strip_prefix(start).unwrap_or(said);
    }
    // What kustomize says about all that leads to the problem is of no interest, only where it is.
    let (mut depth, mut place) = (0, "");
    while let Some((_, rest)) = said.split_once("': recursed accumulation of path '")
        && let Some((path, inside)) = rest.split_once("': ")
    {
        (depth, place, said) = (depth + 1, path, inside);
    }
    let said = said.strip_prefix("Error: ").unwrap_or(said);
    match said {
        "" => text.trim().lines().last().unwrap_or("no reason given").to_owned(),
        said if depth > 1 => format!("in `{place}`: {said}"),
        said => said.to_owned(),
    }
}

/// Where a program is, if it is installed.
pub(super) fn find(name: &str) -> Option<PathBuf> {
    let path = std::env::var_os("PATH")?;
    let file = format!("{name}{}", std::env::consts::EXE_SUFFIX);
    std::env::split_paths(&path).map(|it| it.join(&file)).find(|it| it.is_file())
}

#[cfg(test)]
mod tests {
    use super::complaint;

    #[test]
    fn complaints_of_programs_are_one_line() {
        let helm = "Error: execution error at (lights/templates/lamp.yaml:1:14): no watts\n\nUse --debug flag to render out invalid YAML\n";
        assert_eq!(
            complaint(helm),
            "execution error at (lights/templates/lamp.yaml:1:14): no watts"
        );
        let kustomize = "Error: accumulating resources: accumulation err='accumulating resources from '../a': '/a' must resolve to a file': recursed accumulation of path '/a': trouble configuring builtin PatchTransformer with config: `\npath: b.yaml\n`: no such file\n";
        assert_eq!(
            complaint(kustomize),
            "trouble configuring builtin PatchTransformer with config: ` path: b.yaml `: no such file"
        );
        let nested = "error: accumulating resources: accumulation err='accumulating resources from '../a': '/a' must resolve to a file': recursed accumulation of path '/a': accumulating resources: accumulation err='accumulating resources from '../b': '/b' must resolve to a file': recursed accumulation of path '/b': no such file\n";
        assert_eq!(complaint(nested), "in `/b`: no such file");
        let logged = "# Warning: old\nE1119 21:33:51.5 5255 run.go:72] \"command failed\" err=<\n\ttrouble: `\n\tname: web\n\t`: must specify --enable-helm\n >\n";
        assert_eq!(complaint(logged), "trouble: ` name: web `: must specify --enable-helm");
        let quoted = "E1119 21:33:51.5 5255 run.go:72] \"command failed\" err=\"accumulating: \\\"helm\\\" not found\"\n";
        assert_eq!(complaint(quoted), "accumulating: \"helm\" not found");
        assert_eq!(complaint("odd\nbroken\n"), "broken");
        assert_eq!(complaint(""), "no reason given");
    }
}
