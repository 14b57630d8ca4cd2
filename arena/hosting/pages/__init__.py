"""The pages of a standing league, and its API: what authors and visitors see besides the tournaments."""
