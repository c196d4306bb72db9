"""Learning: penalties, parameters, structure, certificates and links (Sec. 4)."""
