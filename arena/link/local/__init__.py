"""Local bots: builds, contains, starts and ends bots on this machine."""
