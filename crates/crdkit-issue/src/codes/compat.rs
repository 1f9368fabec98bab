//! Findings of the compat stage: what a change of a CRD breaks, and how comparing goes wrong.

codes! {
    stage: Rule, short: ShortName::Prefixed("");

    /// The configuration of a comparison is not valid.
    CONFIG_INVALID = "config-invalid", Invalid, "{problem}", example: "conversion: Sometimes";

    /// A check of crdify rejects a change.
    CRDIFY_CHANGE = "crdify-change", Invalid, "{check}: {change}", example: "maxLength: 10 # was 20";

    /// The API server would refuse the new CRD as an update of the old one.
    CRD_REFUSED = "crd-refused", Invalid, "the API server refuses the new CRD: {change}",
        example: "spec: {scope: Cluster} # was Namespaced";

    /// The names of the kind have changed.
    NAMES_CHANGED = "names-changed", Invalid, "{change}",
        example: "names: {shortNames: []} # was [lp]";

    /// Objects now belong to a namespace, or no longer do.
    SCOPE_CHANGED = "scope-changed", Invalid, "{change}",
        example: "spec: {scope: Cluster} # was Namespaced";

    /// A version that was served no longer is.
    VERSION_GONE = "version-gone", Invalid, "{change}",
        example: "versions: [{name: v1beta1, served: false}] # was true";

    /// Stored objects can no longer be read, or not after the change is reverted.
    STORAGE_CHANGED = "storage-changed", Invalid, "{change}",
        example: "versions: [] # v1beta1 was the storage version";

    /// Objects are converted between versions differently.
    CONVERSION_CHANGED = "conversion-changed", Invalid, "{change}",
        example: "conversion: {strategy: None} # was Webhook";

    /// The `status` or `scale` subresource was removed, added or moved.
    SUBRESOURCE_CHANGED = "subresource-changed", Invalid, "{change}",
        example: "subresources: {} # had status";

    /// Objects can no longer be selected by a field.
    SELECTOR_GONE = "selector-gone", Invalid, "{change}",
        example: "selectableFields: [] # was [{jsonPath: .spec.color}]";

    /// A column of `kubectl get` was removed or shows something else.
    COLUMN_CHANGED = "column-changed", Invalid, "{change}",
        example: "additionalPrinterColumns: [] # was [{name: Color, jsonPath: .spec.color}]";

    /// An object that was accepted no longer is.
    OBJECT_REFUSED = "object-refused", Invalid, "{change}",
        example: "maxLength: 10 # was 20";

    /// A stored object cannot be changed as before.
    UPDATE_REFUSED = "update-refused", Invalid, "{change}",
        example: "x-kubernetes-validations: [{rule: self == oldSelf}] # is new";

    /// A field of stored objects is lost.
    FIELD_LOST = "field-lost", Invalid, "{change}", example: "properties: {} # had color";

    /// A stored object reads differently because a default has changed.
    DEFAULT_CHANGED = "default-changed", Invalid, "{change}", example: "default: 40 # was 60";

    /// Readers meet values that were not possible before.
    NEW_TO_READERS = "new-to-readers", Invalid, "{change}",
        example: "enum: [Warm, Cold] # was [Warm]";

    /// Server-side apply merges a list or map differently.
    OWNERSHIP_CHANGED = "ownership-changed", Invalid, "{change}",
        example: "x-kubernetes-list-type: map # was atomic";

    /// An object is incomplete or invalid when used in another version.
    VERSIONS_DIFFER = "versions-differ", Invalid, "{change}",
        example: "# v1 has a field that v1beta1 does not have";

    /// A CRD was removed.
    CRD_GONE = "crd-gone", NotFound, "the CRD `{name}` was removed, and with it all of its objects",
        example: "";

    /// The new CRD refuses or changes an existing object.
    OBJECT_BREAKS = "object-breaks", Invalid, "{effect}", example: "";

    /// An exception in the configuration has expired.
    EXCEPTION_EXPIRED = "exception-expired", Invalid,
        "the exception expired on {expires}; its reason was: {reason}",
        example: "exceptions: [{path: spec.color, reason: unused, expires: 2024-01-31}]";

    /// An exception in the configuration matches nothing that was found.
    EXCEPTION_UNUSED = "exception-unused", Invalid, "the exception matches nothing; remove it",
        example: "exceptions: [{path: spec.nowhere, reason: unused, expires: 2030-01-31}]";
}
