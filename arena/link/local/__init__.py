"""Builds bots on this machine, puts them into a sandbox, starts them and ends them."""
