"""The control room: the pages on which the host of a tournament sees how it stands, and decides."""
