"""What a league file says of its tournaments: how they stand, whether they are right, in and out as text."""
