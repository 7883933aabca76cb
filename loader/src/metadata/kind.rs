//! The words of argument metadata.

/// Declares an enum of fixed words, with a variant that keeps any other word.
macro_rules! words {
    ($(#[$doc:meta])* $name:ident { $($(#[$vdoc:meta])* $variant:ident = $text:literal,)* }) => {
        $(#[$doc])*
        #[derive(Debug, Clone, PartialEq, Eq, Hash)]
        #[non_exhaustive]
        pub enum $name {
            $($(#[$vdoc])* $variant,)*
            /// A word this build does not know.
            Other(String),
        }

        impl $name {
            /// Every known word.
            pub const KNOWN: &'static [$name] = &[$($name::$variant),*];

            /// The word as the note spells it.
            #[must_use]
            pub fn as_str(&self) -> &str {
                match self {
                    $($name::$variant => $text,)*
                    $name::Other(text) => text,
                }
            }
        }

        impl From<String> for $name {
            fn from(text: String) -> $name {
                match text.as_str() {
                    $($text => $name::$variant,)*
                    _ => $name::Other(text),
                }
            }
        }

        impl From<$name> for rmpv::Value {
            fn from(word: $name) -> rmpv::Value {
                word.as_str().into()
            }
        }

        impl std::fmt::Display for $name {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.write_str(self.as_str())
            }
        }
    };
}

words! {
    /// What an argument is (`.value_kind`). The hidden ones are filled by the runtime, not by the caller.
    ValueKind {
        /// The value itself.
        ByValue = "by_value",
        /// Address of a buffer in global memory.
        GlobalBuffer = "global_buffer",
        /// An LDS offset; its size is given at dispatch.
        DynamicSharedPointer = "dynamic_shared_pointer",
        /// An OpenCL sampler.
        Sampler = "sampler",
        /// An OpenCL image.
        Image = "image",
        /// An OpenCL pipe.
        Pipe = "pipe",
        /// An OpenCL device queue.
        Queue = "queue",
        /// First work-item's x in the grid.
        HiddenGlobalOffsetX = "hidden_global_offset_x",
        /// First work-item's y in the grid.
        HiddenGlobalOffsetY = "hidden_global_offset_y",
        /// First work-item's z in the grid.
        HiddenGlobalOffsetZ = "hidden_global_offset_z",
        /// Nothing; the runtime leaves it alone.
        HiddenNone = "hidden_none",
        /// Buffer of OpenCL's printf.
        HiddenPrintfBuffer = "hidden_printf_buffer",
        /// Buffer for calls from the device to the host.
        HiddenHostcallBuffer = "hidden_hostcall_buffer",
        /// Device-side enqueue: the queue.
        HiddenDefaultQueue = "hidden_default_queue",
        /// Device-side enqueue: the completion action.
        HiddenCompletionAction = "hidden_completion_action",
        /// Synchronisation of a grid that spans devices.
        HiddenMultigridSyncArg = "hidden_multigrid_sync_arg",
        /// Heap of device-side malloc.
        HiddenHeapV1 = "hidden_heap_v1",
        /// Whole workgroups in x.
        HiddenBlockCountX = "hidden_block_count_x",
        /// Whole workgroups in y.
        HiddenBlockCountY = "hidden_block_count_y",
        /// Whole workgroups in z.
        HiddenBlockCountZ = "hidden_block_count_z",
        /// Work-items of a whole workgroup in x.
        HiddenGroupSizeX = "hidden_group_size_x",
        /// Work-items of a whole workgroup in y.
        HiddenGroupSizeY = "hidden_group_size_y",
        /// Work-items of a whole workgroup in z.
        HiddenGroupSizeZ = "hidden_group_size_z",
        /// Work-items of the partial workgroup in x, zero without one.
        HiddenRemainderX = "hidden_remainder_x",
        /// Work-items of the partial workgroup in y, zero without one.
        HiddenRemainderY = "hidden_remainder_y",
        /// Work-items of the partial workgroup in z, zero without one.
        HiddenRemainderZ = "hidden_remainder_z",
        /// Dimensions of the grid: 1, 2 or 3.
        HiddenGridDims = "hidden_grid_dims",
        /// High half of the private aperture's address.
        HiddenPrivateBase = "hidden_private_base",
        /// High half of the shared aperture's address.
        HiddenSharedBase = "hidden_shared_base",
        /// Address of the queue.
        HiddenQueuePtr = "hidden_queue_ptr",
        /// LDS bytes added at dispatch.
        HiddenDynamicLdsSize = "hidden_dynamic_lds_size",
    }
}

words! {
    /// The address space of a pointer argument (`.address_space`).
    AddressSpace {
        /// Scratch.
        Private = "private",
        /// Global memory.
        Global = "global",
        /// Global memory that does not change.
        Constant = "constant",
        /// LDS.
        Local = "local",
        /// Any of them.
        Generic = "generic",
        /// Global data share.
        Region = "region",
    }
}

words! {
    /// What a kernel does with a buffer (`.access` as declared, `.actual_access` as compiled).
    Access {
        /// Reads only.
        ReadOnly = "read_only",
        /// Writes only.
        WriteOnly = "write_only",
        /// Reads and writes.
        ReadWrite = "read_write",
    }
}

impl ValueKind {
    /// Whether the runtime fills it instead of the caller.
    #[must_use]
    pub fn is_hidden(&self) -> bool {
        self.as_str().starts_with("hidden_")
    }
}
