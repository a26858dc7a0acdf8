//! Jupyter's messages as they travel: the connection file, frames, signatures. What they mean is `server`'s and `session`'s.

use anyhow::{Context, bail};
use hmac::{Hmac, Mac};
use serde::Deserialize;
use serde_json::{Value, json};
use sha2::Sha256;
use std::path::Path;
use zeromq::ZmqMessage;

/// Stands between the addresses of a message and its signature.
const DELIMITER: &[u8] = b"<IDS|MSG>";

/// Where Jupyter wants the kernel to listen.
#[derive(Debug, Clone, Deserialize)]
pub struct Connection {
    transport: String,
    ip: String,
    key: String,
    /// Requests to run cells, and on what is in them.
    pub shell_port: u16,
    /// Requests that do not wait for cells: interrupts, the end.
    pub control_port: u16,
    /// Questions to the reader; none are asked.
    pub stdin_port: u16,
    /// What everybody who watches is told.
    pub iopub_port: u16,
    /// Echoes.
    pub hb_port: u16,
}

impl Connection {
    /// Reads the file that Jupyter wrote.
    pub fn read(file: &Path) -> anyhow::Result<Self> {
        let text = std::fs::read_to_string(file).with_context(|| file.display().to_string())?;
        serde_json::from_str(&text)
            .with_context(|| format!("{} is no connection file", file.display()))
    }

    /// The address of one of its ports.
    pub fn address(&self, port: u16) -> String {
        format!("{}://{}:{port}", self.transport, self.ip)
    }

    /// What signs the messages; none where Jupyter wants no signatures.
    pub fn signer(&self) -> Option<Signer> {
        let key = self.key.as_bytes();
        // HMAC takes keys of any length.
        (!key.is_empty())
            .then(|| Hmac::new_from_slice(key).ok())
            .flatten()
    }
}

/// HMAC-SHA256 with the connection's key.
pub type Signer = Hmac<Sha256>;

/// A message, its signature checked.
#[derive(Debug, Clone)]
pub struct Message {
    addresses: Vec<Vec<u8>>,
    header: Value,
    parent: Value,
    /// What it says.
    pub content: Value,
}

impl Message {
    /// Takes a message apart.
    ///
    /// # Errors
    /// If it is malformed, or not signed with the key.
    pub fn read(frames: ZmqMessage, signer: Option<&Signer>) -> anyhow::Result<Self> {
        let frames: Vec<Vec<u8>> = frames.iter().map(|frame| frame.to_vec()).collect();
        let Some(at) = frames.iter().position(|frame| frame == DELIMITER) else {
            bail!("a message without its delimiter");
        };
        let (addresses, rest) = (&frames[..at], &frames[at + 1..]);
        let [signature, header, parent, metadata, content, ..] = rest else {
            bail!("a message of {} parts", rest.len());
        };
        if let Some(signer) = signer {
            let mut signer = signer.clone();
            for part in [header, parent, metadata, content] {
                signer.update(part);
            }
            let signed = from_hex(signature).context("a signature that is no number")?;
            signer
                .verify_slice(&signed)
                .context("a message with another's signature")?;
        }
        Ok(Self {
            addresses: addresses.to_vec(),
            header: serde_json::from_slice(header)?,
            parent: serde_json::from_slice(parent)?,
            content: serde_json::from_slice(content)?,
        })
    }

    /// Its type, such as `execute_request`.
    pub fn kind(&self) -> &str {
        self.header["msg_type"].as_str().unwrap_or_default()
    }

    /// A text in its content; empty where there is none.
    pub fn text(&self, name: &str) -> &str {
        self.content[name].as_str().unwrap_or_default()
    }

    /// The answer to it.
    pub fn reply(&self, content: Value) -> Self {
        let mut reply = self.child(&self.kind().replace("_request", "_reply"), content);
        reply.addresses.clone_from(&self.addresses);
        reply
    }

    /// A message on what came of it, to everybody.
    pub fn child(&self, kind: &str, content: Value) -> Self {
        let header = json!({
            "msg_id": format!("{:032x}", fastrand::u128(..)),
            "session": self.header["session"],
            "username": "kernel",
            "date": chrono::Utc::now().to_rfc3339(),
            "msg_type": kind,
            "version": "5.3",
        });
        Self {
            addresses: Vec::new(),
            header,
            parent: self.header.clone(),
            content,
        }
    }

    /// It as frames.
    pub fn frames(&self, signer: Option<&Signer>) -> ZmqMessage {
        let empty = json!({});
        let parts = [&self.header, &self.parent, &empty, &self.content].map(Value::to_string);
        let signature = signer.map_or(String::new(), |signer| {
            let mut signer = signer.clone();
            parts.iter().for_each(|part| signer.update(part.as_bytes()));
            cornerturn_basics::hex(&signer.finalize().into_bytes())
        });
        let mut frames = ZmqMessage::from(signature);
        frames.push_front(DELIMITER.into());
        for address in self.addresses.iter().rev() {
            frames.push_front(address.clone().into());
        }
        for part in parts {
            frames.push_back(part.into());
        }
        frames
    }
}

fn from_hex(text: &[u8]) -> Option<Vec<u8>> {
    let digit = |at: usize| char::from(*text.get(at)?).to_digit(16);
    let byte = |at: usize| Some((digit(at)? << 4 | digit(at + 1)?) as u8);
    (0..text.len()).step_by(2).map(byte).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn request() -> Message {
        let header = json!({"msg_id": "1", "session": "s", "msg_type": "execute_request"});
        let content = json!({"code": "1 + 1"});
        Message {
            addresses: vec![b"client".to_vec()],
            header,
            parent: json!({}),
            content,
        }
    }

    #[test]
    fn a_message_comes_back_as_it_was_signed() {
        let signer = Hmac::new_from_slice(b"key").ok();
        let frames = request()
            .reply(json!({"status": "ok"}))
            .frames(signer.as_ref());
        let read = Message::read(frames, signer.as_ref()).unwrap();
        assert_eq!((read.kind(), read.text("status")), ("execute_reply", "ok"));
        assert_eq!(read.addresses, [b"client"]);
        assert_eq!(read.parent["msg_id"], "1");
    }

    #[test]
    fn a_message_that_others_signed_or_cut_is_refused() {
        let (ours, theirs) = (
            Hmac::new_from_slice(b"key").ok(),
            Hmac::new_from_slice(b"other").ok(),
        );
        let forged = request().frames(theirs.as_ref());
        assert!(Message::read(forged, ours.as_ref()).is_err());
        assert!(Message::read(request().frames(None), ours.as_ref()).is_err());
        assert!(Message::read(ZmqMessage::from("x"), ours.as_ref()).is_err());
        let mut short = ZmqMessage::from("<IDS|MSG>");
        short.push_back("0".into());
        assert!(Message::read(short, None).is_err());
    }
}
