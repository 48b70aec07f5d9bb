"""Web search and pages, by whichever service is set up. Knows nothing of tools or agents."""
