"""TLS between referees and bots: addresses, certificates, and which of them are trusted."""
