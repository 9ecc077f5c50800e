"""Ask and tell over HTTP, for programs in other languages."""
