"""Rewrites of the IR: each with a name and an off switch. Local ones are identities
of one table, others have a file each."""
