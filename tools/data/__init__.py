"""What files hold: their kinds, their text and their tables. All but plain text is read in a process of its own."""
