//! What is started as `etcd` beside the API server: it says that it is well and keeps nothing.
//!
//! Test fixtures start both programs and wait for both. The API server has its own store, so this one answers the
//! questions that are asked before a test begins, on the addresses it is given, until it is stopped.

use super::flags::Flags;
use crate::exit::Exit;
use anyhow::{Context as _, Result};
use std::io::{BufRead as _, BufReader, Write as _};
use std::net::{TcpListener, TcpStream};
use std::thread;
use std::time::Duration;

/// The answer to `/version`; fixtures do not start with an etcd that is too old.
const VERSION: &str = "3.6.0";

/// A path that only the stand-in knows.
const STAND_IN: &str = "/crdkit";

/// The flags that fixtures look for in the help.
const HELP: &str = "\
Answers the health checks of an etcd for tests of crdkit's API server, which keeps its data itself.

  --data-dir DIR                  accepted and not used
  --listen-client-urls URLS       where to answer
  --listen-peer-urls URLS         accepted and not used
  --unsafe-no-fsync               accepted and not used
";

/// A connection that asks nothing for so long is closed.
const IDLE: Duration = Duration::from_mins(1);

pub(super) fn run(flags: &Flags) -> Result<Exit> {
    if flags.has("help") || flags.has("h") {
        crate::stdout::print(HELP)?;
        return Ok(Exit::Fine);
    }
    if flags.has("version") {
        crate::stdout::print(&format!("etcd Version: {VERSION}\n"))?;
        return Ok(Exit::Fine);
    }
    let urls: Vec<&str> = match flags.all("listen-client-urls").collect::<Vec<_>>() {
        urls if urls.is_empty() => vec!["http://127.0.0.1:2379"],
        urls => urls,
    };
    let mut answering = Vec::new();
    for url in urls {
        let address = url.split_once("://").map_or(url, |(_, rest)| rest).trim_end_matches('/');
        let listener =
            TcpListener::bind(address).with_context(|| format!("cannot listen on `{url}`"))?;
        answering.push(thread::spawn(move || listen(&listener)));
    }
    for thread in answering {
        // It ends only with the program.
        let _ = thread.join();
    }
    Ok(Exit::Fine)
}

/// Whether the stand-in answers at `url`.
pub(super) fn is_stand_in(url: &str) -> bool {
    let address = url.split_once("://").map_or(url, |(_, rest)| rest).trim_end_matches('/');
    let ask = || -> std::io::Result<String> {
        let mut connection = TcpStream::connect(address)?;
        connection.set_read_timeout(Some(Duration::from_secs(2)))?;
        write!(connection, "GET {STAND_IN} HTTP/1.1\r\nHost: {address}\r\n\r\n")?;
        let mut line = String::new();
        BufReader::new(connection).read_line(&mut line)?;
        Ok(line)
    };
    ask().is_ok_and(|line| line.starts_with("HTTP/1.1 200"))
}

fn listen(listener: &TcpListener) {
    for connection in listener.incoming().flatten() {
        thread::spawn(move || {
            // Whoever went away needs no answer.
            let _ = answer(&connection);
        });
    }
}

/// Answers the requests of a connection until it is closed.
fn answer(connection: &TcpStream) -> std::io::Result<()> {
    connection.set_read_timeout(Some(IDLE))?;
    let mut lines = BufReader::new(connection).lines();
    while let Some(request) = lines.next().transpose()? {
        // Headers end with an empty line, and these requests have no body.
        while lines.next().transpose()?.is_some_and(|line| !line.is_empty()) {}
        let path = request.split(' ').nth(1).unwrap_or_default();
        let (status, body) = match path.split('?').next() {
            Some("/health" | "/livez" | "/readyz") => {
                ("200 OK", r#"{"health":"true","reason":""}"#.to_owned())
            }
            Some(STAND_IN) => ("200 OK", "{}".to_owned()),
            Some("/version") => {
                ("200 OK", format!(r#"{{"etcdserver":"{VERSION}","etcdcluster":"{VERSION}"}}"#))
            }
            _ => ("404 Not Found", "404 page not found\n".to_owned()),
        };
        let length = body.len();
        let mut connection = connection;
        write!(
            connection,
            "HTTP/1.1 {status}\r\nContent-Type: application/json\r\nContent-Length: {length}\r\n\r\n{body}"
        )?;
    }
    Ok(())
}
