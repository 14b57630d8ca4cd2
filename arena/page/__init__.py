"""The league-night page: what a league file holds, shown in a browser by a process of its own."""
