"""What runs within the confinement. Standard library only, and nothing of the server: no other module of ours."""
