"""A bot that plays Forty-one by a small network, which taught itself."""
