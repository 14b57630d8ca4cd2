"""What a league file says of its tournaments: standings, verification, export and import."""
