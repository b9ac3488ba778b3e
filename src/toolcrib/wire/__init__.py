"""How bytes travel to a server and back: the only floor that knows HTTP."""
