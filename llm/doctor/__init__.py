"""The doctor: asks an endpoint one short question and says what it can do. Knows nothing of settings or the page."""
