"""Just-in-time code reads: parse, outline, name, cut, edit, search. Pure over bytes; no policy."""
