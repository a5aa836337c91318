"""The intermediate representation: typed statements, their printable form and their
rules."""
