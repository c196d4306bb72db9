"""What all of learning stands on: `some_rows` (distinct rows, rows held out) and `work` (what learning may take)."""
