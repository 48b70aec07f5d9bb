"""A local model provider for tests: real HTTP on loopback, exact bytes, scripted replies, faults and a request log."""
