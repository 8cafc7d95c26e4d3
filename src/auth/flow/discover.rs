//! Finding the resource's metadata, then its authorization server's: one address after another.

use super::{Answer, Flow, Input, Output, State, get};
use crate::auth::discovery::{self, MAX_DOCUMENT_BYTES};
use crate::auth::failure::{Failure, Step};
use crate::auth::uri;

impl Flow {
    pub(super) fn next_resource(&mut self, mut urls: Vec<String>) -> Output {
        if urls.is_empty() {
            // 2025-03-26: the resource server is its own authorization server.
            let origin = uri::split(&self.setup.server_url).map(|url| url.origin.to_owned()).unwrap_or_default();
            self.resource.resource = uri::canonical(&self.setup.server_url).to_owned();
            let urls = uri::server_metadata_urls(&origin);
            self.resource.issuer = origin;
            return self.next_server(urls).unwrap_or_else(Output::Failed);
        }
        let url = urls.remove(0);
        self.state = State::Resource(urls);
        get(url)
    }

    pub(super) fn on_resource(&mut self, urls: Vec<String>, input: Input) -> Result<Output, Failure> {
        if let Some(document) = self.document(input)
            && let Some(resource) = discovery::resource(&document, &self.setup.server_url)?
        {
            self.is_published = true;
            self.resource = resource;
            if self.setup.chooses_server && self.resource.issuers.len() > 1 {
                self.state = State::Choosing;
                return Ok(Output::Choose { issuers: self.resource.issuers.clone() });
            }
            return self.next_server(uri::server_metadata_urls(&self.resource.issuer));
        }
        Ok(self.next_resource(urls))
    }

    pub(super) fn on_chosen(&mut self, issuer: String) -> Result<Output, Failure> {
        if !self.resource.issuers.contains(&issuer) {
            let message =
                ["the authorization server must be one that ", &self.setup.server_url, " lists, got ", &issuer];
            return Err(Failure::new(Step::Resource, &message));
        }
        self.resource.issuer = issuer;
        self.next_server(uri::server_metadata_urls(&self.resource.issuer))
    }

    fn next_server(&mut self, mut urls: Vec<String>) -> Result<Output, Failure> {
        if !urls.is_empty() {
            let url = urls.remove(0);
            self.state = State::Server(urls);
            return Ok(get(url));
        }
        let issuer = &self.resource.issuer;
        if self.is_published {
            return Err(Failure::new(Step::Server, &["no authorization server metadata found for ", issuer]));
        }
        if !self.is_reachable {
            let message = ["no protected resource metadata found for ", &self.setup.server_url];
            return Err(Failure::new(Step::Resource, &message));
        }
        self.server = discovery::default_server(issuer);
        Ok(self.load())
    }

    pub(super) fn on_server(&mut self, urls: Vec<String>, input: Input) -> Result<Output, Failure> {
        if let Some(document) = self.document(input)
            && let Some(server) = discovery::server(&document, &self.resource.issuer)?
        {
            self.server = server;
            return Ok(self.load());
        }
        self.next_server(urls)
    }

    /// The body of a good answer.
    fn document(&mut self, input: Input) -> Option<Vec<u8>> {
        match input {
            Input::Answer(answer) if answer.status == 200 && answer.body.len() <= MAX_DOCUMENT_BYTES => {
                Some(answer.body)
            }
            Input::Answer(Answer { status: 400..500, .. }) => None,
            _ => {
                self.is_reachable = false;
                None
            }
        }
    }
}
