//! What can be done with objects, a module for each verb.
//!
//! A verb gets a [`Target`]: what is served, where, and the request. It gives an answer, or the status that says why not.

mod allocate;
mod apply;
mod binding;
mod connect;
mod create;
mod delete;
mod delete_collection;
mod delete_options;
mod eviction;
mod get;
mod grace;
mod list;
mod patch;
mod review;
mod review_checks;
mod scale;
mod token_request;
mod update;
mod write;

pub(crate) use delete::delete_object;
pub(crate) use delete_options::DeleteOptions;
pub(crate) use list::{Listed, list_entries};
pub(crate) use write::system_update;

use crate::answer::Answer;
use crate::catalogue::snapshot::Served;
use crate::core::Core;
use crate::decode;
use crate::negotiate::{Form, route_refused};
use crate::options::WriteOptions;
use crate::request::Request;
use crate::route::{ResourceRoute, Verb};
use crate::rules::Rules;
use crate::view::{Shape, View};
use crdkit_codec::Format;
use crdkit_codec::media::{MediaType, Offer, PatchOffer, request_type};
use crdkit_engine::{FieldValidation, Input};
use crdkit_schema::status::{Status, Subject};
use crdkit_text::names;
use crdkit_value::Document;
use hyper::Method;
use std::sync::Arc;

/// What a request is about.
pub(crate) struct Target<'r> {
    pub(crate) core: &'r Arc<Core>,
    pub(crate) request: &'r Request,
    pub(crate) served: Arc<Served>,
    /// Where the objects live; none for all namespaces, and for kinds without any.
    pub(crate) namespace: Option<&'r str>,
    pub(crate) name: Option<&'r str>,
    pub(crate) subresource: Option<&'r str>,
}

/// An object in the body of a request.
pub(crate) enum BodyObject<'b> {
    Bytes(Format, &'b [u8]),
    Document(Document),
}

impl BodyObject<'_> {
    /// The object, to be read.
    pub(crate) fn input(&self) -> Input<'_> {
        match self {
            Self::Bytes(format, bytes) => Input::Bytes(*format, bytes),
            Self::Document(document) => document.clone().into(),
        }
    }
}

/// The answer to a request about objects.
pub(crate) async fn dispatch(
    core: &Arc<Core>,
    request: &Request,
    route: &ResourceRoute<'_>,
) -> Result<Answer, Box<Status>> {
    let catalogue = core.catalogue.load_full();
    let Some(served) = catalogue.find(route.group, route.version, route.plural) else {
        let native = route.group.is_empty() || catalogue.has_native_group(route.group);
        return if native { Err(Status::no_such_path().into()) } else { Ok(Answer::no_page()) };
    };
    let resource = &served.resource;
    let is_namespace = route.group.is_empty() && route.plural == "namespaces";
    let namespace = route.namespace.filter(|_| !is_namespace);
    if is_namespace && route.namespace.is_some() && route.namespace != route.name {
        return Err(Status::no_such_path().into());
    }
    let is_posted = matches!(served.rules, Rules::Review(_));
    let across = route.name.is_none()
        && !is_posted
        && matches!(route.verb, Verb::List | Verb::Watch | Verb::Unknown);
    let placed =
        if resource.namespaced { namespace.is_some() || across } else { namespace.is_none() };
    if !placed {
        return match (resource.is_custom(), route.name) {
            (true, _) => Ok(Answer::no_page()),
            (false, None) if resource.namespaced && !is_posted => {
                Err(Status::no_such_method().into())
            }
            (false, _) => Err(Status::no_such_path().into()),
        };
    }
    if let Some(warning) = &resource.deprecation {
        request.warn(&**warning);
    }
    let target = Target {
        core,
        request,
        served: Arc::clone(served),
        namespace,
        name: route.name,
        subresource: route.subresource,
    };
    if resource.is_custom() { target.custom(route).await } else { target.native(route).await }
}

impl Target<'_> {
    async fn custom(&self, route: &ResourceRoute<'_>) -> Result<Answer, Box<Status>> {
        let refuse = || Err(self.subject("").method_not_allowed(route.verb.as_str()).into());
        if let Some(subresource) = self.subresource {
            if self.served.resource.subresource(subresource).is_none() {
                return Err(self.subject(self.name.unwrap_or_default()).not_found().into());
            }
            return match (subresource, route.verb) {
                ("scale", Verb::Get) => self.get_scale().await,
                ("scale", Verb::Update) => self.update_scale().await,
                ("scale", Verb::Patch) => self.patch_scale().await,
                ("status", Verb::Get) => self.get().await,
                ("status", Verb::Update) => self.update().await,
                ("status", Verb::Patch) => self.patch().await,
                _ => refuse(),
            };
        }
        match route.verb {
            Verb::Create => self.create().await,
            Verb::Get => self.get().await,
            Verb::List => self.list().await,
            Verb::Watch => self.watch().await,
            Verb::Update => self.update().await,
            Verb::Patch => self.patch().await,
            Verb::Delete => self.delete().await,
            Verb::DeleteCollection => self.delete_collection().await,
            Verb::Unknown => refuse(),
        }
    }

    async fn native(&self, route: &ResourceRoute<'_>) -> Result<Answer, Box<Status>> {
        use crate::catalogue::resource::Verb as Known;
        let refuse = || Err(Status::no_such_method().into());
        let allows = |verb| match self.subresource {
            Some(name) => {
                let found = self.served.resource.subresource(name);
                found.is_some_and(|found| found.verbs.contains(&verb))
            }
            None => self.served.resource.allows(verb),
        };
        if let Some(name) = self.subresource
            && self.served.resource.subresource(name).is_none()
        {
            return Err(Status::no_such_path().into());
        }
        if self.request.method == Method::HEAD {
            return refuse();
        }
        let lists = matches!(route.verb, Verb::List | Verb::Watch);
        if !self.is_connection()
            && let Some(status) = route_refused(self.request.header("accept"), lists)
        {
            return Err(status.into());
        }
        if let Rules::Review(kind) = self.served.rules {
            return match (route.verb, self.name) {
                (Verb::Create, None) if kind.kind == "Binding" => self.bind().await,
                (Verb::Create, None) => self.review(kind),
                (_, Some(_)) => Err(Status::no_such_path().into()),
                _ => refuse(),
            };
        }
        match (route.verb, self.name.is_some()) {
            (Verb::Unknown, true) if self.is_connection() => refuse(),
            (_, true) if self.is_connection() => self.connect().await,
            (Verb::Create, true) if self.subresource == Some("token") => self.token_request().await,
            (Verb::Create, true) if self.subresource == Some("binding") => self.bind().await,
            (Verb::Create, true) if self.subresource == Some("eviction") => self.evict().await,
            (Verb::Get, true) if self.subresource == Some("scale") => self.get_scale().await,
            (Verb::Update, true) if self.subresource == Some("scale") => self.update_scale().await,
            (Verb::Patch, true) if self.subresource == Some("scale") => self.patch_scale().await,
            (Verb::Create, named)
                if named == self.subresource.is_some() && allows(Known::Create) =>
            {
                self.create().await
            }
            (Verb::Get, true) if allows(Known::Get) => self.get().await,
            (Verb::List, _) if allows(Known::List) => self.list().await,
            (Verb::Watch, _) if allows(Known::Watch) => self.watch().await,
            (Verb::Update, true) if allows(Known::Update) => self.update().await,
            (Verb::Patch, true) if allows(Known::Patch) => self.patch().await,
            (Verb::Delete, true) if allows(Known::Delete) => self.delete().await,
            (Verb::DeleteCollection, _) if allows(Known::DeleteCollection) => {
                self.delete_collection().await
            }
            _ => refuse(),
        }
    }

    /// The resource, in answers that do not depend on what an object holds.
    pub(crate) fn subject<'s>(&'s self, name: &'s str) -> Subject<'s> {
        let kind = &self.served.resource.kind;
        let plural = &self.served.resource.plural;
        Subject { group: &kind.group, version: &kind.version, kind: plural, name }
    }

    /// The kind, in answers about an object.
    pub(crate) fn kind_subject<'s>(&'s self, name: &'s str) -> Subject<'s> {
        let kind = &self.served.resource.kind;
        Subject { group: &kind.group, version: &kind.version, kind: &kind.kind, name }
    }

    /// The name in the path.
    ///
    /// # Errors
    /// The answer, when there is none, or it is no name at all.
    pub(crate) fn name(&self) -> Result<&str, Box<Status>> {
        let bad = |text: String| Box::new(Status::bad_request(text));
        let name = self.name.ok_or_else(|| bad("name must be provided".to_owned()))?;
        match names::path_segment_name(name).first() {
            None => Ok(name),
            Some(problem) => Err(bad(format!(
                "Name parameter invalid: {}: {problem}",
                crdkit_text::quote::quote(name)
            ))),
        }
    }

    pub(crate) fn key(&self, name: &str) -> String {
        self.served.key(&self.core.layout, self.namespace, name)
    }

    pub(crate) fn offer(&self) -> Offer {
        if self.served.resource.is_custom() {
            Offer::custom_resource(true)
        } else {
            Offer::builtin(true)
        }
    }

    pub(crate) fn patch_offer(&self) -> PatchOffer {
        if self.served.resource.is_custom() {
            PatchOffer::custom_resource(true)
        } else {
            PatchOffer::builtin(true)
        }
    }

    /// The form of the answer.
    pub(crate) fn form(&self) -> Result<Form, Box<Status>> {
        Form::of(self.request, &self.offer())
    }

    /// What objects are turned into in an answer of this form.
    pub(crate) fn shape(&self, form: &Form) -> Result<Shape, Box<Status>> {
        Shape::of(form, &self.request.query)
    }

    pub(crate) fn view<'v>(&'v self, form: &'v Form, shape: &'v Shape) -> View<'v> {
        View::new(&self.served, form, shape, &self.core.environment)
    }

    /// The object in the body.
    ///
    /// # Errors
    /// The answer, when there is none that can be read.
    pub(crate) fn object_in(&self, media: MediaType) -> Result<BodyObject<'_>, Box<Status>> {
        let body = self.request.body()?;
        match media.format() {
            Some(format) => Ok(BodyObject::Bytes(format, body)),
            None if self.served.resource.is_custom() => Err(Self::no_protobuf()),
            None => {
                let kind = &self.served.resource.kind.kind;
                decode::protobuf(body, kind).map(BodyObject::Document)
            }
        }
    }

    /// Nothing is said about unknown fields of custom resources in CBOR.
    pub(crate) fn lenient_with(
        &self,
        body: &BodyObject<'_>,
        options: WriteOptions,
    ) -> WriteOptions {
        let is_cbor = matches!(body, BodyObject::Bytes(Format::Cbor, _));
        if is_cbor && self.served.resource.is_custom() {
            return WriteOptions { validation: FieldValidation::Ignore, ..options };
        }
        options
    }

    /// The media type of the body.
    pub(crate) fn content_type(&self) -> Result<MediaType, Box<Status>> {
        let found = request_type(self.request.header("content-type"), &self.offer(), false);
        let refuse = |problem: crdkit_codec::media::UnsupportedMediaType| {
            Box::new(Status::unsupported_media_type(problem.to_string()))
        };
        found.map_err(refuse)
    }
}
