//! JSON Schema validation.
