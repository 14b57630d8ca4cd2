"""TLS between referees and bots: addresses that ask for it, certificates, and who is believed."""
