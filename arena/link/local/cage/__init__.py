"""What a bot on this machine can reach: walls made of what Linux gives to every account."""
