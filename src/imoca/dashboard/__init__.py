"""The live page of running studies: read-only, of this machine alone, nothing fetched from elsewhere."""
