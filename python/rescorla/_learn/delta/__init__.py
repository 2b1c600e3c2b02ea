"""The delta rule with an activation function, token by token or in batches."""
