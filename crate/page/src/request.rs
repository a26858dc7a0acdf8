//! A request as it came: its fields, read with a sentence where one is missing or no such thing. What is done with them is others'.

use crate::problem::Problem;
use serde::de::DeserializeOwned;
use serde_json::{Map, Value};

/// The most bytes of a request. The files of all kernels are a third of it.
const MOST_BYTES: usize = 16 << 20;

/// A JSON object.
pub(crate) struct Request(Map<String, Value>);

impl Request {
    pub(crate) fn read(bytes: &[u8]) -> Result<Self, Problem> {
        if bytes.len() > MOST_BYTES {
            return Err(Problem::limit(format!(
                "the request has {} bytes, and {MOST_BYTES} are the most",
                bytes.len()
            )));
        }
        match serde_json::from_slice(bytes) {
            Ok(Value::Object(fields)) => Ok(Self(fields)),
            Ok(_) => Err(Problem::request("the request is no JSON object")),
            Err(error) => Err(Problem::request(format!("the request is no JSON: {error}"))),
        }
    }

    /// A field; `None` where it is missing or null.
    pub(crate) fn get(&self, name: &str) -> Option<&Value> {
        self.0.get(name).filter(|value| !value.is_null())
    }

    fn wanted(&self, name: &str) -> Result<&Value, Problem> {
        self.get(name)
            .ok_or_else(|| Problem::request(format!("the request has no `{name}`")))
    }

    /// A text.
    pub(crate) fn text(&self, name: &str) -> Result<&str, Problem> {
        let text = self.wanted(name)?.as_str();
        text.ok_or_else(|| Problem::request(format!("`{name}` is no text")))
    }

    /// A text, where there is one.
    pub(crate) fn optional_text(&self, name: &str) -> Result<Option<&str>, Problem> {
        self.get(name).map(|_| self.text(name)).transpose()
    }

    /// True or false; a default where it is missing.
    pub(crate) fn flag(&self, name: &str, default: bool) -> Result<bool, Problem> {
        match self.get(name) {
            None => Ok(default),
            Some(value) => value
                .as_bool()
                .ok_or_else(|| Problem::request(format!("`{name}` is neither true nor false"))),
        }
    }

    /// An object; an empty one where it is missing.
    pub(crate) fn object(&self, name: &str) -> Result<Map<String, Value>, Problem> {
        match self.get(name) {
            None => Ok(Map::new()),
            Some(Value::Object(fields)) => Ok(fields.clone()),
            Some(_) => Err(Problem::request(format!("`{name}` is no object"))),
        }
    }

    /// A request within this one.
    pub(crate) fn inner(&self, name: &str) -> Result<Self, Problem> {
        self.wanted(name)?;
        self.object(name).map(Self)
    }

    /// A list or anything else of a type; `None` where it is missing.
    pub(crate) fn optional<T: DeserializeOwned>(&self, name: &str) -> Result<Option<T>, Problem> {
        let read = |value: &Value| {
            T::deserialize(value)
                .map_err(|error| Problem::request(format!("`{name}` cannot be read: {error}")))
        };
        self.get(name).map(read).transpose()
    }
}
