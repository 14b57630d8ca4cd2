"""What an author learns of one bot: `arena check-bot`, `arena rehearse` and `arena analyse`."""
