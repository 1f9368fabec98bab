//! URLs: `kubernetes.URL`.

use crdkit_text::url::Url;

use super::no_overload;
use crate::cost::CostModel::{One, Text};
use crate::declare::{Definition, define};
use crate::eval::{EvalError, Evaluated};
use crate::value::{Data, Opaque, Val};

pub(crate) const DEFINITIONS: &[Definition] = &[
    define("url(string) -> kubernetes.URL", Text, to_url),
    define("isURL(string) -> bool", One, is_url),
    define("kubernetes.URL.getScheme() -> string", One, scheme),
    define("kubernetes.URL.getHost() -> string", One, host),
    define("kubernetes.URL.getHostname() -> string", One, hostname),
    define("kubernetes.URL.getPort() -> string", One, port),
    define("kubernetes.URL.getEscapedPath() -> string", One, escaped_path),
    define("kubernetes.URL.getQuery() -> map(string, list(string))", One, query),
];

fn to_url<'v>(data: Data<'v>, arguments: &[Val<'v>]) -> Evaluated<'v> {
    match arguments {
        [Val::String(text)] => Url::parse_request_uri(text)
            .and_then(|_| Url::parse(text))
            .map(|url| Val::Opaque(data.arena.opaque(Opaque::Url(Box::new(url)))))
            .map_err(|error| {
                EvalError::message(format!(
                    "URL parse error during conversion from string: {error}"
                ))
            }),
        _ => no_overload(),
    }
}

fn is_url<'v>(_data: Data<'v>, arguments: &[Val<'v>]) -> Evaluated<'v> {
    match arguments {
        [Val::String(text)] => Ok(Val::Bool(Url::parse_request_uri(text).is_ok())),
        _ => no_overload(),
    }
}

fn part<'v>(data: Data<'v>, arguments: &[Val<'v>], get: impl Fn(&Url) -> String) -> Evaluated<'v> {
    match arguments {
        [Val::Opaque(Opaque::Url(url))] => Ok(Val::String(data.arena.string(&get(url)))),
        _ => no_overload(),
    }
}

fn scheme<'v>(data: Data<'v>, arguments: &[Val<'v>]) -> Evaluated<'v> {
    part(data, arguments, |url| url.scheme().to_owned())
}

fn host<'v>(data: Data<'v>, arguments: &[Val<'v>]) -> Evaluated<'v> {
    part(data, arguments, Url::host)
}

fn hostname<'v>(data: Data<'v>, arguments: &[Val<'v>]) -> Evaluated<'v> {
    part(data, arguments, Url::hostname)
}

fn port<'v>(data: Data<'v>, arguments: &[Val<'v>]) -> Evaluated<'v> {
    part(data, arguments, Url::port)
}

fn escaped_path<'v>(data: Data<'v>, arguments: &[Val<'v>]) -> Evaluated<'v> {
    part(data, arguments, Url::escaped_path)
}

fn query<'v>(data: Data<'v>, arguments: &[Val<'v>]) -> Evaluated<'v> {
    let [Val::Opaque(Opaque::Url(url))] = arguments else {
        return no_overload();
    };
    let text = |text: &str| Val::String(data.arena.string(text));
    let entries: Vec<(Val<'v>, Val<'v>)> = url
        .query()
        .iter()
        .map(|(key, values)| {
            let values: Vec<Val<'v>> = values.iter().map(|value| text(value)).collect();
            (text(key), data.arena.list(&values))
        })
        .collect();
    Ok(data.arena.map(&entries))
}
