"""One question: `query` (who answers it, an ordered law or clamped inference), `states` (log-probabilities, the mode)."""
