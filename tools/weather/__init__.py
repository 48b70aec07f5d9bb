"""Places and weather, by whichever service is set up. Knows nothing of tools or agents."""
