"""A standing league: accounts, submitted versions of bots, seasons of a ladder, and nights.

All of it lies in one folder (`Place`). The host process is the only writer of its database, and starts all
other processes.
"""
