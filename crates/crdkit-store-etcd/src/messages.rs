//! The part of etcd's API that is used, as messages of Protocol Buffers. Names and numbers are etcd's.

use bytes::Bytes;
use prost::{Message, Oneof};

#[derive(Clone, PartialEq, Message)]
pub(crate) struct ResponseHeader {
    #[prost(int64, tag = "3")]
    pub(crate) revision: i64,
}

#[derive(Clone, PartialEq, Message)]
pub(crate) struct KeyValue {
    #[prost(bytes = "bytes", tag = "1")]
    pub(crate) key: Bytes,
    #[prost(int64, tag = "2")]
    pub(crate) create_revision: i64,
    #[prost(int64, tag = "3")]
    pub(crate) mod_revision: i64,
    #[prost(int64, tag = "4")]
    pub(crate) version: i64,
    #[prost(bytes = "bytes", tag = "5")]
    pub(crate) value: Bytes,
    #[prost(int64, tag = "6")]
    pub(crate) lease: i64,
}

#[derive(Clone, PartialEq, Message)]
pub(crate) struct RangeQuery {
    #[prost(bytes = "vec", tag = "1")]
    pub(crate) key: Vec<u8>,
    #[prost(bytes = "vec", tag = "2")]
    pub(crate) range_end: Vec<u8>,
    #[prost(int64, tag = "3")]
    pub(crate) limit: i64,
    #[prost(int64, tag = "4")]
    pub(crate) revision: i64,
    #[prost(bool, tag = "9")]
    pub(crate) count_only: bool,
}

#[derive(Clone, PartialEq, Message)]
pub(crate) struct RangeAnswer {
    #[prost(message, optional, tag = "1")]
    pub(crate) header: Option<ResponseHeader>,
    #[prost(message, repeated, tag = "2")]
    pub(crate) kvs: Vec<KeyValue>,
    #[prost(bool, tag = "3")]
    pub(crate) more: bool,
    #[prost(int64, tag = "4")]
    pub(crate) count: i64,
}

#[derive(Clone, PartialEq, Message)]
pub(crate) struct PutQuery {
    #[prost(bytes = "vec", tag = "1")]
    pub(crate) key: Vec<u8>,
    #[prost(bytes = "bytes", tag = "2")]
    pub(crate) value: Bytes,
    #[prost(int64, tag = "3")]
    pub(crate) lease: i64,
    #[prost(bool, tag = "4")]
    pub(crate) prev_kv: bool,
}

#[derive(Clone, PartialEq, Message)]
pub(crate) struct PutAnswer {
    #[prost(message, optional, tag = "2")]
    pub(crate) prev_kv: Option<KeyValue>,
}

#[derive(Clone, PartialEq, Message)]
pub(crate) struct DeleteQuery {
    #[prost(bytes = "vec", tag = "1")]
    pub(crate) key: Vec<u8>,
    #[prost(bool, tag = "3")]
    pub(crate) prev_kv: bool,
}

#[derive(Clone, PartialEq, Message)]
pub(crate) struct DeleteAnswer {
    #[prost(message, repeated, tag = "3")]
    pub(crate) prev_kvs: Vec<KeyValue>,
}

#[derive(Clone, PartialEq, Oneof)]
pub(crate) enum TxnStep {
    #[prost(message, tag = "1")]
    Range(RangeQuery),
    #[prost(message, tag = "2")]
    Put(PutQuery),
    #[prost(message, tag = "3")]
    Delete(DeleteQuery),
}

#[derive(Clone, PartialEq, Message)]
pub(crate) struct TxnOperation {
    #[prost(oneof = "TxnStep", tags = "1, 2, 3")]
    pub(crate) request: Option<TxnStep>,
}

#[derive(Clone, PartialEq, Oneof)]
pub(crate) enum TxnStepAnswer {
    #[prost(message, tag = "1")]
    Range(RangeAnswer),
    #[prost(message, tag = "2")]
    Put(PutAnswer),
    #[prost(message, tag = "3")]
    Delete(DeleteAnswer),
}

#[derive(Clone, PartialEq, Message)]
pub(crate) struct TxnOperationAnswer {
    #[prost(oneof = "TxnStepAnswer", tags = "1, 2, 3")]
    pub(crate) response: Option<TxnStepAnswer>,
}

#[derive(Clone, PartialEq, Oneof)]
pub(crate) enum CompareTo {
    #[prost(int64, tag = "4")]
    Version(i64),
    #[prost(int64, tag = "5")]
    CreateRevision(i64),
    #[prost(int64, tag = "6")]
    ModRevision(i64),
}

pub(crate) const EQUAL: i32 = 0;
pub(crate) const GREATER: i32 = 1;
pub(crate) const VERSION: i32 = 0;
pub(crate) const CREATE: i32 = 1;
pub(crate) const MOD: i32 = 2;

#[derive(Clone, PartialEq, Message)]
pub(crate) struct TxnCompare {
    #[prost(int32, tag = "1")]
    pub(crate) result: i32,
    #[prost(int32, tag = "2")]
    pub(crate) target: i32,
    #[prost(bytes = "vec", tag = "3")]
    pub(crate) key: Vec<u8>,
    #[prost(oneof = "CompareTo", tags = "4, 5, 6")]
    pub(crate) to: Option<CompareTo>,
}

#[derive(Clone, PartialEq, Message)]
pub(crate) struct TxnQuery {
    #[prost(message, repeated, tag = "1")]
    pub(crate) compare: Vec<TxnCompare>,
    #[prost(message, repeated, tag = "2")]
    pub(crate) success: Vec<TxnOperation>,
    #[prost(message, repeated, tag = "3")]
    pub(crate) failure: Vec<TxnOperation>,
}

#[derive(Clone, PartialEq, Message)]
pub(crate) struct TxnAnswer {
    #[prost(message, optional, tag = "1")]
    pub(crate) header: Option<ResponseHeader>,
    #[prost(bool, tag = "2")]
    pub(crate) succeeded: bool,
    #[prost(message, repeated, tag = "3")]
    pub(crate) responses: Vec<TxnOperationAnswer>,
}

#[derive(Clone, PartialEq, Message)]
pub(crate) struct CompactQuery {
    #[prost(int64, tag = "1")]
    pub(crate) revision: i64,
}

#[derive(Clone, PartialEq, Message)]
pub(crate) struct NoContent {}

#[derive(Clone, PartialEq, Message)]
pub(crate) struct WatchCreate {
    #[prost(bytes = "vec", tag = "1")]
    pub(crate) key: Vec<u8>,
    #[prost(bytes = "vec", tag = "2")]
    pub(crate) range_end: Vec<u8>,
    #[prost(int64, tag = "3")]
    pub(crate) start_revision: i64,
    #[prost(bool, tag = "4")]
    pub(crate) progress_notify: bool,
    #[prost(bool, tag = "6")]
    pub(crate) prev_kv: bool,
}

#[derive(Clone, PartialEq, Oneof)]
pub(crate) enum WatchDemand {
    #[prost(message, tag = "1")]
    Create(WatchCreate),
    #[prost(message, tag = "3")]
    Progress(NoContent),
}

#[derive(Clone, PartialEq, Message)]
pub(crate) struct WatchQuery {
    #[prost(oneof = "WatchDemand", tags = "1, 3")]
    pub(crate) demand: Option<WatchDemand>,
}

#[derive(Clone, PartialEq, Message)]
pub(crate) struct WatchAnswer {
    #[prost(message, optional, tag = "1")]
    pub(crate) header: Option<ResponseHeader>,
    #[prost(bool, tag = "3")]
    pub(crate) created: bool,
    #[prost(bool, tag = "4")]
    pub(crate) canceled: bool,
    #[prost(int64, tag = "5")]
    pub(crate) compact_revision: i64,
    #[prost(string, tag = "6")]
    pub(crate) cancel_reason: String,
    #[prost(message, repeated, tag = "11")]
    pub(crate) events: Vec<EtcdEvent>,
}

pub(crate) const DELETED: i32 = 1;

#[derive(Clone, PartialEq, Message)]
pub(crate) struct EtcdEvent {
    #[prost(int32, tag = "1")]
    pub(crate) kind: i32,
    #[prost(message, optional, tag = "2")]
    pub(crate) kv: Option<KeyValue>,
    #[prost(message, optional, tag = "3")]
    pub(crate) prev_kv: Option<KeyValue>,
}

#[derive(Clone, PartialEq, Message)]
pub(crate) struct LeaseGrant {
    #[prost(int64, tag = "1")]
    pub(crate) ttl: i64,
}

#[derive(Clone, PartialEq, Message)]
pub(crate) struct LeaseQuery {
    #[prost(int64, tag = "1")]
    pub(crate) id: i64,
}

/// Answers both a grant and the question how long a lease still lives.
#[derive(Clone, PartialEq, Message)]
pub(crate) struct LeaseAnswer {
    #[prost(int64, tag = "2")]
    pub(crate) id: i64,
    #[prost(int64, tag = "3")]
    pub(crate) ttl: i64,
}

#[derive(Clone, PartialEq, Message)]
pub(crate) struct StatusAnswer {
    #[prost(string, tag = "2")]
    pub(crate) version: String,
}

#[derive(Clone, PartialEq, Message)]
pub(crate) struct Credentials {
    #[prost(string, tag = "1")]
    pub(crate) name: String,
    #[prost(string, tag = "2")]
    pub(crate) password: String,
}

#[derive(Clone, PartialEq, Message)]
pub(crate) struct TokenAnswer {
    #[prost(string, tag = "2")]
    pub(crate) token: String,
}
