"""Plans: from a question to a typed query, without a model."""
