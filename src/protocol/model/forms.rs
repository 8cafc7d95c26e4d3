//! The three forms that the model's types have.

/// An object of named members: a struct with a field for each, and `extra` for all others.
macro_rules! record {
    ($($(#[$doc:meta])* $name:ident { $($(#[$note:meta])* $field:ident: $type:ty = $key:literal,)* })*) => { $(
        $(#[$doc])*
        #[derive(Clone, Debug, Default, Eq, PartialEq)]
        pub struct $name {
            $(
                #[doc = concat!("`", $key, "`")]
                $(#[$note])*
                pub $field: $type,
            )*
            /// Members that the specification does not name, or whose value is of the wrong type.
            pub extra: $crate::protocol::model::Object,
        }

        impl $crate::protocol::model::Record for $name {
            fn read_members(
                value: $crate::protocol::json::Raw<'_>,
                tag: &str,
            ) -> Result<Self, $crate::protocol::model::ModelError> {
                if !value.is_object() {
                    return Err($crate::protocol::model::ModelError::new("an object"));
                }
                let mut extra = $crate::protocol::model::Object::default();
                $(let mut $field = None;)*
                for (key, member) in value.members() {
                    match &*key.name() {
                        name if !tag.is_empty() && name == tag => {}
                        $($key => $field = Some((key, member)),)*
                        _ => extra.push_read(key, member),
                    }
                }
                Ok(Self {
                    $($field: $crate::protocol::model::Member::take($field, $key, &mut extra)?,)*
                    extra,
                })
            }

            fn write_members(&self, out: &mut $crate::protocol::json::Writer) {
                $($crate::protocol::model::Member::put(&self.$field, $key, out);)*
                self.extra.write_members(out);
            }
        }

        impl $crate::protocol::model::Wire for $name {
            fn read(value: $crate::protocol::json::Raw<'_>) -> Result<Self, $crate::protocol::model::ModelError> {
                $crate::protocol::model::Record::read_members(value, "")
            }

            fn write(&self, out: &mut $crate::protocol::json::Writer) {
                out.open_object();
                $crate::protocol::model::Record::write_members(self, out);
                out.close_object();
            }
        }
    )* };
}

/// A string out of a list that later revisions may add to. The default is the first.
macro_rules! open_enum {
    ($($(#[$doc:meta])* $name:ident { $first:ident = $first_text:literal, $($variant:ident = $text:literal,)* })*) => { $(
        $(#[$doc])*
        #[derive(Clone, Debug, Default, Eq, PartialEq)]
        pub enum $name {
            #[doc = concat!("`", $first_text, "`")]
            #[default]
            $first,
            $(
                #[doc = concat!("`", $text, "`")]
                $variant,
            )*
            /// A value that the specification does not name.
            Other(String),
        }

        impl $name {
            /// The value as it stands on the wire.
            pub fn as_str(&self) -> &str {
                match self {
                    Self::$first => $first_text,
                    $(Self::$variant => $text,)*
                    Self::Other(text) => text,
                }
            }
        }

        impl From<&str> for $name {
            fn from(text: &str) -> Self {
                match text {
                    $first_text => Self::$first,
                    $($text => Self::$variant,)*
                    other => Self::Other(other.to_owned()),
                }
            }
        }

        impl $crate::protocol::model::Wire for $name {
            fn read(value: $crate::protocol::json::Raw<'_>) -> Result<Self, $crate::protocol::model::ModelError> {
                let text = value.as_str().ok_or_else(|| $crate::protocol::model::ModelError::new("a string"))?;
                Ok(Self::from(&*text))
            }

            fn write(&self, out: &mut $crate::protocol::json::Writer) {
                out.string(self.as_str());
            }
        }
    )* };
}

/// One of several records, told apart by a member; what is unknown, or not of its kind, is kept whole.
macro_rules! open_union {
    ($(#[$doc:meta])* $name:ident by $tag:literal { $($(#[$note:meta])* $variant:ident($record:ident) = $text:literal,)* }) => {
        $(#[$doc])*
        #[derive(Clone, Debug, Eq, PartialEq)]
        pub enum $name {
            $(
                #[doc = concat!("`", $text, "`")]
                $(#[$note])*
                $variant($record),
            )*
            /// A kind that the specification does not name, or a value that is not of the kind it says.
            Unknown($crate::protocol::model::Json),
        }

        impl $crate::protocol::model::Wire for $name {
            fn read(value: $crate::protocol::json::Raw<'_>) -> Result<Self, $crate::protocol::model::ModelError> {
                use $crate::protocol::model::{Json, Record};
                let known = match value.get_str($tag).as_deref() {
                    $(Some($text) => $record::read_members(value, $tag).ok().map(Self::$variant),)*
                    _ => None,
                };
                Ok(known.unwrap_or_else(|| Self::Unknown(Json::from(value))))
            }

            fn write(&self, out: &mut $crate::protocol::json::Writer) {
                match self {
                    $(Self::$variant(record) => {
                        out.open_object().name($tag).string($text);
                        $crate::protocol::model::Record::write_members(record, out);
                        out.close_object();
                    })*
                    Self::Unknown(json) => json.write(out),
                }
            }
        }

        $(impl From<$record> for $name {
            fn from(record: $record) -> Self {
                Self::$variant(record)
            }
        })*
    };
}
