//! `ClientCore`: the client's state machine behind the mailbox.
//!
//! Every export takes facts and posts what is to be done, as records of numbers with
//! their strings in order; `pkg-template/lib/client-pump.js` reads them. An export returns
//! how many records it posted, so that the pump reads nothing where there is none.
//!
//! | record | numbers | strings |
//! |---|---|---|
//! | 1 send | exchange, verb (and 4 where the call's parameters go in), call or 0, id or 0, headers (2³² − 1: those of the last one sent) | name and value of each header, head, tail |
//! | 2 abort | exchange | |
//! | 3 wait, always the first | milliseconds; 2³² − 1: for ever; 2³² − 2: as before | |
//! | 4 result, 5 page | call, exchange or 0 | the result where the exchange is 0 |
//! | 6 failed | call or 0 for the connection, HTTP status, retryable | code, message, error, status text, content type, retry-after, body |
//! | 7 progress | call | params |
//! | 8 notification | whether it has params | method, params |
//! | 9 connected | | one JSON object |
//! | 10 diagnostic, 17 disconnected | 0, HTTP status, retryable | as failed |
//! | 11 request | key, whether it has params | method, params |
//! | 12 body | exchange | message |
//! | 13 mirror | call | |
//! | 14 closed | | |
//! | 15 endpoint | | where POSTs go, empty for the client's own URL |
//! | 18 look up | call | part |
//! | 19 keep | call, milliseconds (0 to forget the part) | part, text |
//! | 20 forget | | method, URI |
//! | 16 message | | a message of the peer, before anything is made of it |

use super::records::Records;
use super::{error, mailbox};
use crate::client::{
    CacheMode, Call, Client, Code, Exchange, Head, Header, Input, LOG_LEVELS, Millis, Options, Output, Params, Read,
    Request, RequestOptions, ResultType, ServerRequest,
};
use crate::protocol::json::Raw;
use crate::protocol::method::{self, NameSource};
use crate::streamable_http::headers as media;
use std::cell::RefCell;
use wasm_bindgen::prelude::{JsValue, wasm_bindgen};

/// One client.
#[wasm_bindgen]
pub struct ClientCore {
    client: RefCell<Client>,
    /// The wait that was posted last.
    announced: RefCell<Option<Millis>>,
    /// The headers that were posted last.
    headers: RefCell<Vec<Header>>,
}

/// The bits of `request`'s flags.
mod flag {
    pub(super) const META: u32 = 1;
    pub(super) const NAME: u32 = 2;
    pub(super) const URI: u32 = 256;
    pub(super) const HELD: u32 = 4;
    pub(super) const PROGRESS: u32 = 8;
    pub(super) const RESET: u32 = 16;
    pub(super) const WALK: u32 = 32;
    pub(super) const MANUAL: u32 = 64;
    pub(super) const NOTIFICATION: u32 = 128;
    pub(super) const SUBSCRIBE: u32 = 512;
    pub(super) const REFRESH: u32 = 1024;
    pub(super) const BYPASS: u32 = 2048;
    pub(super) const NO_RETRY: u32 = 4096;
    /// From this bit on: the level of log messages and 1, or 0.
    pub(super) const LEVEL_SHIFT: u32 = 13;
}

/// What `input` is told of: whose number the key is, and what the mailbox holds.
mod what {
    /// The application connects; a stored verdict (a JSON object), or nothing.
    pub(super) const CONNECT: u32 = 0;
    /// The application is done with the client.
    pub(super) const CLOSE: u32 = 1;
    /// The application gives up a call.
    pub(super) const CANCEL: u32 = 2;
    /// The head of an exchange's answer; the number is the status. The values of content-type, mcp-session-id,
    /// retry-after, www-authenticate, the reason phrase and the location, with NULs between them, empty where absent;
    /// none of them where the number says from bit 16 on that it is all JSON (1) or an event stream (2).
    pub(super) const HEAD: u32 = 3;
    /// An exchange's complete result, parsed outside; `nextCursor` where the number is 1.
    pub(super) const RESULT: u32 = 4;
    /// An exchange's whole body, or a whole message of its stream.
    pub(super) const BODY: u32 = 5;
    /// Bytes of an exchange's stream.
    pub(super) const CHUNK: u32 = 6;
    /// One message of a channel that is not HTTP.
    pub(super) const MESSAGE: u32 = 7;
    /// Nothing more comes for an exchange.
    pub(super) const END: u32 = 8;
    /// The channel failed for an exchange; how.
    pub(super) const FAILED: u32 = 9;
    /// All parameters of a call whose tool mirrors some.
    pub(super) const ARGUMENTS: u32 = 10;
    /// The application's answer to a question: a JSON object.
    pub(super) const ANSWER: u32 = 11;
    /// The application's refusal of one: the number is the code; a message.
    pub(super) const REFUSAL: u32 = 12;
    /// Time has passed.
    pub(super) const TIME: u32 = 13;
    /// The channel is gone, with everything that was open on it; how.
    pub(super) const LOST: u32 = 14;
    /// The application says in whose name requests go out.
    pub(super) const CONTEXT: u32 = 16;
    /// What was kept for a call.
    pub(super) const KEPT: u32 = 17;
    /// Progress of an exchange's request has come and was told of.
    pub(super) const PROGRESS: u32 = 18;
    /// What carried an exchange is gone.
    pub(super) const ORPHANED: u32 = 15;
}

fn head_of(number: i32, facts: &str) -> Head<'_> {
    let status = number as u16;
    let known = match number >> 16 {
        1 => Some(media::JSON),
        2 => Some(media::EVENT_STREAM),
        _ => None,
    };
    if known.is_some() {
        return Head { status, content_type: known, ..Head::default() };
    }
    let mut parts = facts.split('\0').map(|part| Some(part).filter(|part| !part.is_empty()));
    let mut part = || parts.next().flatten();
    Head {
        status,
        content_type: part(),
        session_id: part(),
        retry_after: part(),
        challenge: part(),
        status_text: part(),
        location: part(),
    }
}

#[wasm_bindgen]
impl ClientCore {
    /// A client from its options, one JSON object in the mailbox.
    ///
    /// # Errors
    ///
    /// `INVALID_ARGUMENT`
    #[wasm_bindgen(constructor)]
    pub fn new(length: usize) -> Result<Self, JsValue> {
        let options = mailbox::take(length, |text| match Raw::parse(text) {
            Ok(raw) => Options::read(raw),
            Err(problem) => Err(problem.to_string()),
        });
        match options {
            Ok(options) => Ok(Self {
                client: RefCell::new(Client::new(options)),
                announced: RefCell::new(None),
                headers: RefCell::default(),
            }),
            Err(message) => Err(error::mcp_error(Code::InvalidArgument.as_str(), &message)),
        }
    }

    /// Begins a call and gives its number. The mailbox holds `_meta`, the method, `params.uri` and `params.name`
    /// with a NUL between them; a time of 0 or less stands for none. For a subscription its filter takes the place of
    /// `_meta`.
    pub fn request(&self, length: usize, flags: u32, timeout: f64, total: f64, now: f64) -> u32 {
        let has = |bit: u32| flags & bit != 0;
        let call = mailbox::take(length, |bytes| {
            let text = std::str::from_utf8(bytes).unwrap_or_default();
            let mut parts = text.splitn(4, '\0');
            let (meta, method) = (parts.next(), parts.next().unwrap_or_default());
            let (uri, name) = (parts.next(), parts.next());
            let request = Request {
                method,
                params: if has(flag::HELD) { Params::Held } else { Params::None },
                meta: meta.filter(|_| has(flag::META)),
                name: match method::name_source(method) {
                    Some(NameSource::Name) => name.filter(|_| has(flag::NAME)),
                    Some(NameSource::Uri) => uri.filter(|_| has(flag::URI)),
                    None => None,
                },
                options: RequestOptions {
                    timeout: (timeout > 0.0).then_some(timeout as Millis),
                    max_total: (total > 0.0).then_some(total as Millis),
                    reset_on_progress: has(flag::RESET),
                    progress: has(flag::PROGRESS),
                    walk: has(flag::WALK),
                    manual: has(flag::MANUAL),
                    cache: match (has(flag::BYPASS), has(flag::REFRESH)) {
                        (true, _) => CacheMode::Bypass,
                        (_, true) => CacheMode::Refresh,
                        _ => CacheMode::Use,
                    },
                    no_retry: has(flag::NO_RETRY),
                    log_level: LOG_LEVELS.get(((flags >> flag::LEVEL_SHIFT) as usize).wrapping_sub(1)).copied(),
                },
            };
            let mut client = self.client.borrow_mut();
            if has(flag::SUBSCRIBE) {
                let filter = Raw::parse(meta.unwrap_or_default().as_bytes());
                return client.subscribe(filter.unwrap_or(Raw::EMPTY_OBJECT), now as Millis);
            }
            if has(flag::NOTIFICATION) {
                client.notify(&request, now as Millis)
            } else {
                client.request(&request, now as Millis)
            }
        });
        self.post(now);
        call.0
    }

    /// Takes what has happened: [`what`] it is, whose it is, a number more where the table there names one, and
    /// `length` bytes in the mailbox. Gives how many records were posted; for a head, they stand above the lowest
    /// eight bits, which say how to read the body.
    pub fn input(&self, kind: u32, key: u32, number: i32, length: usize, now: f64) -> u32 {
        let mut read = 0;
        mailbox::take(length, |bytes| read = self.happened(kind, key, number, bytes, now as Millis));
        if kind == what::TIME {
            // The timer that was asked for is gone.
            self.announced.replace(None);
        }
        let count = self.post(now);
        if kind == what::HEAD { read | count << 8 } else { count }
    }

    fn happened(&self, kind: u32, key: u32, number: i32, bytes: &[u8], now: Millis) -> u32 {
        let mut client = self.client.borrow_mut();
        let text = || std::str::from_utf8(bytes).unwrap_or_default();
        let exchange = Exchange(key);
        let input = match kind {
            what::CONNECT => {
                match Raw::parse(bytes) {
                    Ok(verdict) => client.connect_with(verdict, now),
                    Err(_) => client.connect(now),
                }
                return 0;
            }
            what::CLOSE => {
                client.close(now);
                return 0;
            }
            what::CONTEXT => {
                client.set_authorization_context(text());
                return 0;
            }
            what::CANCEL => {
                client.cancel(Call(key), None, now);
                return 0;
            }
            what::HEAD => {
                client.handle_input(Input::Head(exchange, head_of(number, text())), now);
                // The first output is how to read; the rest is posted.
                return match client.poll_output() {
                    Output::Read(_, read) => read_code(read),
                    _ => read_code(Read::Discard),
                };
            }
            what::RESULT => {
                Input::Result { exchange, result_type: ResultType::Complete, next_cursor: (number != 0).then(text) }
            }
            what::BODY => Input::Body(exchange, bytes),
            what::PROGRESS => Input::Progress(exchange),
            what::CHUNK => Input::Chunk(exchange, bytes),
            what::MESSAGE => Input::Message(exchange, bytes),
            what::END => Input::End(exchange),
            what::FAILED => Input::Failed(exchange, text()),
            what::ARGUMENTS => Input::Arguments(Call(key), bytes),
            what::ANSWER => Input::Answer(ServerRequest(key), text()),
            what::ORPHANED => Input::Orphaned(exchange),
            what::REFUSAL => Input::Refusal(ServerRequest(key), i64::from(number), text()),
            what::LOST => Input::Lost(text()),
            what::KEPT => Input::Kept(Call(key), text()),
            _ => Input::Time,
        };
        client.handle_input(input, now);
        0
    }

    /// Posts everything that is to be done; gives the number of records.
    fn post(&self, now: f64) -> u32 {
        let mut client = self.client.borrow_mut();
        let mut count = 0;
        mailbox::answer(|output| {
            // First, for what follows may run the application, which may begin something and wait for that.
            output.numbers.extend([3, SAME_TIMER]);
            let mut records = Records { output, headers: &mut self.headers.borrow_mut() };
            let until = loop {
                match client.poll_output() {
                    Output::Wait { until, .. } => break until,
                    output => count += records.push(output),
                }
            };
            if self.announced.replace(until) != until {
                count += 1;
                let delay =
                    until.map_or(NO_TIMER, |until| until.saturating_sub(now as Millis).min(LONGEST_TIMER) as u32);
                if let Some(number) = records.output.numbers.get_mut(1) {
                    *number = delay;
                }
            }
        });
        count
    }
}

/// The timer stays as it is.
const SAME_TIMER: u32 = u32::MAX - 1;
/// No timer is wanted.
const NO_TIMER: u32 = u32::MAX;
/// `setTimeout` takes no more; the core is asked again then.
const LONGEST_TIMER: Millis = 0x7FFF_FFFF;

fn read_code(read: Read) -> u32 {
    match read {
        Read::Discard => 0,
        Read::Text => 1,
        Read::Error => 2,
        Read::Message => 3,
        Read::Tools => 4,
        Read::Stream => 5,
        Read::Follow { credentials: true } => 6,
        Read::Follow { credentials: false } => 7,
    }
}
